import type { Pod } from '../../api/generated/types/core.v1.ts';
import { parseTime } from '../../lib/clock.ts';
import { secondsToMs } from '../../lib/duration.ts';
import type { Cause, EndReason, PodLife, Terminating } from './pod-life.ts';
import type { PodState } from './state.ts';

/** The least that a pod gets to end, in milliseconds. */
const LEAST_GRACE_MS = 1_000;
const DEFAULT_GRACE_SECONDS = 30;
const DEADLINE_EXCEEDED: Cause = { reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' };

/** Whether the pod's status says that it has ended, whoever wrote that. */
export const isOver = ({ status }: Pod): boolean => status.phase === 'Succeeded' || status.phase === 'Failed';

/** Whether containers of the pod may still be started. */
export const isAlive = ({ phase }: PodLife): boolean => phase === 'pending' || phase === 'running';

/** The grace period in force, in milliseconds. */
export function graceMsOf({ metadata, spec }: Pod): number {
  return secondsToMs(metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? DEFAULT_GRACE_SECONDS);
}

/** When the pod's activeDeadlineSeconds are over; undefined: it has none. */
export function deadlineOf({ pod, seenAt }: PodState): number | undefined {
  const seconds = pod.spec.activeDeadlineSeconds;
  return seconds === undefined ? undefined : (parseTime(pod.status.startTime) ?? seenAt) + secondsToMs(seconds);
}

/** The beginning of a pod's end (KUB-40). */
export function ending(state: PodState, reason: EndReason, failure?: Cause): Terminating {
  return { phase: 'terminating', reason, failure, since: state.now, graceMs: endGraceMs(state) };
}

function endGraceMs({ pod, removed }: PodState): number {
  return removed && !pod.metadata.deletionTimestamp ? LEAST_GRACE_MS : Math.max(graceMsOf(pod), LEAST_GRACE_MS);
}

/**
 * Where the pod stands after what has happened around it (upstream: pod_workers.go UpdatePod). The same object, where
 * nothing has changed. Pure.
 */
export function lifeNow(state: PodState): PodLife {
  const { life, pod, runs, now } = state;
  if (life.phase === 'pending' && isOver(pod) && !runs.some((run) => run.state === 'running')) {
    return { phase: 'terminated', reason: 'declaredOver', failure: undefined };
  }
  if (isAlive(life)) return endOf(state) ?? life;
  if (life.phase !== 'terminating') return life;
  const graceMs = endGraceMs(state);
  return graceMs < life.graceMs ? { ...life, since: now, graceMs } : life;
}

function endOf(state: PodState): Terminating | undefined {
  const { pod, removed, life, now } = state;
  if (removed) return ending(state, 'removed');
  if (pod.metadata.deletionTimestamp) return ending(state, 'deleted');
  if (isOver(pod)) return ending(state, 'declaredOver');
  if (life.phase === 'running' && state.eviction) return { ...ending(state, 'evicted', state.eviction), graceMs: LEAST_GRACE_MS };
  if (life.phase === 'running' && now >= (deadlineOf(state) ?? Number.POSITIVE_INFINITY)) return ending(state, 'deadlineExceeded', DEADLINE_EXCEEDED);
  return undefined;
}
