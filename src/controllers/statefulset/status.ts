import type { StatefulSet, StatefulSetStatus } from '../../api/generated/types/apps.v1.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import { isPodAvailable } from '../pod-state.ts';
import { isRunningAndReady, isTerminating, replicasOf, revisionOf } from './identity.ts';
import type { Rollout } from './rollout.ts';

/** The status that the pods give. `deleted`: one of the current revision that an update has just deleted counts no more. */
export function nextStatus({ set, revisions, pods, snapshot }: Rollout, deleted: boolean): StatefulSetStatus {
  const { current, update, collisionCount } = revisions;
  const [currentRevision, updateRevision] = [current.metadata.name!, update.metadata.name!];
  const count = (holds: (pod: Pod) => boolean): number => pods.filter(holds).length;
  const ready = pods.filter(isRunningAndReady);
  const counts = {
    replicas: pods.length,
    readyReplicas: ready.length,
    currentReplicas: count((pod) => !isTerminating(pod) && revisionOf(pod) === currentRevision) - (deleted ? 1 : 0),
    updatedReplicas: count((pod) => !isTerminating(pod) && revisionOf(pod) === updateRevision),
    availableReplicas: ready.filter((pod) => isPodAvailable(pod, set.spec.minReadySeconds ?? 0, snapshot.now)).length,
  };
  const done = isComplete(set, counts);
  const currentReplicas = done ? counts.updatedReplicas : counts.currentReplicas;
  return {
    ...(set.metadata.generation ? { observedGeneration: set.metadata.generation } : {}),
    replicas: counts.replicas,
    ...(counts.readyReplicas ? { readyReplicas: counts.readyReplicas } : {}),
    ...(currentReplicas ? { currentReplicas } : {}),
    ...(counts.updatedReplicas ? { updatedReplicas: counts.updatedReplicas } : {}),
    currentRevision: done ? updateRevision : currentRevision,
    updateRevision,
    collisionCount,
    availableReplicas: counts.availableReplicas,
  };
}

/** Upstream: completeRollingUpdate. */
function isComplete(set: StatefulSet, counts: { replicas: number; readyReplicas: number; updatedReplicas: number }): boolean {
  if (set.spec.updateStrategy?.type !== 'RollingUpdate') return false;
  return [counts.replicas, counts.readyReplicas, counts.updatedReplicas].every((number) => number === replicasOf(set));
}

const COUNTS = ['replicas', 'currentReplicas', 'readyReplicas', 'updatedReplicas', 'availableReplicas'] as const;

/** Whether the set says all this already. Upstream: inconsistentStatus. */
export function isReported({ status }: StatefulSet, next: StatefulSetStatus): boolean {
  if (!status) return false;
  if ((next.observedGeneration ?? 0) > (status.observedGeneration ?? 0)) return false;
  if (next.currentRevision !== status.currentRevision || next.updateRevision !== status.updateRevision) return false;
  return COUNTS.every((key) => (status[key] ?? 0) === (next[key] ?? 0));
}
