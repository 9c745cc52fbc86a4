import { describe, expect, it } from 'vitest';
import { clusters, deploymentDraft } from './virtual-cluster-fixture.ts';

const DESIRED = 'deployment.kubernetes.io/desired-replicas';

describe('annotation out of step with spec', () => {
  const start = clusters();

  it('a ReplicaSet that says it was sized for another number of replicas gets its size and its annotation anew', async () => {
    const test = await start();
    await test.deployments.create(deploymentDraft(4));
    expect(await test.settled()).toEqual({ pods: 4, available: 4 });
    const [replicaSet] = (await test.replicaSets.list({ namespace: 't' })).items;
    const body = { metadata: { annotations: { [DESIRED]: '9' } }, spec: { replicas: 2 } };
    await test.replicaSets.patch('t', replicaSet!.metadata.name!, body, 'application/merge-patch+json');
    expect(await test.settled()).toEqual({ pods: 4, available: 4 });
    const after = await test.replicaSets.get('t', replicaSet!.metadata.name!);
    expect(after.metadata.annotations?.[DESIRED]).toBe('4');
    expect(after.spec.replicas).toBe(4);
  });

  it('one whose annotation is no number is sized all the same', async () => {
    const test = await start();
    await test.deployments.create(deploymentDraft(3));
    await test.settled();
    const [replicaSet] = (await test.replicaSets.list({ namespace: 't' })).items;
    const body = { metadata: { annotations: { [DESIRED]: 'many' } } };
    await test.replicaSets.patch('t', replicaSet!.metadata.name!, body, 'application/merge-patch+json');
    await test.deployments.patch('t', 'web', { spec: { replicas: 5 } }, 'application/merge-patch+json');
    expect(await test.settled()).toEqual({ pods: 5, available: 5 });
  });
});
