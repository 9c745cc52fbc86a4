import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import type { PodDisruptionBudget } from '../../api/generated/types/policy.v1.ts';
import { timestamp } from '../../lib/clock.ts';
import { type DisruptionSnapshot, planDisruption } from './plan.ts';

const NOW = Date.UTC(2026, 0, 1);

const budget = (spec: PodDisruptionBudget['spec'], status: Partial<PodDisruptionBudget['status']> = {}): PodDisruptionBudget => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: { name: 'b', namespace: 't', generation: 2 },
  spec,
  status: { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0, ...status },
});

const pods = (count: number, ready = count): Pod[] =>
  Array.from({ length: count }, (_, index) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p${index}`, namespace: 't' },
    spec: { containers: [] },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: index < ready ? 'True' : 'False' }] },
  }));

function statusOf(given: Partial<DisruptionSnapshot> & { budget: PodDisruptionBudget }): PodDisruptionBudget['status'] {
  const scale = { expected: given.pods?.length ?? 0, unmanaged: [], uncontrolled: undefined };
  const update = planDisruption({ now: NOW, pods: [], scale, ...given }).actions.find((action) => action.type === 'update');
  return (update!.object as PodDisruptionBudget).status;
}

describe('the plan for a disruption budget', () => {
  it.each([
    // minAvailable or maxUnavailable, pods, ready, wanted by their controllers → desired, expected, allowed
    [{ minAvailable: 2 }, 3, 3, 10, 2, 3, 1],
    [{ minAvailable: 3 }, 3, 2, 10, 3, 3, 0],
    [{ minAvailable: '50%' }, 3, 3, 5, 3, 5, 0],
    [{ minAvailable: '50%' }, 5, 5, 5, 3, 5, 2],
    [{ maxUnavailable: 1 }, 3, 3, 3, 2, 3, 1],
    [{ maxUnavailable: 7 }, 3, 3, 3, 0, 3, 3],
    [{ maxUnavailable: '34%' }, 3, 3, 3, 1, 3, 2],
    [{ minAvailable: 0 }, 0, 0, 0, 0, 0, 0],
  ])('%j of %i pods, %i ready, %i wanted', (spec, count, ready, wanted, desiredHealthy, expectedPods, disruptionsAllowed) => {
    const status = statusOf({ budget: budget(spec), pods: pods(count, ready), scale: { expected: wanted, unmanaged: [], uncontrolled: undefined } });
    expect(status).toMatchObject({ currentHealthy: ready, desiredHealthy, expectedPods, disruptionsAllowed, observedGeneration: 2 });
    const [reason, truth] = disruptionsAllowed > 0 ? ['SufficientPods', 'True'] : ['InsufficientPods', 'False'];
    expect(status.conditions).toEqual([
      { type: 'DisruptionAllowed', status: truth, reason, message: '', lastTransitionTime: timestamp(NOW), observedGeneration: 2 },
    ]);
  });

  it('an evicted pod counts as gone, for two minutes', () => {
    const disruptedPods = { p0: timestamp(NOW - 60_000) };
    const plan = planDisruption({
      now: NOW,
      budget: budget({ minAvailable: 1 }, { disruptedPods }),
      pods: pods(3),
      scale: { expected: 3, unmanaged: [], uncontrolled: undefined },
    });
    expect(plan.requeueAfterMs).toBe(60_001);
    expect(statusOf({ budget: budget({ minAvailable: 1 }, { disruptedPods }), pods: pods(3) })).toMatchObject({ currentHealthy: 2, disruptedPods });
    const later = statusOf({ now: NOW + 60_001, budget: budget({ minAvailable: 1 }, { disruptedPods }), pods: pods(3) });
    expect(later.currentHealthy).toBe(3);
    expect(later.disruptedPods).toBeUndefined();
  });

  it('allows nothing where a controller cannot be found, and says so', () => {
    const [uncontrolled] = pods(1);
    const plan = planDisruption({ now: NOW, budget: budget({ maxUnavailable: 1 }), pods: pods(1), scale: { expected: 0, unmanaged: [], uncontrolled } });
    expect(plan.failure).toBe('found no controllers for pod "p0"');
    expect(plan.actions.at(-1)).toMatchObject({
      type: 'update',
      object: { status: { disruptionsAllowed: 0, conditions: [{ reason: 'SyncFailed', status: 'False' }] } },
    });
  });

  it('a status that is right is not written again', () => {
    const right = statusOf({ budget: budget({ minAvailable: 1 }), pods: pods(2) });
    const scale = { expected: 2, unmanaged: [], uncontrolled: undefined };
    expect(planDisruption({ now: NOW + 5000, budget: budget({ minAvailable: 1 }, right), pods: pods(2), scale }).actions).toEqual([]);
  });
});
