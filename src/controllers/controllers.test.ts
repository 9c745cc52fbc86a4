import { afterEach, describe, expect, it } from 'vitest';
import type { Deployment } from '../api/generated/types/apps.v1.ts';
import type { Namespace, Pod, ResourceQuota } from '../api/generated/types/core.v1.ts';
import type { Draft, KubeObject, Resource } from '../api/object.ts';
import { ConfigMaps, Namespaces, Nodes, Pods, ReplicaSets, ServiceAccounts } from '../api/resources.ts';
import { StatusError } from '../api/status.ts';
import { Client } from '../client/client.ts';
import { noEvents } from '../client/event-recorder.ts';
import { FakeApiServer } from '../client/fake-api-server.ts';
import { InformerFactory } from '../client/informer.ts';
import { timestamp } from '../lib/clock.ts';
import { type Log, lineLog } from '../lib/log.ts';
import { Rng } from '../lib/rng.ts';
import { VirtualClock } from '../lib/virtual-clock.ts';
import { FakeCluster } from './fake-cluster.ts';
import { garbageCollector } from './garbage-collector/controller.ts';
import { type NamespaceSnapshot, planNamespace } from './namespace/plan.ts';
import { planPodGc } from './pod-gc/controller.ts';
import { planQuota } from './resource-quota/controller.ts';
import { podResources } from './resource-quota/usage.ts';
import { Shell } from './runtime/shell.ts';
import { serviceAccountController } from './service-account/controller.ts';

const NOW = Date.UTC(2026, 0, 1);
const log: Log = { ...lineLog((line) => process.stderr.write(line)), info: () => {} };
const stops: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

function deployment(replicas: number): Draft<Deployment> {
  return {
    metadata: { name: 'web', namespace: 't' },
    spec: {
      replicas,
      progressDeadlineSeconds: 600,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'app:1' }] } },
    },
  };
}

describe('the shell, with the Deployment and ReplicaSet controllers', () => {
  function cluster(): FakeCluster {
    const made = new FakeCluster();
    stops.push(() => made.stop());
    return made;
  }

  async function settled(made: FakeCluster, withinMs = 30_000): Promise<{ pods: number; available: number }> {
    await made.clock.advance(withinMs);
    const { status } = await made.deployments().get('t', 'web');
    return { pods: (await made.pods().list({ namespace: 't' })).items.length, available: status.availableReplicas ?? 0 };
  }

  it('plays the same run twice to the same end, request by request', async () => {
    const runs: string[] = [];
    for (let run = 0; run < 2; run++) {
      const made = cluster();
      await made.deployments().create(deployment(5));
      await settled(made);
      runs.push(made.server.requests.map(({ verb, resource, subresource, name }) => [verb, resource, subresource, name].join(' ')).join('\n'));
    }
    expect(runs[0]).toBe(runs[1]);
  });

  it('creates no pod twice, though the watch shows them late', async () => {
    const made = cluster();
    await made.deployments().create(deployment(50));
    expect(await settled(made)).toEqual({ pods: 50, available: 50 });
    expect(made.server.requests.filter(({ verb, resource }) => verb === 'create' && resource === 'pods')).toHaveLength(50);
  });

  it('crash between two writes: whichever write is the last before it, the next attempt finishes the work', async () => {
    for (let survivors = 0; survivors < 8; survivors++) {
      const made = cluster();
      await made.deployments().create(deployment(2));
      let writes = 0;
      made.server.intercept = ({ verb, resource }) => {
        const write = verb !== 'get' && verb !== 'list' && verb !== 'watch' && resource !== 'events';
        if (write && writes++ === survivors) throw new Error('the connection broke');
      };
      expect(await settled(made)).toEqual({ pods: 2, available: 2 });
      expect((await made.replicaSets().list({ namespace: 't' })).items).toHaveLength(1);
    }
  });

  it('stale cache: conflicts are tried again until the change is in', async () => {
    const made = cluster();
    await made.deployments().create(deployment(2));
    let conflicts = 5;
    made.server.intercept = ({ verb, resource }) => {
      if (verb === 'update' && resource !== 'events' && conflicts-- > 0) throw new StatusError(409, 'Conflict', 'the object has been modified');
    };
    expect(await settled(made)).toEqual({ pods: 2, available: 2 });
  });

  it('missed event: pods that vanish while no watch stands are replaced', async () => {
    const made = cluster();
    await made.deployments().create(deployment(3));
    await settled(made);
    made.server.intercept = ({ verb }) => {
      if (verb === 'watch') throw new StatusError(500, 'InternalError', 'no');
    };
    made.server.breakWatches();
    const { items } = await made.pods().list({ namespace: 't' });
    await made.pods().delete('t', items[0]!.metadata.name!);
    await made.clock.advance(5000);
    made.server.intercept = () => {};
    expect(await settled(made, 60_000)).toEqual({ pods: 3, available: 3 });
  });

  it('quota refusals slow creation down: one attempt a sync, and no more than the back-off asks for', async () => {
    const made = cluster();
    let attempts = 0;
    made.server.intercept = ({ verb, resource }) => {
      if (verb !== 'create' || resource !== 'pods') return;
      attempts++;
      throw new StatusError(403, 'Forbidden', 'pods "x" is forbidden: exceeded quota: q');
    };
    await made.deployments().create(deployment(10));
    await made.clock.advance(1000);
    expect(attempts).toBeLessThan(15);
    const { status } = await made.deployments().get('t', 'web');
    expect(status.conditions?.find(({ type }) => type === 'ReplicaFailure')).toMatchObject({ status: 'True', reason: 'FailedCreate' });
  });
});

