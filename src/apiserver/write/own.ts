import { deepEqual } from '../../api/equality.ts';
import type { ManagedFieldsEntry } from '../../api/generated/types/meta.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import { timestamp } from '../../lib/clock.ts';
import { changedByUpdate } from '../apply/managed-fields.ts';
import type { Write } from './write.ts';

/**
 * Who owns which of the object's fields: what the client changed belongs to its writer now. What admission and the kind
 * change later belongs to nobody, as upstream has it.
 */
export function own(write: Write, nowMs: number): Write {
  const { old } = write;
  const entries = write.managedFields ?? changedByUpdate(write, timestamp(nowMs));
  const { managedFields: _, ...metadata } = write.object.metadata;
  // A change of nothing but times of ownership is none.
  const before = old?.metadata.managedFields;
  const managedFields = entries?.length && before && sameButTimes(entries, before) ? before : entries;
  return { ...write, object: { ...write.object, metadata: { ...metadata, ...(managedFields?.length ? { managedFields } : {}) } } };
}

/** The generation counts changes of everything but metadata and status. */
export function countGeneration(write: Write): Write {
  const { resource, subresource, object, old } = write;
  if (!resource.hasGeneration || !old) return write;
  const { generationCounts: part } = resource.behaviour;
  const metadataCounts = part && !subresource && !deepEqual(object.metadata[part], old.metadata[part]);
  if (!metadataCounts && deepEqual(essence(object), essence(old))) return write;
  return { ...write, object: { ...object, metadata: { ...object.metadata, generation: (old.metadata.generation ?? 0) + 1 } } };
}

function essence({ metadata: _m, status: _s, apiVersion: _a, kind: _k, ...rest }: KubeObject & { status?: unknown }): unknown {
  return rest;
}

function sameButTimes(a: readonly ManagedFieldsEntry[], b: readonly ManagedFieldsEntry[]): boolean {
  const timeless = (entries: readonly ManagedFieldsEntry[]): unknown => entries.map(({ time: _, ...rest }) => rest);
  return deepEqual(timeless(a), timeless(b));
}
