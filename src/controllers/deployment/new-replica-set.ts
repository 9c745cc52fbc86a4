import type { Deployment, DeploymentCondition, ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import type { Draft } from '../../api/object.ts';
import { Deployments, ReplicaSets } from '../../api/resources.ts';
import { controllerOf, controllerReference } from '../ownership.ts';
import { namespaceIsTerminating } from '../runtime/execute.ts';
import { andThen, type Because, NOTHING_TO_DO, type Outcome, type Plan, type Success } from '../runtime/plan.ts';
import { event, scalingEvent, updateReplicaSet, updateStatus } from './actions.ts';
import { condition, conditionOf, hasProgressDeadline, REASON, withCondition } from './conditions.ts';
import { annotationsOf, newReplicaSetAnnotations, nextRevision, REVISION, sizeAnnotations, withAnnotations } from './revisions.ts';
import type { Rollout } from './rollout.ts';
import { newReplicaSetSize, totals } from './strategy.ts';
import { replicaSetName, sameTemplate, TEMPLATE_HASH, templateHash } from './template.ts';

type Next = (rollout: Rollout) => Plan;

/**
 * Keeps the new ReplicaSet's annotations and minReadySeconds, and then the Deployment's revision, in step; goes on when
 * they are. Upstream: sync.go (getNewReplicaSet, the part for a ReplicaSet that exists).
 */
export function syncRevision(rollout: Rollout, next: Next): Plan {
  const { deployment, newReplicaSet, oldReplicaSets, snapshot } = rollout;
  if (!newReplicaSet) return next(rollout);
  const revision = nextRevision(oldReplicaSets);
  const annotations = newReplicaSetAnnotations(deployment, annotationsOf(newReplicaSet), revision);
  const minReadySeconds = deployment.spec.minReadySeconds ?? 0;
  if (annotations || (newReplicaSet.spec.minReadySeconds ?? 0) !== minReadySeconds) {
    const annotated = annotations ? withAnnotations(newReplicaSet, annotations) : newReplicaSet;
    const rule = !annotations ? 'DEP-13' : annotations[REVISION] === annotationsOf(newReplicaSet)[REVISION] ? 'DEP-12' : 'DEP-10';
    const update = updateReplicaSet(
      { ...annotated, spec: { ...annotated.spec, minReadySeconds } },
      { rule, facts: { revision: String(revision), minReadySeconds } },
    );
    return andThen([update], ([outcome]) => next({ ...rollout, newReplicaSet: outcome!.object as ReplicaSet }));
  }
  const known = conditionOf(deployment.status, 'Progressing');
  const message = `Found new replica set "${newReplicaSet.metadata.name}"`;
  const found =
    hasProgressDeadline(deployment) && !known
      ? condition({ type: 'Progressing', status: 'True', reason: REASON.foundNewReplicaSet, message }, snapshot.now)
      : undefined;
  return recordRevision(rollout, { revision: annotationsOf(newReplicaSet)[REVISION], progress: found }, next);
}

/** Writes the revision into the Deployment, with a Progressing condition, as far as they are news. */
function recordRevision(rollout: Rollout, news: { revision: string | undefined; progress: DeploymentCondition | undefined }, next: Next): Plan {
  const { deployment } = rollout;
  const { revision, progress } = news;
  const annotations = annotationsOf(deployment);
  const sameRevision = revision === undefined || annotations[REVISION] === revision;
  if (sameRevision && !progress) return next(rollout);
  const annotated = sameRevision ? deployment : withAnnotations(deployment, { ...annotations, [REVISION]: revision });
  const written = progress ? withProgress(annotated, progress) : annotated;
  const because = { rule: 'DEP-13', facts: { ...(revision === undefined ? {} : { revision }), ...(progress?.reason ? { reason: progress.reason } : {}) } };
  return andThen([updateStatus(written, because)], ([outcome]) => next({ ...rollout, deployment: outcome!.object as Deployment }));
}

function withProgress(deployment: Deployment, progress: DeploymentCondition): Deployment {
  return { ...deployment, status: { ...deployment.status, conditions: withCondition(deployment.status?.conditions ?? [], progress) } };
}

/**
 * Makes the new ReplicaSet where there is none. A name that is taken by a ReplicaSet of ours with the same template is
 * no news (our cache is behind): the sync is tried again. By anything else it is a collision of hashes, counted so that the
 * next attempt has another name. Upstream: sync.go (getNewReplicaSet, the rest).
 */
export function createNewReplicaSet(rollout: Rollout, next: (rollout: Rollout, newReplicaSet: ReplicaSet) => Plan): Plan {
  if (rollout.newReplicaSet) return next(rollout, rollout.newReplicaSet);
  const draft = newReplicaSetDraft(rollout);
  return {
    actions: [{ type: 'create', resource: ReplicaSets, object: draft.object, ifExists: 'get', because: draft.because }],
    next: ([outcome]) => (outcome?.ok ? afterCreate(rollout, draft, outcome, next) : afterRefusal(rollout, draft, outcome)),
  };
}

interface NewReplicaSetDraft {
  object: Draft<ReplicaSet>;
  name: string;
  replicas: number;
  revision: string;
  because: Because;
}

function newReplicaSetDraft({ deployment, oldReplicaSets }: Rollout): NewReplicaSetDraft {
  const { spec, metadata } = deployment;
  const hash = templateHash(spec.template, deployment.status?.collisionCount);
  const labels = { ...spec.template.metadata?.labels, [TEMPLATE_HASH]: hash };
  const name = replicaSetName(metadata.name ?? '', hash);
  const replicas = newReplicaSetSize(deployment, { total: totals.wanted(oldReplicaSets), own: 0 });
  const revision = nextRevision(oldReplicaSets);
  const annotations = { ...newReplicaSetAnnotations(deployment, {}, revision), ...sizeAnnotations(deployment) };
  const object: Draft<ReplicaSet> = {
    metadata: { name, namespace: metadata.namespace, labels, annotations, ownerReferences: [controllerReference(Deployments, deployment)] },
    spec: {
      replicas,
      minReadySeconds: spec.minReadySeconds,
      selector: { ...spec.selector, matchLabels: { ...spec.selector.matchLabels, [TEMPLATE_HASH]: hash } },
      template: { ...spec.template, metadata: { ...spec.template.metadata, labels } },
    },
  };
  return { object, name, replicas, revision: String(revision), because: { rule: 'DEP-5', facts: { hash, replicas, revision: String(revision) } } };
}

function afterCreate(
  rollout: Rollout,
  { name, replicas, revision, because }: NewReplicaSetDraft,
  { object, existed }: Success,
  next: (rollout: Rollout, newReplicaSet: ReplicaSet) => Plan,
): Plan {
  const { deployment, snapshot } = rollout;
  const created = object as ReplicaSet;
  if (existed) return isNewReplicaSetOf(deployment, created) ? waitForCache(name) : countCollision(deployment, name);
  const message = `Created new replica set "${created.metadata.name}"`;
  const progress = hasProgressDeadline(deployment)
    ? condition({ type: 'Progressing', status: 'True', reason: REASON.newReplicaSetCreated, message }, snapshot.now)
    : undefined;
  const scaled = scalingEvent(rollout, { replicaSet: created, from: 0, to: replicas }, because);
  return andThen(replicas > 0 ? [scaled] : [], () =>
    recordRevision({ ...rollout, newReplicaSet: created }, { revision, progress }, (current) => next(current, created)),
  );
}

/** The old ones may be missing in the cache as well: neither sizes nor a revision follow from what it shows. */
function waitForCache(name: string): Plan {
  return { actions: [], failure: `replicasets.apps "${name}" is not in the cache yet` };
}

function isNewReplicaSetOf(deployment: Deployment, replicaSet: ReplicaSet): boolean {
  return controllerOf(replicaSet)?.uid === deployment.metadata.uid && sameTemplate(replicaSet.spec.template, deployment.spec.template);
}

function countCollision(deployment: Deployment, name: string): Plan {
  const collisionCount = (deployment.status?.collisionCount ?? 0) + 1;
  return {
    actions: [updateStatus({ ...deployment, status: { ...deployment.status, collisionCount } }, { rule: 'DEP-6', facts: { collisionCount } })],
    failure: `replicasets.apps "${name}" already exists`,
  };
}

function afterRefusal(rollout: Rollout, { name }: NewReplicaSetDraft, outcome: Outcome | undefined): Plan {
  if (!outcome || outcome.ok || namespaceIsTerminating(outcome.error)) return NOTHING_TO_DO;
  const { deployment, snapshot } = rollout;
  const reason = REASON.replicaSetCreateError;
  const message = `Failed to create new replica set "${name}": ${outcome.error.message}`;
  const because = { rule: 'DEP-7' };
  const told = event(rollout, { type: 'Warning', reason, message }, because);
  if (!hasProgressDeadline(deployment)) return { actions: [told] };
  const failed = condition({ type: 'Progressing', status: 'False', reason, message }, snapshot.now);
  return { actions: [told, updateStatus(withProgress(deployment, failed), because)] };
}