describe('the garbage collector', () => {
  const resources: Resource[] = [ConfigMaps, ReplicaSets, Pods];

  async function world() {
    const clock = new VirtualClock(NOW);
    const rng = new Rng(1);
    const server = new FakeApiServer(clock, rng.fork('server'));
    const client = new Client(server, { name: 'test', groups: [] }, 'test');
    const informers = new InformerFactory({ client, clock, rng, log });
    const shell = new Shell(garbageCollector(informers, client, resources), { client, informers, recorder: noEvents, clock, log });
    const stop = new AbortController();
    informers.start();
    shell.start(stop.signal);
    stops.push(async () => {
      stop.abort();
      await informers.stop();
    });
    const configMaps = client.resource(ConfigMaps);
    const make = async (name: string, owners: KubeObject[] = [], finalizers: string[] = []): Promise<KubeObject> => {
      const ownerReferences = owners.map(({ metadata }) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: metadata.name!,
        uid: metadata.uid!,
        blockOwnerDeletion: true,
      }));
      return configMaps.create({ metadata: { name, namespace: 't', ownerReferences, ...(finalizers.length ? { finalizers } : {}) } });
    };
    const names = async (): Promise<string[]> => {
      await clock.advance(20_000);
      return (await configMaps.list({ namespace: 't' })).items.map(({ metadata }) => metadata.name!).toSorted();
    };
    return { clock, configMaps, make, names, server };
  }

  it('background: dependents follow, and theirs', async () => {
    const { configMaps, make, names } = await world();
    const owner = await make('owner');
    const child = await make('child', [owner]);
    await make('grandchild', [child]);
    await make('other');
    expect(await names()).toEqual(['child', 'grandchild', 'other', 'owner']);
    await configMaps.delete('t', 'owner');
    expect(await names()).toEqual(['other']);
  });

  it('one owner that lives keeps a dependent, which lets go of the other', async () => {
    const { configMaps, make, names } = await world();
    const owners = [await make('one'), await make('two')];
    await make('child', owners);
    await names();
    await configMaps.delete('t', 'one');
    expect(await names()).toEqual(['child', 'two']);
    expect((await configMaps.get('t', 'child')).metadata.ownerReferences?.map(({ name }) => name)).toEqual(['two']);
  });

  it('an owner counts as gone only if the API server has nothing of its uid', async () => {
    const { make, names } = await world();
    const ghost: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner', uid: 'another' } };
    const owner = await make('owner');
    await make('child-of-a-namesake', [ghost]);
    await make('child', [owner]);
    expect(await names()).toEqual(['child', 'owner']);
  });

  it('foreground: the owner waits for dependents that block it', async () => {
    const { configMaps, make, names } = await world();
    const owner = await make('owner', [], ['foregroundDeletion']);
    await make('child', [owner], ['hold']);
    await names();
    await configMaps.delete('t', 'owner');
    expect(await names()).toEqual(['child', 'owner']);
    await configMaps.patch('t', 'child', { metadata: { finalizers: [] } }, 'application/merge-patch+json');
    expect(await names()).toEqual([]);
  });

  it('orphan: dependents are let go, then the owner goes', async () => {
    const { configMaps, make, names } = await world();
    const owner = await make('owner', [], ['orphan']);
    await make('child', [owner]);
    await names();
    await configMaps.delete('t', 'owner');
    expect(await names()).toEqual(['child']);
    expect((await configMaps.get('t', 'child')).metadata.ownerReferences).toEqual([]);
  });
});

