import type { DeleteOptions } from '../../api/generated/types/meta.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import { conflict } from '../../api/status.ts';
import { timestamp } from '../../lib/clock.ts';
import { secondsToMs } from '../../lib/duration.ts';
import type { ServedResource } from '../served-resource.ts';

const ORPHAN = 'orphan';
const FOREGROUND = 'foregroundDeletion';

/** Holds what the client insists on against the stored object, in the words of rest.BeforeDelete. @throws StatusError Conflict */
export function checkDeletePreconditions({ facts }: ServedResource, name: string, { metadata }: KubeObject, { preconditions }: DeleteOptions): void {
  const refuse = (what: string, wanted: string, stored: string | undefined, happened: string): Error => {
    const difference = `the ${what} in the precondition (${wanted}) does not match the ${what} in record (${stored})`;
    return conflict({ group: facts.group, resource: facts.kind }, name, `${difference}. The object might have been ${happened}`);
  };
  if (preconditions?.uid !== undefined && preconditions.uid !== metadata.uid)
    throw refuse('UID', preconditions.uid, metadata.uid, 'deleted and then recreated');
  if (preconditions?.resourceVersion !== undefined && preconditions.resourceVersion !== metadata.resourceVersion)
    throw refuse('ResourceVersion', preconditions.resourceVersion, metadata.resourceVersion, 'modified');
}

/** The object as it lives on for a while; the same object if it already does; undefined if it can go at once (rest.BeforeDelete). */
export function markForDeletion(resource: ServedResource, object: KubeObject, options: DeleteOptions, nowMs: number): KubeObject | undefined {
  const { behaviour } = resource;
  const finalizers = finalizersFor(resource, object.metadata.finalizers ?? [], options);
  const grace = behaviour.deletionGracePeriodSeconds?.(object, options.gracePeriodSeconds) ?? 0;
  if (finalizers.length === 0 && grace <= 0 && !behaviour.isHeld?.(object)) return undefined;
  if (object.metadata.deletionTimestamp) return markAgain(object, { finalizers, grace, requested: options.gracePeriodSeconds });
  const { finalizers: _, ...rest } = object.metadata;
  const marked: KubeObject = {
    ...object,
    metadata: {
      ...rest,
      deletionTimestamp: endOfGrace(nowMs, grace),
      deletionGracePeriodSeconds: grace,
      ...(resource.hasGeneration && rest.generation ? { generation: rest.generation + 1 } : {}),
      ...(finalizers.length ? { finalizers } : {}),
    },
  };
  return behaviour.markedForDeletion?.(marked) ?? marked;
}

/** The last moment that a timestamp can tell. */
const END_OF_TIME_MS = Date.UTC(9999, 11, 31, 23, 59, 59);

function endOfGrace(fromMs: number, graceSeconds: number): string {
  return timestamp(Math.min(fromMs + secondsToMs(graceSeconds), END_OF_TIME_MS));
}

/** A second delete may shorten the grace period and change what holds the object; nothing else. */
function markAgain(object: KubeObject, { finalizers, grace, requested }: { finalizers: string[]; grace: number; requested: number | undefined }): KubeObject {
  const { finalizers: before = [], ...rest } = object.metadata;
  const { deletionTimestamp = '', deletionGracePeriodSeconds: graceBefore = 0 } = rest;
  const isShorter = requested !== undefined && grace < graceBefore;
  if (finalizers.join() === before.join() && !isShorter) return object;
  const began = Date.parse(deletionTimestamp) - graceBefore * 1000;
  return {
    ...object,
    metadata: {
      ...rest,
      ...(isShorter ? { deletionGracePeriodSeconds: grace, deletionTimestamp: endOfGrace(began, grace) } : {}),
      ...(finalizers.length ? { finalizers } : {}),
    },
  };
}

/** The garbage collector's finalizers that the client's choice comes to (registry.deletionFinalizersForGarbageCollection). */
function finalizersFor(resource: ServedResource, current: readonly string[], { propagationPolicy, orphanDependents }: DeleteOptions): string[] {
  const others = current.filter((f) => f !== ORPHAN && f !== FOREGROUND);
  if (propagationPolicy === 'Orphan' || orphanDependents === true) return [...others, ORPHAN];
  if (propagationPolicy === 'Foreground') return [...others, FOREGROUND];
  if (propagationPolicy === 'Background' || orphanDependents === false) return others;
  if (current.includes(ORPHAN) || current.includes(FOREGROUND)) return [...current];
  return resource.behaviour.defaultDeletionPropagation === 'orphan' ? [...others, ORPHAN] : others;
}

/** How a removal is answered: with the object, where the kind does so, or with a Status that names it. */
export function removalAnswer({ behaviour, facts }: ServedResource, object: KubeObject, nowMs: number): KubeObject {
  const { metadata } = object;
  if (behaviour.returnsDeleted) {
    if (!behaviour.deletionGracePeriodSeconds) return object;
    // One that has a grace period shows that it had none left.
    return { ...object, metadata: { ...metadata, deletionTimestamp: metadata.deletionTimestamp ?? timestamp(nowMs), deletionGracePeriodSeconds: 0 } };
  }
  const { group, resource: kind } = facts;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name: metadata.name, ...(group ? { group } : {}), kind, uid: metadata.uid },
  } as KubeObject;
}
