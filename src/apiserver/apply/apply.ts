import { deepEqual } from '../../api/equality.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest, ApiResponse } from '../../api/request.ts';
import { badRequest, conflict, StatusError } from '../../api/status.ts';
import { timestamp } from '../../lib/clock.ts';
import { type ApiContext, read } from '../context.ts';
import { decodeValue, type WriteOptions, writeOptions } from '../operation.ts';
import type { ServedResource } from '../registry.ts';
import { createObject } from '../verbs/create.ts';
import { modify } from '../verbs/update.ts';
import { FieldSet, showPath } from './field-set.ts';
import { comparable, type Manager, readManagers, resetFields, stripUnowned, writeManagers } from './managed-fields.ts';
import { checkDuplicates, compare, merge, removeItems, TypedError, toFieldSet, withNamedFields } from './typed.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
const BEFORE_FIRST_APPLY = 'before-first-apply';

/** Server-side apply of a configuration: creates the object, or merges into it what the manager says it shall be. */
export async function applyConfiguration(context: ApiContext, resource: ServedResource, request: ApiRequest, configuration: unknown): Promise<ApiResponse> {
  const options = writeOptions('PatchOptions', request);
  const config = checkConfiguration(resource, request, configuration);
  const { namespace = '', name = '' } = request;
  const target = { ...resource, kind: resource.facts.kind };
  const warnings: string[] = [];
  const current = await read(context, resource, namespace, name);
  if (!current && !request.subresource) {
    if (config.metadata.uid)
      throw new StatusError(409, 'Conflict', `uid mismatch: the provided object specified uid ${config.metadata.uid}, and no existing object was found`);
    const managers = writeManagers([newManager(context, resource, options, '', stripUnowned(fieldsOf(resource, config).without(resetFields(resource, ''))))]);
    const object = decodeValue(config, target, 'Ignore', warnings);
    return createObject(context, resource, { ...request, name }, object, options, warnings, managers ?? []);
  }
  let managed: KubeObject['metadata']['managedFields'];
  const object = await modify(
    context,
    resource,
    request,
    options,
    warnings,
    (live) => {
      const result = mergeConfiguration(context, resource, request, { live, config, options });
      managed = result.managed;
      // A copy in any case: defaulting fills in what it is handed.
      return decodeValue(result.object ?? live, target, 'Ignore', warnings);
    },
    { managed: () => managed ?? [] },
  );
  return { code: 200, object, warnings };
}

