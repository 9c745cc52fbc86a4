import type { Deployment, DeploymentCondition, DeploymentStatus, ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import { parseTime } from '../../lib/clock.ts';
import { condition, conditionOf, hasProgressDeadline, REASON, withCondition, withoutCondition } from './conditions.ts';
import { minAvailable, replicasOf, totals } from './strategy.ts';

export interface StatusInput {
  now: number;
  deployment: Deployment;
  newReplicaSet: ReplicaSet | undefined;
  oldReplicaSets: readonly ReplicaSet[];
  /** Feature gate DeploymentReplicaSetTerminatingReplicas, off in v1.34. */
  countTerminating?: boolean;
}

/** The numbers and the Available condition. Upstream: sync.go (calculateStatus). */
export function calculateStatus({ now, deployment, newReplicaSet, oldReplicaSets, countTerminating }: StatusInput): DeploymentStatus {
  const all = newReplicaSet ? [...oldReplicaSets, newReplicaSet] : oldReplicaSets;
  const available = totals.available(all);
  const { collisionCount, conditions = [] } = deployment.status ?? {};
  const enough = available >= minAvailable(deployment);
  const availability = condition(
    {
      type: 'Available',
      status: enough ? 'True' : 'False',
      reason: enough ? REASON.available : REASON.unavailable,
      message: enough ? 'Deployment has minimum availability.' : 'Deployment does not have minimum availability.',
    },
    now,
  );
  return {
    ...nonZero({
      observedGeneration: deployment.metadata.generation ?? 0,
      replicas: totals.actual(all),
      updatedReplicas: newReplicaSet?.status?.replicas ?? 0,
      readyReplicas: totals.ready(all),
      availableReplicas: available,
      unavailableReplicas: Math.max(totals.wanted(all) - available, 0),
    }),
    ...(countTerminating ? { terminatingReplicas: totals.terminating(all) } : {}),
    ...(collisionCount === undefined ? {} : { collisionCount }),
    conditions: withCondition(conditions, availability),
  };
}

/** Zero is how a number that is left out reads. */
function nonZero<K extends string>(numbers: Record<K, number>): Partial<Record<K, number>> {
  return Object.fromEntries(Object.entries<number>(numbers).filter(([, value]) => value !== 0)) as Partial<Record<K, number>>;
}

/**
 * The status during a rollout: with the Progressing condition as far as there is a deadline and the rollout is not
 * complete, and with the failures of the ReplicaSets. Upstream: progress.go (syncRolloutStatus).
 */
export function rolloutStatus(input: StatusInput): DeploymentStatus {
  const { deployment, newReplicaSet, oldReplicaSets } = input;
  const calculated = calculateStatus(input);
  const conditions = withProgress(input, calculated);
  const failure = replicaFailure(newReplicaSet, oldReplicaSets);
  const current = conditionOf(deployment.status, 'Progressing');
  const kept = hasProgressDeadline(deployment) || !current ? conditions : withoutCondition(conditions, 'Progressing');
  return { ...calculated, conditions: failure ? withCondition(kept, failure) : withoutCondition(kept, 'ReplicaFailure') };
}

function withProgress({ now, deployment, newReplicaSet }: StatusInput, next: DeploymentStatus): DeploymentCondition[] {
  const conditions = next.conditions ?? [];
  if (!hasProgressDeadline(deployment)) return conditions;
  const current = conditionOf(deployment.status, 'Progressing');
  if ((next.replicas ?? 0) === (next.updatedReplicas ?? 0) && current?.reason === REASON.newReplicaSetAvailable) return conditions;
  const subject = newReplicaSet ? `ReplicaSet "${newReplicaSet.metadata.name}"` : `Deployment "${deployment.metadata.name}"`;
  if (isComplete(deployment, next)) {
    const message = `${subject} has successfully progressed.`;
    return withCondition(conditions, condition({ type: 'Progressing', status: 'True', reason: REASON.newReplicaSetAvailable, message }, now));
  }
  if (hasProgressed(deployment.status ?? {}, next)) {
    const progress = condition({ type: 'Progressing', status: 'True', reason: REASON.replicaSetUpdated, message: `${subject} is progressing.` }, now);
    const since = current?.status === 'True' && current.lastTransitionTime ? { lastTransitionTime: current.lastTransitionTime } : {};
    // The same reason again moves lastUpdateTime, and with it the deadline.
    return [...withoutCondition(conditions, 'Progressing'), { ...progress, ...since }];
  }
  if (isTimedOut(deployment, conditionOf(next, 'Progressing'), now)) {
    const message = `${subject} has timed out progressing.`;
    return withCondition(conditions, condition({ type: 'Progressing', status: 'False', reason: REASON.deadlineExceeded, message }, now));
  }
  return conditions;
}

/** Upstream: DeploymentComplete. */
export function isComplete(deployment: Deployment, status: DeploymentStatus | undefined): boolean {
  const replicas = replicasOf(deployment);
  return (
    (status?.updatedReplicas ?? 0) === replicas &&
    (status?.replicas ?? 0) === replicas &&
    (status?.availableReplicas ?? 0) === replicas &&
    (status?.observedGeneration ?? 0) >= (deployment.metadata.generation ?? 0)
  );
}

/** More updated, ready or available pods than before, or fewer old ones. Upstream: DeploymentProgressing. */
function hasProgressed(old: DeploymentStatus, next: DeploymentStatus): boolean {
  const oldPods = (status: DeploymentStatus): number => (status.replicas ?? 0) - (status.updatedReplicas ?? 0);
  return (
    (next.updatedReplicas ?? 0) > (old.updatedReplicas ?? 0) ||
    oldPods(next) < oldPods(old) ||
    (next.readyReplicas ?? 0) > (old.readyReplicas ?? 0) ||
    (next.availableReplicas ?? 0) > (old.availableReplicas ?? 0)
  );
}

/** Upstream: DeploymentTimedOut. */
function isTimedOut(deployment: Deployment, progress: DeploymentCondition | undefined, now: number): boolean {
  if (!progress || progress.reason === REASON.newReplicaSetAvailable) return false;
  return progress.reason === REASON.deadlineExceeded || deadlineOf(deployment, progress) < now;
}

function deadlineOf({ spec }: Deployment, { lastUpdateTime }: DeploymentCondition): number {
  return (parseTime(lastUpdateTime) ?? 0) + (spec.progressDeadlineSeconds ?? 0) * 1000;
}

/** The new ReplicaSet's failure before those of the old ones. */
function replicaFailure(newReplicaSet: ReplicaSet | undefined, oldReplicaSets: readonly ReplicaSet[]): DeploymentCondition | undefined {
  for (const { status } of newReplicaSet ? [newReplicaSet, ...oldReplicaSets] : oldReplicaSets) {
    const failure = status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
    if (failure) return { ...failure, ...(failure.lastTransitionTime ? { lastUpdateTime: failure.lastTransitionTime } : {}) };
  }
  return undefined;
}

/**
 * When to look again whether the deadline has passed, in milliseconds; undefined where nothing is to be expected.
 * Upstream: progress.go (requeueStuckDeployment).
 */
export function deadlineCheckAfterMs(deployment: Deployment, next: DeploymentStatus, now: number): number | undefined {
  const progress = conditionOf(deployment.status, 'Progressing');
  if (!hasProgressDeadline(deployment) || !progress) return undefined;
  // Of a rollout that was complete once, the deadline is no matter any more, whatever becomes of its pods.
  if (isComplete(deployment, next) || progress.reason === REASON.deadlineExceeded || progress.reason === REASON.newReplicaSetAvailable) return undefined;
  const afterMs = deadlineOf(deployment, progress) - now;
  return afterMs < 1000 ? Math.max(afterMs, 0) + 1 : afterMs + 1000;
}

const NUMBERS = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
] as const;
const CONDITION_FIELDS = ['type', 'status', 'reason', 'message', 'lastUpdateTime', 'lastTransitionTime'] as const;

export function sameStatus(a: DeploymentStatus, b: DeploymentStatus = {}): boolean {
  const conditions = b.conditions ?? [];
  return (
    NUMBERS.every((key) => (a[key] ?? 0) === (b[key] ?? 0)) &&
    a.collisionCount === b.collisionCount &&
    (a.conditions ?? []).length === conditions.length &&
    (a.conditions ?? []).every((left, index) => CONDITION_FIELDS.every((field) => (left[field] ?? '') === (conditions[index]?.[field] ?? '')))
  );
}