describe('the service account controller', () => {
  it('gives every active namespace its default account, and again when it is deleted', async () => {
    const clock = new VirtualClock(NOW);
    const rng = new Rng(1);
    const client = new Client(new FakeApiServer(clock, rng.fork('server')), { name: 'test', groups: [] }, 'test');
    const informers = new InformerFactory({ client, clock, rng, log });
    const shell = new Shell(serviceAccountController(informers), { client, informers, recorder: noEvents, clock, log });
    const stop = new AbortController();
    informers.start();
    shell.start(stop.signal);
    stops.push(async () => {
      stop.abort();
      await informers.stop();
    });
    await client.resource(Namespaces).create({ metadata: { name: 't' }, spec: {}, status: { phase: 'Active' } });
    await clock.advance(100);
    const accounts = client.resource(ServiceAccounts);
    expect((await accounts.list({ namespace: 't' })).items.map(({ metadata }) => metadata.name)).toEqual(['default']);
    await accounts.delete('t', 'default');
    await clock.advance(100);
    expect((await accounts.list({ namespace: 't' })).items).toHaveLength(1);
  });
});

describe('the plan for a namespace', () => {
  const namespace: Namespace = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 't', uid: 'n', deletionTimestamp: timestamp(NOW) },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Terminating' },
  };
  const object = (kind: string, name: string, metadata: object = {}): KubeObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace: 't', uid: name, ...metadata },
  });
  const snapshot = (content: NamespaceSnapshot['content']): NamespaceSnapshot => ({ now: NOW, namespace, content });

  it('deletes pods before all else', () => {
    const plan = planNamespace(
      snapshot([
        { resource: ConfigMaps, objects: [object('ConfigMap', 'c')] },
        { resource: Pods, objects: [object('Pod', 'p')] },
      ]),
    );
    expect(plan.actions).toMatchObject([{ do: 'batch', actions: [{ do: 'delete', name: 'p' }] }]);
    const then = plan.next!([
      { ok: true, parts: [{ ok: true, object: object('Pod', 'p', { deletionTimestamp: timestamp(NOW), deletionGracePeriodSeconds: 30 }) }] },
    ]);
    expect(then.requeueAfterMs).toBe(16_000);
    const [update] = then.actions;
    const conditions = update?.do === 'update' ? (update.object as Namespace).status.conditions! : [];
    expect(conditions.find(({ type }) => type === 'NamespaceContentRemaining')).toMatchObject({
      status: 'True',
      reason: 'SomeResourcesRemain',
      message: 'Some resources are remaining: configmaps. has 1 resource instances, pods. has 1 resource instances',
    });
  });

  it('finalizes an empty one, after its conditions', () => {
    const plan = planNamespace(snapshot([]));
    expect(plan.actions).toMatchObject([{ do: 'update', subresource: 'status' }]);
    expect(plan.next!([{ ok: true, object: namespace }]).actions).toMatchObject([
      { do: 'update', subresource: 'finalize', object: { spec: { finalizers: [] } } },
    ]);
  });
});

