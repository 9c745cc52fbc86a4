import type { Job } from '../../api/generated/types/batch.v1.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import { isPodActive, isPodReady, isPodTerminating } from '../pod-state.ts';
import { type FailureRecord, recordAfter } from './back-off.ts';
import { completionIndex, hasIndex, type Indexes, indexesOf, parseIndexes, union } from './indexes.ts';
import { judge } from './pod-failure-policy.ts';

export const TRACKING_FINALIZER = 'batch.kubernetes.io/job-tracking';
const FAILURE_COUNT = 'batch.kubernetes.io/job-index-failure-count';
const IGNORED_FAILURE_COUNT = 'batch.kubernetes.io/job-index-ignored-failure-count';

/** What is remembered of a Job. */
export interface JobMemory {
  uid: string;
  failures: FailureRecord;
}

/** What is known of a Job when it is looked at. */
export interface JobSnapshot {
  now: number;
  job: Job;
  /** The pods it owns, and those in its namespace that match and have no controller. */
  pods: readonly Pod[];
  /** Whether the cache has shown all that was created and deleted before. */
  expectationsMet: boolean;
  /** The failures of its pods that have been counted. */
  failures: FailureRecord;
}

/** A Job in hand: its pods are claimed and counted. Upstream: syncJobCtx. */
export interface JobState {
  snapshot: JobSnapshot;
  job: Job;
  pods: readonly Pod[];
  active: readonly Pod[];
  ready: number;
  terminating: number;
  succeeded: number;
  failed: number;
  failures: FailureRecord;
  /** The rest only for an Indexed Job. */
  indexes: IndexState | undefined;
}

export interface IndexState {
  completions: number;
  /** As the status has them. */
  previous: Indexes;
  succeeded: Indexes;
  /** Only with a limit per index. */
  failed: Indexes | undefined;
  /** The failed pods that stay until their indexes have others, which take over their counts of failures. */
  delayed: ReadonlyMap<number, Pod>;
}

export function isIndexed({ spec }: Job): boolean {
  return spec.completionMode === 'Indexed';
}

export function hasLimitPerIndex({ spec }: Job): boolean {
  return spec.backoffLimitPerIndex !== undefined;
}

export function isSuspended({ spec }: Job): boolean {
  return spec.suspend === true;
}

/** Whether a pod that is going is replaced only when it is gone. */
export function replacesFailedOnly({ spec }: Job): boolean {
  return spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined;
}

export function isTracked({ metadata }: Pod): boolean {
  return metadata.finalizers?.includes(TRACKING_FINALIZER) ?? false;
}

/** Whether the pod counts as failed: one that is going counts too, unless the Job waits for its end. Upstream: isPodFailed. */
export function isFailed(pod: Pod, job: Job): boolean {
  if (pod.status.phase === 'Failed') return true;
  return !replacesFailedOnly(job) && pod.metadata.deletionTimestamp !== undefined && pod.status.phase !== 'Succeeded';
}

/** An index that the Job has; undefined for none, and for one that is too large. */
export function validIndex(job: Job, pod: Pod): number | undefined {
  const index = completionIndex(pod);
  return index !== undefined && index < (job.spec.completions ?? 0) ? index : undefined;
}

