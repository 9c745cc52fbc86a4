import { setMaxListeners } from 'node:events';
import type { Selector } from '../api/labels.ts';
import { type KubeObject, keyOf, type Resource } from '../api/object.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Rng } from '../lib/rng.ts';
import type { Client, ResourceClient } from './client.ts';
import { Reflector, type ReflectorSink } from './reflector.ts';

/** Called synchronously, in the order of the changes. An object that was deleted and made anew is deleted, then added. */
export interface InformerHandler<T> {
  added?(object: T): void;
  updated?(old: T, object: T): void;
  /** `object` is the last state known. */
  deleted?(object: T): void;
}

/** Reads an informer's cache. The objects are shared: copy, never mutate. Order: that of first sight. */
export interface Lister<T extends KubeObject> {
  get(namespace: string, name: string): T | undefined;
  list(options?: { namespace?: string; selector?: Selector }): T[];
  /** The objects under `value` in the index added by this name. */
  by(index: string, value: string): T[];
}

type IndexFunction<T> = (object: T) => readonly string[];

/** An index from a value to the objects that have it. */
class Index<T extends KubeObject> {
  readonly #valuesOf: IndexFunction<T>;
  readonly #buckets = new Map<string, Map<string, T>>();

  constructor(valuesOf: IndexFunction<T>) {
    this.#valuesOf = valuesOf;
  }

  get(value: string): T[] {
    return [...(this.#buckets.get(value)?.values() ?? [])];
  }

  change(key: string, old: T | undefined, object: T | undefined): void {
    const before = old ? this.#valuesOf(old) : [];
    const after = object ? this.#valuesOf(object) : [];
    for (const value of before) if (!after.includes(value)) this.#remove(value, key);
    for (const value of after) this.#set(value, key, object!);
  }

  #set(value: string, key: string, object: T): void {
    let bucket = this.#buckets.get(value);
    if (!bucket) {
      bucket = new Map();
      this.#buckets.set(value, bucket);
    }
    bucket.set(key, object);
  }

  #remove(value: string, key: string): void {
    const bucket = this.#buckets.get(value);
    bucket?.delete(key);
    if (bucket?.size === 0) this.#buckets.delete(value);
  }
}

const BY_NAMESPACE = 'namespace';

/** A cache of one resource, kept up to date by a Reflector, that tells its handlers of every change. */
export class Informer<T extends KubeObject> {
  readonly lister: Lister<T>;
  readonly #objects = new Map<string, T>();
  readonly #indexes = new Map<string, Index<T>>();
  readonly #handlers: InformerHandler<T>[] = [];
  readonly #reflector: Reflector<T>;
  readonly #log: Log;
  readonly #whenSynced: Promise<void>;
  #settleSynced: () => void = () => {};
  #synced = false;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;

