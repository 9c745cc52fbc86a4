import type { ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import { byAge } from '../ownership.ts';
import { andThen, type Plan } from '../runtime/plan.ts';
import { resize, updatedBy } from './actions.ts';
import { finish, reportProgress } from './report.ts';
import type { Rollout } from './rollout.ts';
import type { Resize } from './scaling.ts';
import { availableOf, isActive, maxReplicas, minAvailable, newReplicaSetSize, replicasOf, totals } from './strategy.ts';

/**
 * One step of a rolling update: grow the new ReplicaSet, or else shrink the old ones; the status that follows is of the
 * sizes before. Upstream: rolling.go (rolloutRolling).
 */
export function planRolling(rollout: Rollout, newReplicaSet: ReplicaSet): Plan {
  const grown = resizeNew(rollout, newReplicaSet);
  const actions = grown ? resize(rollout, grown) : [];
  return actions.length > 0 ? andThen(actions, () => reportProgress(rollout)) : planOld(rollout, newReplicaSet);
}

function resizeNew({ deployment, oldReplicaSets }: Rollout, replicaSet: ReplicaSet): Resize | undefined {
  const own = replicasOf(replicaSet);
  const wanted = replicasOf(deployment);
  if (own === wanted) return undefined;
  const replicas = own > wanted ? wanted : newReplicaSetSize(deployment, { total: totals.wanted(oldReplicaSets) + own, own });
  const because = { rule: 'DEP-23', facts: { replicas: wanted, maxReplicas: maxReplicas(deployment), old: totals.wanted(oldReplicaSets) } };
  return replicas === own ? undefined : { replicaSet, replicas, because };
}

/** Unhealthy old pods first, then healthy ones as far as there are more available than needed. */
function planOld(rollout: Rollout, newReplicaSet: ReplicaSet): Plan {
  const active = rollout.oldReplicaSets.filter(isActive).toSorted(byAge);
  const { resizes, goOn } = shrinkUnhealthy(rollout, active, newReplicaSet);
  const actions = resizes.flatMap((one) => resize(rollout, one));
  return andThen(actions, (outcomes) => {
    const healthy = goOn ? shrinkHealthy(rollout, updatedBy(outcomes, active), newReplicaSet).flatMap((one) => resize(rollout, one)) : [];
    if (actions.length === 0 && healthy.length === 0) return finish(rollout);
    return andThen(healthy, () => reportProgress(rollout));
  });
}

/**
 * What may go without a loss of availability: all pods but the fewest needed and the new ones that are not available
 * yet. A ReplicaSet with more available pods than it wants has not followed its last change yet; until it has, no more
 * is decided. Upstream: reconcileOldReplicaSets, cleanupUnhealthyReplicas.
 */
function shrinkUnhealthy({ deployment }: Rollout, active: readonly ReplicaSet[], newReplicaSet: ReplicaSet): { resizes: Resize[]; goOn: boolean } {
  const newUnavailable = replicasOf(newReplicaSet) - availableOf(newReplicaSet);
  let budget = totals.wanted([...active, newReplicaSet]) - minAvailable(deployment) - newUnavailable;
  if (active.length === 0 || budget <= 0) return { resizes: [], goOn: false };
  const resizes: Resize[] = [];
  for (const replicaSet of active) {
    const own = replicasOf(replicaSet);
    const unavailable = own - availableOf(replicaSet);
    if (budget <= 0) break;
    if (unavailable < 0) return { resizes, goOn: false };
    const removed = Math.min(budget, unavailable);
    if (removed > 0) resizes.push({ replicaSet, replicas: own - removed, because: { rule: 'DEP-25', facts: { unavailable, mayGo: budget } } });
    budget -= removed;
  }
  return { resizes, goOn: true };
}

/** Upstream: scaleDownOldReplicaSetsForRollingUpdate. */
function shrinkHealthy({ deployment }: Rollout, active: readonly ReplicaSet[], newReplicaSet: ReplicaSet): Resize[] {
  let budget = totals.available([...active, newReplicaSet]) - minAvailable(deployment);
  return active.flatMap((replicaSet) => {
    const own = replicasOf(replicaSet);
    const removed = Math.min(own, budget);
    if (removed <= 0) return [];
    const because = { rule: 'DEP-25', facts: { minAvailable: minAvailable(deployment), mayGo: budget } };
    budget -= removed;
    return [{ replicaSet, replicas: own - removed, because }];
  });
}
