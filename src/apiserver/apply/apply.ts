import { deepEqual } from '../../api/equality.ts';
import type { ManagedFieldsEntry } from '../../api/generated/types/meta.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import { badRequest, conflict, StatusError } from '../../api/status.ts';
import type { Struct } from '../../api/type.ts';
import type { ServedResource } from '../served-resource.ts';
import { FieldSet, showPath } from './field-set.ts';
import { comparable, type Manager, readManagers, resetFields, stripUnowned, withoutReset, writeManagers } from './managed-fields.ts';
import { compare, merge, removeItems, TypedError, toFieldSet, withNamedFields } from './typed.ts';
import { typedFault } from './validate-typed.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** A configuration that a manager applies: who, to what, by which rules. */
export interface Apply {
  resource: ServedResource;
  subresource: string;
  config: KubeObject;
  fieldManager: string;
  /** Takes fields over from other managers instead of refusing. */
  force: boolean;
  now: string;
}

export interface Applied {
  /** Undefined when the apply changes nothing. */
  object: KubeObject | undefined;
  managedFields: ManagedFieldsEntry[];
}

/**
 * The configuration in a request's body.
 *
 * @throws StatusError for one that is not of this resource, or does not fit its schema.
 */
export function checkConfiguration({ apiVersion, facts: { kind }, type }: ServedResource, configuration: unknown): KubeObject {
  if (!isMap(configuration)) {
    const what = Array.isArray(configuration) ? 'array' : typeof configuration === 'boolean' ? 'bool' : typeof configuration;
    throw badRequest(
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${what} into Go value of type map[string]interface {}`,
    );
  }
  const given = textOf(configuration['apiVersion']);
  const givenKind = textOf(configuration['kind']);
  if (given !== apiVersion || givenKind !== kind) throw badRequest(`invalid object type: ${kindText(given, givenKind)}`);
  const metadata = isMap(configuration['metadata']) ? configuration['metadata'] : {};
  if (metadata['managedFields'] !== undefined && metadata['managedFields'] !== null) throw badRequest('metadata.managedFields must be nil');
  const fault = typedFault(type, configuration);
  if (fault) throw new StatusError(500, '', `failed to create typed patch object (${describeConfiguration(configuration)}): ${fault}`);
  return { ...configuration, apiVersion, kind, metadata };
}

/** A merged object that does not fit the type (apimachinery: structuredMergeManager.Apply). */
export function cannotConvert(config: KubeObject, why: string): StatusError {
  const type = kindText(config.apiVersion, config.kind);
  const words = `unable to convert unstructured object to ${type}: ${why}`;
  return new StatusError(500, '', `failed to convert new object (${describeConfiguration(config)}) to proper version: ${words}`);
}

/** `namespace/name; group/version, Kind=kind` */
function describeConfiguration(config: object): string {
  const { apiVersion, kind, metadata } = config as Partial<Record<string, unknown>>;
  const { name, namespace } = isMap(metadata) ? metadata : {};
  return `${textOf(namespace)}/${textOf(name)}; ${kindText(textOf(apiVersion), textOf(kind))}`;
}

const kindText = (apiVersion: string, kind: string): string => `${apiVersion.includes('/') ? '' : '/'}${apiVersion}, Kind=${kind}`;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Who owns what of an object that comes into being by an apply. @throws StatusError Conflict for a configuration that insists on an uid. */
export function applyToNothing(apply: Apply, name: string): ManagedFieldsEntry[] {
  const { resource, config } = apply;
  if (config.metadata.uid)
    throw conflict(resource.facts, name, `uid mismatch: the provided object specified uid ${config.metadata.uid}, and no existing object was found`);
  const fields = stripUnowned(toFieldSet(resource.type, config).without(resetFields(resource, '')));
  return writeManagers([managerOf({ ...apply, subresource: '' }, fields, apply.now)]) ?? [];
}

function managerOf({ resource, subresource, fieldManager }: Apply, fields: FieldSet, time: string | undefined): Manager {
  return { manager: fieldManager, operation: 'Apply', apiVersion: resource.apiVersion, subresource, ...(time ? { time } : {}), fields };
}

/** Merges a configuration into the live object (structured-merge-diff: Updater.Apply). @throws StatusError Conflict */
export function applyTo(live: KubeObject, apply: Apply): Applied {
  const { resource, subresource, config, fieldManager, now } = apply;
  const { type } = resource;
  const base = comparable(live);
  const isSelf = (m: Manager): boolean => m.manager === fieldManager && m.operation === 'Apply' && m.subresource === subresource;
  const managers = managersOf(live, base, apply);
  const last = managers.find(isSelf);
  const { resourceVersion: _, ...appliedMeta } = config.metadata;
  const body = { ...config, metadata: appliedMeta };
  const own = stripUnowned(toFieldSet(type, body).without(resetFields(resource, subresource)));
  let merged = merge(type, base, body) as KubeObject;
  const others = managers.filter((m) => !isSelf(m));
  if (last && !last.fields.isEmpty) merged = prune(type, merged, { last: last.fields, owned: [...others.map((m) => m.fields), own] });
  const comparison = withoutReset(compare(type, base, merged), apply);
  const changed = stripUnowned(comparison.modified.union(comparison.added));
  checkConflicts(others, changed.difference(fieldsOfClientSideApply(type, base, fieldManager)), apply);
  const rest = others.map((m) => ({ ...m, fields: m.fields.difference(changed).difference(comparison.removed) }));
  merged = withLastApplied(merged, base, body, fieldManager);
  const unchanged = deepEqual(merged, base);
  return {
    object: unchanged
      ? undefined
      : { ...merged, metadata: { ...merged.metadata, resourceVersion: config.metadata.resourceVersion || live.metadata.resourceVersion! } },
    managedFields: writeManagers([...rest, managerOf(apply, own, unchanged ? last?.time : now)]) ?? [],
  };
}

/** What an object without any record of ownership has belongs to whoever wrote it before the first apply. */
function managersOf(live: KubeObject, base: KubeObject, { resource, now }: Apply): Manager[] {
  const managers = readManagers(live.metadata.managedFields);
  if (managers.length > 0) return managers;
  const fields = stripUnowned(toFieldSet(resource.type, base));
  return [{ manager: BEFORE_FIRST_APPLY, operation: 'Update', apiVersion: resource.apiVersion, subresource: '', time: now, fields }];
}

/** Removes what the manager applied before and no longer does, unless somebody else owns it too. */
function prune(type: Struct, merged: KubeObject, { last, owned }: { last: FieldSet; owned: FieldSet[] }): KubeObject {
  const named = (set: FieldSet): FieldSet => withNamedFields(type, set);
  const all = named(toFieldSet(type, merged));
  let pruned = removeItems(type, merged, named(last));
  const ownedByAnyone = named(owned.reduce((sum, set) => sum.union(set), new FieldSet()));
  pruned = removeItems(type, merged, all.difference(named(toFieldSet(type, pruned))).difference(ownedByAnyone));
  // What the manager never had must not go along with what it had.
  pruned = removeItems(type, merged, all.difference(named(toFieldSet(type, pruned))).intersection(named(last)));
  return pruned as KubeObject;
}

function checkConflicts(others: readonly Manager[], changed: FieldSet, { force }: Apply): void {
  if (force) return;
  const conflicts = others
    .map((m) => ({ m, paths: [...m.fields.intersection(changed).paths()] }))
    .filter(({ paths }) => paths.length > 0)
    .flatMap(({ m, paths }) => paths.map((path) => ({ who: describe(m), field: showPath(path) })));
  if (conflicts.length === 0) return;
  const causes = conflicts.map(({ who, field }) => ({ reason: 'FieldManagerConflict', message: `conflict with ${who}`, field }));
  throw new StatusError(409, 'Conflict', `Apply failed with ${conflicts.length} conflict${conflicts.length === 1 ? '' : 's'}: ${conflictText(conflicts)}`, {
    causes,
  });
}

/** Conflicts with one manager share a heading: `conflicts with "x":\n- .a\n- .b` (apimachinery: NewConflictError). */
function conflictText(conflicts: readonly { who: string; field: string }[]): string {
  if (conflicts.length === 1) return `conflict with ${conflicts[0]!.who}: ${conflicts[0]!.field}`;
  const byManager = new Map<string, string[]>();
  for (const { who, field } of conflicts) byManager.set(who, [...(byManager.get(who) ?? []), field]);
  return [...byManager.keys()]
    .sort()
    .map((who) => {
      const fields = byManager.get(who)!;
      return fields.length === 1 ? `conflict with ${who}: ${fields[0]}` : `conflicts with ${who}:\n${fields.map((f) => `- ${f}`).join('\n')}`;
    })
    .join('\n');
}

function describe({ manager, operation, apiVersion, subresource }: Manager): string {
  const name = JSON.stringify(manager);
  if (operation === 'Apply') return `${name}${subresource ? ` with subresource ${JSON.stringify(subresource)}` : ''}`;
  return `${name}${subresource ? ` with subresource ${JSON.stringify(subresource)}` : ''} using ${apiVersion}`;
}

function lastApplied({ metadata }: KubeObject, fieldManager: string): string | undefined {
  // Other managers opt out of what kubectl's two ways of applying have in common.
  return fieldManager === 'kubectl' ? metadata.annotations?.[LAST_APPLIED] : undefined;
}

/** What kubectl applied on the client's side and nobody has changed since is its own to take over (upstream: lastAppliedManager). */
function fieldsOfClientSideApply(type: Struct, live: KubeObject, fieldManager: string): FieldSet {
  const text = lastApplied(live, fieldManager);
  if (text === undefined) return new FieldSet();
  try {
    const applied: unknown = JSON.parse(text);
    const { added, modified, removed } = compare(type, applied, live);
    return toFieldSet(type, applied).difference(modified).difference(added).difference(removed);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypedError) return new FieldSet();
    throw error;
  }
}

/** kubectl's record of the last applied configuration follows, so that one can go back to applying on the client's side (upstream: lastAppliedUpdater). */
function withLastApplied(merged: KubeObject, live: KubeObject, config: KubeObject, fieldManager: string): KubeObject {
  if (lastApplied(live, fieldManager) === undefined) return merged;
  const { annotations: { [LAST_APPLIED]: _, ...annotations } = {}, ...metadata } = config.metadata;
  const record = JSON.stringify({ ...config, metadata: { ...metadata, ...(Object.keys(annotations).length ? { annotations } : {}) } });
  return { ...merged, metadata: { ...merged.metadata, annotations: { ...merged.metadata.annotations, [LAST_APPLIED]: `${record}\n` } } };
}
