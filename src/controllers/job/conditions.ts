import type { Job, JobCondition } from '../../api/generated/types/batch.v1.ts';
import { timestamp } from '../../lib/clock.ts';

export type ConditionType = 'Suspended' | 'FailureTarget' | 'Failed' | 'SuccessCriteriaMet' | 'Complete';

/** Why and how a Job ends. */
export interface Ending {
  type: ConditionType;
  reason: string;
  message: string;
}

export function condition({ type, reason, message }: Ending, status: 'True' | 'False', now: number): JobCondition {
  return { type, status, lastProbeTime: timestamp(now), lastTransitionTime: timestamp(now), reason, message };
}

export function trueCondition({ status }: Job, type: ConditionType): JobCondition | undefined {
  return status?.conditions?.find((one) => one.type === type && one.status === 'True');
}

/** Complete or Failed. Upstream: util.FinishedCondition. */
export function finishedCondition(job: Job): JobCondition | undefined {
  return job.status?.conditions?.find(({ type, status }) => (type === 'Complete' || type === 'Failed') && status === 'True');
}

export function endingOf({ type, reason = '', message = '' }: JobCondition): Ending {
  return { type: type as ConditionType, reason, message };
}

/**
 * The conditions with this one; undefined where nothing changes. What is not there does not become false.
 * Upstream: ensureJobConditionStatus.
 */
export function withCondition(conditions: readonly JobCondition[], ending: Ending, status: 'True' | 'False', now: number): JobCondition[] | undefined {
  const current = conditions.find(({ type }) => type === ending.type);
  if (!current) return status === 'False' ? undefined : [...conditions, condition(ending, status, now)];
  if (current.status === status && current.reason === ending.reason && current.message === ending.message) return undefined;
  return conditions.map((one) => (one === current ? condition(ending, status, now) : one));
}
