import { afterEach, describe, expect, it } from 'vitest';
import type { Deployment, ReplicaSet } from '../../src/api/generated/types/apps.v1.ts';
import type { Draft } from '../../src/api/object.ts';
import { Deployments, Events, Namespaces, Pods, ReplicaSets } from '../../src/api/resources.ts';
import type { ResourceClient } from '../../src/client/client.ts';
import { VirtualCluster } from '../../src/sim/virtual-cluster.ts';
import { recordings } from '../golden/recordings.ts';

// The recordings of a real control plane, played against ours on virtual time: sizes, annotations, revisions, status and
// conditions must agree step by step, and the events at the end.

type Json = Record<string, unknown>;

interface Snapshot {
  step: 'create' | Json;
  deployment: Json;
  replicaSets: Json[];
  refused?: unknown;
}

interface Recording {
  id: string;
  title: string;
  spec: Json;
  quietMs?: number;
  steps: Snapshot[];
  events?: string[];
}

const scenarios = recordings<Recording>('rollouts.jsonl');

const IMAGE = 'registry.example.com/app:';

class Player {
  readonly cluster: VirtualCluster;
  readonly deployments: ResourceClient<Deployment>;
  readonly replicaSets: ResourceClient<ReplicaSet>;
  readonly #quietMs: number;
  readonly #names = new Map<string, string>();
  readonly #uids: string[] = [];

  /** Rises with every write in the namespace, but for events. */
  #writes = 0;

  constructor(cluster: VirtualCluster, quietMs: number) {
    this.cluster = cluster;
    this.deployments = cluster.client.resource(Deployments);
    this.replicaSets = cluster.client.resource(ReplicaSets);
    this.#quietMs = quietMs;
  }

  async create(spec: Json): Promise<void> {
    const { client, store, apiServer, clock } = this.cluster;
    await client.resource(Namespaces).create({ metadata: { name: 'ns' } });
    await clock.advance(100);
    store.watch('/registry/', store.revision, (event) => {
      if (!event.key.includes('/ns/') || event.key.startsWith('/registry/events/')) return;
      this.#writes++;
      if (!event.key.startsWith('/registry/replicasets/') || event.previous) return;
      const { metadata } = apiServer.storage.codec.eventObject(event);
      this.#uids.push(metadata.uid!);
      this.#names.set(metadata.name!, `{rs${this.#uids.length}}`);
    });
    const template = {
      metadata: { labels: { app: 'app' } },
      spec: { containers: [{ name: 'c', image: `${IMAGE}v1` }], terminationGracePeriodSeconds: 0 },
    };
    const defaults = {
      replicas: 3,
      minReadySeconds: 0,
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
    };
    const draft = {
      metadata: { name: 'app', namespace: 'ns', labels: { app: 'app' } },
      spec: { ...defaults, selector: { matchLabels: { app: 'app' } }, template, ...spec },
    };
    await this.deployments.create(draft as Draft<Deployment>);
    await this.settle();
  }

  async settle(): Promise<void> {
    const { clock } = this.cluster;
    for (let calmMs = 0, passedMs = 0; calmMs < this.#quietMs && passedMs < 60_000; passedMs += 100) {
      const writes = this.#writes;
      await clock.advance(100);
      calmMs = this.#writes === writes ? calmMs + 100 : 0;
    }
  }

  async patch(body: unknown): Promise<void> {
    await this.deployments.patch('ns', 'app', body, 'application/merge-patch+json');
  }

  async play(step: Json): Promise<void> {
    for (const [verb, value] of Object.entries(step)) await this.#do(verb, value);
    await this.settle();
  }

