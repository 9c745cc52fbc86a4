import { invalid as invalidField, notSupported } from '../../api/field-error.ts';
import type { DeleteOptions } from '../../api/generated/types/meta.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest, ApiResponse } from '../../api/request.ts';
import { badRequest, conflict, notFound } from '../../api/status.ts';
import { timestamp } from '../../lib/clock.ts';
import { type ApiContext, read } from '../context.ts';
import { DecodeError, decode } from '../decode.ts';
import { parseBody, refuseOptions } from '../operation.ts';
import { type ServedResource, storageKey, toStorage } from '../registry.ts';
import { selectObjects } from './list.ts';

const DELETE_OPTIONS = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';
const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** Kinds whose deletion answers with the object instead of a Status (their storage.go sets ReturnDeletedObject). */
const RETURN_DELETED = new Set([
  'pods',
  'services',
  'podtemplates',
  'persistentvolumes',
  'persistentvolumeclaims',
  'resourcequotas',
  'serviceaccounts',
  'limitranges',
]);

export async function remove(context: ApiContext, resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const options = deleteOptions(request);
  return removeObject(context, resource, request, request.name ?? '', options);
}

export async function removeCollection(context: ApiContext, resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const options = deleteOptions(request);
  const { objects, revision } = await selectObjects(context, resource, request);
  const items: KubeObject[] = [];
  for (const object of objects) {
    const { name = '', namespace } = object.metadata;
    try {
      await removeObject(context, resource, { ...request, ...(namespace ? { namespace } : {}) }, name, options);
      items.push(object);
    } catch (error) {
      if ((error as { reason?: string }).reason !== 'NotFound') throw error;
    }
  }
  return { code: 200, object: { kind: `${resource.facts.kind}List`, apiVersion: resource.apiVersion, metadata: { resourceVersion: String(revision) }, items } };
}

/** From the body, or from the query where there is none. */
function deleteOptions(request: ApiRequest): DeleteOptions {
  let options: DeleteOptions = {};
  const { value } = request.body === undefined || (request.body instanceof Uint8Array && request.body.length === 0) ? { value: undefined } : parseBody(request);
  if (value !== undefined && value !== null) {
    try {
      options = decode(DELETE_OPTIONS, value).object as DeleteOptions;
    } catch (error) {
      if (error instanceof DecodeError) throw badRequest(`DeleteOptions in version "v1" cannot be handled as a DeleteOptions: ${error.message}`);
      throw error;
    }
  } else {
    const { gracePeriodSeconds, propagationPolicy, orphanDependents, dryRun } = request.query;
    if (gracePeriodSeconds !== undefined) options.gracePeriodSeconds = Number(gracePeriodSeconds);
    if (propagationPolicy !== undefined) options.propagationPolicy = propagationPolicy;
    if (orphanDependents !== undefined) options.orphanDependents = orphanDependents === 'true';
    if (dryRun !== undefined) options.dryRun = [dryRun];
  }
  const { propagationPolicy, orphanDependents, dryRun } = options;
  refuseOptions('DeleteOptions', [
    ...(propagationPolicy !== undefined && orphanDependents !== undefined
      ? [invalidField('propagationPolicy', propagationPolicy, 'orphanDependents and deletionPropagation cannot be both set')]
      : []),
    ...(propagationPolicy !== undefined && !['Foreground', 'Background', 'Orphan'].includes(propagationPolicy)
      ? [notSupported('propagationPolicy', propagationPolicy, ['Foreground', 'Background', 'Orphan', 'nil'])]
      : []),
    ...(dryRun?.some((value) => value !== 'All') ? [notSupported('dryRun', dryRun, ['All'])] : []),
  ]);
  return options;
}

/** Removes one object, or marks it for removal where a finalizer or a grace period holds it (registry.Store.Delete). */
export async function removeObject(
  context: ApiContext,
  resource: ServedResource,
  request: ApiRequest,
  name: string,
  options: DeleteOptions,
): Promise<ApiResponse> {
  const namespace = request.namespace ?? '';
  const dryRun = options.dryRun?.includes('All') ?? false;
  for (;;) {
    const current = await read(context, resource, namespace, name);
    if (!current) throw notFound(resource.facts, name);
    const { object, revision } = current;
    checkPreconditions(resource, name, object, options);
    await context.admission.validate({ operation: 'DELETE', resource, subresource: '', namespace, name, old: object, user: request.user, dryRun }, context);
    const marked = mark(context, resource, object, options);
    const key = storageKey(resource, namespace, name);
    if (marked) {
      if (marked === object || dryRun) return { code: 200, object: marked };
      const value = context.codec.stored(toStorage(resource, marked));
      const result = await context.store.put(key, value, revision);
      if (result.ok) return { code: 200, object: context.codec.object({ value, revision: result.revision }) };
    } else {
      if (dryRun || (await context.store.delete(key, revision)).ok)
        return { code: 200, object: RETURN_DELETED.has(resource.facts.resource) ? removed(context, resource, object) : gone(resource, object) };
    }
    if (options.preconditions?.resourceVersion)
      throw conflict(resource.facts, name, 'the object has been modified; please apply your changes to the latest version and try again');
  }
}