describe('the pod garbage collector', () => {
  const pod = (name: string, { node = 'n1', phase = 'Running', ...metadata }: { node?: string; phase?: string; deletionTimestamp?: string } = {}): Pod => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 't', uid: name, ...metadata },
    spec: { containers: [], nodeName: node },
    status: { phase },
  });

  it('deletes pods of nodes that are gone, finished ones beyond the threshold and stranded ones', () => {
    const pods = [
      pod('kept'),
      pod('orphan', { node: 'gone' }),
      pod('done-1', { phase: 'Failed' }),
      pod('done-2', { phase: 'Succeeded' }),
      pod('unplaced', { node: '', deletionTimestamp: timestamp(NOW) }),
    ];
    const nodes = [{ apiVersion: 'v1', kind: 'Node' as const, metadata: { name: 'n1' }, spec: {}, status: {} }];
    const plan = planPodGc({ now: NOW, pods, nodes: nodes as never, goneNodes: new Set(['gone']), terminatedPodThreshold: 1 });
    const names = (actions: typeof plan.actions): string[] =>
      actions.flatMap((action) => (action.do === 'batch' ? action.actions : [])).map((action) => (action as { name: string }).name);
    expect(names(plan.actions).toSorted()).toEqual(['orphan', 'unplaced']);
    expect(names(plan.next!([{ ok: true, parts: [] }]).actions).toSorted()).toEqual(['done-1', 'orphan', 'unplaced']);
    expect(plan.requeueAfterMs).toBe(20_000);
    expect(Nodes.namespaced).toBe(false);
  });
});

describe('the quota controller', () => {
  const quota = (hard: Record<string, string>): ResourceQuota => ({
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    metadata: { name: 'q', namespace: 't' },
    spec: { hard },
    status: {},
  });
  const pod = (cpu: string, phase = 'Running'): Pod =>
    ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 't' },
      spec: { containers: [{ name: 'a', resources: { requests: { cpu }, limits: { cpu } } }] },
      status: { phase },
    }) as unknown as Pod;

  it('counts pods that are not finished, their requests and limits, and objects', () => {
    const { actions } = planQuota({
      now: NOW,
      quota: quota({ pods: '5', 'requests.cpu': '2', cpu: '2', 'limits.cpu': '4', 'count/replicasets.apps': '3', configmaps: '1' }),
      content: [
        { resource: Pods, objects: [pod('500m'), pod('1'), pod('1', 'Succeeded')] },
        { resource: ReplicaSets, objects: [pod('1')] },
        { resource: ConfigMaps, objects: [] },
      ],
    });
    expect(actions[0]).toMatchObject({
      object: { status: { used: { pods: '2', 'requests.cpu': '1500m', cpu: '1500m', 'limits.cpu': '1500m', 'count/replicasets.apps': '1', configmaps: '0' } } },
    });
  });

  it('a pod needs its containers together, or its largest init container', () => {
    const containers = [{ resources: { requests: { cpu: '1' } } }, { resources: { requests: { cpu: '1' } } }];
    const initContainers = [{ restartPolicy: 'Always', resources: { requests: { cpu: '500m' } } }, { resources: { requests: { cpu: '3' } } }];
    expect(podResources({ spec: { containers, initContainers } } as unknown as Pod, 'requests')).toEqual({ cpu: '3500m' });
  });
});
