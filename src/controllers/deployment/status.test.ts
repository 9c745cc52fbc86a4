import { describe, expect, it } from 'vitest';
import type { PodTemplateSpec } from '../../api/generated/types/core.v1.ts';
import { forbidden, StatusError } from '../../api/status.ts';
import { timestamp } from '../../lib/clock.ts';
import { condition, withCondition } from './conditions.ts';
import { PlanWorld } from './plan-world.ts';
import { replicaSetName, templateHash } from './template.ts';

describe('status and progress', () => {
  it.each([
    ['a) surge 1, unavailable 1', 1, { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } }, 'True'],
    ['b) defaults', 1, { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } }, 'False'],
    ['c) Recreate', 1, { type: 'Recreate' }, 'False'],
    ['d) no replicas', 0, { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } }, 'True'],
  ])('C013 DEP-61: Available without an available pod: %s', (_, replicas, strategy, status) => {
    const world = new PlanWorld({ replicas, strategy });
    world.settle(() => 0);
    expect(world.condition('Available')?.status).toBe(status);
    expect(world.deployment.status.unavailableReplicas ?? 0).toBe(replicas);
  });

  it('DEP-60: the numbers are what the ReplicaSets report; what is not available, of the sizes from before the sync', () => {
    const world = new PlanWorld({ replicas: 10, strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } });
    world.image('app:2');
    world.addReplicaSet('app:1', { replicas: 9, available: 9, revision: 1, desired: 10, max: 13 });
    world.addReplicaSet('app:2', { replicas: 4, available: 1, revision: 2, desired: 10, max: 13 });
    world.sync();
    expect(world.sizes).toEqual({ A: 7, B: 4 });
    expect(world.deployment.status).toMatchObject({ replicas: 13, updatedReplicas: 4, readyReplicas: 10, availableReplicas: 10, unavailableReplicas: 3 });
    const over = new PlanWorld({ replicas: 1 });
    over.addReplicaSet('app:1', { replicas: 1, available: 4, revision: 1, desired: 1, max: 2 });
    over.sync();
    over.sync();
    expect(over.deployment.status).toMatchObject({ availableReplicas: 4 });
    expect(over.deployment.status.unavailableReplicas).toBeUndefined();
  });

  it('DEP-62: a rollout is complete when updated, total and available are all that is wanted, and not before', () => {
    const world = new PlanWorld({ replicas: 3 });
    world.settle(() => 2);
    expect(world.condition('Progressing')?.reason).toBe('ReplicaSetUpdated');
    world.settle();
    expect(world.condition('Progressing')).toMatchObject({ status: 'True', reason: 'NewReplicaSetAvailable' });
    world.image('app:2');
    world.settle((replicaSet) => (world.letter(replicaSet) === 'A' ? 3 : 0));
    expect(world.condition('Progressing')?.reason).toBe('ReplicaSetUpdated');
  });

  it('DEP-63: each bit of progress moves lastUpdateTime, and with it the deadline; standing still does not', () => {
    const world = new PlanWorld({ replicas: 3, progressDeadlineSeconds: 10 });
    const times = (): (string | undefined)[] => {
      const found = world.deployment.status.conditions?.find(({ type }) => type === 'Progressing');
      return [found?.lastUpdateTime, found?.lastTransitionTime];
    };
    world.settle(() => 1);
    const [updated, transitioned] = times();
    world.now += 8000;
    world.settle(() => 1);
    expect(times()).toEqual([updated, transitioned]);
    world.settle(() => 2);
    expect(times()).toEqual([timestamp(world.now), transitioned]);
    world.now += 8000;
    world.settle(() => 2);
    expect(world.condition('Progressing')?.reason).toBe('ReplicaSetUpdated');
  });

  it('DEP-68: a condition’s transition is that of its status; the same status and reason change nothing', () => {
    const at = (second: number, status: 'True' | 'False', reason: string) =>
      condition({ type: 'Available', status, reason, message: reason }, Date.UTC(2026, 0, 1, 0, 0, second));
    const first = withCondition([], at(1, 'True', 'A'));
    expect(withCondition(first, at(2, 'True', 'A'))).toEqual(first);
    expect(withCondition(first, at(2, 'True', 'B'))).toEqual([{ ...at(2, 'True', 'B'), lastTransitionTime: first[0]!.lastTransitionTime }]);
    expect(withCondition(first, at(2, 'False', 'B'))).toEqual([at(2, 'False', 'B')]);
  });

  it('C054 DEP-64: a finished rollout is not judged again', () => {
    const world = new PlanWorld({ replicas: 3, progressDeadlineSeconds: 10 });
    world.settle();
    const before = world.deployment.status.conditions!.find(({ type }) => type === 'Progressing');
    world.now += 60_000;
    world.settle(() => 1);
    expect(world.deployment.status.conditions!.find(({ type }) => type === 'Progressing')).toEqual(before);
    expect(world.condition('Available')).toMatchObject({ status: 'False', reason: 'MinimumReplicasUnavailable' });
    expect(world.deployment.status).toMatchObject({ readyReplicas: 1, unavailableReplicas: 2 });
  });

  it('C056 DEP-64: a new rollout long after the last one does not look timed out', () => {
    const world = new PlanWorld({ replicas: 2, progressDeadlineSeconds: 5 });
    world.settle();
    world.now += 60_000;
    world.reasons = [];
    world.image('app:2');
    world.sync();
    world.sync();
    world.settle(() => 0);
    world.settle();
    expect(world.reasons).toEqual(['NewReplicaSetCreated', 'ReplicaSetUpdated', 'NewReplicaSetAvailable']);
  });

  it('C058 DEP-66: the largest deadline is none', () => {
    const world = new PlanWorld({ replicas: 1, progressDeadlineSeconds: 2_147_483_647 });
    world.settle(() => 0);
    world.edit({ paused: true });
    world.settle(() => 0);
    expect(world.deployment.status.conditions!.map(({ type }) => type)).toEqual(['Available']);
  });

  it('DEP-65: a rollout that stands still is looked at when its deadline has passed', () => {
    const world = new PlanWorld({ replicas: 1, progressDeadlineSeconds: 10 });
    world.settle(() => 0);
    world.now += 4000;
    world.sync();
    expect(world.requeueAfterMs).toBe(7000);
    world.now += 7000;
    world.sync();
    expect(world.condition('Progressing')).toMatchObject({ status: 'False', reason: 'ProgressDeadlineExceeded' });
    world.sync();
    expect(world.requeueAfterMs).toBeUndefined();
  });

  it('C064 DEP-67: the failure of a ReplicaSet is shown, and goes with it', () => {
    const world = new PlanWorld({ replicas: 3 });
    world.settle(() => 2);
    const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota', lastTransitionTime: '2026-01-01T00:00:00Z' };
    world.replicaSets = world.replicaSets.map((one) => ({ ...one, status: { ...one.status, conditions: [failure] } }));
    world.sync();
    expect(world.condition('ReplicaFailure')).toEqual({ status: 'True', reason: 'FailedCreate', message: 'exceeded quota' });
    world.replicaSets = world.replicaSets.map((one) => ({ ...one, status: { ...one.status, conditions: [] } }));
    world.sync();
    expect(world.condition('ReplicaFailure')).toBeUndefined();
  });

  it('DEP-7: a ReplicaSet that cannot be created is reported and tried again', () => {
    const world = new PlanWorld({ replicas: 1 });
    world.refuse = (action) => (action.type === 'create' ? forbidden({ group: 'apps', resource: 'replicasets' }, 'x', 'no') : undefined);
    world.sync();
    expect(world.lastFailure).toContain('forbidden');
    expect(world.condition('Progressing')).toMatchObject({ status: 'False', reason: 'ReplicaSetCreateError' });
    expect(world.events[0]).toMatch(/^Warning ReplicaSetCreateError Failed to create new replica set "web-.*": replicasets.apps "x" is forbidden: no$/);
    world.refuse = () => new StatusError(409, 'Conflict', 'changed');
    world.sync();
    expect(world.lastFailure).toBe('changed');
  });

  it('DEP-69: a Deployment that is being deleted gets its status only', () => {
    const world = new PlanWorld({ replicas: 2 });
    world.settle();
    world.deployment = { ...world.deployment, metadata: { ...world.deployment.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } };
    world.edit({ replicas: 5 });
    world.settle();
    expect(world.sizes).toEqual({ A: 2 });
    expect(world.deployment.status.observedGeneration).toBe(2);
  });
});

