import type { ListMeta, ObjectMeta } from './generated/types/meta.v1.ts';

export type { ListMeta, ObjectMeta };

/** Anything with a kind and metadata. Objects are immutable once they have been decoded: copy, never mutate. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
}

export interface KubeList<T extends KubeObject = KubeObject> {
  apiVersion: string;
  kind: string;
  metadata: ListMeta;
  items: T[];
}

/** What a client may hand in where the server would return T: every part may be left out. */
export type Draft<T> = T extends readonly (infer E)[] ? Draft<E>[] : T extends object ? { [K in keyof T]?: Draft<T[K]> | undefined } : T;

/** A resource as it stands in a URL, with the type of its objects. Tables of them: `resources.ts`. */
export interface Resource<T extends KubeObject = KubeObject> {
  group: string;
  version: string;
  /** Plural, lower case. */
  resource: string;
  kind: string;
  namespaced: boolean;
  /** Only for the type checker. */
  readonly _type?: T;
}

/** `apps/v1`, or `v1` for the core group. */
export function apiVersionOf({ group, version }: { group: string; version: string }): string {
  return group === '' ? version : `${group}/${version}`;
}

/** `deployments.apps`, or `pods` for the core group: how messages name a resource. */
export function qualifiedResource({ group, resource }: { group: string; resource: string }): string {
  return group === '' ? resource : `${resource}.${group}`;
}

/** `namespace/name`, or `name` where there is no namespace: the key of work queues and caches. */
export function keyOf(object: { metadata: ObjectMeta }): string {
  return object.metadata.namespace ? `${object.metadata.namespace}/${object.metadata.name}` : object.metadata.name!;
}

export function splitKey(key: string): { namespace: string; name: string } {
  const slash = key.indexOf('/');
  return { namespace: slash < 0 ? '' : key.slice(0, slash), name: key.slice(slash + 1) };
}
