import { CLEANUP_FINALIZER } from '../../api/apiextensions/v1/custom-resource-definition.ts';
import { deepEqual } from '../../api/equality.ts';
import type { CustomResourceDefinition, CustomResourceDefinitionCondition, CustomResourceDefinitionNames } from '../../api/generated/types/apiextensions.v1.ts';
import type { KubeObject, Resource } from '../../api/object.ts';
import { CustomResourceDefinitions } from '../../api/resources.ts';
import type { Client } from '../../client/client.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { timestamp } from '../../lib/clock.ts';
import { type Controller, watchRule } from '../runtime/controller.ts';
import { andThen, deletionOf, inParallel, NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';

export interface DefinitionSnapshot {
  definition: CustomResourceDefinition;
  /** The names that the other definitions of its group have. */
  taken: { resources: ReadonlySet<string>; kinds: ReadonlySet<string> };
  /** Of a definition that is going: its instances that are left, and how they are served. */
  instances?: { resource: Resource; objects: readonly KubeObject[] };
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * Gives custom resources their names, first come, first served within a group, and says that they are established once
 * they have them. Upstream: apiextensions-apiserver/pkg/controller/{status,establish}, which run in the API server.
 */
export function customResourceDefinitionController(informers: InformerFactory, client: Client): Controller<DefinitionSnapshot> {
  const definitions = informers.lister(CustomResourceDefinitions);
  const group = (of: CustomResourceDefinition): CustomResourceDefinition[] => definitions.list().filter(({ spec }) => spec.group === of.spec.group);
  return {
    name: 'crd-naming-condition-controller',
    writesAs: 'kube-apiserver',
    // A name that one gives up may be what another waits for.
    watches: [watchRule(CustomResourceDefinitions, ({ object }) => [object.metadata.name!, ...group(object).map(({ metadata }) => metadata.name!)])],
    observe: async (key, { now }) => {
      const definition = definitions.get('', key);
      if (!definition) return undefined;
      const others = group(definition)
        .filter(({ metadata }) => metadata.name !== key)
        .map(({ status }) => status?.acceptedNames);
      const resources = new Set(others.flatMap((names) => (names ? [names.plural, names.singular ?? '', ...(names.shortNames ?? [])] : [])));
      const kinds = new Set(others.flatMap((names) => (names ? [names.kind, names.listKind ?? ''] : [])));
      const instances = isGoing(definition) ? await instancesOf(definition, client) : undefined;
      return { definition, taken: { resources, kinds }, ...(instances ? { instances } : {}), now };
    },
    plan: planDefinition,
  };
}

const isGoing = ({ metadata }: CustomResourceDefinition): boolean =>
  metadata.deletionTimestamp !== undefined && (metadata.finalizers?.includes(CLEANUP_FINALIZER) ?? false);

const hasCondition = ({ status }: CustomResourceDefinition, wanted: string): boolean =>
  (status?.conditions ?? []).some(({ type, status: value }) => type === wanted && value === 'True');

async function instancesOf({ spec, status }: CustomResourceDefinition, client: Client): Promise<DefinitionSnapshot['instances']> {
  const version = spec.versions.find(({ served }) => served)?.name;
  const { plural = '', kind = '' } = status?.acceptedNames ?? {};
  if (!version || !hasCondition({ status } as CustomResourceDefinition, 'Established')) return undefined;
  const resource: Resource = { group: spec.group, version, resource: plural, kind, namespaced: spec.scope !== 'Cluster' };
  return { resource, objects: (await client.resource(resource).list()).items };
}

/** How soon instances that hold themselves are looked at again. */
const LOOK_AGAIN_MS = 1000;

/** Removes the instances, then lets go (upstream: controller/finalizer/crd_finalizer.go). */
function planEnd({ definition, instances, now }: DefinitionSnapshot): Plan {
  const left = instances?.objects ?? [];
  const terminating = (condition: { status: string; reason: string; message: string }): CustomResourceDefinition => ({
    ...definition,
    status: { ...definition.status, conditions: withCondition(definition.status?.conditions ?? [], { type: 'Terminating', ...condition }, now) },
  });
  if (left.length) {
    const object = terminating({ status: 'True', reason: 'InstanceDeletionInProgress', message: 'CustomResource deletion is in progress' });
    const isTold = deepEqual(object.status, definition.status);
    const going = left.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return {
      actions: [
        ...(isTold ? [] : [{ type: 'update' as const, resource: CustomResourceDefinitions, subresource: 'status' as const, object }]),
        ...inParallel(going.map((one) => deletionOf(instances!.resource, one))),
      ],
      requeueAfterMs: going.length ? 0 : LOOK_AGAIN_MS,
    };
  }
  const done = hasCondition(definition, 'Established')
    ? { status: 'False', reason: 'InstanceDeletionCompleted', message: 'removed all instances' }
    : { status: 'False', reason: 'NeverEstablished', message: 'resource was never established' };
  return andThen([{ type: 'update', resource: CustomResourceDefinitions, subresource: 'status', object: terminating(done) }], ([told]) => {
    const written = told!.object as CustomResourceDefinition;
    const finalizers = (written.metadata.finalizers ?? []).filter((name) => name !== CLEANUP_FINALIZER);
    const object = { ...written, metadata: { ...written.metadata, finalizers } };
    return { actions: [{ type: 'update', resource: CustomResourceDefinitions, object }] };
  });
}

export function planDefinition(snapshot: DefinitionSnapshot): Plan {
  const { definition, taken, now } = snapshot;
  if (isGoing(definition)) return planEnd(snapshot);
  const { status } = definition;
  const { names, conflict } = accept(definition, taken);
  const accepted: CustomResourceDefinitionCondition = conflict
    ? { type: 'NamesAccepted', status: 'False', ...conflict }
    : { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' };
  const established = status?.conditions?.find(({ type }) => type === 'Established');
  const conditions = [accepted, established?.status === 'True' ? established : establishedBy(accepted)];
  const next = conditions.reduce((list, condition) => withCondition(list, condition, now), status?.conditions ?? []);
  if (deepEqual(status?.acceptedNames, names) && deepEqual(status?.conditions ?? [], next)) return NOTHING_TO_DO;
  const object: CustomResourceDefinition = { ...definition, status: { ...status, acceptedNames: names, conditions: next } };
  return { actions: [{ type: 'update', resource: CustomResourceDefinitions, subresource: 'status', object }] };
}

/** What a definition keeps or gets of the names that it asks for, and the last of those that it cannot have (upstream: calculateNamesAndConditions). */
function accept(
  { spec, status }: CustomResourceDefinition,
  { resources, kinds }: DefinitionSnapshot['taken'],
): { names: CustomResourceDefinitionNames; conflict?: { reason: string; message: string } } {
  const wanted = spec.names;
  const before: Partial<CustomResourceDefinitionNames> = status?.acceptedNames ?? {};
  const inUse = (name: string): string => `"${name}" is already in use`;
  const conflicts: { reason: string; message: string }[] = [];
  const settle = <Name extends string | undefined>(name: Name, current: Name, used: ReadonlySet<string>, reason: string): Name => {
    if (name === current || !used.has(name ?? '')) return name;
    conflicts.push({ reason, message: inUse(name ?? '') });
    return current;
  };
  const plural = settle(wanted.plural, before.plural ?? '', resources, 'PluralConflict');
  const singular = settle(wanted.singular, before.singular, resources, 'SingularConflict');
  const lost = (wanted.shortNames ?? []).filter((name) => !before.shortNames?.includes(name) && resources.has(name)).map(inUse);
  if (lost.length) conflicts.push({ reason: 'ShortNamesConflict', message: lost.length === 1 ? lost[0]! : `[${lost.join(', ')}]` });
  const shortNames = lost.length ? before.shortNames : wanted.shortNames;
  const kind = settle(wanted.kind, before.kind ?? '', kinds, 'KindConflict');
  const listKind = settle(wanted.listKind, before.listKind, kinds, 'ListKindConflict');
  const names: CustomResourceDefinitionNames = {
    plural,
    ...(singular ? { singular } : {}),
    ...(shortNames ? { shortNames } : {}),
    kind,
    ...(listKind ? { listKind } : {}),
    ...(wanted.categories ? { categories: wanted.categories } : {}),
  };
  const conflict = conflicts.at(-1);
  return conflict ? { names, conflict } : { names };
}

function establishedBy({ status }: CustomResourceDefinitionCondition): CustomResourceDefinitionCondition {
  return status === 'True'
    ? { type: 'Established', status: 'True', reason: 'InitialNamesAccepted', message: 'the initial names have been accepted' }
    : { type: 'Established', status: 'False', reason: 'NotAccepted', message: 'not all names are accepted' };
}

function withCondition(
  conditions: readonly CustomResourceDefinitionCondition[],
  wanted: CustomResourceDefinitionCondition,
  now: number,
): CustomResourceDefinitionCondition[] {
  const current = conditions.find(({ type }) => type === wanted.type);
  const lastTransitionTime = current?.status === wanted.status ? current.lastTransitionTime : timestamp(now);
  const condition = { ...wanted, ...(lastTransitionTime ? { lastTransitionTime } : {}) };
  return current ? conditions.map((one) => (one === current ? condition : one)) : [...conditions, condition];
}
