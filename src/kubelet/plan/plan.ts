import { refusal } from '../admit.ts';
import type { PodAction, StatusReport } from './action.ts';
import { ending, isAlive, isOver, lifeNow } from './life.ts';
import type { Cause, PodLife } from './pod-life.ts';
import type { PodPlan } from './pod-plan.ts';
import { planRunning } from './running.ts';
import { type PodState, sandboxOf } from './state.ts';
import { planTermination } from './termination.ts';

/**
 * All that is to be done for a pod, from its binding to its last trace (upstream: pod_workers.go, syncPod,
 * computePodActions). The rules are numbered in SPEC.md. Pure.
 */
export function planPod(state: PodState): PodPlan {
  const life = lifeNow(state);
  if (state.underWay) return planBeside(state, life);
  if (life !== state.life) return enter(state, life);
  if (state.retryAt > state.now) return planRetry(state);
  switch (life.phase) {
    case 'pending':
      return planAdmission(state, life);
    case 'running':
      return planRunning(state) ?? enter(state, ending(state, 'completed'));
    case 'terminating':
      return planTermination(state, life);
    case 'terminated':
      return planFarewell(state, life);
    case 'finished':
      return state.removed ? planRemoval(state) : rest(state);
  }
}

const nothing = { actions: [], waiting: new Map<string, Cause>(), wakeAt: undefined, again: false };

/** Nothing to do until something happens. */
function rest(state: PodState): PodPlan {
  return { ...nothing, life: state.life };
}

/** The pod comes to stand elsewhere; what that means is planned next. */
function enter(state: PodState, life: PodLife): PodPlan {
  return { ...nothing, life, actions: isAlive(state.life) ? announcement(life) : [], again: true };
}

function announcement(life: PodLife): PodAction[] {
  if (life.phase !== 'terminating' || !life.failure) return [];
  const rule = life.reason === 'refused' ? 'KUB-1' : life.reason === 'evicted' ? 'KUB-6' : 'KUB-5';
  const note = { type: rule === 'KUB-5' ? ('Normal' as const) : ('Warning' as const), ...life.failure };
  return [{ type: 'tellEvent', note, because: { rule, reason: life.failure.reason } }];
}

/** KUB-1, KUB-2: a pod that does not fit is refused, on the word of a node that has just been read. */
function planAdmission(state: PodState, life: Extract<PodLife, { phase: 'pending' }>): PodPlan {
  const cause = refusal(state.pod, state.node, state.others());
  if (!cause) return enter(state, { phase: 'running' });
  if (life.nodeIsFresh) return enter(state, ending(state, 'refused', cause));
  const actions: PodAction[] = [{ type: 'refreshNode', because: { rule: 'KUB-2', reason: cause.reason } }];
  return { ...nothing, life: { ...life, nodeIsFresh: true }, actions, again: true };
}

/** While actions are being carried out, only the pod's end and a shorter grace period cannot wait (KUB-42, KUB-43). */
function planBeside(state: PodState, life: PodLife): PodPlan {
  const actions: PodAction[] = [];
  if (isAlive(state.life) && !isAlive(life)) actions.push({ type: 'interrupt', because: { rule: 'KUB-42', life: life.phase } });
  if (life.phase === 'terminating') {
    for (const [id, graceMs] of state.stopping) {
      if (life.graceMs < graceMs) actions.push({ type: 'hurryContainer', id, graceMs: life.graceMs, because: { rule: 'KUB-43', before: graceMs } });
    }
  }
  // A life that ends is announced by the plan that follows.
  return { ...nothing, life: isAlive(state.life) ? state.life : life, waiting: state.waiting, actions };
}

/** KUB-61: after a failure nothing is tried for a while; what is known is told. */
function planRetry(state: PodState): PodPlan {
  const { retryAt, reportRetryAt, life, waiting, now, runs } = state;
  if (life.phase !== 'running' || reportRetryAt > now) return { ...rest(state), waiting, wakeAt: retryAt };
  const report: StatusReport = { of: 'containers', sandbox: sandboxOf(state), runs, over: false, failure: undefined };
  return { ...rest(state), actions: [{ type: 'reportStatus', report, afterMs: 0, because: { rule: 'KUB-61' } }], waiting, wakeAt: retryAt };
}

/** KUB-46, KUB-47: the API server learns that nothing runs any more, and drops a pod that has been deleted. */
function planFarewell(state: PodState, life: Extract<PodLife, { phase: 'terminated' }>): PodPlan {
  const { pod, removed } = state;
  if (removed) return planRemoval(state);
  if (pod.metadata.deletionTimestamp) {
    return { ...nothing, life: { phase: 'finished' }, actions: [{ type: 'deletePod', because: { rule: 'KUB-46', reason: life.reason } }], again: true };
  }
  // Somebody has written over the phase: it is said again.
  return isOver(pod) ? rest(state) : planTermination(state, life);
}

/** KUB-47: what the runtime still has of a pod that has gone from the API server goes too. */
function planRemoval({ sandboxes }: PodState): PodPlan {
  const because = { rule: 'KUB-47' } as const;
  const removals = sandboxes.map(({ id }): PodAction => ({ type: 'removePodSandbox', id, because }));
  return { ...nothing, life: { phase: 'finished' }, actions: [...removals, { type: 'forgetPod', because }] };
}
