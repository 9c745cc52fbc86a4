import type { KubeObject, Resource } from '../../api/object.ts';
import type { Registry } from '../registry.ts';
import type { ServedResource } from '../served-resource.ts';
import type { ObjectEvent, Storage } from './storage.ts';

/**
 * The objects of a resource as they stand, to be looked at without waiting: what the server itself decides by, such as roles
 * and webhooks. It hears of each write as watchers do.
 */
export class Mirror<T extends KubeObject = KubeObject> {
  /** Resolves once all that was stored is here. */
  readonly ready: Promise<void>;
  readonly #storage: Storage;
  readonly #resource: ServedResource;
  readonly #objects = new Map<string, T>();
  readonly #listeners: (() => void)[] = [];
  #sorted: readonly T[] | undefined;

  constructor(storage: Storage, resource: ServedResource) {
    this.#storage = storage;
    this.#resource = resource;
    this.ready = this.#load();
  }

  get(namespace: string, name: string): T | undefined {
    return this.#objects.get(key(namespace, name));
  }

  /** All, by namespace and name. */
  all(): readonly T[] {
    this.#sorted ??= [...this.#objects].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
    return this.#sorted;
  }

  /** Calls `listener` after each change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async #load(): Promise<void> {
    const { items, revision } = await this.#storage.page(this.#resource, '');
    this.#objects.clear();
    for (const item of items) this.#keep(this.#storage.open(this.#resource, item) as T);
    this.#storage.watch(this.#resource, '', revision, { onEvent: (event) => this.#see(event), onStopped: () => void this.#load() });
    this.#tell();
  }

  #see({ type, object }: ObjectEvent): void {
    if (type === 'put') this.#keep(object as T);
    else this.#objects.delete(keyOf(object));
    this.#tell();
  }

  #keep(object: T): void {
    this.#objects.set(keyOf(object), object);
  }

  #tell(): void {
    this.#sorted = undefined;
    for (const listener of this.#listeners) listener();
  }
}

/** A mirror that begins when it is first asked for: the parts of a server are made before what it serves. */
export function mirrorOf<T extends KubeObject>(
  { storage, registry }: { storage: Storage; registry: Registry },
  resource: Resource<T>,
): () => Promise<Mirror<T>> {
  let mirror: Mirror<T> | undefined;
  return async () => {
    mirror ??= new Mirror<T>(storage, registry.get(resource));
    await mirror.ready;
    return mirror;
  };
}

const key = (namespace: string, name: string): string => `${namespace}/${name}`;
const keyOf = ({ metadata: { namespace = '', name = '' } }: KubeObject): string => key(namespace, name);
