import type { Deployment, DeploymentStatus } from '../../api/generated/types/apps.v1.ts';
import { andThen, type Because, type Plan } from '../runtime/plan.ts';
import { cleanUp, updateStatus } from './actions.ts';
import { conditionOf, REASON } from './conditions.ts';
import type { Rollout } from './rollout.ts';
import { calculateStatus, deadlineCheckAfterMs, isComplete, rolloutStatus, type StatusInput, sameStatus } from './status.ts';

/** The end of a sync that changed no size. */
export function finish(rollout: Rollout): Plan {
  const done = isComplete(rollout.deployment, rollout.deployment.status);
  return andThen(done ? cleanUp(rollout) : [], () => reportProgress(rollout));
}

/** Writes the status during a rollout, or else looks again when the deadline may have passed. */
export function reportProgress(rollout: Rollout): Plan {
  const { snapshot, deployment } = rollout;
  const next = rolloutStatus(inputOf(rollout));
  if (!sameStatus(next, deployment.status)) return writeStatus(deployment, next);
  const requeueAfterMs = deadlineCheckAfterMs(deployment, next, snapshot.now);
  return { actions: [], ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }) };
}

/** Writes the numbers without a judgement of progress. Upstream: sync.go (syncDeploymentStatus). */
export function reportNumbers(rollout: Rollout): Plan {
  const { deployment } = rollout;
  const next = calculateStatus(inputOf(rollout));
  return sameStatus(next, deployment.status) ? { actions: [] } : writeStatus(deployment, next);
}

function inputOf({ snapshot, ...rollout }: Rollout): StatusInput {
  return { ...rollout, now: snapshot.now, countTerminating: snapshot.countTerminating ?? false };
}

function writeStatus(deployment: Deployment, status: DeploymentStatus): Plan {
  return { actions: [updateStatus({ ...deployment, status }, becauseOf(deployment.status, status))] };
}

/** The rules that a reason of the Progressing condition follows from. */
const RULE_OF_REASON: Readonly<Record<string, string>> = {
  [REASON.newReplicaSetAvailable]: 'DEP-62',
  [REASON.replicaSetUpdated]: 'DEP-63',
  [REASON.deadlineExceeded]: 'DEP-64',
};

/** A judgement of the progress if there is a new one; else the numbers. */
function becauseOf(status: DeploymentStatus | undefined, next: DeploymentStatus): Because {
  const [before, after] = [conditionOf(status, 'Progressing'), conditionOf(next, 'Progressing')];
  const judged = after?.reason !== before?.reason || after?.lastUpdateTime !== before?.lastUpdateTime;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0 } = next;
  return { rule: (judged && RULE_OF_REASON[after?.reason ?? '']) || 'DEP-60', facts: { replicas, updatedReplicas, availableReplicas } };
}
