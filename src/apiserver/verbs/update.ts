import { deepEqual } from '../../api/equality.ts';
import { invalid as invalidField } from '../../api/field-error.ts';
import { validateObjectMeta, validateObjectMetaUpdate } from '../../api/meta/validation.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest, ApiResponse } from '../../api/request.ts';
import { badRequest, conflict, invalid, notFound } from '../../api/status.ts';
import { stampManager } from '../apply/managed-fields.ts';
import { type ApiContext, read } from '../context.ts';
import { decodeBody, type WriteOptions, writeOptions } from '../operation.ts';
import { type ServedResource, storageKey, toServed, toStorage } from '../registry.ts';
import { createObject } from './create.ts';

const MODIFIED = 'the object has been modified; please apply your changes to the latest version and try again';

export async function update(context: ApiContext, resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const options = writeOptions('UpdateOptions', request);
  const warnings: string[] = [];
  const decoded = decodeBody(request, { ...resource, kind: resource.facts.kind }, options.fieldValidation, warnings);
  const { name = '', namespace = '' } = request;
  const given = decoded.metadata;
  if (given.name && given.name !== name) throw badRequest(`the name of the object (${given.name}) does not match the name on the URL (${name})`);
  if (!given.name) throw badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  if (resource.namespaced && given.namespace && given.namespace !== namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  if (resource.namespaced) given.namespace = namespace;
  if (!request.subresource && resource.behaviour.allowCreateOnUpdate && !(await read(context, resource, namespace, name))) {
    if (given.uid) throw conflict(resource.facts, name, `Precondition failed: UID in precondition: ${given.uid}, UID in object meta: `);
    return createObject(context, resource, request, decoded, options, warnings);
  }
  const object = await modify(context, resource, request, options, warnings, () => decoded);
  return { code: 200, object, warnings };
}

/** Makes the object that the client wants from the current one; called again when another writer was faster. */
export type Change = (current: KubeObject) => Promise<KubeObject> | KubeObject;

export interface ModifyOptions {
  /** Ownership of fields as a server-side apply has worked it out, for the object that `change` returned. */
  managed?: () => KubeObject['metadata']['managedFields'] | undefined;
  /** Replaces the generic treatment of a subresource: merges what the client may change through it. */
  merge?: (submitted: KubeObject, current: KubeObject) => KubeObject;
  /** The validation of a change that is not a plain update. */
  validate?: (object: KubeObject, current: KubeObject) => ReturnType<NonNullable<ServedResource['behaviour']['validateUpdate']>>;
}

/**
 * Reads, changes, checks and writes an object until no other writer comes between (upstream: registry.Store.Update with
 * GuaranteedUpdate). A change that changes nothing writes nothing.
 */
export async function modify(
  context: ApiContext,
  resource: ServedResource,
  request: ApiRequest,
  options: WriteOptions,
  warnings: string[],
  change: Change,
  modifyOptions: ModifyOptions = {},
): Promise<KubeObject> {
  const { namespace = '', name = '', subresource = '' } = request;
  for (;;) {
    const current = await read(context, resource, namespace, name);
    if (!current) throw notFound(resource.facts, name);
    const old = current.object;
    const submitted = await change(old);
    checkPreconditions(resource, submitted, old, name);
    const { object, fresh } = prepareForUpdate(resource, subresource, submitted, old, modifyOptions);
    // What comes through a subresource is made of parts of the stored object, which are complete, and shared.
    if (!subresource) resource.behaviour.setDefaults?.(object);
    const attributes = { operation: 'UPDATE' as const, resource, subresource, namespace, name, object, old, user: request.user, dryRun: options.dryRun };
    await context.admission.admit(attributes, context);
    settleGeneration(resource, subresource, object, old);
    const managed = modifyOptions.managed?.();
    stampManager(context, resource, { object, old, options, subresource, ...(managed ? { managed } : {}) });
    check(resource, subresource, object, old, modifyOptions);
    if (fresh) warnings.push(...(resource.behaviour.warnings?.(object, old) ?? []));
    const undo = await context.admission.validate(attributes, context);
    let written: KubeObject | undefined;
    try {
      written = await write(context, resource, object, old, current.revision, options);
    } finally {
      if (!written) await undo();
    }
    if (written) return written;
    // Somebody else was faster: what the client insists on is compared anew; a patch is applied to what stands there now.
  }
}

function checkPreconditions(resource: ServedResource, submitted: KubeObject, old: KubeObject, name: string): void {
  const { uid, resourceVersion } = submitted.metadata;
  if (uid && uid !== old.metadata.uid)
    throw conflict(resource.facts, name, `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${old.metadata.uid}`);
  if (!resourceVersion || resourceVersion === '0') {
    if (resource.behaviour.allowUnconditionalUpdate === false)
      throw invalid(resource.facts, name, [invalidField('metadata.resourceVersion', 0, 'must be specified for an update')]);
    return;
  }
  if (resourceVersion !== old.metadata.resourceVersion) throw conflict(resource.facts, name, MODIFIED);
}

/** Puts back what the client may not change this way. */
function prepareForUpdate(
  resource: ServedResource,
  subresource: string,
  submitted: KubeObject,
  old: KubeObject,
  options: ModifyOptions,
): { object: KubeObject; fresh: boolean } {
  const { behaviour } = resource;
  const merge = options.merge ?? behaviour.parts?.[subresource]?.merge;
  let object = merge ? merge(submitted, old) : submitted;
  if (subresource === 'status' && !merge) object = { ...submitted, ...('spec' in old ? { spec: (old as { spec?: unknown }).spec } : {}) } as KubeObject;
  else if (!subresource && resource.hasStatus) object = withStatusOf(submitted, old);
  object = { ...object, metadata: { ...object.metadata } };
  const { metadata } = object;
  const kept = old.metadata;
  restore(metadata, kept, ['uid', 'creationTimestamp', 'deletionTimestamp', 'deletionGracePeriodSeconds', 'selfLink', 'generation']);
  metadata.name = kept.name!;
  if (kept.namespace) metadata.namespace = kept.namespace;
  if (subresource === 'status' && !merge) {
    restore(metadata, kept, ['labels']);
    behaviour.prepareForStatusUpdate?.(object, old);
  } else if (!subresource) behaviour.prepareForUpdate?.(object, old);
  delete metadata.resourceVersion;
  return { object, fresh: !subresource };
}

function withStatusOf(submitted: KubeObject, old: KubeObject): KubeObject {
  const { status: _, ...rest } = submitted as KubeObject & { status?: unknown };
  return { ...rest, ...('status' in old ? { status: (old as { status?: unknown }).status } : {}) } as KubeObject;
}

function restore<T extends object>(target: T, source: T, names: readonly (keyof T)[]): void {
  for (const name of names) {
    if (source[name] === undefined) delete target[name];
    else target[name] = source[name];
  }
}

/** The generation counts changes of everything but metadata and status. */
function settleGeneration(resource: ServedResource, subresource: string, object: KubeObject, old: KubeObject): void {
  if (!resource.hasGeneration) return;
  const essence = ({ metadata: _m, status: _s, apiVersion: _a, kind: _k, ...rest }: KubeObject & { status?: unknown }): unknown => rest;
  const annotationsCount = resource.behaviour.generationCountsAnnotations && !subresource && !deepEqual(object.metadata.annotations, old.metadata.annotations);
  if (annotationsCount || !deepEqual(essence(object), essence(old))) object.metadata.generation = (old.metadata.generation ?? 0) + 1;
}

function check(resource: ServedResource, subresource: string, object: KubeObject, old: KubeObject, { validate }: ModifyOptions): void {
  const { behaviour } = resource;
  const metadataErrors = [
    ...validateObjectMeta(object.metadata, { namespaced: resource.namespaced, ...(behaviour.validateName ? { validateName: behaviour.validateName } : {}) }),
    // The store checks the version; the metadata's own rule wants to see one.
    ...validateObjectMetaUpdate({ ...object.metadata, resourceVersion: old.metadata.resourceVersion! }, old.metadata),
  ];
  const ofPart = validate ?? behaviour.parts?.[subresource]?.validateUpdate;
  const own = ofPart
    ? ofPart(object, old)
    : subresource === 'status'
      ? behaviour.validateStatusUpdate?.(object, old)
      : behaviour.validateUpdate
        ? behaviour.validateUpdate(object, old)
        : behaviour.validate?.(object);
  const errors = [...metadataErrors, ...(own ?? [])];
  if (errors.length) throw invalid(resource.facts, object.metadata.name ?? '', errors);
}

/** @returns undefined when another writer was faster. */
async function write(
  context: ApiContext,
  resource: ServedResource,
  object: KubeObject,
  old: KubeObject,
  revision: number,
  options: WriteOptions,
): Promise<KubeObject | undefined> {
  const { namespace = '', name = '' } = object.metadata;
  const unchanged = deepEqual({ ...object, metadata: { ...object.metadata, resourceVersion: old.metadata.resourceVersion } }, old);
  if (unchanged) return old;
  if (options.dryRun) return { ...object, metadata: { ...object.metadata, resourceVersion: old.metadata.resourceVersion! } };
  const key = storageKey(resource, namespace, name);
  if (isReadyToGo(object)) {
    const result = await context.store.delete(key, revision);
    return result.ok ? { ...object, metadata: { ...object.metadata, resourceVersion: String(result.revision) } } : undefined;
  }
  const value = context.codec.stored(toStorage(resource, object));
  const result = await context.store.put(key, value, revision);
  return result.ok ? context.freeze(toServed(resource, context.codec.object({ value, revision: result.revision }))) : undefined;
}

/** An object that waits for its removal goes when nothing holds it any more: no finalizer, no grace period. */
function isReadyToGo(object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  const specFinalizers = object.kind === 'Namespace' ? (object as KubeObject & { spec?: { finalizers?: string[] } }).spec?.finalizers : undefined;
  return !!deletionTimestamp && !deletionGracePeriodSeconds && !finalizers?.length && !specFinalizers?.length;
}
