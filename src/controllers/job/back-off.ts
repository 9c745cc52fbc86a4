import type { ContainerStatus, Pod } from '../../api/generated/types/core.v1.ts';
import { parseTime } from '../../lib/clock.ts';

const FIRST_WAIT_MS = 10_000;
const LONGEST_WAIT_MS = 600_000;

/** The failures of a Job's pods since the last success. */
export interface FailureRecord {
  failures: number;
  lastAt: number | undefined;
}

export const NO_FAILURES: FailureRecord = { failures: 0, lastAt: undefined };

/** The record after these pods have come to their ends. Upstream: backoff_utils.go (newBackoffRecord). */
export function recordAfter(record: FailureRecord, { succeeded, failed }: { succeeded: readonly Pod[]; failed: readonly Pod[] }): FailureRecord {
  const failedAt = failed.map(finishedAt).sort((a, b) => a - b);
  if (succeeded.length === 0) return failedAt.length === 0 ? record : { failures: record.failures + failedAt.length, lastAt: failedAt.at(-1) };
  const lastSuccess = Math.max(...succeeded.map(finishedAt));
  const since = failedAt.filter((at) => at > lastSuccess);
  return { failures: since.length, lastAt: since.at(-1) };
}

/** Milliseconds until the next pod may be made: 10 s after the first failure, twice as long after each further one, ten minutes at most. */
export function remainingWaitMs({ failures, lastAt }: FailureRecord, now: number): number {
  if (failures === 0 || lastAt === undefined) return 0;
  const wait = Math.min(FIRST_WAIT_MS * 2 ** (failures - 1), LONGEST_WAIT_MS);
  return Math.max(lastAt + wait - now, 0);
}

/** When the pod came to its end, in milliseconds, as far as can be told. Upstream: getFinishedTime. */
export function finishedAt(pod: Pod): number {
  const { metadata, status } = pod;
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const unready = ready?.status === 'False' ? parseTime(ready.lastTransitionTime) : undefined;
  const deletion = parseTime(metadata.deletionTimestamp);
  const deleted = deletion === undefined ? undefined : deletion - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
  return lastContainerEnd(pod) ?? unready ?? deleted ?? parseTime(metadata.creationTimestamp ?? undefined) ?? 0;
}

/** The end of the last of all containers and sidecars, if all have ended. */
function lastContainerEnd({ spec, status }: Pod): number | undefined {
  const sidecars = new Set((spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name));
  const watched = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name))];
  const ends = watched.map(({ state }: ContainerStatus) => parseTime(state?.terminated?.finishedAt));
  return ends.length > 0 && ends.every((end) => end !== undefined) ? Math.max(...(ends as number[])) : undefined;
}
