import { deepFreeze } from '../../api/equality.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Clock } from '../../lib/clock.ts';
import type { KeyValue, Store, StoreEvent, StoreWatch, Value } from '../../store/store.ts';
import type { ServedResource } from '../served-resource.ts';
import { ObjectCodec, type StoredObject } from './stored-object.ts';

/** Where an object stands among those of its resource. */
export interface NamespacedName {
  /** Empty for a resource without namespaces. */
  namespace: string;
  name: string;
}

export interface Current {
  object: KubeObject;
  revision: number;
}

/** What became of a write: the object as it is stored now, or what stood in the way. */
export type Outcome = { ok: true; object: KubeObject } | { ok: false; current: KubeObject | undefined };

export interface ObjectPage {
  /** In the order of their keys, which are given without what they have in common. */
  items: { relativeKey: string; value: Value; revision: number }[];
  /** The revision that the page shows. */
  revision: number;
}

/** A change of one object, in the version that is watched. */
export type ObjectEvent =
  | { type: 'put'; object: KubeObject; previous: (() => KubeObject) | undefined; revision: number }
  | { type: 'delete'; object: KubeObject; revision: number };

export interface ObjectWatcher {
  onEvent(event: ObjectEvent): void;
  onStopped(): void;
}

/** Objects of served resources over a store of bytes: their keys, their stored versions, their encodings (upstream: storage.Interface). */
export class Storage {
  readonly codec = new ObjectCodec();
  readonly #store: Store;
  readonly #freeze: <T>(value: T) => T;

  /** @param freeze freezes what is handed to readers, to catch one that writes. For tests. */
  constructor(store: Store, { freeze }: { freeze: boolean }) {
    this.#store = store;
    this.#freeze = freeze ? deepFreeze : (value) => value;
  }

  /** The revision of the last write that readers can see. */
  get revision(): number {
    return this.#store.revision;
  }

  /** One object as it stands, in the version served. */
  async get(resource: ServedResource, at: NamespacedName): Promise<Current | undefined> {
    const item = await this.#store.get(keyOf(resource, at));
    return item && { object: this.#served(resource, item), revision: item.revision };
  }

  /** All objects of a resource in one namespace, or everywhere. */
  async all(resource: ServedResource, namespace = ''): Promise<KubeObject[]> {
    const { items } = await this.#store.list(prefixOf(resource, namespace));
    return items.map((item) => this.#served(resource, item));
  }

  async count(resource: ServedResource): Promise<number> {
    return (await this.#store.list(resource.prefix)).items.length;
  }

  /**
   * What stands under a resource and namespace, not decoded yet.
   *
   * @param from a relative key, as the page before gave it, to go on after, and a revision to show.
   * @throws CompactedError
   */
  async page(resource: ServedResource, namespace: string, from: { after?: string; revision?: number } = {}): Promise<ObjectPage> {
    const prefix = prefixOf(resource, namespace);
    const { items, revision } = await this.#store.list(prefix, {
      ...(from.revision === undefined ? {} : { revision: from.revision }),
      ...(from.after === undefined ? {} : { startAfter: prefix + from.after }),
    });
    return { items: items.map(({ key, value, revision }) => ({ relativeKey: key.slice(prefix.length), value, revision })), revision };
  }

  /** The object of a page's item. */
  open(resource: ServedResource, item: Pick<KeyValue, 'value' | 'revision'>): KubeObject {
    return this.#served(resource, item);
  }

  /** Writes an object if its key's revision is `expected` (0: there must be none). */
  async put(resource: ServedResource, object: KubeObject, expected: number): Promise<Outcome> {
    const { storedAs } = resource.behaviour;
    const value: StoredObject = this.codec.stored(storedAs ? storedAs.toStorage(object) : object);
    const { namespace = '', name = '' } = object.metadata;
    const result = await this.#store.put(keyOf(resource, { namespace, name }), value, expected);
    if (result.ok) return { ok: true, object: this.#served(resource, { value, revision: result.revision }) };
    return { ok: false, current: result.current && this.#served(resource, result.current) };
  }

  /** Removes what stands there if its revision is `expected`. @returns the revision of the removal; undefined: another writer was faster. */
  async delete(resource: ServedResource, at: NamespacedName, expected: number): Promise<number | undefined> {
    const result = await this.#store.delete(keyOf(resource, at), expected);
    return result.ok ? result.revision : undefined;
  }

  /** Whether a revision of the future comes within the time given. */
  reached(revision: number, clock: Clock, withinMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (came: boolean): void => {
        timer.cancel();
        watch.stop();
        resolve(came);
      };
      const timer = clock.schedule(withinMs, () => end(false));
      const watch = this.#store.watch('', this.#store.revision, (event) => {
        if (event.revision >= revision) end(true);
      });
    });
  }

  /** Forgets the past: lists and watches from an earlier revision are told that it is too old. */
  compact(): Promise<void> {
    return this.#store.compact(this.#store.revision);
  }

  /**
   * @param watcher `onStopped` is told when the watch has come to an end by itself.
   * @throws CompactedError when `after` is older than the history that is kept.
   */
  watch(resource: ServedResource, namespace: string, after: number, { onEvent, onStopped }: ObjectWatcher): StoreWatch {
    return this.#store.watch(prefixOf(resource, namespace), after, (event) => onEvent(this.#objectEvent(resource, event)), onStopped);
  }

  #objectEvent(resource: ServedResource, event: StoreEvent): ObjectEvent {
    const object = this.#served(resource, event);
    const { revision } = event;
    if (event.type === 'delete') return { type: 'delete', object, revision };
    const { previous } = event;
    return { type: 'put', object, previous: previous && (() => this.#served(resource, previous)), revision };
  }

  #served(resource: ServedResource, item: Pick<KeyValue, 'value' | 'revision'>): KubeObject {
    const object = this.codec.object(item);
    const { storedAs } = resource.behaviour;
    const own = storedAs && object.apiVersion !== resource.apiVersion ? storedAs.fromStorage(object) : object;
    return this.#freeze(resource.completed?.(own) ?? own);
  }
}

function prefixOf(resource: ServedResource, namespace: string): string {
  return namespace && resource.namespaced ? `${resource.prefix}${namespace}/` : resource.prefix;
}

function keyOf(resource: ServedResource, { namespace, name }: NamespacedName): string {
  return resource.namespaced ? `${resource.prefix}${namespace}/${name}` : `${resource.prefix}${name}`;
}
