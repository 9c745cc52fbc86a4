import { deepEqual } from '../../api/equality.ts';
import type { ManagedFieldsEntry } from '../../api/generated/types/meta.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import { timestamp } from '../../lib/clock.ts';
import { changedByUpdate } from '../apply/managed-fields.ts';
import type { Write } from './write.ts';

/** Settles the generation of a changed object and who owns which of its fields: what changed belongs to its writer now. */
export function own(write: Write, nowMs: number): Write {
  const counted = withGeneration(write);
  const { old } = counted;
  const entries = counted.managedFields ?? changedByUpdate(counted, timestamp(nowMs));
  const { managedFields: _, ...metadata } = counted.object.metadata;
  // A change of nothing but times of ownership is none.
  const before = old?.metadata.managedFields;
  const managedFields = entries?.length && before && sameButTimes(entries, before) ? before : entries;
  return { ...counted, object: { ...counted.object, metadata: { ...metadata, ...(managedFields?.length ? { managedFields } : {}) } } };
}

/** The generation counts changes of everything but metadata and status. */
function withGeneration(write: Write): Write {
  const { resource, subresource, object, old } = write;
  if (!resource.hasGeneration || !old) return write;
  const annotationsCount = resource.behaviour.generationCountsAnnotations && !subresource && !deepEqual(object.metadata.annotations, old.metadata.annotations);
  if (!annotationsCount && deepEqual(essence(object), essence(old))) return write;
  return { ...write, object: { ...object, metadata: { ...object.metadata, generation: (old.metadata.generation ?? 0) + 1 } } };
}

function essence({ metadata: _m, status: _s, apiVersion: _a, kind: _k, ...rest }: KubeObject & { status?: unknown }): unknown {
  return rest;
}

function sameButTimes(a: readonly ManagedFieldsEntry[], b: readonly ManagedFieldsEntry[]): boolean {
  const timeless = (entries: readonly ManagedFieldsEntry[]): unknown => entries.map(({ time: _, ...rest }) => rest);
  return deepEqual(timeless(a), timeless(b));
}