/** Upstream: job_controller.go (syncJob), its counts. */
export function stateOf(snapshot: JobSnapshot, pods: readonly Pod[]): JobState {
  const { job, failures } = snapshot;
  const { succeeded = 0, failed = 0, uncountedTerminatedPods: uncounted = {} } = job.status ?? {};
  const active = pods.filter(isPodActive);
  const isNew = (pod: Pod, counted: readonly string[]): boolean =>
    isTracked(pod) && !counted.includes(pod.metadata.uid!) && (!isIndexed(job) || validIndex(job, pod) !== undefined);
  const newSucceeded = pods.filter((pod) => pod.status.phase === 'Succeeded' && isNew(pod, uncounted.succeeded ?? []));
  const newFailed = pods.filter((pod) => isFailed(pod, job) && isNew(pod, uncounted.failed ?? []));
  const counting = newFailed.filter((pod) => judge(job.spec.podFailurePolicy, pod).counts);
  const indexes = isIndexed(job) ? indexState(job, pods, active) : undefined;
  return {
    snapshot,
    job,
    pods,
    active,
    ready: active.filter(isPodReady).length,
    terminating: pods.filter(isPodTerminating).length,
    succeeded: indexes ? countOf(indexes.succeeded) : succeeded + newSucceeded.length + (uncounted.succeeded?.length ?? 0),
    failed: failed + counting.length + (uncounted.failed?.length ?? 0),
    failures: recordAfter(failures, { succeeded: newSucceeded, failed: newFailed }),
    indexes,
  };
}

function countOf(indexes: Indexes): number {
  return indexes.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

function indexState(job: Job, pods: readonly Pod[], active: readonly Pod[]): IndexState {
  const completions = job.spec.completions ?? 0;
  const tracked = pods.filter((pod) => isTracked(pod) && validIndex(job, pod) !== undefined);
  const indexesFor = (chosen: readonly Pod[]): Indexes => indexesOf(chosen.map((pod) => completionIndex(pod)!));
  const previous = parseIndexes(job.status?.completedIndexes ?? '', completions);
  const succeeded = union(previous, indexesFor(tracked.filter(({ status }) => status.phase === 'Succeeded')));
  if (!hasLimitPerIndex(job)) return { completions, previous, succeeded, failed: undefined, delayed: new Map() };
  const failedBefore = parseIndexes(job.status?.failedIndexes ?? '', completions);
  const failed = union(failedBefore, indexesFor(tracked.filter((pod) => isIndexFailed(job, pod))));
  const taken = union(union(succeeded, failed), indexesOf(active.flatMap((pod) => completionIndex(pod) ?? [])));
  const delayed = new Map<number, Pod>();
  for (const pod of tracked.filter((one) => isFailed(one, job))) {
    const index = completionIndex(pod)!;
    const last = delayed.get(index);
    if (!hasIndex(taken, index) && (!last || allFailures(last) <= allFailures(pod))) delayed.set(index, pod);
  }
  return { completions, previous, succeeded, failed, delayed };
}

function isIndexFailed(job: Job, pod: Pod): boolean {
  if (!isFailed(pod, job)) return false;
  const { action, counts } = judge(job.spec.podFailurePolicy, pod);
  return action === 'FailIndex' || (counts && failureCount(pod, FAILURE_COUNT) >= (job.spec.backoffLimitPerIndex ?? 0));
}

function failureCount({ metadata }: Pod, annotation: string): number {
  const text = metadata.annotations?.[annotation] ?? '';
  return /^\+?\d+$/.test(text) && Number(text) < 2 ** 31 ? Number(text) : 0;
}

/** All failures of the pod's index before it, those that do not count as well. */
export function allFailures(pod: Pod): number {
  return failureCount(pod, FAILURE_COUNT) + failureCount(pod, IGNORED_FAILURE_COUNT);
}

/** The annotations by which a pod knows how often its index has failed. Upstream: addIndexFailureCountAnnotation. */
export function failureAnnotations(job: Job, replaced: Pod | undefined): Record<string, string> {
  if (!replaced) return { [FAILURE_COUNT]: '0' };
  const { counts } = judge(job.spec.podFailurePolicy, replaced);
  const ignored = failureCount(replaced, IGNORED_FAILURE_COUNT) + (counts ? 0 : 1);
  const failures = failureCount(replaced, FAILURE_COUNT) + (counts ? 1 : 0);
  return { [FAILURE_COUNT]: String(failures), ...(ignored > 0 ? { [IGNORED_FAILURE_COUNT]: String(ignored) } : {}) };
}
