import type { Struct, Types } from '../api/type.ts';
import { assert } from '../lib/assert.ts';
import type { ServedResource } from './served-resource.ts';

export interface GroupVersionResource {
  group: string;
  version: string;
  resource: string;
}

const DELETE_OPTIONS = 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions';

/** All that one server serves. Resources come and go while it runs; whoever derives something from them listens. */
export class Registry {
  /** The types of the built-in kinds and their parts, by id. */
  readonly types: Types;
  readonly #resources = new Map<string, ServedResource>();
  readonly #listeners = new Set<() => void>();

  constructor(types: Types) {
    this.types = types;
  }

  /** Serves a resource, in the place of one of the same name. */
  add(resource: ServedResource): void {
    this.#resources.set(id(resource.facts), resource);
    this.#tell();
  }

  remove(resource: GroupVersionResource): void {
    if (this.#resources.delete(id(resource))) this.#tell();
  }

  find(resource: GroupVersionResource): ServedResource | undefined {
    return this.#resources.get(id(resource));
  }

  /** A resource that is always served, because the server itself relies on it. */
  get(resource: GroupVersionResource): ServedResource {
    const found = this.find(resource);
    assert(found, `${id(resource)} is not served`);
    return found;
  }

  /** The served resource of a kind, by `apiVersion` and `kind` of an object or reference. */
  ofKind(apiVersion: string, kind: string): ServedResource | undefined {
    for (const resource of this.#resources.values()) if (resource.apiVersion === apiVersion && resource.facts.kind === kind) return resource;
    return undefined;
  }

  /** The type of a kind that may stand in a request's body: a resource, the body of a subresource, or options. */
  typeOf(apiVersion: string, kind: string): Struct | undefined {
    if (kind === 'DeleteOptions') return this.types.get(DELETE_OPTIONS);
    const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/') as [string, string]) : ['core', apiVersion];
    return this.ofKind(apiVersion, kind)?.type ?? this.types.get(`io.k8s.api.${group.split('.')[0]}.${version}.${kind}`);
  }

  all(): ServedResource[] {
    return [...this.#resources.values()];
  }

  /** Whether the group came with the server. */
  isBuiltIn(group: string): boolean {
    for (const { facts, customSchema } of this.#resources.values()) if (!customSchema && facts.group === group) return true;
    return false;
  }

  /** Calls `listener` after each change of what is served. @returns what ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

function id({ group, version, resource }: GroupVersionResource): string {
  return `${group}/${version}/${resource}`;
}
