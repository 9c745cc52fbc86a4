import type { Job, SuccessPolicy } from '../../api/generated/types/batch.v1.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import { parseTime } from '../../lib/clock.ts';
import { type Ending, endingOf, trueCondition } from './conditions.ts';
import { type Indexes, overlap, parseIndexes, totalOf } from './indexes.ts';
import { isFailed, isSuspended, type JobState } from './job-state.ts';
import { judge } from './pod-failure-policy.ts';

export const COMPLETED: Ending = { type: 'SuccessCriteriaMet', reason: 'CompletionsReached', message: 'Reached expected number of succeeded pods' };

/**
 * Why the Job ends now, if it does: what it is ending for already, then failures, then the success policy. The first counts.
 * Upstream: job_controller.go (syncJob).
 */
export function endingNow(state: JobState): Ending | undefined {
  const { job } = state;
  const met = trueCondition(job, 'SuccessCriteriaMet');
  if (met) return endingOf(met);
  const target = trueCondition(job, 'FailureTarget');
  if (target) return { ...endingOf(target), type: 'Failed' };
  return policyFailure(state) ?? limitFailure(state) ?? indexFailure(state) ?? policySuccess(state);
}

function failure(reason: string, message: string): Ending {
  return { type: 'FailureTarget', reason, message };
}

function policyFailure({ job, pods }: JobState): Ending | undefined {
  for (const pod of pods) {
    const message = isFailed(pod, job) ? judge(job.spec.podFailurePolicy, pod).message : undefined;
    if (message !== undefined) return failure('PodFailurePolicy', message);
  }
  return undefined;
}

function limitFailure({ job, pods, failed, snapshot }: JobState): Ending | undefined {
  if (failed > (job.spec.backoffLimit ?? 6) || hasTooManyRestarts(job, pods)) {
    return failure('BackoffLimitExceeded', 'Job has reached the specified backoff limit');
  }
  const left = deadlineInMs(job, snapshot.now);
  return left !== undefined && left <= 0 ? failure('DeadlineExceeded', 'Job was active longer than specified deadline') : undefined;
}

/** Milliseconds until the Job has been active for too long; undefined: it may be so for ever. */
export function deadlineInMs(job: Job, now: number): number | undefined {
  const { activeDeadlineSeconds } = job.spec;
  const start = parseTime(job.status?.startTime);
  if (activeDeadlineSeconds === undefined || start === undefined || isSuspended(job)) return undefined;
  return start + activeDeadlineSeconds * 1000 - now;
}

/** Pods that are started again where they are count by the restarts of their containers. Upstream: pastBackoffLimitOnFailure. */
function hasTooManyRestarts({ spec }: Job, pods: readonly Pod[]): boolean {
  if (spec.template.spec.restartPolicy !== 'OnFailure') return false;
  const limit = spec.backoffLimit ?? 6;
  let restarts = 0;
  for (const { status } of pods) {
    if (status.phase !== 'Running' && status.phase !== 'Pending') continue;
    for (const { restartCount } of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) restarts += restartCount;
  }
  return limit === 0 ? restarts > 0 : restarts >= limit;
}

function indexFailure({ job, indexes }: JobState): Ending | undefined {
  if (!indexes?.failed) return undefined;
  const failed = totalOf(indexes.failed);
  if (job.spec.maxFailedIndexes !== undefined && failed > job.spec.maxFailedIndexes) {
    return failure('MaxFailedIndexesExceeded', 'Job has exceeded the specified maximal number of failed indexes');
  }
  const all = failed > 0 && failed + totalOf(indexes.succeeded) >= indexes.completions;
  return all ? failure('FailedIndexes', 'Job has failed indexes') : undefined;
}

function policySuccess({ job, indexes }: JobState): Ending | undefined {
  const rule = indexes ? matchingRule(job.spec.successPolicy, indexes.succeeded, indexes.completions) : undefined;
  return rule === undefined ? undefined : { type: 'SuccessCriteriaMet', reason: 'SuccessPolicy', message: `Matched rules at index ${rule}` };
}

/** Upstream: success_policy.go (matchSuccessPolicy). */
function matchingRule(policy: SuccessPolicy | undefined, succeeded: Indexes, completions: number): number | undefined {
  if (!policy || succeeded.length === 0) return undefined;
  const index = policy.rules.findIndex(({ succeededIndexes, succeededCount }) => {
    if (succeededIndexes === undefined) return succeededCount !== undefined && totalOf(succeeded) >= succeededCount;
    const required = parseIndexes(succeededIndexes, completions);
    if (required.length === 0) return false;
    const contained = overlap(required, succeeded);
    return contained === totalOf(required) || (succeededCount !== undefined && contained >= succeededCount);
  });
  return index < 0 ? undefined : index;
}
