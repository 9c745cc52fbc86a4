import { deepEqual } from '../../api/equality.ts';
import type { KubeObject } from '../../api/object.ts';
import { alreadyExists, StatusError } from '../../api/status.ts';
import type { ServedResource } from '../served-resource.ts';
import type { Storage } from '../storage/storage.ts';
import type { Write } from './write.ts';

/** Keeps a new object. @throws StatusError AlreadyExists */
export async function storeNew(storage: Storage, { resource, object, options }: Write): Promise<KubeObject> {
  const { namespace = '', name = '' } = object.metadata;
  if (options.dryRun) {
    const taken = await storage.get(resource, { namespace, name });
    if (taken) throw nameTaken(resource, name, taken.object);
    return object;
  }
  const outcome = await storage.put(resource, object, 0);
  if (!outcome.ok) throw nameTaken(resource, name, outcome.current);
  return outcome.object;
}

function nameTaken(resource: ServedResource, name: string, current: KubeObject | undefined): StatusError {
  const error = alreadyExists(resource.facts, name);
  if (!current?.metadata.deletionTimestamp) return error;
  return new StatusError(409, 'AlreadyExists', `object is being deleted: ${error.message}`, error.status.details);
}

/**
 * Keeps a changed object; one that waited for nothing but this change goes. A change that changes nothing writes nothing.
 *
 * @returns undefined when another writer was faster.
 */
export async function storeChanged(storage: Storage, { resource, object, old, options }: Write, revision: number): Promise<KubeObject | undefined> {
  const { resourceVersion } = old!.metadata;
  const unchanged: KubeObject = { ...object, metadata: { ...object.metadata, resourceVersion: resourceVersion! } };
  if (deepEqual(unchanged, old)) return old;
  if (options.dryRun) return unchanged;
  if (isReadyToGo(resource, object)) {
    const { namespace = '', name = '' } = object.metadata;
    const removedAt = await storage.delete(resource, { namespace, name }, revision);
    return removedAt === undefined ? undefined : { ...object, metadata: { ...object.metadata, resourceVersion: String(removedAt) } };
  }
  const outcome = await storage.put(resource, object, revision);
  return outcome.ok ? outcome.object : undefined;
}

/** An object that waits for its removal goes when nothing holds it any more: no finalizer, no grace period. */
export function isReadyToGo({ behaviour }: ServedResource, object: KubeObject): boolean {
  const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = object.metadata;
  return !!deletionTimestamp && !deletionGracePeriodSeconds && !finalizers?.length && !behaviour.isHeld?.(object);
}
