import type { KubeObject } from '../../api/object.ts';
import { badRequest } from '../../api/status.ts';
import { timestamp } from '../../lib/clock.ts';
import type { Rng } from '../../lib/rng.ts';
import type { Part, Submitted, Write, WriteTarget } from './write.ts';

/** A new object in its place, with what the client left out filled in. */
export function defaultCreate(target: WriteTarget, { object, warnings = [], managedFields }: Submitted): Write {
  const { resource, namespace, name } = target;
  const { metadata } = object;
  if (!resource.namespaced) delete metadata.namespace;
  else {
    if (!namespace) throw badRequest('an empty namespace may not be set during creation');
    if (metadata.namespace && metadata.namespace !== namespace)
      throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
    metadata.namespace = namespace;
  }
  if (name && metadata.name === undefined) metadata.name = name;
  resource.behaviour.setDefaults?.(object);
  return {
    ...target,
    operation: 'CREATE',
    namespace: metadata.namespace ?? '',
    // A name is generated after admission; its refusals, and so the events, speak of its base.
    name: metadata.name || metadata.generateName || '',
    object,
    old: undefined,
    warnings,
    ...(managedFields ? { managedFields } : {}),
  };
}

/** What the system alone decides of a new object (apiserver/pkg/registry/rest.BeforeCreate). */
export function identify(write: Write, { rng, nowMs }: { rng: Rng; nowMs: number }): Write {
  const { resource } = write;
  const { deletionTimestamp: _d, deletionGracePeriodSeconds: _g, selfLink: _s, generation: _n, ...given } = write.object.metadata;
  const metadata = {
    ...given,
    uid: rng.uuid(),
    creationTimestamp: timestamp(nowMs),
    ...(resource.hasGeneration ? { generation: 1 } : {}),
  };
  if (resource.behaviour.namesItself) metadata.name ||= metadata.uid;
  const object = { ...write.object, metadata };
  resource.behaviour.prepareForCreate?.(object);
  return { ...write, object };
}

/**
 * What the client wants of a stored object, in full.
 *
 * @param part how the subresource takes part of what is submitted; without one, the object itself or its status is written.
 */
export function defaultUpdate(
  target: WriteTarget,
  old: KubeObject,
  { object: submitted, warnings = [], managedFields }: Submitted,
  part: Part | undefined,
): Write {
  const { subresource, resource } = target;
  const object = part ? part.merge(submitted, old) : subresource === 'status' ? withSpecOf(submitted, old) : submitted;
  // What comes through a subresource is made of parts of the stored object, which are complete, and shared.
  if (!subresource) resource.behaviour.setDefaults?.(object);
  return { ...target, operation: 'UPDATE', object, old, warnings, ...(managedFields ? { managedFields } : {}) };
}

/** What the client may not change this way is as it was (apiserver/pkg/registry/rest.BeforeUpdate). */
export function prepareUpdate(write: Write, old: KubeObject, part: Part | undefined): Write {
  const { resource, subresource } = write;
  const { behaviour } = resource;
  const isStatus = subresource === 'status' && !part;
  const { resourceVersion: _, ...metadata } = write.object.metadata;
  restore(metadata, old.metadata, ['generation', 'creationTimestamp', 'selfLink']);
  keep(metadata, old.metadata, ['uid', 'deletionGracePeriodSeconds']);
  if (old.metadata.deletionTimestamp) metadata.deletionTimestamp = old.metadata.deletionTimestamp;
  if (isStatus) restore(metadata, old.metadata, ['labels']);
  let object = { ...write.object, metadata };
  if (!subresource && resource.hasStatus) object = withStatusOf(object, old);
  if (isStatus) behaviour.prepareForStatusUpdate?.(object, old);
  if (!subresource) behaviour.prepareForUpdate?.(object, old);
  return { ...write, object };
}

function withSpecOf(submitted: KubeObject, old: KubeObject): KubeObject {
  return 'spec' in old ? ({ ...submitted, spec: old.spec } as KubeObject) : submitted;
}

function withStatusOf(submitted: KubeObject, old: KubeObject): KubeObject {
  const { status: _, ...rest } = submitted as KubeObject & { status?: unknown };
  return { ...rest, ...('status' in old ? { status: old.status } : {}) };
}

function restore<T extends object>(target: T, source: T, names: readonly (keyof T)[]): void {
  for (const name of names) {
    if (source[name] === undefined) delete target[name];
    else target[name] = source[name];
  }
}

/** Fills in what was left out. */
function keep<T extends object>(target: T, source: T, names: readonly (keyof T)[]): void {
  for (const name of names) if (target[name] === undefined && source[name] !== undefined) target[name] = source[name];
}
