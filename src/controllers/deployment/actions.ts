import type { Deployment, ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import { Deployments, ReplicaSets } from '../../api/resources.ts';
import type { EventNote } from '../../client/event-recorder.ts';
import { type Action, type Because, deletionOf, type Success } from '../runtime/plan.ts';
import { annotationsOf, beyondHistoryLimit, hasSizeAnnotations, sizeAnnotations, withAnnotations } from './revisions.ts';
import type { Rollout } from './rollout.ts';
import type { Resize } from './scaling.ts';
import { replicasOf } from './strategy.ts';

/** Tells something about the Deployment. */
export function event({ deployment }: Rollout, note: EventNote, because: Because): Action {
  return { type: 'event', about: deployment, note, because };
}

export function updateReplicaSet(object: ReplicaSet, because: Because): Action {
  return { type: 'update', resource: ReplicaSets, object, because };
}

export function updateStatus(object: Deployment, because: Because): Action {
  return { type: 'update', resource: Deployments, subresource: 'status', object, because };
}

/** Gives a ReplicaSet its size, and says so, with the annotations that go with it (DEP-14); nothing where it has both. Upstream: sync.go (scaleReplicaSet). */
export function resize(rollout: Rollout, { replicaSet, replicas, because }: Resize): Action[] {
  const { deployment } = rollout;
  const before = replicasOf(replicaSet);
  if (before === replicas && hasSizeAnnotations(replicaSet, deployment)) return [];
  const annotated = withAnnotations(replicaSet, { ...annotationsOf(replicaSet), ...sizeAnnotations(deployment) });
  const update = updateReplicaSet({ ...annotated, spec: { ...annotated.spec, replicas } }, because);
  return before === replicas ? [update] : [update, scalingEvent(rollout, { replicaSet, from: before, to: replicas }, because)];
}

export function scalingEvent(rollout: Rollout, { replicaSet, from, to }: { replicaSet: ReplicaSet; from: number; to: number }, because: Because): Action {
  const message = `Scaled ${from < to ? 'up' : 'down'} replica set ${replicaSet.metadata.name} from ${from} to ${to}`;
  return event(rollout, { type: 'Normal', reason: 'ScalingReplicaSet', message }, because);
}

/** Deletes old ReplicaSets beyond the history limit. */
export function cleanUp({ deployment, oldReplicaSets }: Rollout): Action[] {
  const because = { rule: 'DEP-15', facts: { revisionHistoryLimit: deployment.spec.revisionHistoryLimit ?? 0, old: oldReplicaSets.length } };
  return beyondHistoryLimit(deployment, oldReplicaSets).map((replicaSet) => ({ ...deletionOf(ReplicaSets, replicaSet), because }));
}

/** The ReplicaSets, as the API server returned those that were updated. */
export function updatedBy(outcomes: readonly Success[], replicaSets: readonly ReplicaSet[]): ReplicaSet[] {
  const returned = new Map(outcomes.map(({ object }) => [object?.metadata.uid, object]));
  return replicaSets.map((replicaSet) => (returned.get(replicaSet.metadata.uid) as ReplicaSet | undefined) ?? replicaSet);
}
