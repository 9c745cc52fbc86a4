import { deepEqual } from '../../api/equality.ts';
import type { CustomResourceDefinition, CustomResourceDefinitionCondition, CustomResourceDefinitionNames } from '../../api/generated/types/apiextensions.v1.ts';
import { CustomResourceDefinitions } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { timestamp } from '../../lib/clock.ts';
import { type Controller, watchRule } from '../runtime/controller.ts';
import { NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';

export interface DefinitionSnapshot {
  definition: CustomResourceDefinition;
  /** The names that the other definitions of its group have. */
  taken: { resources: ReadonlySet<string>; kinds: ReadonlySet<string> };
  /** Milliseconds since the epoch. */
  now: number;
}

/**
 * Gives custom resources their names, first come, first served within a group, and says that they are established once
 * they have them. Upstream: apiextensions-apiserver/pkg/controller/{status,establish}, which run in the API server.
 */
export function customResourceDefinitionController(informers: InformerFactory): Controller<DefinitionSnapshot> {
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
      return { definition, taken: { resources, kinds }, now };
    },
    plan: planDefinition,
  };
}

export function planDefinition({ definition, taken, now }: DefinitionSnapshot): Plan {
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
