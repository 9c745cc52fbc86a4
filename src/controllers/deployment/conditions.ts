import type { Deployment, DeploymentCondition, DeploymentStatus } from '../../api/generated/types/apps.v1.ts';
import { timestamp } from '../../lib/clock.ts';

export const REASON = {
  replicaSetUpdated: 'ReplicaSetUpdated',
  replicaSetCreateError: 'ReplicaSetCreateError',
  newReplicaSetCreated: 'NewReplicaSetCreated',
  foundNewReplicaSet: 'FoundNewReplicaSet',
  newReplicaSetAvailable: 'NewReplicaSetAvailable',
  deadlineExceeded: 'ProgressDeadlineExceeded',
  paused: 'DeploymentPaused',
  resumed: 'DeploymentResumed',
  available: 'MinimumReplicasAvailable',
  unavailable: 'MinimumReplicasUnavailable',
} as const;

const NO_DEADLINE = 2_147_483_647;

export type ConditionType = 'Progressing' | 'Available' | 'ReplicaFailure';

export interface ConditionFacts {
  type: ConditionType;
  status: 'True' | 'False' | 'Unknown';
  reason: string;
  message: string;
}

/** The largest int32 means that there is no deadline. */
export function hasProgressDeadline({ spec }: Deployment): boolean {
  return spec.progressDeadlineSeconds !== undefined && spec.progressDeadlineSeconds !== NO_DEADLINE;
}

export function conditionOf(status: DeploymentStatus | undefined, type: ConditionType): DeploymentCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

/** A condition as it is written at the time `now`. */
export function condition(facts: ConditionFacts, now: number): DeploymentCondition {
  const { type, status, reason, message } = facts;
  return { type, status, lastUpdateTime: timestamp(now), lastTransitionTime: timestamp(now), reason, message };
}

/**
 * The conditions with this one, last in the list. Nothing changes where status and reason are the same already; the
 * transition time stays where the status does. Upstream: SetDeploymentCondition.
 */
export function withCondition(conditions: readonly DeploymentCondition[], next: DeploymentCondition): DeploymentCondition[] {
  const current = conditions.find(({ type }) => type === next.type);
  if (current?.status === next.status && current.reason === next.reason) return [...conditions];
  const kept = current?.status === next.status && current.lastTransitionTime ? { ...next, lastTransitionTime: current.lastTransitionTime } : next;
  return [...withoutCondition(conditions, next.type), kept];
}

export function withoutCondition(conditions: readonly DeploymentCondition[], type: string): DeploymentCondition[] {
  return conditions.filter((condition) => condition.type !== type);
}
