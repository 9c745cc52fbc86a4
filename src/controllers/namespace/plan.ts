import type { Namespace, NamespaceCondition } from '../../api/generated/types/core.v1.ts';
import type { KubeObject, Resource } from '../../api/object.ts';
import { Namespaces, Pods } from '../../api/resources.ts';
import { timestamp } from '../../lib/clock.ts';
import { type Action, type DeleteAction, deletionOf, inParallel, NOTHING_TO_DO, type Outcome, type Plan } from '../runtime/plan.ts';

export interface NamespaceSnapshot {
  now: number;
  namespace: Namespace;
  /** What the API server has in the namespace now, resource by resource. */
  content: readonly { resource: Resource; objects: readonly KubeObject[] }[];
}

const FINALIZER = 'kubernetes';
/** How long finalizers are taken to need. */
const FINALIZER_SECONDS = 15;

/**
 * Empties a namespace that is being deleted, pods before all else, says in its conditions what is left, and lets it go
 * when it is empty. Upstream: pkg/controller/namespace/deletion.
 */
export function planNamespace(snapshot: NamespaceSnapshot): Plan {
  const { namespace, content } = snapshot;
  if (namespace.metadata.deletionTimestamp === undefined || !(namespace.spec.finalizers ?? []).includes(FINALIZER)) return NOTHING_TO_DO;
  const pods = content.filter(({ resource, objects }) => isPods(resource) && objects.length > 0);
  const deletions = (pods.length > 0 ? pods : content).flatMap(({ resource, objects }) =>
    objects
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .map((object): DeleteAction => ({ ...deletionOf(resource, object), propagationPolicy: 'Background' })),
  );
  const report = (outcomes: Outcome[]): Plan => planReport(snapshot, deletions, outcomes[0]);
  return deletions.length > 0 ? { actions: inParallel(deletions), next: report } : report([]);
}

function isPods({ group, resource }: Resource): boolean {
  return group === Pods.group && resource === Pods.resource;
}

interface Left {
  resource: Resource;
  object: KubeObject;
}

function planReport(snapshot: NamespaceSnapshot, deletions: readonly DeleteAction[], outcome: Outcome | undefined): Plan {
  const { namespace, now } = snapshot;
  const left = remaining(snapshot, deletions, outcome);
  const failures = (outcome?.parts ?? []).flatMap((part) => (part.ok ? [] : [part.error.message]));
  const conditions = nextConditions(namespace.status.conditions ?? [], describe(left, failures), now);
  const report: Action[] = conditions ? [{ type: 'update', resource: Namespaces, subresource: 'status', object: withConditions(namespace, conditions) }] : [];
  if (failures.length > 0) return { actions: report };
  if (left.length > 0) return { actions: report, requeueAfterMs: retrySeconds(left) * 1000 };
  // What was just deleted may have left something behind: look once more before the namespace goes.
  if (deletions.length > 0) return { actions: report, requeueAfterMs: 0 };
  return { actions: report, next: (outcomes) => finalize((outcomes[0]?.ok && (outcomes[0].object as Namespace)) || namespace, outcomes) };
}

function finalize(namespace: Namespace, outcomes: readonly Outcome[]): Plan {
  if (outcomes.some(({ ok }) => !ok)) return NOTHING_TO_DO;
  const finalizers = (namespace.spec.finalizers ?? []).filter((finalizer) => finalizer !== FINALIZER).sort();
  const object: Namespace = { ...namespace, spec: { ...namespace.spec, finalizers } };
  return { actions: [{ type: 'update', resource: Namespaces, subresource: 'finalize', object }] };
}

function withConditions(namespace: Namespace, conditions: NamespaceCondition[]): Namespace {
  return { ...namespace, status: { ...namespace.status, phase: 'Terminating', conditions } };
}

