import type { KubeObject } from '../api/object.ts';
import type { Clock } from '../lib/clock.ts';
import type { Rng } from '../lib/rng.ts';
import type { Store } from '../store/store.ts';
import type { AdmissionChain } from './admission/admission.ts';
import type { Authorizer } from './authorization.ts';
import type { NodeConnections } from './node-connection.ts';
import { type Registry, type ServedResource, storageKey, toServed } from './registry.ts';
import type { ObjectCodec } from './stored-object.ts';

/** What every verb needs. */
export interface ApiContext {
  store: Store;
  clock: Clock;
  rng: Rng;
  registry: Registry;
  codec: ObjectCodec;
  admission: AdmissionChain;
  authorizer: Authorizer;
  nodes: NodeConnections;
  /** Freezes what is handed to readers; on in tests, to catch a reader that writes. */
  freeze: <T>(value: T) => T;
}

/** One object as it stands, in the version served. */
export async function read(
  context: ApiContext,
  resource: ServedResource,
  namespace: string,
  name: string,
): Promise<{ object: KubeObject; revision: number } | undefined> {
  const item = await context.store.get(storageKey(resource, namespace, name));
  return item && { object: context.freeze(toServed(resource, context.codec.object(item))), revision: item.revision };
}

/** All objects of a resource in one namespace, or everywhere; for the server's own use. */
export async function readAll(context: ApiContext, resource: ServedResource, namespace = ''): Promise<KubeObject[]> {
  const { items } = await context.store.list(namespace && resource.namespaced ? `${resource.prefix}${namespace}/` : resource.prefix);
  return items.map((item) => toServed(resource, context.codec.object(item)));
}
