import type { OwnerReference } from '../../api/generated/types/meta.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import { type Action, andThen, NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';
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

function inParallel(actions: Action[]): Action[] {
  return actions.length > 0 ? [{ type: 'batch', slowStart: false, actions }] : [];
}

function target({ resource, object: { metadata } }: Item): Pick<Extract<Action, { type: 'patch' }>, 'resource' | 'namespace' | 'name'> {
  return { resource, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

/** Only this very object, and only as it was when the decision was made: its owners may have changed since. */
function deletion(item: Item, propagationPolicy: 'Orphan' | 'Foreground' | 'Background'): Action {
  const { uid = '', resourceVersion = '' } = item.object.metadata;
  return { ...target(item), type: 'delete', uid, resourceVersion, propagationPolicy };
}

function dropOwners(item: Item, uids: readonly string[]): Action {
  const body = { metadata: { uid: item.object.metadata.uid, ownerReferences: uids.map((uid) => ({ $patch: 'delete', uid })) } };
  return { ...target(item), type: 'patch', body, patchType: 'application/strategic-merge-patch+json', ignore: ['NotFound'] };
}

function unblock(item: Item): Action {
  const { uid, resourceVersion, ownerReferences = [] } = item.object.metadata;
  const unblocked = ownerReferences.map((reference) => ({ ...reference, blockOwnerDeletion: false }));
  return {
    ...target(item),
    type: 'patch',
    body: { metadata: { uid, resourceVersion, ownerReferences: unblocked } },
    patchType: 'application/merge-patch+json',
  };
}

function removeFinalizer(item: Item, finalizer: string): Action {
  const { resourceVersion, finalizers = [] } = item.object.metadata;
  const body = { metadata: { resourceVersion, finalizers: finalizers.filter((one) => one !== finalizer) } };
  return { ...target(item), type: 'patch', body, patchType: 'application/merge-patch+json', ignore: ['NotFound'] };
}
