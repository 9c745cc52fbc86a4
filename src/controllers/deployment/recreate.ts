import type { ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import { controllerOf } from '../ownership.ts';
import { isPodFinished } from '../pod-state.ts';
import { andThen, type Plan } from '../runtime/plan.ts';
import { resize } from './actions.ts';
import { finish, reportProgress } from './report.ts';
import type { Rollout } from './rollout.ts';
import { isActive, replicasOf, totals } from './strategy.ts';

/**
 * All old pods go, and only when none runs any more, those that terminate included, the new ReplicaSet comes.
 * Upstream: recreate.go.
 * @param withNew goes on with the new ReplicaSet, made if need be.
 */
export function planRecreate(rollout: Rollout, withNew: (next: (rollout: Rollout, newReplicaSet: ReplicaSet) => Plan) => Plan): Plan {
  const shrunk = rollout.oldReplicaSets.filter(isActive).flatMap((replicaSet) => resize(rollout, { replicaSet, replicas: 0, because: { rule: 'DEP-40' } }));
  if (shrunk.length > 0) return andThen(shrunk, () => reportProgress(rollout));
  if (oldPodsRun(rollout)) return reportProgress(rollout);
  return withNew((current, newReplicaSet) => {
    const replicas = replicasOf(current.deployment);
    const grown =
      replicas === replicasOf(newReplicaSet) ? [] : resize(current, { replicaSet: newReplicaSet, replicas, because: { rule: 'DEP-42', facts: { replicas } } });
    return andThen(grown, () => finish(current));
  });
}

function oldPodsRun({ snapshot, newReplicaSet, oldReplicaSets }: Rollout): boolean {
  if (totals.actual(oldReplicaSets) > 0) return true;
  const old = new Set(oldReplicaSets.map(({ metadata }) => metadata.uid));
  return snapshot.pods.some((pod) => {
    const owner = controllerOf(pod)?.uid;
    return owner !== newReplicaSet?.metadata.uid && old.has(owner) && !isPodFinished(pod);
  });
}
