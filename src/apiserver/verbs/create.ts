import { deepCopy } from '../../api/equality.ts';
import { validateObjectMeta } from '../../api/meta/validation.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest, ApiResponse } from '../../api/request.ts';
import { alreadyExists, badRequest, invalid, StatusError } from '../../api/status.ts';
import { timestamp } from '../../lib/clock.ts';
import type { AdmissionAttributes } from '../admission/admission.ts';
import { stampManager } from '../apply/managed-fields.ts';
import type { ApiContext } from '../context.ts';
import { decodeBody, type WriteOptions, writeOptions } from '../operation.ts';
import { type ServedResource, storageKey, toServed, toStorage } from '../registry.ts';

/** Names that are generated anew when one is taken, before the client is told. */
const NAME_ATTEMPTS = 8;
/** The longest base of a generated name; five random characters follow (apiserver/pkg/storage/names). */
const MAX_GENERATED_BASE = 58;

export async function create(context: ApiContext, resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const options = writeOptions('CreateOptions', request);
  const warnings: string[] = [];
  const decoded = decodeBody(request, { ...resource, kind: resource.facts.kind }, options.fieldValidation, warnings);
  return createObject(context, resource, request, decoded, options, warnings);
}

/** The part of a create after decoding, which a server-side apply or an update of a missing object shares. */
export async function createObject(
  context: ApiContext,
  resource: ServedResource,
  request: ApiRequest,
  decoded: KubeObject,
  options: WriteOptions,
  warnings: string[],
  managed?: KubeObject['metadata']['managedFields'],
): Promise<ApiResponse> {
  const { metadata } = decoded;
  placeInNamespace(resource, request, decoded);
  if (request.name !== undefined && metadata.name === undefined) metadata.name = request.name;
  resource.behaviour.setDefaults?.(decoded);
  const attributes = {
    operation: 'CREATE' as const,
    resource,
    subresource: '',
    namespace: metadata.namespace ?? '',
    // A name is generated after the mutating plugins; their refusals, and so the events, speak of its base.
    name: metadata.name || metadata.generateName || '',
    object: decoded,
    user: request.user,
    dryRun: options.dryRun,
  };
  await context.admission.admit(attributes, context);
  if (metadata.resourceVersion) throw badRequest('resourceVersion should not be set on objects to be created');
  for (let attempt = 1; ; attempt++) {
    const generated = !metadata.name && metadata.generateName;
    const object = generated ? deepCopy(decoded) : decoded;
    if (generated) object.metadata.name = generated.slice(0, MAX_GENERATED_BASE) + context.rng.suffix(5);
    try {
      return await createNamed(context, { ...attributes, object, name: object.metadata.name ?? '' }, options, warnings, managed);
    } catch (error) {
      if (!generated || !(error instanceof StatusError) || error.reason !== 'AlreadyExists' || attempt === NAME_ATTEMPTS) throw error;
    }
  }
}

function placeInNamespace(resource: ServedResource, request: ApiRequest, object: KubeObject): void {
  const { metadata } = object;
  if (!resource.namespaced) {
    if (metadata.namespace) throw badRequest('namespace may not be set on cluster-scoped resources');
    return;
  }
  if (!request.namespace) throw badRequest('an empty namespace may not be set during creation');
  if (metadata.namespace && metadata.namespace !== request.namespace)
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  metadata.namespace = request.namespace;
}

async function createNamed(
  context: ApiContext,
  attributes: AdmissionAttributes & { object: KubeObject },
  options: WriteOptions,
  warnings: string[],
  managed?: KubeObject['metadata']['managedFields'],
): Promise<ApiResponse> {
  const { resource, object, name } = attributes;
  const { behaviour } = resource;
  prepareForCreate(context, resource, object);
  stampManager(context, resource, { object, options, ...(managed ? { managed } : {}) });
  const errors = [
    ...validateObjectMeta(object.metadata, { namespaced: resource.namespaced, ...(behaviour.validateName ? { validateName: behaviour.validateName } : {}) }),
    ...(behaviour.validate?.(object) ?? []),
  ];
  if (errors.length) throw invalid(resource.facts, name, errors);
  warnings.push(...(behaviour.warnings?.(object, undefined) ?? []));
  const undo = await context.admission.validate(attributes, context);
  try {
    return { code: 201, object: await store(context, resource, object, options), warnings };
  } catch (error) {
    await undo();
    throw error;
  }
}

/** What the system alone decides of a new object (apiserver/pkg/registry/rest.BeforeCreate). */
function prepareForCreate(context: ApiContext, resource: ServedResource, object: KubeObject): void {
  const { metadata } = object;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
  metadata.uid = context.rng.uuid();
  metadata.creationTimestamp = timestamp(context.clock.now());
  if (resource.hasGeneration) metadata.generation = 1;
  else delete metadata.generation;
  resource.behaviour.prepareForCreate?.(object);
}

async function store(context: ApiContext, resource: ServedResource, object: KubeObject, options: WriteOptions): Promise<KubeObject> {
  const { namespace = '', name = '' } = object.metadata;
  const key = storageKey(resource, namespace, name);
  if (options.dryRun) {
    const taken = await context.store.get(key);
    if (taken) throw nameTaken(resource, name, context.codec.object(taken));
    return object;
  }
  const value = context.codec.stored(toStorage(resource, object));
  const result = await context.store.put(key, value, 0);
  if (!result.ok) throw nameTaken(resource, name, result.current && context.codec.object(result.current));
  return context.freeze(toServed(resource, context.codec.object({ value, revision: result.revision })));
}

function nameTaken(resource: ServedResource, name: string, current: KubeObject | undefined): StatusError {
  const error = alreadyExists(resource.facts, name);
  if (!current?.metadata.deletionTimestamp) return error;
  return new StatusError(409, 'AlreadyExists', `object is being deleted: ${error.message}`, error.status.details);
}
