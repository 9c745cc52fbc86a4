import { expect, it } from 'vitest';
import type { Pod, Taint, Toleration } from '../../api/generated/types/core.v1.ts';
import { actionsOf, says } from '../runtime/played-plan.ts';
import { planTaintedPod, type TaintedPodMemory } from './controller.ts';

const NOW = Date.UTC(2026, 0, 1);
const TAINTS: Taint[] = [{ key: 'k', effect: 'NoExecute' }];

const look = (tolerations: Toleration[], memory?: TaintedPodMemory, taints = TAINTS, now = NOW) => {
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 't', uid: 'u' },
    spec: { containers: [], tolerations },
    status: {},
  } as unknown as Pod;
  return planTaintedPod({ now, pod, taints, memory });
};
const patient = (tolerationSeconds?: number): Toleration => ({
  key: 'k',
  operator: 'Exists',
  ...(tolerationSeconds === undefined ? {} : { tolerationSeconds }),
});

it('TAINT-1: what does not tolerate a taint goes at once', () => {
  expect(actionsOf(look([])).map(says)).toEqual(['event TaintManagerEviction', 'patch Pod p', 'delete Pod p']);
});

it('TAINT-2: what does for a time goes after the shortest', () => {
  const plan = look([patient(10)]);
  expect(plan).toEqual({ actions: [], requeueAfterMs: 10_000, remember: { uid: 'u', at: NOW + 10_000 } });
  expect(actionsOf(look([patient(10)], { uid: 'u', at: NOW }, TAINTS, NOW)).map(says)).toContain('delete Pod p');
  expect(look([patient(10)], { uid: 'u', at: NOW + 4000 }).requeueAfterMs).toBe(4000);
});

it('TAINT-3: it stays after all', () => {
  expect(actionsOf(look([patient()]))).toEqual([]);
  const waiting = { uid: 'u', at: NOW + 1000 };
  expect(actionsOf(look([patient()], waiting)).map(says)).toEqual(['event TaintManagerEviction']);
  expect(look([patient(5)], waiting, []).remember).toEqual({ uid: 'u', at: undefined });
});
