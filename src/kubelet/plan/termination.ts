import type { ContainerStatus } from '../../runtime/runtime.ts';
import { containerNamed, isSidecar } from '../pod-containers.ts';
import type { PodAction, StatusReport, StopContainer } from './action.ts';
import type { End, PodLife, Terminating } from './pod-life.ts';
import type { PodPlan } from './pod-plan.ts';
import { type PodState, sandboxOf } from './state.ts';

/** Stops what runs of a pod, then its sandbox, then tells how it ended (upstream: SyncTerminatingPod, killPod). */
export function planTermination(state: PodState, life: Extract<PodLife, End>): PodPlan {
  const next = (actions: readonly PodAction[]): PodPlan => ({ life, actions, waiting: new Map(), wakeAt: undefined, again: true });
  if (life.phase === 'terminating') {
    const stops = nextStops(state, life);
    if (stops.length) return next([{ type: 'stopTogether', stops, because: { rule: 'KUB-41', reason: life.reason, graceMs: life.graceMs } }]);
    const ready = state.sandboxes.filter((sandbox) => sandbox.state === 'ready');
    if (ready.length) return next(ready.map(({ id }) => ({ type: 'stopPodSandbox', id, because: { rule: 'KUB-44' } })));
  }
  if (!state.removed && state.reportRetryAt > state.now) return { ...next([]), wakeAt: state.reportRetryAt, again: false };
  const { reason, failure } = life;
  return { ...next(state.removed ? [] : lastReport(state, life)), life: { phase: 'terminated', reason, failure }, again: life.phase === 'terminating' };
}

/** KUB-41: all containers at once, then the sidecars from the last to the first. */
function nextStops(state: PodState, { since, graceMs }: Terminating): StopContainer[] {
  const running = state.runs.filter((run) => run.state === 'running');
  const sidecars = (state.pod.spec.initContainers ?? []).filter(isSidecar).map(({ name }) => name);
  const others = running.filter(({ metadata }) => !sidecars.includes(metadata.name));
  const last = running.toSorted((a, b) => sidecars.indexOf(b.metadata.name) - sidecars.indexOf(a.metadata.name)).slice(0, 1);
  return stopsOf(state, others.length ? others : last, { graceMs: Math.max(since + graceMs - state.now, 0), restart: false });
}

/** How containers are stopped with all others of their pod. @param options.restart whether they are to come back */
export function stopsOf({ pod }: PodState, runs: readonly ContainerStatus[], { graceMs, restart }: { graceMs: number; restart: boolean }): StopContainer[] {
  return runs.map(({ id, metadata: { name } }) => {
    const container = containerNamed(pod, name);
    return { type: 'stopContainer', id, container, message: `Stopping container ${name}`, graceMs, restart };
  });
}

/** KUB-45: told once, when everything has been stopped; of a pod that has run to its end, with the next look. */
function lastReport(state: PodState, { reason, failure }: End): PodAction[] {
  const because = { rule: 'KUB-45', reason } as const;
  const report: StatusReport =
    reason === 'refused' && failure
      ? { of: 'refusal', cause: failure }
      : { of: 'containers', sandbox: sandboxOf(state), runs: state.runs, over: true, failure };
  const look: PodAction[] = reason === 'completed' && state.unseenStart ? [{ type: 'awaitRelist', because }] : [];
  return [...look, { type: 'reportStatus', report, afterMs: 0, because }];
}
