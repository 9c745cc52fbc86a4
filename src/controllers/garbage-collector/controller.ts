import type { OwnerReference } from '../../api/generated/types/meta.v1.ts';
import type { KubeObject, Resource } from '../../api/object.ts';
import { hasReason } from '../../api/status.ts';
import type { Client } from '../../client/client.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { type Change, type Controller, watchRule } from '../runtime/controller.ts';
import { type ServedResources, selectResources } from '../runtime/served-resources.ts';
import { OwnerGraph } from './owner-graph.ts';
import { type GarbageSnapshot, isOrphaningDependents, isWaitingForDependents, type Owner, planGarbage } from './plan.ts';

/**
 * Deletes what has lost its owners, lets go of what is to outlive them, and holds owners that wait for their dependents.
 * The caches only say what to look at: an owner counts as gone when the API server has no object of that name and uid.
 * Events are left out: they go by age.
 */
export function garbageCollector(informers: InformerFactory, client: Client, resources: ServedResources): Controller<GarbageSnapshot> {
  const collected = selectResources(resources, ({ resource }) => resource !== 'events');
  const graph = new OwnerGraph(informers, collected);
  return {
    name: 'garbage-collector-controller',
    watches: [],
    watchesAll: { resources: collected, rule: (resource) => watchRule(resource, (change) => keys(change, resource, graph)) },
    observe: async (key) => {
      const cached = graph.get(key);
      if (!cached) return undefined;
      const { resource } = cached;
      const object = await live(client, resource, cached.object);
      if (!object) return undefined;
      const owners = object.metadata.deletionTimestamp === undefined ? await ownersOf(object, resource, { client, graph }) : [];
      return { item: { resource, object }, owners, dependents: graph.dependentsOf(object.metadata.uid!) };
    },
    plan: planGarbage,
  };
}

/** What a change may have made garbage, or may let go. */
function keys({ type, object, old }: Change, resource: Resource, graph: OwnerGraph): string[] {
  const found = new Set<string>();
  const add = (item: { resource: Resource; object: KubeObject }): void => void found.add(graph.keyOf(item));
  if (type === 'deleted') graph.dependentsOf(object.metadata.uid!).forEach(add);
  else {
    const [isNow, was] = [isWaitingForDependents(object), old !== undefined && isWaitingForDependents(old)];
    if (isNow || isOrphaningDependents(object)) add({ resource, object });
    if (isNow && !was) graph.dependentsOf(object.metadata.uid!).forEach(add);
    if (mayBeGarbage(object, graph)) add({ resource, object });
  }
  // Owners that wait are to be looked at when a dependent has gone, or blocks no more.
  for (const before of [object, old]) {
    if (before === undefined || (type !== 'deleted' && sameReferences(object, old))) continue;
    for (const reference of before.metadata.ownerReferences ?? []) {
      const owner = graph.ownerOf(reference, before);
      if (owner && isWaitingForDependents(owner.object)) add(owner);
    }
  }
  return [...found];
}

function mayBeGarbage(object: KubeObject, graph: OwnerGraph): boolean {
  if (object.metadata.deletionTimestamp !== undefined) return false;
  return (object.metadata.ownerReferences ?? []).some((reference) => {
    const owner = graph.ownerOf(reference, object);
    return !owner || isWaitingForDependents(owner.object);
  });
}

function sameReferences(object: KubeObject, old: KubeObject | undefined): boolean {
  return JSON.stringify(object.metadata.ownerReferences) === JSON.stringify(old?.metadata.ownerReferences);
}

async function live(client: Client, resource: Resource, { metadata }: KubeObject): Promise<KubeObject | undefined> {
  const object = await find(client, resource, metadata.namespace ?? '', metadata.name!);
  return object?.metadata.uid === metadata.uid ? object : undefined;
}

async function find(client: Client, resource: Resource, namespace: string, name: string): Promise<KubeObject | undefined> {
  try {
    return await client.resource(resource).get(namespace, name);
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function ownersOf(object: KubeObject, resource: Resource, sources: { client: Client; graph: OwnerGraph }): Promise<Owner[]> {
  const owners: Owner[] = [];
  for (const reference of object.metadata.ownerReferences ?? []) owners.push({ reference, state: await stateOf(reference, { object, resource }, sources) });
  return owners;
}

async function stateOf(
  reference: OwnerReference,
  { object, resource }: { object: KubeObject; resource: Resource },
  { client, graph }: { client: Client; graph: OwnerGraph },
): Promise<Owner['state']> {
  const cached = graph.ownerOf(reference, object);
  if (cached) return isWaitingForDependents(cached.object) ? 'waiting' : 'present';
  const ownerResource = graph.resourceOf(reference);
  // What nobody serves here may be served later; and a cluster-scoped object cannot have a namespaced owner.
  if (!ownerResource || (ownerResource.namespaced && !resource.namespaced)) return 'present';
  const owner = await find(client, ownerResource, ownerResource.namespaced ? (object.metadata.namespace ?? '') : '', reference.name);
  if (owner?.metadata.uid !== reference.uid) return 'absent';
  return isWaitingForDependents(owner) ? 'waiting' : 'present';
}
