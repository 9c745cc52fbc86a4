import type { ControllerRevision, StatefulSet } from '../../api/generated/types/apps.v1.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import type { Draft } from '../../api/object.ts';
import { ControllerRevisions, StatefulSets } from '../../api/resources.ts';
import { controllerReference } from '../ownership.ts';
import { byRevision, revisionHash, revisionName, sameData, templatePatch } from '../revision-history.ts';
import { type Action, andThen, deletionOf, NOTHING_TO_DO, type Outcome, type Plan } from '../runtime/plan.ts';
import { revisionOf } from './identity.ts';

const REVISION_HASH = 'controller.kubernetes.io/hash';

/** The revision that pods come from, and the one that they are to come to. */
export interface Revisions {
  current: ControllerRevision;
  update: ControllerRevision;
  collisionCount: number;
}

/**
 * Finds the revision of the present template, makes it the latest, creates it where there is none, and goes on with it.
 * Upstream: stateful_set_control.go (getStatefulSetRevisions).
 */
export function planRevisions(set: StatefulSet, claimed: readonly ControllerRevision[], next: (revisions: Revisions) => Plan): Plan {
  const revisions = claimed.toSorted(byRevision);
  const latest = revisions.at(-1);
  const collisionCount = set.status?.collisionCount ?? 0;
  const known = revisions.find(({ metadata }) => metadata.name === set.status?.currentRevision);
  const goOn = (update: ControllerRevision, collisions = collisionCount): Plan => next({ current: known ?? update, update, collisionCount: collisions });
  const revision = (latest?.revision ?? 0) + 1;
  const data = templatePatch(set.spec.template);
  const same = revisions.findLast((one) => sameData(one.data, data));
  if (!same) return planCreation(set, revision, collisionCount, goOn);
  if (same === latest || (latest && sameData(latest.data, same.data))) return goOn(latest);
  const because = { rule: 'SS-4', facts: { revision } };
  const update: Action = { type: 'update', resource: ControllerRevisions, object: { ...same, revision } as ControllerRevision, because };
  return andThen([update], ([outcome]) => goOn(outcome!.object as ControllerRevision));
}

/** A name that another template has is a collision: counted, it gives another name. */
function planCreation(
  set: StatefulSet,
  revision: number,
  collisionCount: number,
  next: (update: ControllerRevision, collisionCount: number) => Plan,
  label?: string,
): Plan {
  const { namespace, name = '', annotations } = set.metadata;
  const data = templatePatch(set.spec.template);
  const hash = revisionHash(data, collisionCount);
  const object: Draft<ControllerRevision> = {
    metadata: {
      name: revisionName(name, hash),
      namespace,
      labels: { ...set.spec.template.metadata.labels, [REVISION_HASH]: label ?? hash },
      ...(annotations ? { annotations } : {}),
      ownerReferences: [controllerReference(StatefulSets, set)],
    },
    data,
    revision,
  };
  return {
    actions: [{ type: 'create', resource: ControllerRevisions, object, ifExists: 'get', because: { rule: 'SS-3', facts: { revision, collisionCount } } }],
    next: ([outcome]: Outcome[]) => {
      if (!outcome?.ok) return NOTHING_TO_DO;
      const made = outcome.object as ControllerRevision;
      if (!outcome.existed || sameData(made.data, data)) return next(made, collisionCount);
      return planCreation(set, revision, collisionCount + 1, next, label ?? hash);
    },
  };
}

/** Revisions beyond the limit that nobody has, the lowest first. Upstream: truncateHistory. */
export function beyondHistoryLimit(set: StatefulSet, claimed: readonly ControllerRevision[], { current, update }: Revisions, pods: readonly Pod[]): Action[] {
  const limit = set.spec.revisionHistoryLimit ?? 10;
  const live = new Set([current.metadata.name!, update.metadata.name!, ...pods.map(revisionOf)]);
  const past = claimed.filter(({ metadata }) => !live.has(metadata.name!)).sort(byRevision);
  const because = { rule: 'SS-5', facts: { revisionHistoryLimit: limit, past: past.length } };
  return limit < 0 ? [] : past.slice(0, Math.max(past.length - limit, 0)).map((revision) => ({ ...deletionOf(ControllerRevisions, revision), because }));
}
