import type { Deployment, ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';

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
}

/** A Deployment in hand: what is known, including what this plan has written so far. */
export interface Rollout {
  snapshot: DeploymentSnapshot;
  deployment: Deployment;
  newReplicaSet: ReplicaSet | undefined;
  /** Eldest first. */
  oldReplicaSets: readonly ReplicaSet[];
}
