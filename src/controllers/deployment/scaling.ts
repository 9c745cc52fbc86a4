import type { Deployment, ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import { byAge } from '../ownership.ts';
import type { Because } from '../runtime/plan.ts';
import { annotationsOf, DESIRED_REPLICAS, hasSizeAnnotations, MAX_REPLICAS, wholeNumber } from './revisions.ts';
import { availableOf, isActive, isRollingUpdate, maxReplicas, replicasOf, totals } from './strategy.ts';

/** A ReplicaSet and the size it is to have. */
export interface Resize {
  replicaSet: ReplicaSet;
  replicas: number;
  because: Because;
}

export interface ReplicaSetsOf {
  deployment: Deployment;
  newReplicaSet: ReplicaSet | undefined;
  oldReplicaSets: readonly ReplicaSet[];
}

/** Whether an active ReplicaSet was sized for another number of replicas. Upstream: sync.go (isScalingEvent). */
export function isScalingEvent({ deployment, newReplicaSet, oldReplicaSets }: ReplicaSetsOf): boolean {
  return together(oldReplicaSets, newReplicaSet)
    .filter(isActive)
    .some((replicaSet) => {
      const desired = wholeNumber(annotationsOf(replicaSet)[DESIRED_REPLICAS]);
      return desired !== undefined && desired !== replicasOf(deployment);
    });
}

/**
 * Follows a change of `spec.replicas`: the only active ReplicaSet takes the new size; once the new one has it, the old
 * ones go; otherwise, in a rolling update, all grow or shrink in proportion. Upstream: sync.go (scale).
 * @param refreshStale the repair of kubernetes/kubernetes 102551: a ReplicaSet that has the size already, but not the
 * annotations, gets them, so that the rollout is not taken for a scaling event for ever.
 */
export function scale(all: ReplicaSetsOf, { refreshStale = false }: { refreshStale?: boolean } = {}): Resize[] {
  const { deployment, newReplicaSet, oldReplicaSets } = all;
  const replicas = replicasOf(deployment);
  const only = activeOrLatest(all);
  if (only) {
    if (replicasOf(only) !== replicas) return [{ replicaSet: only, replicas, because: { rule: 'DEP-31', facts: { replicas } } }];
    return refreshStale && !hasSizeAnnotations(only, deployment) ? [{ replicaSet: only, replicas, because: { rule: 'DEP-35' } }] : [];
  }
  if (isSaturated(deployment, newReplicaSet)) {
    return oldReplicaSets.filter(isActive).map((replicaSet) => ({ replicaSet, replicas: 0, because: { rule: 'DEP-32', facts: { replicas } } }));
  }
  return isRollingUpdate(deployment) ? proportional(deployment, together(oldReplicaSets, newReplicaSet).filter(isActive)) : [];
}

function together(oldReplicaSets: readonly ReplicaSet[], newReplicaSet: ReplicaSet | undefined): ReplicaSet[] {
  return newReplicaSet ? [...oldReplicaSets, newReplicaSet] : [...oldReplicaSets];
}

/** The one active ReplicaSet; where none is active, the new one or else the youngest; undefined where several are. */
function activeOrLatest({ newReplicaSet, oldReplicaSets }: ReplicaSetsOf): ReplicaSet | undefined {
  const active = together(oldReplicaSets, newReplicaSet).filter(isActive);
  if (active.length > 1) return undefined;
  return active[0] ?? newReplicaSet ?? oldReplicaSets.toSorted(byAge).at(-1);
}

/** Whether the new ReplicaSet has all its pods, of the number wanted today. Upstream: IsSaturated. */
function isSaturated(deployment: Deployment, replicaSet: ReplicaSet | undefined): boolean {
  const replicas = replicasOf(deployment);
  if (!replicaSet) return false;
  const desired = wholeNumber(annotationsOf(replicaSet)[DESIRED_REPLICAS]);
  return desired === replicas && replicasOf(replicaSet) === replicas && availableOf(replicaSet) === replicas;
}

/**
 * The difference to the size allowed, spread over the active ReplicaSets in proportion to their sizes, the largest
 * first; it also takes what rounding leaves over. Of equal size, the younger grows first and the elder shrinks first.
 */
function proportional(deployment: Deployment, active: ReplicaSet[]): Resize[] {
  const allowed = replicasOf(deployment) > 0 ? maxReplicas(deployment) : 0;
  const toAdd = allowed - totals.wanted(active);
  const ordered = toAdd === 0 ? active : active.toSorted((a, b) => replicasOf(b) - replicasOf(a) || (toAdd > 0 ? byAge(b, a) : byAge(a, b)));
  let added = 0;
  const sizes = ordered.map((replicaSet) => {
    const share = toAdd === 0 ? 0 : proportion(replicaSet, deployment, { toAdd, added });
    added += share;
    return replicasOf(replicaSet) + share;
  });
  if (toAdd !== 0 && sizes[0] !== undefined) sizes[0] = Math.max(sizes[0] + toAdd - added, 0);
  const because = { rule: 'DEP-33', facts: { allowed, toAdd } };
  return ordered.map((replicaSet, index) => ({ replicaSet, replicas: sizes[index]!, because }));
}

/** A ReplicaSet's share, within what is left to give. Upstream: GetReplicaSetProportion. */
function proportion(replicaSet: ReplicaSet, deployment: Deployment, { toAdd, added }: { toAdd: number; added: number }): number {
  const left = toAdd - added;
  if (left === 0) return 0;
  const share = fraction(replicaSet, deployment);
  return toAdd > 0 ? Math.min(share, left) : Math.max(share, left);
}

/** Upstream: getReplicaSetFraction. Sizes are never negative, so that Math.round rounds as upstream does. */
function fraction(replicaSet: ReplicaSet, deployment: Deployment): number {
  const size = replicasOf(replicaSet);
  if (replicasOf(deployment) === 0) return -size;
  const before = wholeNumber(annotationsOf(replicaSet)[MAX_REPLICAS]) || (deployment.status?.replicas ?? 0);
  return before === 0 ? 0 : Math.round((size * maxReplicas(deployment)) / before) - size;
}