function checkPreconditions(resource: ServedResource, name: string, { metadata }: KubeObject, { preconditions }: DeleteOptions): void {
  if (preconditions?.uid !== undefined && preconditions.uid !== metadata.uid)
    throw conflict(resource.facts, name, `Precondition failed: UID in precondition: ${preconditions.uid}, UID in object meta: ${metadata.uid}`);
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== metadata.resourceVersion) {
    throw conflict(
      resource.facts,
      name,
      `Precondition failed: ResourceVersion in precondition: ${preconditions.resourceVersion}, ResourceVersion in object meta: ${metadata.resourceVersion}`,
    );
  }
}

/** The object as it lives on for a while; the same object if it already does; undefined if it can go at once. */
function mark(context: ApiContext, resource: ServedResource, object: KubeObject, options: DeleteOptions): KubeObject | undefined {
  const { metadata } = object;
  const finalizers = finalizersFor(resource, metadata.finalizers ?? [], options);
  const grace = resource.behaviour.deletionGracePeriodSeconds?.(object, options.gracePeriodSeconds) ?? 0;
  const held =
    finalizers.length > 0 ||
    grace > 0 ||
    (object.kind === 'Namespace' && ((object as KubeObject & { spec?: { finalizers?: string[] } }).spec?.finalizers?.length ?? 0) > 0);
  if (!held) return undefined;
  const sameFinalizers = finalizers.join() === (metadata.finalizers ?? []).join();
  if (metadata.deletionTimestamp) {
    const shortened = options.gracePeriodSeconds !== undefined && grace < (metadata.deletionGracePeriodSeconds ?? 0);
    if (sameFinalizers && !shortened) return object;
    const { finalizers: _, ...rest } = metadata;
    const began = Date.parse(metadata.deletionTimestamp) - (metadata.deletionGracePeriodSeconds ?? 0) * 1000;
    return {
      ...object,
      metadata: {
        ...rest,
        ...(shortened ? { deletionGracePeriodSeconds: grace, deletionTimestamp: timestamp(began + grace * 1000) } : {}),
        ...(finalizers.length ? { finalizers } : {}),
      },
    };
  }
  const { finalizers: _, ...rest } = metadata;
  const marked: KubeObject = {
    ...object,
    metadata: {
      ...rest,
      deletionTimestamp: timestamp(context.clock.now() + grace * 1000),
      deletionGracePeriodSeconds: grace,
      ...(resource.hasGeneration && metadata.generation ? { generation: metadata.generation + 1 } : {}),
      ...(finalizers.length ? { finalizers } : {}),
    },
  };
  if (object.kind !== 'Namespace') return marked;
  const { deletionGracePeriodSeconds: _grace, ...namespaceMeta } = marked.metadata;
  return { ...marked, metadata: namespaceMeta, status: { ...(object as KubeObject & { status?: object }).status, phase: 'Terminating' } } as KubeObject;
}

/** The garbage collector's finalizers that the client's wish comes to (registry.deletionFinalizersForGarbageCollection). */
function finalizersFor(resource: ServedResource, current: readonly string[], { propagationPolicy, orphanDependents }: DeleteOptions): string[] {
  const others = current.filter((f) => f !== ORPHAN && f !== FOREGROUND);
  if (propagationPolicy === 'Orphan' || orphanDependents === true) return [...others, ORPHAN];
  if (propagationPolicy === 'Foreground') return [...others, FOREGROUND];
  if (propagationPolicy === 'Background' || orphanDependents === false) return others;
  if (current.includes(ORPHAN) || current.includes(FOREGROUND)) return [...current];
  return resource.behaviour.defaultDeletionPropagation === 'orphan' ? [...others, ORPHAN] : others;
}

/** The object as its deletion answers with it: one that has a grace period shows that it had none left. */
function removed(context: ApiContext, resource: ServedResource, object: KubeObject): KubeObject {
  if (!resource.behaviour.deletionGracePeriodSeconds) return object;
  const { metadata } = object;
  return {
    ...object,
    metadata: { ...metadata, deletionTimestamp: metadata.deletionTimestamp ?? timestamp(context.clock.now()), deletionGracePeriodSeconds: 0 },
  };
}

function gone(resource: ServedResource, { metadata }: KubeObject): KubeObject {
  const { group, resource: kind } = resource.facts;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: metadata.name, ...(group ? { group } : {}), kind, uid: metadata.uid },
  } as KubeObject;
}
