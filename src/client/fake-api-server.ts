import type { KubeList, KubeObject } from '../api/object.ts';
import type { ApiRequest, ApiResponse, Transport, WatchEvent, WatchEventType } from '../api/request.ts';
import { alreadyExists, conflict, expired, notFound } from '../api/status.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import type { Rng } from '../lib/rng.ts';

interface Logged {
  revision: number;
  type: WatchEventType;
  collection: string;
  object: KubeObject;
}

/**
 * A test double: just enough of an API server (revisions, conflicts, uid preconditions, finalizers, watches) to run the
 * client and a controller against without one. No defaults, no validation, no admission, no selectors.
 */
export class FakeApiServer implements Transport {
  /** Every request, in order. */
  readonly requests: ApiRequest[] = [];
  /** Called before each request; throw to refuse it. */
  intercept: (request: ApiRequest) => void = () => {};
  readonly #clock: Clock;
  readonly #rng: Rng;
  readonly #objects = new Map<string, KubeObject>();
  readonly #log: Logged[] = [];
  readonly #wakers = new Set<() => void>();
  #revision = 1;
  #oldest = 0;

  constructor(clock: Clock, rng: Rng) {
    this.#clock = clock;
    this.#rng = rng;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    this.requests.push(request);
    this.intercept(request);
    switch (request.verb) {
      case 'get':
        return { code: 200, object: this.#find(request) };
      case 'list':
        return { code: 200, object: this.#list(request) };
      case 'watch':
        return { code: 200, watch: this.#watch(request) };
      case 'create':
        return { code: 201, object: this.#create(request) };
      case 'update':
        return { code: 200, object: this.#update(request, request.body as KubeObject) };
      case 'patch':
        return { code: 200, object: this.#update(request, merge(this.#find(request), request.body) as KubeObject) };
      case 'delete':
        return { code: 200, object: this.#delete(request) };
      default:
        throw new Error(`the fake does not do ${request.verb}`);
    }
  }

  /** Rises with every write. */
  get revision(): number {
    return this.#revision;
  }

  /** Ends every watch, and with `compact` forgets the past, so that they must list again. */
  breakWatches({ compact = false }: { compact?: boolean } = {}): void {
    if (compact) this.#oldest = this.#revision;
    for (const wake of [...this.#wakers]) wake();
    this.#wakers.clear();
  }

  #find(request: ApiRequest): KubeObject {
    const object = this.#objects.get(keyOfRequest(request));
    if (!object) throw notFound(request, request.name ?? '');
    return object;
  }

  #list(request: ApiRequest): KubeList {
    const prefix = collectionOf(request);
    const items = [...this.#objects].filter(([key]) => key.startsWith(`${prefix}/`) && inNamespace(key, request)).map(([, object]) => object);
    return { apiVersion: 'v1', kind: 'List', metadata: { resourceVersion: String(this.#revision) }, items };
  }

  async *#watch(request: ApiRequest): AsyncGenerator<WatchEvent> {
    let from = Number(request.query.resourceVersion);
    if (from < this.#oldest) throw expired('too old resource version');
    const collection = collectionOf(request);
    for (;;) {
      if (request.signal?.aborted) return;
      const next = this.#log.find((entry) => entry.revision > from && entry.collection === collection);
      if (next) {
        from = next.revision;
        yield { type: next.type, object: next.object };
      } else if (!(await this.#more(request.signal))) return;
    }
  }

  /** @returns false where the watch is to end. */
  #more(signal: AbortSignal | undefined): Promise<boolean> {
    const seen = this.#revision;
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#wakers.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve(this.#revision > seen);
      };
      this.#wakers.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  #create(request: ApiRequest): KubeObject {
    const body = request.body as KubeObject;
    const name = body.metadata.name ?? `${body.metadata.generateName}${this.#rng.suffix(5)}`;
    const key = keyOfRequest({ ...request, name });
    if (this.#objects.has(key)) throw alreadyExists(request, name);
    const metadata = { ...body.metadata, name, uid: this.#rng.uuid(), generation: 1, creationTimestamp: timestamp(this.#clock.now()) };
    return this.#write('ADDED', key, request, { ...('spec' in body ? { status: {} } : {}), ...body, metadata });
  }

  #update(request: ApiRequest, body: KubeObject): KubeObject {
    const old = this.#find(request);
    const wanted = body.metadata.resourceVersion;
    if (wanted && wanted !== old.metadata.resourceVersion) throw conflict(request, old.metadata.name!, 'the object has been modified');
    const parts = request.subresource === 'status' ? { ...old, ...pick(body, 'status') } : { ...body, ...pick(old, 'status') };
    const counted = (object: KubeObject): string => JSON.stringify([pick(object, 'spec'), request.resource === 'deployments' && object.metadata.annotations]);
    const changed = request.subresource !== 'status' && counted(parts as KubeObject) !== counted(old);
    const generation = (old.metadata.generation ?? 0) + (changed ? 1 : 0);
    const { annotations } = body.metadata;
    const given = request.subresource === 'status' ? { ...old.metadata, ...(annotations ? { annotations } : {}) } : body.metadata;
    const metadata = { ...given, uid: old.metadata.uid!, generation };
    const object = { ...parts, metadata };
    if (metadata.deletionTimestamp && !metadata.finalizers?.length) return this.#remove(keyOfRequest(request), request, object);
    if (same(object, old)) return old;
    return this.#write('MODIFIED', keyOfRequest(request), request, object);
  }

  #delete(request: ApiRequest): KubeObject {
    const old = this.#find(request);
    const preconditions = (request.body as { preconditions?: { uid?: string } } | undefined)?.preconditions;
    if (preconditions?.uid && preconditions.uid !== old.metadata.uid) throw conflict(request, old.metadata.name!, 'the UID in the precondition does not match');
    if (!old.metadata.finalizers?.length) return this.#remove(keyOfRequest(request), request, old);
    if (old.metadata.deletionTimestamp) return old;
    const metadata = { ...old.metadata, deletionTimestamp: timestamp(this.#clock.now()) };
    return this.#write('MODIFIED', keyOfRequest(request), request, { ...old, metadata });
  }

  #remove(key: string, request: ApiRequest, object: KubeObject): KubeObject {
    const removed = this.#write('DELETED', key, request, object);
    this.#objects.delete(key);
    return removed;
  }

  #write(type: WatchEventType, key: string, request: ApiRequest, body: KubeObject): KubeObject {
    const revision = ++this.#revision;
    const object = freeze(structuredClone({ ...body, metadata: { ...body.metadata, resourceVersion: String(revision) } }));
    this.#objects.set(key, object);
    this.#log.push({ revision, type, collection: collectionOf(request), object });
    for (const wake of [...this.#wakers]) wake();
    return object;
  }
}

function collectionOf({ group, resource }: ApiRequest): string {
  return `${group}/${resource}`;
}

function keyOfRequest(request: ApiRequest): string {
  return `${collectionOf(request)}/${request.namespace ?? ''}/${request.name}`;
}

function inNamespace(key: string, { namespace }: ApiRequest): boolean {
  return !namespace || key.split('/')[2] === namespace;
}

function pick(object: object, field: string): object {
  const value = (object as Record<string, unknown>)[field];
  return value === undefined ? {} : { [field]: value };
}

function same(a: KubeObject, b: KubeObject): boolean {
  return (
    JSON.stringify({ ...a, metadata: { ...a.metadata, resourceVersion: '' } }) === JSON.stringify({ ...b, metadata: { ...b.metadata, resourceVersion: '' } })
  );
}

function merge(target: unknown, patch: unknown): unknown {
  if (Array.isArray(patch)) {
    const deleted = patch.filter((item: { $patch?: string }) => item.$patch === 'delete').map(({ uid }: { uid?: string }) => uid);
    return deleted.length > 0 ? ((target ?? []) as { uid?: string }[]).filter(({ uid }) => !deleted.includes(uid)) : patch;
  }
  if (typeof patch !== 'object' || patch === null) return patch;
  const merged: Record<string, unknown> = { ...(target as Record<string, unknown>) };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else merged[key] = merge(merged[key], value);
  }
  return merged;
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    for (const part of Object.values(value)) freeze(part);
    Object.freeze(value);
  }
  return value;
}
