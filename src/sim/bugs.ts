import type { DeploymentControllerOptions } from '../controllers/deployment/controller.ts';
import type { ReplicaSetControllerOptions } from '../controllers/replicaset/controller.ts';

/** A mistake that can be planted in the controllers, to see that the simulator finds it. */
export interface Bug {
  about: string;
  deployment?: NonNullable<DeploymentControllerOptions['faults']>;
  replicaSet?: NonNullable<ReplicaSetControllerOptions['faults']>;
}

export const BUGS: Readonly<Record<string, Bug>> = {
  'skip-expectations': { about: 'pods are created and deleted upon a cache that does not show the last ones yet', replicaSet: { skipExpectations: true } },
  'revisions-as-text': { about: 'revision 10 counts as less than 9', deployment: { compareRevisionsAsText: true } },
  'round-up': { about: 'a percentage of maxUnavailable is rounded up', deployment: { roundUnavailableUp: true } },
  'adopt-unseen': { about: 'ReplicaSets are adopted without a look at the live Deployment', deployment: { skipLiveCheck: true } },
  'adopt-pods-unseen': { about: 'pods are adopted without a look at the live ReplicaSet', replicaSet: { skipLiveCheck: true } },
  'adopt-on-deletion': { about: 'a Deployment that is being deleted adopts', deployment: { adoptWhileDeleting: true } },
  'forget-deadline': { about: 'nobody looks again when the progress deadline has passed', deployment: { forgetDeadline: true } },
  'old-first': { about: 'old ReplicaSets are scaled down before the new one is up', deployment: { scaleOldFirst: true } },
  'overwrite-stale': { about: 'updates carry no resourceVersion, so that a stale cache overwrites', deployment: { overwriteStale: true } },
};
