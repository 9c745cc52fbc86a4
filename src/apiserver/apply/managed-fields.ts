import type { ManagedFieldsEntry } from '../../api/generated/types/meta.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ServedResource } from '../served-resource.ts';
import { FieldSet } from './field-set.ts';
import { type Comparison, compare, TypedError } from './typed.ts';

/** Update entries beyond this many are folded into one (upstream: DefaultMaxUpdateManagers). */
const MAX_UPDATE_MANAGERS = 10;
const ANCIENT = 'ancient-changes';

/** One manager's entry: who, how, through which version and subresource, and what it owns. */
export interface Manager {
  manager: string;
  operation: 'Apply' | 'Update';
  apiVersion: string;
  subresource: string;
  time?: string;
  fields: FieldSet;
}

/** Fields that nobody owns (upstream: stripMetaManager). */
const UNOWNED = FieldSet.of(
  ['f:apiVersion'],
  ['f:kind'],
  ['f:metadata'],
  ['f:metadata', 'f:name'],
  ['f:metadata', 'f:namespace'],
  ['f:metadata', 'f:creationTimestamp'],
  ['f:metadata', 'f:selfLink'],
  ['f:metadata', 'f:uid'],
  ['f:metadata', 'f:clusterName'],
  ['f:metadata', 'f:generation'],
  ['f:metadata', 'f:managedFields'],
  ['f:metadata', 'f:resourceVersion'],
);

export function stripUnowned(set: FieldSet): FieldSet {
  return set.difference(UNOWNED);
}

/** Fields that a write through this door does not set, whatever the body says (upstream: GetResetFields of each strategy). */
export function resetFields({ behaviour, hasStatus }: ServedResource, subresource: string): FieldSet {
  if (subresource === 'status') return FieldSet.of(['f:spec'], ...(behaviour.statusResetFields ?? []).map((path) => path.map((name) => `f:${name}`)));
  return !subresource && hasStatus ? FieldSet.of(['f:status']) : new FieldSet();
}

/** A comparison but for the fields that such a write does not set (structured-merge-diff: IgnoreFilter). */
export function withoutReset({ added, modified, removed }: Comparison, { resource, subresource }: Pick<Update, 'resource' | 'subresource'>): Comparison {
  const reset = resetFields(resource, subresource);
  return { added: added.without(reset), modified: modified.without(reset), removed: removed.without(reset) };
}

export function readManagers(entries: readonly ManagedFieldsEntry[] | undefined): Manager[] {
  return (entries ?? []).map((entry) => ({
    manager: entry.manager ?? '',
    operation: entry.operation === 'Apply' ? 'Apply' : 'Update',
    apiVersion: entry.apiVersion ?? '',
    subresource: entry.subresource ?? '',
    ...(entry.time ? { time: entry.time } : {}),
    fields: FieldSet.fromFieldsV1(entry.fieldsV1),
  }));
}

/** In upstream's order: by operation, then time, then name. */
export function writeManagers(managers: readonly Manager[]): ManagedFieldsEntry[] | undefined {
  const kept = managers.filter((m) => !m.fields.isEmpty).sort(byOperationTimeAndName);
  if (!kept.length) return undefined;
  return kept.map(({ manager, operation, apiVersion, time, fields, subresource }) => ({
    ...(manager ? { manager } : {}),
    operation,
    apiVersion,
    ...(time ? { time } : {}),
    fieldsType: 'FieldsV1',
    fieldsV1: fields.toFieldsV1(),
    ...(subresource ? { subresource } : {}),
  }));
}

function byOperationTimeAndName(a: Manager, b: Manager): number {
  const order = (x: string, y: string): number => (x < y ? -1 : x > y ? 1 : 0);
  return (
    order(a.operation, b.operation) ||
    order(a.time ?? '', b.time ?? '') ||
    order(a.manager, b.manager) ||
    order(a.apiVersion, b.apiVersion) ||
    order(a.subresource, b.subresource)
  );
}

/** What an update tells of: the object before and after, and who wrote it how. */
export interface Update {
  resource: ServedResource;
  subresource: string;
  options: { fieldManager: string };
  object: KubeObject;
  old: KubeObject | undefined;
}

/** Who owns which field after an update (or a create): what changed belongs to its writer now. */
export function changedByUpdate(update: Update, now: string): ManagedFieldsEntry[] | undefined {
  const { resource, subresource, options, object, old } = update;
  // An explicit empty list asks for a fresh start.
  const given = object.metadata.managedFields;
  const reset = old !== undefined && given !== undefined && (given.length === 0 || (given.length === 1 && Object.keys(given[0]!).length === 0));
  if (reset) return undefined;
  const before = given?.length ? given : old?.metadata.managedFields;
  let comparison: Comparison;
  try {
    comparison = compare(resource.type, old ? comparable(old) : resource.zero, comparable(object));
  } catch (error) {
    // Ownership never stands in the way of a plain write (upstream: UpdateNoErrors).
    if (error instanceof TypedError) return undefined;
    throw error;
  }
  const self: Omit<Manager, 'fields'> = { manager: options.fieldManager, operation: 'Update', apiVersion: resource.apiVersion, subresource };
  return writeManagers(capManagers(takeOver(readManagers(before), self, withoutReset(comparison, update), now)));
}

/** Without what changes by itself on every write. */
export function comparable(object: KubeObject): KubeObject {
  const { managedFields: _m, resourceVersion: _r, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/** Takes changed fields from all others and gives them to the writer (structured-merge-diff: Updater.Update). */
function takeOver(managers: readonly Manager[], self: Omit<Manager, 'fields'>, { added, modified, removed }: Comparison, now: string): Manager[] {
  const changed = added.union(modified);
  const taken = stripUnowned(changed);
  const isSelf = (m: Manager): boolean =>
    m.manager === self.manager && m.operation === self.operation && m.apiVersion === self.apiVersion && m.subresource === self.subresource;
  const out = managers.map((m) => ({ ...m, fields: m.fields.difference(changed).difference(removed) }));
  if (taken.isEmpty) {
    // The writer's own entry loses what is gone, but keeps what it changed to the same value.
    return out.map((m, i) => (isSelf(m) ? { ...m, fields: managers[i]!.fields.difference(removed) } : m));
  }
  const at = out.findIndex(isSelf);
  const before = at >= 0 ? managers[at]!.fields.difference(removed) : new FieldSet();
  const entry: Manager = { ...self, time: now, fields: before.union(taken) };
  return at >= 0 ? out.map((m, i) => (i === at ? entry : m)) : [...out, entry];
}

function capManagers(managers: Manager[]): Manager[] {
  const updates = managers.filter((m) => m.operation === 'Update' && !m.fields.isEmpty);
  if (updates.length <= MAX_UPDATE_MANAGERS) return managers;
  const oldest = [...updates].sort(byOperationTimeAndName).slice(0, updates.length - MAX_UPDATE_MANAGERS + 1);
  const buckets = new Map<string, Manager>();
  for (const m of oldest) {
    const bucket = buckets.get(m.apiVersion);
    buckets.set(m.apiVersion, { ...m, manager: ANCIENT, subresource: '', fields: bucket ? bucket.fields.union(m.fields) : m.fields });
  }
  return [...managers.filter((m) => !oldest.includes(m)), ...buckets.values()];
}
