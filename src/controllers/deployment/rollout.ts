import type { Deployment, DeploymentStatus, ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import { Deployments, ReplicaSets } from '../../api/resources.ts';
import type { EventType } from '../../client/event-recorder.ts';
import { type Action, andThen, type Plan, type Success } from '../runtime/plan.ts';
import { annotationsOf, beyondHistoryLimit, hasSizeAnnotations, sizeAnnotations, withAnnotations } from './revisions.ts';
import type { Resize } from './scaling.ts';
import { calculateStatus, deadlineCheckAfterMs, isComplete, rolloutStatus, sameStatus } from './status.ts';
import { replicasOf } from './strategy.ts';

/** What is known of a Deployment when it is looked at. */
export interface DeploymentSnapshot {
  now: number;
  deployment: Deployment;
  /** The ReplicaSets it owns, and those in its namespace that match and have no controller. */
  replicaSets: readonly ReplicaSet[];
  /** The pods of those ReplicaSets. Only Recreate asks for them. */
  pods: readonly Pod[];
  /** Feature gate DeploymentReplicaSetTerminatingReplicas. */
  countTerminating?: boolean;
  /** The repair of kubernetes/kubernetes 102551; off as upstream. */
  refreshStaleAnnotations?: boolean;
  faults?: DeploymentFaults;
}

/** Planted bugs, so that tests can show that they would be found. Never set elsewhere. */
export interface DeploymentFaults {
  skipLiveCheck?: boolean;
  compareRevisionsAsText?: boolean;
  roundUnavailableUp?: boolean;
  forgetDeadline?: boolean;
  scaleOldFirst?: boolean;
  adoptWhileDeleting?: boolean;
  overwriteStale?: boolean;
}

/** A Deployment in hand: what is known, including what this plan has written so far. */
export interface Rollout {
  snapshot: DeploymentSnapshot;
  deployment: Deployment;
  newReplicaSet: ReplicaSet | undefined;
  /** Eldest first. */
  oldReplicaSets: readonly ReplicaSet[];
}

export function event({ deployment }: Rollout, type: EventType, reason: string, message: string): Action {
  return { type: 'event', about: deployment, note: { type, reason, message } };
}

export function updateReplicaSet({ snapshot }: Rollout, replicaSet: ReplicaSet): Action {
  return { type: 'update', resource: ReplicaSets, object: snapshot.faults?.overwriteStale ? unconditional(replicaSet) : replicaSet };
}

export function updateStatus({ snapshot }: Rollout, deployment: Deployment): Action {
  return { type: 'update', resource: Deployments, subresource: 'status', object: snapshot.faults?.overwriteStale ? unconditional(deployment) : deployment };
}

function unconditional<T extends Deployment | ReplicaSet>(object: T): T {
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** The ReplicaSets, as the API server returned those that were updated. */
export function updatedBy(outcomes: readonly Success[], replicaSets: readonly ReplicaSet[]): ReplicaSet[] {
  const returned = new Map(outcomes.map(({ object }) => [object?.metadata.uid, object]));
  return replicaSets.map((replicaSet) => (returned.get(replicaSet.metadata.uid) as ReplicaSet | undefined) ?? replicaSet);
}

/** Gives a ReplicaSet its size, and says so, with the annotations that go with it; nothing where it has both. Upstream: sync.go (scaleReplicaSet). */
export function resize(rollout: Rollout, { replicaSet, replicas }: Resize): Action[] {
  const { deployment } = rollout;
  const before = replicasOf(replicaSet);
  if (before === replicas && hasSizeAnnotations(replicaSet, deployment)) return [];
  const annotated = withAnnotations(replicaSet, { ...annotationsOf(replicaSet), ...sizeAnnotations(deployment) });
  const update = updateReplicaSet(rollout, { ...annotated, spec: { ...annotated.spec, replicas } });
  if (before === replicas) return [update];
  const direction = before < replicas ? 'up' : 'down';
  const message = `Scaled ${direction} replica set ${replicaSet.metadata.name} from ${before} to ${replicas}`;
  return [update, event(rollout, 'Normal', 'ScalingReplicaSet', message)];
}

/** Writes the status during a rollout, or else looks again when the deadline may have passed. */
export function reportProgress(rollout: Rollout): Plan {
  const { snapshot, deployment } = rollout;
  const next = rolloutStatus({ ...rollout, now: snapshot.now, countTerminating: snapshot.countTerminating ?? false });
  if (!sameStatus(next, deployment.status)) return { actions: [writeStatus(rollout, next)] };
  const requeueAfterMs = snapshot.faults?.forgetDeadline ? undefined : deadlineCheckAfterMs(deployment, next, snapshot.now);
  return { actions: [], ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }) };
}

/** Writes the numbers without a judgement of progress. Upstream: sync.go (syncDeploymentStatus). */
export function reportNumbers(rollout: Rollout): Plan {
  const { snapshot, deployment } = rollout;
  const next = calculateStatus({ ...rollout, now: snapshot.now, countTerminating: snapshot.countTerminating ?? false });
  return { actions: sameStatus(next, deployment.status) ? [] : [writeStatus(rollout, next)] };
}

function writeStatus(rollout: Rollout, status: DeploymentStatus): Action {
  return updateStatus(rollout, { ...rollout.deployment, status });
}

/** Deletes old ReplicaSets beyond the history limit. */
export function cleanUp({ deployment, oldReplicaSets }: Rollout): Action[] {
  return beyondHistoryLimit(deployment, oldReplicaSets).map(({ metadata }) => ({
    type: 'delete',
    resource: ReplicaSets,
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
  }));
}

/** The end of a sync that changed no size. */
export function finish(rollout: Rollout): Plan {
  const done = isComplete(rollout.deployment, rollout.deployment.status);
  return andThen(done ? cleanUp(rollout) : [], () => reportProgress(rollout));
}
