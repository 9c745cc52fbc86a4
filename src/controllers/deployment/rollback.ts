import type { Deployment, ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import { Deployments } from '../../api/resources.ts';
import { type Action, andThen, type Plan } from '../runtime/plan.ts';
import { event } from './actions.ts';
import { annotationsOf, lastRevision, ROLLBACK_TO, readRevision, revisionOf, rolledBackAnnotations, withAnnotations } from './revisions.ts';
import type { Rollout } from './rollout.ts';
import { sameTemplate, withoutHash } from './template.ts';

const RULE = 'DEP-16';

/** The revision that the deprecated annotation asks for (0: the previous one); undefined without a readable one. */
export function rollbackTo(deployment: Deployment): bigint | undefined {
  return readRevision(annotationsOf(deployment)[ROLLBACK_TO]);
}

/**
 * Puts the template and annotations of an earlier revision back into the Deployment, or says why not; the request is
 * cleared in any case. Upstream: rollback.go.
 */
export function planRollback(rollout: Rollout, requested: bigint): Plan {
  const { deployment, newReplicaSet, oldReplicaSets } = rollout;
  const all = newReplicaSet ? [...oldReplicaSets, newReplicaSet] : [...oldReplicaSets];
  const revision = requested === 0n ? lastRevision(all) : requested;
  if (revision === 0n) return giveUp(rollout, 'DeploymentRollbackRevisionNotFound', 'Unable to find last revision.');
  const target = all.find((replicaSet) => revisionOf(replicaSet) === revision);
  if (!target) return giveUp(rollout, 'DeploymentRollbackRevisionNotFound', 'Unable to find the revision to rollback to.');
  const name = deployment.metadata.name;
  if (sameTemplate(target.spec.template, deployment.spec.template)) {
    return giveUp(rollout, 'DeploymentRollbackTemplateUnchanged', `The rollback revision contains the same template as current deployment "${name}"`);
  }
  const done = event(
    rollout,
    { type: 'Normal', reason: 'DeploymentRollback', message: `Rolled back deployment "${name}" to revision ${revision}` },
    { rule: RULE, facts: { revision: String(revision) } },
  );
  return andThen([update(rolledBack(deployment, target)), done], () => ({ actions: [] }));
}

function giveUp(rollout: Rollout, reason: string, message: string): Plan {
  const { [ROLLBACK_TO]: _, ...annotations } = annotationsOf(rollout.deployment);
  return { actions: [event(rollout, { type: 'Warning', reason, message }, { rule: RULE }), update(withAnnotations(rollout.deployment, annotations))] };
}

function rolledBack(deployment: Deployment, target: ReplicaSet): Deployment {
  const annotated = withAnnotations(deployment, rolledBackAnnotations(deployment, target));
  return { ...annotated, spec: { ...annotated.spec, template: withoutHash(target.spec.template) } };
}

function update(object: Deployment): Action {
  return { type: 'update', resource: Deployments, object, because: { rule: RULE } };
}
