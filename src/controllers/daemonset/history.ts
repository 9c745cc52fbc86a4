import type { ControllerRevision, DaemonSet } from '../../api/generated/types/apps.v1.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import type { Draft } from '../../api/object.ts';
import { ControllerRevisions, DaemonSets, Pods } from '../../api/resources.ts';
import { templateHash } from '../deployment/template.ts';
import { controllerReference } from '../ownership.ts';
import { byRevision, sameData, templatePatch } from '../revision-history.ts';
import { type Action, andThen, deletionOf, NOTHING_TO_DO, type Outcome, type Plan, target } from '../runtime/plan.ts';
import { hashOf, REVISION_HASH } from './rollout.ts';

interface History {
  current: ControllerRevision;
  old: ControllerRevision[];
}

/**
 * Finds the revision of the present template among those claimed, makes it the latest, creates it where there is none,
 * and goes on with it. Upstream: update.go (constructHistory).
 */
export function planHistory(daemonSet: DaemonSet, claimed: readonly ControllerRevision[], pods: readonly Pod[], next: (history: History) => Plan): Plan {
  const unlabelled = claimed.filter(({ metadata }) => metadata.labels?.[REVISION_HASH] === undefined);
  const labelling = unlabelled.map((revision): Action => {
    const labels = { ...revision.metadata.labels, [REVISION_HASH]: revision.metadata.name! };
    return { type: 'update', resource: ControllerRevisions, object: { ...revision, metadata: { ...revision.metadata, labels } }, because: { rule: 'DS-3' } };
  });
  return andThen(labelling, (outcomes) => {
    const labelled = new Map(unlabelled.map((revision, index) => [revision, outcomes[index]?.object as ControllerRevision]));
    const revisions = claimed.map((revision) => labelled.get(revision) ?? revision);
    const patch = templatePatch(daemonSet.spec.template);
    const same = revisions.filter(({ data }) => sameData(data, patch));
    const old = revisions.filter((revision) => !same.includes(revision));
    const latest = Math.max(0, ...old.map(({ revision }) => revision)) + 1;
    if (same.length === 0) return planSnapshot(daemonSet, latest, (current) => next({ current, old }));
    return planOnly(same, pods, (current) => planLatest(current, latest, (made) => next({ current: made, old })));
  });
}

/** Of several revisions with the same data the latest stays, and pods of the others become its own. Upstream: dedupCurHistories. */
function planOnly(same: readonly ControllerRevision[], pods: readonly Pod[], next: (current: ControllerRevision) => Plan): Plan {
  const kept = same.toSorted(byRevision).at(-1)!;
  if (same.length === 1) return next(kept);
  const because = { rule: 'DS-4' };
  const relabelling = pods
    .filter((pod) => hashOf(pod) !== hashOf(kept))
    .map((pod): Action => {
      const body = { metadata: { labels: { [REVISION_HASH]: hashOf(kept) } } };
      return { type: 'patch', ...target(Pods, pod), body, patchType: 'application/merge-patch+json', because };
    });
  const deletions = same.filter((revision) => revision !== kept).map((revision): Action => ({ ...deletionOf(ControllerRevisions, revision), because }));
  return andThen([...relabelling, ...deletions], () => next(kept));
}

function planLatest(current: ControllerRevision, revision: number, next: (current: ControllerRevision) => Plan): Plan {
  if (current.revision >= revision) return next(current);
  const update: Action = { type: 'update', resource: ControllerRevisions, object: { ...current, revision } as ControllerRevision, because: { rule: 'DS-3' } };
  return andThen([update], () => next(current));
}

/** Upstream: snapshot. */
function planSnapshot(daemonSet: DaemonSet, revision: number, next: (current: ControllerRevision) => Plan): Plan {
  const { metadata, spec, status } = daemonSet;
  const hash = templateHash(spec.template, status?.collisionCount);
  const object: Draft<ControllerRevision> = {
    metadata: {
      name: `${metadata.name}-${hash}`,
      namespace: metadata.namespace,
      labels: { ...spec.template.metadata.labels, [REVISION_HASH]: hash },
      ...(metadata.annotations ? { annotations: metadata.annotations } : {}),
      ownerReferences: [controllerReference(DaemonSets, daemonSet)],
    },
    data: templatePatch(spec.template),
    revision,
  };
  const creation: Action = { type: 'create', resource: ControllerRevisions, object, ifExists: 'get', because: { rule: 'DS-3', facts: { revision } } };
  return {
    actions: [creation],
    next: ([outcome]: Outcome[]) => {
      if (!outcome?.ok) return NOTHING_TO_DO;
      const made = outcome.object as ControllerRevision;
      return outcome.existed && !sameData(made.data, object.data) ? planCollision(daemonSet, made.metadata.name!) : next(made);
    },
  };
}

/** The name belongs to another template: the count of collisions grows, so that the next look finds another name. */
function planCollision(daemonSet: DaemonSet, name: string): Plan {
  const collisionCount = (daemonSet.status?.collisionCount ?? 0) + 1;
  const object = { ...daemonSet, status: { ...daemonSet.status, collisionCount } } as DaemonSet;
  const because = { rule: 'DS-3', facts: { collisionCount } };
  return {
    actions: [{ type: 'update', resource: DaemonSets, subresource: 'status', object, because }],
    failure: `controllerrevisions.apps "${name}" already exists`,
  };
}

/** Old revisions beyond the limit that no pod has, the lowest first. Upstream: cleanupHistory. */
export function beyondHistoryLimit({ spec }: DaemonSet, old: readonly ControllerRevision[], pods: readonly Pod[]): Action[] {
  const excess = old.length - (spec.revisionHistoryLimit ?? 10);
  if (excess <= 0) return [];
  const live = new Set(pods.map(hashOf));
  const because = { rule: 'DS-5', facts: { revisionHistoryLimit: spec.revisionHistoryLimit ?? 10, old: old.length } };
  return old
    .toSorted((a, b) => a.revision - b.revision)
    .filter((revision) => !live.has(hashOf(revision)))
    .slice(0, excess)
    .map((revision) => ({ ...deletionOf(ControllerRevisions, revision), because }));
}