/** A delete that answers with the object, and not with a Status, leaves it there for now. */
function remaining({ content }: NamespaceSnapshot, deletions: readonly DeleteAction[], outcome: Outcome | undefined): Left[] {
  const answers = new Map(deletions.map(({ uid }, index) => [uid, outcome?.parts?.[index]]));
  return content.flatMap(({ resource, objects }) =>
    objects.flatMap((object) => {
      const answer = answers.get(object.metadata.uid ?? '');
      if (!answer) return [{ resource, object }];
      if (!answer.ok) return [{ resource, object }];
      const after = answer.object;
      return after?.kind === object.kind && after.metadata.deletionTimestamp !== undefined && lingers(after) ? [{ resource, object: after }] : [];
    }),
  );
}

function lingers({ metadata }: KubeObject): boolean {
  return (metadata.finalizers ?? []).length > 0 || (metadata.deletionGracePeriodSeconds ?? 0) > 0;
}

/** Half of what the slowest is taken to need, and a second. */
function retrySeconds(left: readonly Left[]): number {
  const estimate = left.map(({ object: { metadata } }) =>
    Math.max((metadata.finalizers ?? []).length > 0 ? FINALIZER_SECONDS : 0, metadata.deletionGracePeriodSeconds ?? 0),
  );
  return Math.floor(Math.max(0, ...estimate) / 2) + 1;
}

type Failing = Partial<Record<ConditionType, { reason: string; message: string }>>;

const GOOD = {
  NamespaceDeletionDiscoveryFailure: { reason: 'ResourcesDiscovered', message: 'All resources successfully discovered' },
  NamespaceDeletionGroupVersionParsingFailure: { reason: 'ParsedGroupVersions', message: 'All legacy kube types successfully parsed' },
  NamespaceDeletionContentFailure: { reason: 'ContentDeleted', message: 'All content successfully deleted, may be waiting on finalization' },
  NamespaceContentRemaining: { reason: 'ContentRemoved', message: 'All content successfully removed' },
  NamespaceFinalizersRemaining: { reason: 'ContentHasNoFinalizers', message: 'All content-preserving finalizers finished' },
} as const;

type ConditionType = keyof typeof GOOD;

function describe(left: readonly Left[], failures: readonly string[]): Failing {
  const byResource = count(left.map(({ resource }) => `${resource.resource}.${resource.group}`));
  const byFinalizer = count(left.flatMap(({ object }) => object.metadata.finalizers ?? []));
  const resources = [...byResource].map(([resource, number]) => `${resource} has ${number} resource instances`).sort();
  const finalizers = [...byFinalizer].map(([finalizer, number]) => `${finalizer} in ${number} resource instances`).sort();
  return {
    ...(failures.length > 0 && {
      NamespaceDeletionContentFailure: {
        reason: 'ContentDeletionFailed',
        message: `Failed to delete all resource types, ${failures.length} remaining: ${failures.toSorted().join(', ')}`,
      },
    }),
    ...(resources.length > 0 && {
      NamespaceContentRemaining: { reason: 'SomeResourcesRemain', message: `Some resources are remaining: ${resources.join(', ')}` },
    }),
    ...(finalizers.length > 0 && {
      NamespaceFinalizersRemaining: {
        reason: 'SomeFinalizersRemain',
        message: `Some content in the namespace has finalizers remaining: ${finalizers.join(', ')}`,
      },
    }),
  };
}

function count(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

/** Undefined where they say the same already. */
function nextConditions(old: readonly NamespaceCondition[], failing: Failing, now: number): NamespaceCondition[] | undefined {
  const next = [...old];
  let changed = false;
  for (const type of Object.keys(GOOD) as ConditionType[]) {
    const { reason, message } = failing[type] ?? GOOD[type];
    const status = failing[type] ? 'True' : 'False';
    const at = next.findIndex((condition) => condition.type === type);
    const known = next[at];
    if (known?.status === status && known.reason === reason && known.message === message) continue;
    changed = true;
    const lastTransitionTime = known?.status === status ? known.lastTransitionTime : timestamp(now);
    const condition: NamespaceCondition = { type, status, ...(lastTransitionTime ? { lastTransitionTime } : {}), reason, message };
    if (at < 0) next.push(condition);
    else next[at] = condition;
  }
  return changed ? next : undefined;
}
