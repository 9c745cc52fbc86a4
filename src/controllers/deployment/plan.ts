import type { Deployment, ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import { selectorFrom } from '../../api/labels.ts';
import { Deployments, ReplicaSets } from '../../api/resources.ts';
import { byAge, claim } from '../ownership.ts';
import { andThen, type Plan } from '../runtime/plan.ts';
import { cleanUp, event, resize, updateStatus } from './actions.ts';
import { condition, conditionOf, hasProgressDeadline, REASON, withCondition } from './conditions.ts';
import { createNewReplicaSet, syncRevision } from './new-replica-set.ts';
import { planRecreate } from './recreate.ts';
import { reportNumbers } from './report.ts';
import { planRollback, rollbackTo } from './rollback.ts';
import { planRolling } from './rolling.ts';
import type { DeploymentSnapshot, Rollout } from './rollout.ts';
import { isScalingEvent, scale } from './scaling.ts';
import { isRollingUpdate } from './strategy.ts';
import { findNewReplicaSet } from './template.ts';

/** What to do about a Deployment now. The rules, numbered: SPEC.md. Upstream: deployment_controller.go (syncDeployment). */
export function planDeployment(snapshot: DeploymentSnapshot): Plan {
  const { deployment, replicaSets } = snapshot;
  const { selector } = deployment.spec;
  if (!selector.matchLabels && !selector.matchExpressions) return planSelectingAll(snapshot);
  const [ownerResource, resource, rules] = [Deployments, ReplicaSets, { adoption: 'DEP-1', release: 'DEP-2' }];
  return claim({ owner: deployment, ownerResource, resource, selector: selectorFrom(selector), candidates: replicaSets, rules }, (claimed) =>
    planClaimed(rolloutOf(snapshot, claimed)),
  );
}

function rolloutOf(snapshot: DeploymentSnapshot, claimed: readonly ReplicaSet[]): Rollout {
  const { deployment } = snapshot;
  const newReplicaSet = findNewReplicaSet(deployment, claimed);
  const oldReplicaSets = claimed.filter(({ metadata }) => metadata.uid !== newReplicaSet?.metadata.uid).toSorted(byAge);
  return { snapshot, deployment, newReplicaSet, oldReplicaSets };
}

function planSelectingAll(snapshot: DeploymentSnapshot): Plan {
  const { deployment } = snapshot;
  const rollout: Rollout = { snapshot, deployment, newReplicaSet: undefined, oldReplicaSets: [] };
  const because = { rule: 'DEP-3' };
  const message = 'This deployment is selecting all pods. A non-empty selector is required.';
  const told = event(rollout, { type: 'Warning', reason: 'SelectingAll', message }, because);
  const { generation = 0 } = deployment.metadata;
  if ((deployment.status?.observedGeneration ?? 0) >= generation) return { actions: [told] };
  return { actions: [told, updateStatus({ ...deployment, status: { ...deployment.status, observedGeneration: generation } }, because)] };
}

function planClaimed(rollout: Rollout): Plan {
  if (rollout.deployment.metadata.deletionTimestamp !== undefined) return syncRevision(rollout, reportNumbers);
  return notePause(rollout, (noted) => syncRevision(noted, planStrategy));
}

function planStrategy(rollout: Rollout): Plan {
  const { deployment } = rollout;
  if (deployment.spec.paused) return planScaling(rollout);
  const requested = rollbackTo(deployment);
  if (requested !== undefined) return createNewReplicaSet(rollout, (current) => planRollback(current, requested));
  if (isScalingEvent(rollout)) return planScaling(rollout);
  if (isRollingUpdate(deployment)) return createNewReplicaSet(rollout, planRolling);
  return planRecreate(rollout, (next) => createNewReplicaSet(rollout, next));
}

/** Sizes follow `spec.replicas`, also while paused; no new ReplicaSet is made. Upstream: sync.go (sync). */
function planScaling(rollout: Rollout): Plan {
  const { deployment, snapshot } = rollout;
  const resized = scale(rollout, { refreshStale: snapshot.refreshStaleAnnotations ?? false }).flatMap((one) => resize(rollout, one));
  const cleaned = deployment.spec.paused && rollbackTo(deployment) === undefined ? cleanUp(rollout) : [];
  return andThen([...resized, ...cleaned], () => reportNumbers(rollout));
}

/**
 * A pause or its end becomes the Progressing condition, so that the time in between does not count towards the
 * deadline; a deadline that has passed stays. Upstream: sync.go (checkPausedConditions).
 */
function notePause(rollout: Rollout, next: (rollout: Rollout) => Plan): Plan {
  const { deployment, snapshot } = rollout;
  const known = conditionOf(deployment.status, 'Progressing');
  const paused = deployment.spec.paused ?? false;
  const noted = known?.reason === REASON.paused;
  if (!hasProgressDeadline(deployment) || known?.reason === REASON.deadlineExceeded || paused === noted) return next(rollout);
  const facts = paused ? { reason: REASON.paused, message: 'Deployment is paused' } : { reason: REASON.resumed, message: 'Deployment is resumed' };
  const progress = condition({ type: 'Progressing', status: 'Unknown', ...facts }, snapshot.now);
  const status = { ...deployment.status, conditions: withCondition(deployment.status?.conditions ?? [], progress) };
  return andThen([updateStatus({ ...deployment, status }, { rule: 'DEP-51', facts: { paused } })], ([outcome]) =>
    next({ ...rollout, deployment: outcome!.object as Deployment }),
  );
}