function checkConfiguration(resource: ServedResource, request: ApiRequest, configuration: unknown): KubeObject {
  if (typeof configuration !== 'object' || configuration === null || Array.isArray(configuration))
    throw badRequest('error decoding YAML: the body must be an object');
  const config = configuration as KubeObject;
  const where = `${request.namespace ?? ''}/${request.name}; ${resource.apiVersion.includes('/') ? '' : '/'}${resource.apiVersion}, Kind=${resource.facts.kind}`;
  if (!config.apiVersion || !config.kind) throw badRequest("Object 'Kind' is missing in the configuration: apiVersion and kind must be set for apply");
  if (config.apiVersion !== resource.apiVersion)
    throw badRequest(`Incorrect version specified in apply patch. Specified patch version: ${config.apiVersion}, expected: ${resource.apiVersion}`);
  const metadata = config.metadata ?? {};
  if (metadata.managedFields !== undefined) throw badRequest('metadata.managedFields must be nil');
  if (metadata.name && metadata.name !== request.name)
    throw badRequest(`the name of the object (${metadata.name}) does not match the name on the URL (${request.name})`);
  const placed = { ...config, metadata: { ...metadata, name: request.name!, ...(resource.namespaced ? { namespace: request.namespace! } : {}) } };
  if (metadata.namespace && resource.namespaced && metadata.namespace !== request.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  try {
    checkDuplicates(resource.schemaId, placed);
  } catch (error) {
    if (error instanceof TypedError) throw new StatusError(500, '', `failed to create typed patch object (${where}): ${error.message}`);
    throw error;
  }
  return placed;
}

function fieldsOf(resource: ServedResource, object: KubeObject): FieldSet {
  return toFieldSet(resource.schemaId, object);
}

function newManager(context: ApiContext, resource: ServedResource, options: WriteOptions, subresource: string, fields: FieldSet): Manager {
  return { manager: options.fieldManager, operation: 'Apply', apiVersion: resource.apiVersion, subresource, time: timestamp(context.clock.now()), fields };
}

interface Merged {
  /** Undefined when the apply changes nothing. */
  object: KubeObject | undefined;
  managed: KubeObject['metadata']['managedFields'];
}

/** structured-merge-diff: Updater.Apply. */
function mergeConfiguration(
  context: ApiContext,
  resource: ServedResource,
  request: ApiRequest,
  { live, config, options }: { live: KubeObject; config: KubeObject; options: WriteOptions },
): Merged {
  const { schemaId } = resource;
  if (config.metadata.uid && config.metadata.uid !== live.metadata.uid)
    throw conflict(resource.facts, request.name!, `Precondition failed: UID in precondition: ${config.metadata.uid}, UID in object meta: ${live.metadata.uid}`);
  if (config.metadata.resourceVersion && config.metadata.resourceVersion !== live.metadata.resourceVersion)
    throw conflict(resource.facts, request.name!, 'the object has been modified; please apply your changes to the latest version and try again');
  const subresource = request.subresource ?? '';
  const base = comparable(live);
  const isSelf = (m: Manager): boolean => m.manager === options.fieldManager && m.operation === 'Apply' && m.subresource === subresource;
  let managers = readManagers(live.metadata.managedFields);
  if (managers.length === 0)
    managers = [
      {
        manager: BEFORE_FIRST_APPLY,
        operation: 'Update',
        apiVersion: resource.apiVersion,
        subresource: '',
        time: timestamp(context.clock.now()),
        fields: stripUnowned(fieldsOf(resource, base)),
      },
    ];
  const last = managers.find(isSelf);
  const { resourceVersion: _, ...appliedMeta } = config.metadata;
  const body = { ...config, metadata: appliedMeta };
  const own = stripUnowned(fieldsOf(resource, body).without(resetFields(resource, subresource)));
  let merged = merge(schemaId, base, body) as KubeObject;
  const others = managers.filter((m) => !isSelf(m));
  if (last && !last.fields.isEmpty) merged = prune(schemaId, merged, { last: last.fields, owned: [...others.map((m) => m.fields), own] });
  const comparison = compare(schemaId, base, merged);
  const changed = stripUnowned(comparison.modified.union(comparison.added).without(resetFields(resource, subresource)));
  checkConflicts(others, changed.without(fieldsOfClientSideApply(schemaId, base, options)), options);
  const rest = others.map((m) => ({ ...m, fields: m.fields.difference(changed).difference(comparison.removed) }));
  merged = withLastApplied(merged, base, body, options);
  const unchanged = deepEqual(merged, base);
  const { time: _time, ...entry } = newManager(context, resource, options, subresource, own);
  const time = unchanged ? last?.time : timestamp(context.clock.now());
  return {
    object: unchanged ? undefined : { ...merged, metadata: { ...merged.metadata, resourceVersion: live.metadata.resourceVersion! } },
    managed: writeManagers([...rest, { ...entry, ...(time ? { time } : {}) }]),
  };
}

/** Removes what the manager applied before and no longer does, unless somebody else owns it too. */
function prune(schemaId: string, merged: KubeObject, { last, owned }: { last: FieldSet; owned: FieldSet[] }): KubeObject {
  const named = (set: FieldSet): FieldSet => withNamedFields(schemaId, set);
  const all = named(toFieldSet(schemaId, merged));
  let pruned = removeItems(schemaId, merged, named(last));
  const ownedByAnyone = named(owned.reduce((sum, set) => sum.union(set), new FieldSet()));
  pruned = removeItems(schemaId, merged, all.difference(named(toFieldSet(schemaId, pruned))).difference(ownedByAnyone));
  // What the manager never had must not go along with what it had.
  pruned = removeItems(schemaId, merged, all.difference(named(toFieldSet(schemaId, pruned))).intersection(named(last)));
  return pruned as KubeObject;
}

function checkConflicts(others: readonly Manager[], changed: FieldSet, { force }: WriteOptions): void {
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

function lastApplied({ metadata }: KubeObject, { fieldManager }: WriteOptions): string | undefined {
  // Other managers opt out of what kubectl's two ways of applying have in common.
  return fieldManager === 'kubectl' ? metadata.annotations?.[LAST_APPLIED] : undefined;
}

/** What kubectl applied on the client's side and nobody has changed since is its own to take over (upstream: lastAppliedManager). */
function fieldsOfClientSideApply(schemaId: string, live: KubeObject, options: WriteOptions): FieldSet {
  const text = lastApplied(live, options);
  if (text === undefined) return new FieldSet();
  try {
    const applied: unknown = JSON.parse(text);
    return toFieldSet(schemaId, applied).difference(compare(schemaId, applied, live).modified);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypedError) return new FieldSet();
    throw error;
  }
}

/** kubectl's record of the last applied configuration follows, so that one can go back to applying on the client's side (upstream: lastAppliedUpdater). */
function withLastApplied(merged: KubeObject, live: KubeObject, config: KubeObject, options: WriteOptions): KubeObject {
  if (lastApplied(live, options) === undefined) return merged;
  const { annotations: { [LAST_APPLIED]: _, ...annotations } = {}, ...metadata } = config.metadata;
  const record = JSON.stringify({ ...config, metadata: { ...metadata, ...(Object.keys(annotations).length ? { annotations } : {}) } });
  return { ...merged, metadata: { ...merged.metadata, annotations: { ...merged.metadata.annotations, [LAST_APPLIED]: `${record}\n` } } };
}
