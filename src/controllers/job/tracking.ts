import type { Job, JobStatus } from '../../api/generated/types/batch.v1.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import { Jobs } from '../../api/resources.ts';
import { timestamp } from '../../lib/clock.ts';
import { type Action, andThen, inParallel, NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';
import { condition, type Ending, trueCondition, withCondition } from './conditions.ts';
import { completionIndex, hasIndex, indexesOf, indexesText, totalOf, union } from './indexes.ts';
import { hasLimitPerIndex, isFailed, isTracked, type JobMemory, type JobState, validIndex } from './job-state.ts';
import { judge } from './pod-failure-policy.ts';
import { untracking } from './pods.ts';

// How pods are counted exactly once: the uids of those that have ended are written into the status, then their finalizers are
// taken away, then the uids become numbers. Whatever breaks in between, the next look goes on from there.
// Upstream: job_controller.go (trackJobStatusAndRemoveFinalizers, flushUncountedAndRemoveFinalizers).

/** The status has at most so many uids at a time. */
const MAX_UNCOUNTED = 500;

type Uncounted = NonNullable<JobStatus['uncountedTerminatedPods']>;

/** What a look at a Job has come to, apart from the counts. */
export interface Findings {
  status: JobStatus;
  /** Whether the status differs already from the one that is stored. */
  changed: boolean;
  ending: Ending | undefined;
  terminating: number;
}

export function planTracking(state: JobState, findings: Findings): Plan {
  const { snapshot } = state;
  const tracked = new Set(state.pods.filter(isTracked).map(({ metadata }) => metadata.uid!));
  const cleaned = withoutCounted(findings.status, tracked);
  const counted = countEnded(state, findings.ending, cleaned.status);
  const { status, ending, interim } = withInterim(state.job, counted.status, findings.ending, snapshot.now);
  const mustWrite = findings.changed || cleaned.changed || counted.changed || interim;
  const writing = mustWrite ? [statusUpdate(state.job, status)] : [];
  const plan = andThen(writing, ([written]) => {
    const job = (written?.object as Job | undefined) ?? state.job;
    return planRemovals(state, { job, status, ending, pods: counted.pods, tracked, full: counted.full, terminating: findings.terminating });
  });
  return mustWrite
    ? {
        ...plan,
        next: (outcomes) =>
          remembering(
            state,
            plan.next!(outcomes),
            outcomes.every(({ ok }) => ok),
          ),
      }
    : plan;
}

/** The failures that count are remembered once the status tells of them. */
function remembering({ job, failures }: JobState, plan: Plan, told: boolean): Plan {
  const memory: JobMemory = { uid: job.metadata.uid!, failures };
  return told ? { ...plan, remember: memory } : plan;
}

interface Removal {
  job: Job;
  status: JobStatus;
  ending: Ending | undefined;
  pods: readonly Pod[];
  tracked: ReadonlySet<string>;
  /** No more pods could be counted in this look. */
  full: boolean;
  terminating: number;
}

function planRemovals(state: JobState, removal: Removal): Plan {
  const removals = inParallel(removal.pods.map((pod) => untracking(pod, { rule: 'JOB-11' })));
  if (removals.length === 0) return planEnd(state, removal, removal.tracked);
  return {
    actions: removals,
    next: ([batch]) => {
      const left = new Set(removal.tracked);
      removal.pods.forEach((pod, index) => {
        if (batch?.parts?.[index]?.ok) left.delete(pod.metadata.uid!);
      });
      if (batch?.ok) return planEnd(state, removal, left);
      const cleaned = withoutCounted(removal.status, left);
      return cleaned.changed ? { actions: [statusUpdate(removal.job, cleaned.status)] } : NOTHING_TO_DO;
    },
  };
}

/** The uids have become numbers; a Job that ends, and of whose pods nothing is left to count, has ended. */
function planEnd({ snapshot }: JobState, { job, status, ending, full, terminating }: Removal, left: ReadonlySet<string>): Plan {
  const cleaned = withoutCounted(status, left);
  const { succeeded = [], failed = [] } = cleaned.status.uncountedTerminatedPods ?? {};
  const ended = ending !== undefined && !full && terminating === 0 && succeeded.length + failed.length === 0;
  if (!ended) return cleaned.changed ? { actions: [statusUpdate(job, cleaned.status)] } : NOTHING_TO_DO;
  const conditions = withCondition(cleaned.status.conditions ?? [], ending, 'True', snapshot.now) ?? cleaned.status.conditions;
  const completion = ending.type === 'Complete' ? { completionTime: timestamp(snapshot.now) } : {};
  const finished = { ...cleaned.status, ...(conditions ? { conditions } : {}), ...completion };
  return andThen([statusUpdate(job, finished)], () => ({ actions: endEvents(job, finished, ending) }));
}

function endEvents(job: Job, { succeeded = 0 }: JobStatus, { type, reason, message }: Ending): Action[] {
  const because = { rule: 'JOB-13' };
  if (type !== 'Complete') return [{ type: 'event', about: job, note: { type: 'Warning', reason, message }, because }];
  const many = job.spec.completions !== undefined && succeeded > job.spec.completions;
  const warning = { type: 'Warning' as const, reason: 'TooManySucceededPods', message: 'Too many succeeded pods running after completion count reached' };
  return [
    ...(many ? [{ type: 'event' as const, about: job, note: warning, because }] : []),
    { type: 'event', about: job, note: { type: 'Normal', reason: 'Completed', message: 'Job completed' }, because },
  ];
}

function statusUpdate(job: Job, status: JobStatus): Action {
  const facts = { active: status.active ?? 0, succeeded: status.succeeded ?? 0, failed: status.failed ?? 0 };
  return { type: 'update', resource: Jobs, subresource: 'status', object: { ...job, status } as Job, because: { rule: 'JOB-10', facts } };
}

/** Uids of pods that wait no more become numbers. Upstream: cleanUncountedPodsWithoutFinalizers. */
function withoutCounted(status: JobStatus, tracked: ReadonlySet<string>): { status: JobStatus; changed: boolean } {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const waiting = { succeeded: succeeded.filter((uid) => tracked.has(uid)), failed: failed.filter((uid) => tracked.has(uid)) };
  const [moreSucceeded, moreFailed] = [succeeded.length - waiting.succeeded.length, failed.length - waiting.failed.length];
  if (moreSucceeded + moreFailed === 0) return { status, changed: false };
  const next: JobStatus = { ...status, uncountedTerminatedPods: listed(waiting) };
  if (moreSucceeded > 0) next.succeeded = (status.succeeded ?? 0) + moreSucceeded;
  if (moreFailed > 0) next.failed = (status.failed ?? 0) + moreFailed;
  return { status: next, changed: true };
}

/** Empty lists are left out. */
function listed({ succeeded, failed }: { succeeded: string[]; failed: string[] }): Uncounted {
  return { ...(succeeded.length > 0 ? { succeeded } : {}), ...(failed.length > 0 ? { failed } : {}) };
}

interface Counted {
  status: JobStatus;
  changed: boolean;
  /** Those that need not wait any more. */
  pods: Pod[];
  full: boolean;
}

/** Takes up the pods that have ended. Of an Indexed Job the indexes say what has succeeded; all else goes by uid. */
function countEnded(state: JobState, ending: Ending | undefined, status: JobStatus): Counted {
  const { job, indexes } = state;
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  const uncounted = { succeeded: [...succeeded], failed: [...failed] };
  const newIndexes: number[] = [];
  const pods: Pod[] = [];
  let full = false;
  for (const pod of indexes ? state.pods.toSorted((a, b) => (completionIndex(a) ?? -1) - (completionIndex(b) ?? -1)) : state.pods) {
    if (!isTracked(pod) || !isDone(state, pod, ending)) continue;
    pods.push(pod);
    countOne(state, pod, ending, { uncounted, newIndexes });
    full = newIndexes.length + uncounted.succeeded.length + uncounted.failed.length >= MAX_UNCOUNTED;
    if (full) break;
  }
  const grown = newIndexes.length > 0 || uncounted.succeeded.length > succeeded.length || uncounted.failed.length > failed.length;
  const next = grown ? { ...status, uncountedTerminatedPods: listed(uncounted) } : status;
  if (!indexes) return { status: next, changed: grown, pods, full };
  const indexed = withIndexes(state, next, newIndexes);
  return { status: indexed, changed: grown || !sameIndexes(indexed, job.status ?? {}), pods, full };
}

function countOne(
  { job, indexes }: JobState,
  pod: Pod,
  ending: Ending | undefined,
  { uncounted, newIndexes }: { uncounted: { succeeded: string[]; failed: string[] }; newIndexes: number[] },
): void {
  const uid = pod.metadata.uid!;
  const index = validIndex(job, pod);
  if (pod.status.phase === 'Succeeded' && !uncounted.failed.includes(uid)) {
    if (!indexes) {
      if (!uncounted.succeeded.includes(uid)) uncounted.succeeded.push(uid);
    } else if (index !== undefined && !hasIndex(indexes.previous, index)) newIndexes.push(index);
    return;
  }
  const isLost = ending !== undefined && ending.type !== 'SuccessCriteriaMet';
  if (!isFailed(pod, job) && !isLost) return;
  if (uncounted.failed.includes(uid) || (indexes && index === undefined)) return;
  if (judge(job.spec.podFailurePolicy, pod).counts) uncounted.failed.push(uid);
}

/** Whether the pod need not wait: it has ended, or the Job does. A failed one may have to wait for who takes its place. */
function isDone({ job, indexes }: JobState, pod: Pod, ending: Ending | undefined): boolean {
  if (job.metadata.deletionTimestamp !== undefined || ending !== undefined || pod.status.phase === 'Succeeded') return true;
  if (!isFailed(pod, job)) return false;
  const index = completionIndex(pod);
  const delayed = index === undefined || !hasLimitPerIndex(job) ? undefined : indexes?.delayed.get(index);
  return delayed?.metadata.uid !== pod.metadata.uid;
}

function withIndexes({ indexes }: JobState, status: JobStatus, newIndexes: readonly number[]): JobStatus {
  const succeeded = union(indexes!.succeeded, indexesOf(newIndexes));
  const { completedIndexes: _, succeeded: __, ...rest } = status;
  const text = indexesText(succeeded);
  return {
    ...rest,
    ...(text ? { completedIndexes: text, succeeded: totalOf(succeeded) } : {}),
    ...(indexes!.failed ? { failedIndexes: indexesText(indexes!.failed) } : {}),
  };
}

function sameIndexes(a: JobStatus, b: JobStatus): boolean {
  return (a.completedIndexes ?? '') === (b.completedIndexes ?? '') && a.failedIndexes === b.failedIndexes;
}

/** The conditions that say why the Job is going to end stand before its pods are let go of; the last ones come after. */
function withInterim(
  job: Job,
  status: JobStatus,
  ending: Ending | undefined,
  now: number,
): { status: JobStatus; ending: Ending | undefined; interim: boolean } {
  if (ending?.type !== 'FailureTarget' && ending?.type !== 'SuccessCriteriaMet') return { status, ending, interim: false };
  const final: Ending = { ...ending, type: ending.type === 'FailureTarget' ? 'Failed' : 'Complete' };
  if (ending.type === 'SuccessCriteriaMet' && trueCondition(job, 'SuccessCriteriaMet')) return { status, ending: final, interim: false };
  const conditions = [...(status.conditions ?? []), condition(ending, 'True', now)];
  return { status: { ...status, conditions }, ending: final, interim: true };
}
