import type { OwnerReference } from '../../api/generated/types/meta.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import { type Action, andThen, deletionOf, inParallel, NOTHING_TO_DO, type Plan, target } from '../runtime/plan.ts';
import type { Item } from './owner-graph.ts';

export const ORPHAN = 'orphan';
export const FOREGROUND = 'foregroundDeletion';

/** What a reference turns out to point at. */
export interface Owner {
  reference: OwnerReference;
  /** Absent only where the API server itself has said so. `waiting`: goes when its dependents have gone. */
  state: 'present' | 'waiting' | 'absent';
}

export interface GarbageSnapshot {
  /** As the API server has it now. */
  item: Item;
  owners: readonly Owner[];
  dependents: readonly Item[];
}

export function isWaitingForDependents({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(FOREGROUND);
}

export function isOrphaningDependents({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).includes(ORPHAN);
}

/** Upstream: pkg/controller/garbagecollector (attemptToDeleteItem, processDeletingDependentsItem, attemptToOrphanWorker). */
export function planGarbage(snapshot: GarbageSnapshot): Plan {
  const { item, dependents } = snapshot;
  const { object } = item;
  if (isOrphaningDependents(object)) {
    const releases = dependents.map((dependent) => dropOwners(dependent, [object.metadata.uid!]));
    return andThen(inParallel(releases), () => ({ actions: [removeFinalizer(item, ORPHAN)] }));
  }
  if (isWaitingForDependents(object)) {
    const blocked = dependents.some((dependent) => blocks(dependent.object, object));
    return blocked ? NOTHING_TO_DO : { actions: [removeFinalizer(item, FOREGROUND)] };
  }
  return object.metadata.deletionTimestamp === undefined ? planOwned(snapshot) : NOTHING_TO_DO;
}

/** One solid owner keeps an object; without any it goes, in the foreground if an owner waits for it and it has dependents. */
function planOwned({ item, owners, dependents }: GarbageSnapshot): Plan {
  if (owners.length === 0) return NOTHING_TO_DO;
  const weak = owners.filter(({ state }) => state !== 'present');
  if (weak.length < owners.length) {
    return weak.length === 0
      ? NOTHING_TO_DO
      : {
          actions: [
            dropOwners(
              item,
              weak.map(({ reference }) => reference.uid),
            ),
          ],
        };
  }
  const waiting = owners.some(({ state }) => state === 'waiting');
  if (!waiting || dependents.length === 0) return { actions: [deletion(item, policyOf(item.object))] };
  // Dependents that wait in their turn may close a circle: no reference of this object blocks any more.
  const circle = dependents.some((dependent) => isWaitingForDependents(dependent.object)) ? [unblock(item)] : [];
  return andThen(circle, ([outcome]) => ({ actions: [deletion(outcome?.object ? { ...item, object: outcome.object } : item, 'Foreground')] }));
}

function blocks({ metadata }: KubeObject, owner: KubeObject): boolean {
  return (metadata.ownerReferences ?? []).some(({ uid, blockOwnerDeletion }) => uid === owner.metadata.uid && blockOwnerDeletion === true);
}

function policyOf({ metadata }: KubeObject): 'Orphan' | 'Foreground' | 'Background' {
  const finalizers = metadata.finalizers ?? [];
  return finalizers.includes(ORPHAN) ? 'Orphan' : finalizers.includes(FOREGROUND) ? 'Foreground' : 'Background';
}

/** Only this very object, and only as it was when the decision was made: its owners may have changed since. */
function deletion({ resource, object }: Item, propagationPolicy: 'Orphan' | 'Foreground' | 'Background'): Action {
  return { ...deletionOf(resource, object), resourceVersion: object.metadata.resourceVersion ?? '', propagationPolicy };
}

function dropOwners({ resource, object }: Item, uids: readonly string[]): Action {
  const body = { metadata: { uid: object.metadata.uid, ownerReferences: uids.map((uid) => ({ $patch: 'delete', uid })) } };
  return { ...target(resource, object), type: 'patch', body, patchType: 'application/strategic-merge-patch+json', ignore: ['NotFound'] };
}

function unblock({ resource, object }: Item): Action {
  const { uid, resourceVersion, ownerReferences = [] } = object.metadata;
  const unblocked = ownerReferences.map((reference) => ({ ...reference, blockOwnerDeletion: false }));
  return {
    ...target(resource, object),
    type: 'patch',
    body: { metadata: { uid, resourceVersion, ownerReferences: unblocked } },
    patchType: 'application/merge-patch+json',
  };
}

function removeFinalizer({ resource, object }: Item, finalizer: string): Action {
  const { resourceVersion, finalizers = [] } = object.metadata;
  const body = { metadata: { resourceVersion, finalizers: finalizers.filter((one) => one !== finalizer) } };
  return { ...target(resource, object), type: 'patch', body, patchType: 'application/merge-patch+json', ignore: ['NotFound'] };
}