  constructor({ client, clock, rng, log, ...scope }: InformerOptions<T>) {
    this.#log = log;
    this.#whenSynced = new Promise((resolve) => {
      this.#settleSynced = resolve;
    });
    this.#indexes.set(BY_NAMESPACE, new Index((object) => [object.metadata.namespace ?? '']));
    const sink: ReflectorSink<T> = { replace: (items) => this.#replace(items), apply: (type, object) => this.#apply(type, object) };
    this.#reflector = new Reflector({ client, sink, clock, rng, log, ...scope });
    this.lister = {
      get: (namespace, name) => this.#objects.get(namespace ? `${namespace}/${name}` : name),
      list: (options = {}) => this.#list(options),
      by: (index, value) => this.#index(index).get(value),
    };
  }

  /** Whether the first list has been taken in. */
  get hasSynced(): boolean {
    return this.#synced;
  }

  /** Resolves when the first list has been taken in. */
  whenSynced(): Promise<void> {
    return this.#whenSynced;
  }

  /** Adds an index under `name`, once: later calls with the same name change nothing. */
  addIndex(name: string, valuesOf: IndexFunction<T>): void {
    if (this.#indexes.has(name)) return;
    const index = new Index(valuesOf);
    for (const [key, object] of this.#objects) index.change(key, undefined, object);
    this.#indexes.set(name, index);
  }

  /** A handler that comes late is told of everything that is there. */
  addHandler(handler: InformerHandler<T>): void {
    this.#handlers.push(handler);
    for (const object of this.#objects.values()) handler.added?.(object);
  }

  /** Begins to list and watch, until `signal` aborts or `stop` is called. Calling it again changes nothing. */
  start(signal: AbortSignal): void {
    this.#running ??= this.#reflector.run(AbortSignal.any([signal, this.#stop.signal]));
  }

  /** Ends the watch; the handlers are told that everything is gone. */
  stop(): void {
    this.#stop.abort();
    this.#replace([]);
  }

  /** Resolves when the informer has ended after its signal aborted. */
  async stopped(): Promise<void> {
    await this.#running;
  }

  #index(name: string): Index<T> {
    const index = this.#indexes.get(name);
    if (!index) throw new Error(`there is no index "${name}"`);
    return index;
  }

  #list({ namespace, selector }: { namespace?: string; selector?: Selector }): T[] {
    const objects = namespace === undefined ? [...this.#objects.values()] : this.#index(BY_NAMESPACE).get(namespace);
    return selector ? objects.filter((object) => selector.matches(object.metadata.labels)) : objects;
  }

  #replace(items: readonly T[]): void {
    const seen = new Set<string>();
    for (const object of items) {
      seen.add(keyOf(object));
      this.#put(object);
    }
    for (const [key, object] of [...this.#objects]) if (!seen.has(key)) this.#delete(key, object);
    this.#synced = true;
    this.#settleSynced();
  }

  #apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void {
    if (type === 'DELETED') this.#delete(keyOf(object), object);
    else this.#put(object);
  }

  #put(object: T): void {
    const key = keyOf(object);
    const old = this.#objects.get(key);
    if (old && old.metadata.uid !== object.metadata.uid) {
      this.#delete(key, old);
      this.#put(object);
      return;
    }
    if (old && old.metadata.resourceVersion === object.metadata.resourceVersion) return;
    this.#objects.set(key, object);
    for (const index of this.#indexes.values()) index.change(key, old, object);
    this.#tell((handler) => (old ? handler.updated?.(old, object) : handler.added?.(object)));
  }

  #delete(key: string, last: T): void {
    const old = this.#objects.get(key);
    if (!old) return;
    this.#objects.delete(key);
    for (const index of this.#indexes.values()) index.change(key, old, undefined);
    this.#tell((handler) => handler.deleted?.(last));
  }

  /** A fault in one handler is reported, and does not keep the news from the others. */
  #tell(news: (handler: InformerHandler<T>) => void): void {
    for (const handler of this.#handlers) {
      try {
        news(handler);
      } catch (error) {
        this.#log.error('a handler failed', { error });
      }
    }
  }
}

export interface InformerOptions<T extends KubeObject> {
  client: ResourceClient<T>;
  clock: Clock;
  rng: Rng;
  log: Log;
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

/** Informers over all namespaces, one for each resource, shared by everybody in the process who asks. */
export class InformerFactory {
  readonly #options: { client: Client; clock: Clock; rng: Rng; log: Log };
  readonly #informers = new Map<string, Informer<KubeObject>>();
  readonly #stop = new AbortController();
  #started = false;

  constructor(options: { client: Client; clock: Clock; rng: Rng; log: Log }) {
    this.#options = options;
  }

  /** One that is asked for after start() starts at once. */
  informer<T extends KubeObject>(resource: Resource<T>): Informer<T> {
    const { client, clock, rng, log } = this.#options;
    const id = idOf(resource);
    const known = this.#informers.get(id);
    if (known) return known as unknown as Informer<T>;
    const made = new Informer({ client: client.resource(resource), clock, rng: rng.fork(id), log });
    this.#informers.set(id, made as unknown as Informer<KubeObject>);
    if (this.#started) made.start(this.#stop.signal);
    return made;
  }

  /** Ends the informer of a resource that is served no more; one of the same name that comes later begins anew. */
  forget(resource: Resource): void {
    const id = idOf(resource);
    this.#informers.get(id)?.stop();
    this.#informers.delete(id);
  }

  lister<T extends KubeObject>(resource: Resource<T>): Lister<T> {
    return this.informer(resource).lister;
  }

  start(): void {
    // One listener for each watch is no leak.
    setMaxListeners(0, this.#stop.signal);
    this.#started = true;
    for (const informer of this.#informers.values()) informer.start(this.#stop.signal);
  }

  /** Resolves when every informer has taken in its first list. */
  async whenSynced(): Promise<void> {
    await Promise.all([...this.#informers.values()].map((informer) => informer.whenSynced()));
  }

  /** Ends all watches; resolves when they have ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.all([...this.#informers.values()].map((informer) => informer.stopped()));
  }
}

function idOf({ group, version, resource }: Resource): string {
  return `${group}/${version}/${resource}`;
}