  async #do(verb: string, value: unknown): Promise<void> {
    const podSpec = (parts: Json): Json => ({ spec: { template: { spec: parts } } });
    const containers = [{ name: 'c', image: `${IMAGE}${value}` }];
    switch (verb) {
      case 'image':
        return this.patch(podSpec({ containers }));
      case 'imageStuck':
        return this.patch(podSpec({ containers, nodeSelector: { nowhere: 'true' } }));
      case 'imageGood':
        return this.patch(podSpec({ containers, nodeSelector: null }));
      case 'scale':
        return this.patch({ spec: { replicas: value } });
      case 'paused':
        return this.patch({ spec: { paused: value } });
      case 'strategy': {
        const { $retainKeys, ...strategy } = value as Json;
        return this.patch({ spec: { strategy: $retainKeys ? { ...strategy, rollingUpdate: null } : strategy } });
      }
      case 'set':
        return this.patch({ spec: value });
      case 'patch':
        return this.patch(value);
      case 'rollbackTo':
        return this.patch({ metadata: { annotations: { 'deprecated.deployment.rollback.to': String(value) } } });
      case 'undo':
        return this.#undo(value as number);
      case 'deletePods':
        return this.#deletePods(value as number);
      default:
        throw new Error(`unknown step ${verb}`);
    }
  }

  async #undo(wanted: number): Promise<void> {
    const revision = ({ metadata }: ReplicaSet): number => Number(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);
    const { items } = await this.replicaSets.list({ namespace: 'ns' });
    const target = wanted || items.map(revision).sort((a, b) => b - a)[1];
    const template = structuredClone(items.find((replicaSet) => revision(replicaSet) === target)!.spec.template);
    delete template.metadata.labels!['pod-template-hash'];
    const deployment = await this.deployments.get('ns', 'app');
    await this.deployments.update({ ...deployment, spec: { ...deployment.spec, template } });
  }

  async #deletePods(count: number): Promise<void> {
    const pods = this.cluster.client.resource(Pods);
    const { items } = await pods.list({ namespace: 'ns' });
    const byName = items.toSorted((a, b) => (a.metadata.name! < b.metadata.name! ? -1 : 1));
    for (const { metadata } of byName.slice(0, count)) await pods.delete('ns', metadata.name!);
  }

  async snapshot(): Promise<Omit<Snapshot, 'step'>> {
    const { metadata, status } = await this.deployments.get('ns', 'app');
    const { items } = await this.replicaSets.list({ namespace: 'ns' });
    const annotation = (object: { metadata: Deployment['metadata'] }, key: string): string | undefined =>
      object.metadata.annotations?.[`deployment.kubernetes.io/${key}`];
    const conditions = (status.conditions ?? []).map(({ type, status, reason, message }) => ({ type, status, reason, message: this.#named(message ?? '') }));
    return plain({
      deployment: {
        generation: metadata.generation,
        observedGeneration: status.observedGeneration,
        revision: annotation({ metadata }, 'revision'),
        replicas: status.replicas ?? 0,
        updated: status.updatedReplicas ?? 0,
        ready: status.readyReplicas ?? 0,
        available: status.availableReplicas ?? 0,
        unavailable: status.unavailableReplicas ?? 0,
        conditions: conditions.sort((a, b) => (a.type < b.type ? -1 : 1)),
      },
      replicaSets: items
        .toSorted((a, b) => this.#uids.indexOf(a.metadata.uid!) - this.#uids.indexOf(b.metadata.uid!))
        .map((replicaSet) => ({
          rs: `rs${this.#uids.indexOf(replicaSet.metadata.uid!) + 1}`,
          image: replicaSet.spec.template.spec.containers[0]!.image,
          stuck: replicaSet.spec.template.spec.nodeSelector !== undefined,
          spec: replicaSet.spec.replicas,
          replicas: replicaSet.status?.replicas ?? 0,
          available: replicaSet.status?.availableReplicas ?? 0,
          desired: annotation(replicaSet, 'desired-replicas'),
          max: annotation(replicaSet, 'max-replicas'),
          revision: annotation(replicaSet, 'revision'),
          history: annotation(replicaSet, 'revision-history'),
        })),
    });
  }

  async events(): Promise<string[]> {
    const { items } = await this.cluster.client.resource(Events).list({ namespace: 'ns' });
    return items
      .filter(({ involvedObject }) => involvedObject.kind === 'Deployment')
      .map(({ type, reason, message, count }) => `${type} ${reason} ${this.#named(message ?? '')} x${count ?? 1}`)
      .sort();
  }

  #named(text: string): string {
    return [...this.#names].reduce((named, [name, label]) => named.replaceAll(name, label), text);
  }
}

/** What a JSON reader sees: nothing that is undefined. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

/** Whether the condition still says that the ReplicaSet was created, or already that it progresses, is a race upstream. */
function calm(step: unknown): unknown {
  const text = JSON.stringify(step).replaceAll('NewReplicaSetCreated', 'ReplicaSetUpdated');
  return JSON.parse(text.replace(/Created new replica set (\\"\{rs\d+\}\\")/g, 'ReplicaSet $1 is progressing.'));
}

/** Counts may differ by how often a sync was repeated. */
function distinct(events: readonly string[]): string[] {
  return [...new Set(events.map((event) => event.replace(/ x\d+$/, '')))].filter((event) => !event.includes('(combined from')).sort();
}

describe('recordings of a real control plane', () => {
  let player: Player | undefined;
  afterEach(async () => {
    await player?.cluster.stop();
  });

  for (const { id, title, spec, quietMs, steps, events } of scenarios) {
    it.skipIf(!steps)(`${id}: ${title}`, async () => {
      player = new Player(await VirtualCluster.start(), quietMs ?? 2500 + 1000 * ((spec.minReadySeconds as number) ?? 0));
      for (const { step, ...wanted } of steps) {
        if (step === 'create') await player.create(spec);
        else await player.play(step);
        expect(calm({ step, ...(await player.snapshot()) })).toEqual(calm({ step, ...wanted }));
      }
      if (events) expect(distinct(await player.events())).toEqual(distinct(events));
    });
  }
});
