import type { Pod, PodCondition } from '../api/generated/types/core.v1.ts';
import { parseTime } from '../lib/clock.ts';

/** Has come to its end, well or not. */
export function isPodFinished({ status }: Pod): boolean {
  return status.phase === 'Succeeded' || status.phase === 'Failed';
}

/** Neither finished nor being deleted. */
export function isPodActive(pod: Pod): boolean {
  return !isPodFinished(pod) && pod.metadata.deletionTimestamp === undefined;
}

/** Being deleted, but not finished yet. */
export function isPodTerminating(pod: Pod): boolean {
  return !isPodFinished(pod) && pod.metadata.deletionTimestamp !== undefined;
}

export function readyCondition({ status }: Pod): PodCondition | undefined {
  return status.conditions?.find(({ type }) => type === 'Ready');
}

export function isPodReady(pod: Pod): boolean {
  return readyCondition(pod)?.status === 'True';
}

/** Ready for `minReadySeconds` at the time `now`; exactly so long is enough. Upstream: podutil.IsPodAvailable. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  const since = availableFrom(pod, minReadySeconds);
  return since !== undefined && since <= now;
}

/** When a pod that stays ready becomes available, in milliseconds; undefined where it is not ready. */
export function availableFrom(pod: Pod, minReadySeconds: number): number | undefined {
  const condition = readyCondition(pod);
  if (condition?.status !== 'True') return undefined;
  if (minReadySeconds === 0) return Number.NEGATIVE_INFINITY;
  const readyAt = parseTime(condition.lastTransitionTime);
  return readyAt === undefined ? undefined : readyAt + minReadySeconds * 1000;
}
