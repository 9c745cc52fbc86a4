import { describe, expect, it } from 'vitest';
import type { ApiRequest } from '../../src/api/request.ts';
import { StatusError } from '../../src/api/status.ts';
import { silent } from '../../src/lib/log.ts';
import { clusters, deploymentDraft } from './virtual-cluster-fixture.ts';

const isWrite = ({ verb, resource }: ApiRequest): boolean => !['get', 'list', 'watch'].includes(verb) && resource !== 'events';

describe('the shell, with the Deployment and ReplicaSet controllers', () => {
  const start = clusters();

  it('plays the same run twice to the same end, request by request', async () => {
    const runs: string[] = [];
    for (let run = 0; run < 2; run++) {
      const test = await start();
      await test.deployments.create(deploymentDraft(5));
      await test.settled();
      runs.push(test.requests.map(({ verb, resource, subresource, name }) => [verb, resource, subresource, name].join(' ')).join('\n'));
    }
    expect(runs[0]).toBe(runs[1]);
  });

  it('RS-12: creates no pod twice, though the watch shows them late', async () => {
    const test = await start();
    const [transport] = test.cluster.transports('kube-controller-manager');
    await test.deployments.create(deploymentDraft(50));
    await test.clock.advance(1);
    transport!.stall('pods', 10_000);
    expect(await test.settled()).toEqual({ pods: 50, available: 50 });
    expect(test.requests.filter(({ verb, resource }) => verb === 'create' && resource === 'pods')).toHaveLength(50);
  });

  it('a ReplicaSet made again under its name does not wait for what was expected of the first', async () => {
    const test = await start();
    await test.deployments.create(deploymentDraft(2));
    await test.settled();
    const deployment = await test.deployments.get('t', 'web');
    await test.deployments.update({ ...deployment, spec: { ...deployment.spec, replicas: 8 } });
    const { items } = await test.replicaSets.list({ namespace: 't' });
    // Pods for the first are still being created when it goes.
    test.disturb = ({ verb, resource }) => (verb === 'create' && resource === 'pods' ? { type: 'delay', ms: 50 } : undefined);
    await test.clock.advance(60);
    await test.replicaSets.delete('t', items[0]!.metadata.name!);
    await test.clock.advance(500);
    test.disturb = () => undefined;
    expect(await test.settled()).toEqual({ pods: 8, available: 8 });
  });

  it('RS-2 RS-4: a pod that is taken out of sight is replaced; put back, it is one too many', async () => {
    const test = await start();
    await test.deployments.create(deploymentDraft(2));
    await test.settled();
    const label = (name: string, app: string) => test.pods.patch('t', name, { metadata: { labels: { app } } }, 'application/merge-patch+json');
    const { name } = (await test.pods.list({ namespace: 't' })).items[0]!.metadata;
    await label(name!, 'elsewhere');
    await test.clock.advance(5000);
    const pods = (await test.pods.list({ namespace: 't' })).items;
    expect(pods).toHaveLength(3);
    expect(pods.find(({ metadata }) => metadata.name === name)!.metadata.ownerReferences ?? []).toEqual([]);
    await label(name!, 'web');
    expect(await test.settled()).toEqual({ pods: 2, available: 2 });
  });

  it('crash between two writes: whichever write is the last before it, the next life finishes the work', async () => {
    for (let survivors = 0; survivors < 8; survivors++) {
      const test = await start();
      let writes = 0;
      test.disturb = (request) => (isWrite(request) && writes++ === survivors ? { type: 'refuse', error: new Error('the connection broke') } : undefined);
      await test.deployments.create(deploymentDraft(2));
      expect(await test.settled()).toEqual({ pods: 2, available: 2 });
      expect((await test.replicaSets.list({ namespace: 't' })).items).toHaveLength(1);
    }
  });

  it('stale cache: conflicts are tried again until the change is in', async () => {
    const test = await start();
    let conflicts = 5;
    test.disturb = ({ verb, resource }) =>
      verb === 'update' && resource !== 'events' && conflicts-- > 0
        ? { type: 'refuse', error: new StatusError(409, 'Conflict', 'the object has been modified') }
        : undefined;
    await test.deployments.create(deploymentDraft(2));
    expect(await test.settled()).toEqual({ pods: 2, available: 2 });
    expect(conflicts).toBeLessThan(0);
  });

  it('missed event: pods that vanish while no watch stands are replaced', async () => {
    const test = await start();
    await test.deployments.create(deploymentDraft(3));
    await test.settled();
    test.disturb = ({ verb }) => (verb === 'watch' ? { type: 'refuse', error: new StatusError(500, 'InternalError', 'no') } : undefined);
    test.cutWatches();
    const { items } = await test.pods.list({ namespace: 't' });
    await test.pods.delete('t', items[0]!.metadata.name!, { gracePeriodSeconds: 0 });
    await test.clock.advance(5000);
    expect((await test.pods.list({ namespace: 't' })).items).toHaveLength(2);
    test.disturb = () => undefined;
    expect(await test.settled(60_000)).toEqual({ pods: 3, available: 3 });
  });

  it('says of every write by which rule it was planned, and upon what, to somebody who looks into it', async () => {
    const said: [string, Record<string, unknown> | undefined][] = [];
    const test = await start({ log: { ...silent, debug: (message, fields) => said.push([message, fields]) } });
    await test.deployments.create(deploymentDraft(2));
    await test.settled();
    const { metadata } = (await test.replicaSets.list({ namespace: 't' })).items[0]!;
    expect(said).toContainEqual([
      `create replicasets t/${metadata.name}`,
      { rule: 'DEP-5', hash: metadata.labels?.['pod-template-hash'], replicas: 2, revision: '1' },
    ]);
    expect(said.filter(([message]) => message === `create pods t/${metadata.name}-`)).toEqual(
      Array(2).fill([`create pods t/${metadata.name}-`, { rule: 'RS-10', replicas: 2, active: 0 }]),
    );
    expect(said).toContainEqual(['update deployments t/web', { rule: 'DEP-62', replicas: 2, updatedReplicas: 2, availableReplicas: 2 }]);
  });

  it('quota refusals slow creation down: one attempt a sync, and a second between syncs at first, then more and more', async () => {
    const test = await start();
    const attemptsMs: number[] = [];
    test.disturb = ({ verb, resource }) => {
      if (verb !== 'create' || resource !== 'pods') return undefined;
      attemptsMs.push(test.clock.now());
      return { type: 'refuse', error: new StatusError(403, 'Forbidden', 'pods "x" is forbidden: exceeded quota: q') };
    };
    await test.deployments.create(deploymentDraft(10));
    await test.clock.advance(120_000);
    // The condition that the first refusal leaves is a change, upon which the ReplicaSet is looked at once more.
    const waits = attemptsMs.slice(2).map((atMs, index) => atMs - attemptsMs[index + 1]!);
    expect(waits.length).toBeGreaterThan(3);
    for (const [index, wait] of waits.entries()) expect(wait).toBeGreaterThanOrEqual(index === 0 ? 1000 : waits[index - 1]!);
    const { status } = await test.deployments.get('t', 'web');
    expect(status.conditions?.find(({ type }) => type === 'ReplicaFailure')).toMatchObject({ status: 'True', reason: 'FailedCreate' });
    test.disturb = () => undefined;
    expect(await test.settled(300_000)).toEqual({ pods: 10, available: 10 });
  });
});
