import type { Deployment, ReplicaSet } from '../../api/generated/types/apps.v1.ts';

type IntOrPercent = number | string;

/** How far a rolling update may go beyond and below the number of replicas. */
export interface Fenceposts {
  maxSurge: number;
  maxUnavailable: number;
}

/**
 * DEP-20 to DEP-22: percentages of `replicas`, the surge rounded up, the unavailability down; where both come to
 * nothing, one pod may be unavailable. Upstream: util/deployment_util.go (ResolveFenceposts).
 */
export function resolveFenceposts(limits: { maxSurge?: IntOrPercent; maxUnavailable?: IntOrPercent }, replicas: number): Fenceposts {
  const maxSurge = resolve(limits.maxSurge ?? 0, replicas, Math.ceil);
  const maxUnavailable = resolve(limits.maxUnavailable ?? 0, replicas, Math.floor);
  return maxSurge === 0 && maxUnavailable === 0 ? { maxSurge, maxUnavailable: 1 } : { maxSurge, maxUnavailable };
}

/** Validation leaves only whole numbers and whole percentages. */
function resolve(value: IntOrPercent, replicas: number, round: (value: number) => number): number {
  return typeof value === 'number' ? value : round((Number.parseInt(value, 10) * replicas) / 100);
}

export function replicasOf({ spec }: Deployment | ReplicaSet): number {
  return spec.replicas ?? 1;
}

export function isRollingUpdate({ spec }: Deployment): boolean {
  return (spec.strategy.type ?? 'RollingUpdate') === 'RollingUpdate';
}

/** Pods above `spec.replicas`; 0 unless the strategy is RollingUpdate. */
export function maxSurge(deployment: Deployment): number {
  return isRollingUpdate(deployment) ? resolveFenceposts(deployment.spec.strategy.rollingUpdate ?? {}, replicasOf(deployment)).maxSurge : 0;
}

/** Pods below `spec.replicas`, at most all of them; 0 unless the strategy is RollingUpdate. */
export function maxUnavailable(deployment: Deployment): number {
  const replicas = replicasOf(deployment);
  if (!isRollingUpdate(deployment) || replicas === 0) return 0;
  return Math.min(resolveFenceposts(deployment.spec.strategy.rollingUpdate ?? {}, replicas).maxUnavailable, replicas);
}

/** What all ReplicaSets together may have. */
export function maxReplicas(deployment: Deployment): number {
  return replicasOf(deployment) + maxSurge(deployment);
}

export function minAvailable(deployment: Deployment): number {
  return replicasOf(deployment) - maxUnavailable(deployment);
}

/** Sums of the sizes wanted, and of what the ReplicaSets report. */
export const totals = {
  wanted: (replicaSets: readonly ReplicaSet[]): number => sum(replicaSets, replicasOf),
  actual: (replicaSets: readonly ReplicaSet[]): number => sum(replicaSets, ({ status }) => status?.replicas ?? 0),
  ready: (replicaSets: readonly ReplicaSet[]): number => sum(replicaSets, ({ status }) => status?.readyReplicas ?? 0),
  available: (replicaSets: readonly ReplicaSet[]): number => sum(replicaSets, availableOf),
  terminating: (replicaSets: readonly ReplicaSet[]): number => sum(replicaSets, ({ status }) => status?.terminatingReplicas ?? 0),
};

export function availableOf({ status }: ReplicaSet): number {
  return status?.availableReplicas ?? 0;
}

export function isActive(replicaSet: ReplicaSet): boolean {
  return replicasOf(replicaSet) > 0;
}

function sum(replicaSets: readonly ReplicaSet[], count: (replicaSet: ReplicaSet) => number): number {
  return replicaSets.reduce((total, replicaSet) => total + count(replicaSet), 0);
}

/**
 * The size the new ReplicaSet should grow to now, given the size it has among all of them.
 * Upstream: util/deployment_util.go (NewRSNewReplicas).
 */
export function newReplicaSetSize(deployment: Deployment, sizes: { total: number; own: number }): number {
  const replicas = replicasOf(deployment);
  if (!isRollingUpdate(deployment)) return replicas;
  const room = maxReplicas(deployment) - sizes.total;
  return room <= 0 ? sizes.own : sizes.own + Math.min(room, replicas - sizes.own);
}