describe('hash, selector, adoption', () => {
  it('DEP-6 hash collision: the count rises, and the next name is another', () => {
    const world = new PlanWorld({ replicas: 1 });
    const { template } = world.deployment.spec;
    const taken = world.addReplicaSet('other', { replicas: 1, available: 1, revision: 1, desired: 1, max: 2 });
    const foreign = { ...taken, metadata: { ...taken.metadata, name: `web-${templateHash(template, undefined)}`, ownerReferences: [], labels: {} } };
    world.replicaSets = [foreign];
    world.sync();
    expect(world.deployment.status.collisionCount).toBe(1);
    expect(world.lastFailure).toContain('already exists');
    world.sync();
    expect(world.lastFailure).toBeUndefined();
    expect(world.replicaSets).toHaveLength(2);
  });

  it('DEP-6: a ReplicaSet that the cache has not shown yet is no collision, and waited for', () => {
    const world = new PlanWorld({ replicas: 1 });
    world.settle();
    const [created] = world.replicaSets;
    const { resourceVersion } = world.deployment.metadata;
    world.options = { replicaSets: [] };
    world.sync();
    expect(world.lastFailure).toContain('not in the cache');
    expect(world.replicaSets).toEqual([created]);
    expect(world.deployment.metadata.resourceVersion).toBe(resourceVersion);
    world.options = {};
    world.sync();
    expect(world.lastFailure).toBeUndefined();
  });

  it('C044 DEP-1 DEP-4: an orphan of the same template is adopted; the elder is the new one', () => {
    const world = new PlanWorld({ replicas: 3 });
    world.settle();
    const [mine] = world.replicaSets;
    const metadata = { ...mine!.metadata, name: 'web-canary-x', uid: 'orphan', ownerReferences: [], creationTimestamp: '2026-01-01T01:00:00Z' };
    world.replicaSets = [mine!, { ...mine!, metadata }];
    world.settle();
    expect(world.replicaSets.map(({ spec }) => spec.replicas)).toEqual([3, 0]);
    expect(world.replicaSets[1]!.metadata.ownerReferences).toHaveLength(1);
  });

  it('DEP-2: one that matches no more is released', () => {
    const world = new PlanWorld({ replicas: 1 });
    world.settle();
    world.replicaSets = world.replicaSets.map((one) => ({ ...one, metadata: { ...one.metadata, labels: { app: 'other' } } }));
    world.sync();
    expect(world.replicaSets[0]!.metadata.ownerReferences).toEqual([]);
  });

  it('DEP-3: a selector of everything does nothing', () => {
    const world = new PlanWorld({ replicas: 1, selector: {} });
    world.sync();
    expect(world.events).toEqual(['Warning SelectingAll This deployment is selecting all pods. A non-empty selector is required.']);
    expect(world.replicaSets).toEqual([]);
    expect(world.deployment.status.observedGeneration).toBe(1);
  });

  it('C050 DEP-5: a long name is cut so that the hash fits', () => {
    const world = new PlanWorld({ replicas: 1 }, 'n'.repeat(250));
    world.settle();
    expect(world.replicaSets[0]!.metadata.name).toHaveLength(253);
    expect(replicaSetName('web', 'hash')).toBe('web-hash');
  });

  it('template that differs only by a default: the same hash whatever is left empty, and in whatever order', () => {
    const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'a', image: 'i' }] } } as unknown as PodTemplateSpec;
    const same = {
      spec: { nodeSelector: {}, volumes: [], containers: [{ image: 'i', name: 'a', env: [] }] },
      metadata: { labels: { app: 'web' } },
    } as unknown as PodTemplateSpec;
    expect(templateHash(same, undefined)).toBe(templateHash(template, undefined));
    expect(templateHash(template, 1)).not.toBe(templateHash(template, undefined));
    expect(templateHash(template, undefined)).toMatch(/^[bcdfghjklmnpqrstvwxz2456789]+$/);
  });
});
