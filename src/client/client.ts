import type { Draft, KubeList, KubeObject, Resource } from '../api/object.ts';
import { apiVersionOf } from '../api/object.ts';
import type { ApiRequest, PatchType, Query, Transport, UserInfo, Verb, Watch } from '../api/request.ts';

export interface ListOptions {
  /** Left out: all namespaces. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  limit?: number;
  continue?: string;
  resourceVersion?: string;
  resourceVersionMatch?: 'Exact' | 'NotOlderThan';
}

export interface WatchOptions {
  /** Left out: all namespaces. */
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
  resourceVersion?: string;
  allowWatchBookmarks?: boolean;
  timeoutSeconds?: number;
  /** Ends the watch. */
  signal?: AbortSignal;
}

export interface WriteOptions {
  /** `All`: nothing is stored. */
  dryRun?: 'All';
  fieldManager?: string;
}

export interface PatchOptions extends WriteOptions {
  subresource?: string;
  /** For server-side apply: take over fields of other managers. */
  force?: boolean;
}

export interface DeleteOptions {
  /** Precondition: the object's uid. */
  uid?: string;
  /** Precondition: the object's resourceVersion. */
  resourceVersion?: string;
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  gracePeriodSeconds?: number;
  dryRun?: 'All';
}

/** Talks to one API server as one user. */
export class Client {
  readonly #transport: Transport;
  readonly #user: UserInfo;
  readonly #userAgent: string;

  constructor(transport: Transport, user: UserInfo, userAgent: string) {
    this.#transport = transport;
    this.#user = user;
    this.#userAgent = userAgent;
  }

  /** The same user under another user agent, and so another field manager. */
  as(userAgent: string): Client {
    return new Client(this.#transport, this.#user, userAgent);
  }

  resource<T extends KubeObject>(resource: Resource<T>): ResourceClient<T> {
    return new ResourceClient(resource, this.#transport, this.#user, this.#userAgent);
  }
}

interface Call {
  namespace?: string | undefined;
  name?: string | undefined;
  subresource?: string | undefined;
  query?: Query;
  body?: unknown;
  contentType?: string;
  signal?: AbortSignal | undefined;
}

/**
 * One resource of an API server. Cluster-scoped objects have the namespace ''. Every method throws StatusError for an
 * answer that is not a success; other errors mean that the server could not be reached.
 */
export class ResourceClient<T extends KubeObject> {
  readonly resource: Resource<T>;
  readonly #transport: Transport;
  readonly #user: UserInfo;
  readonly #userAgent: string;

  constructor(resource: Resource<T>, transport: Transport, user: UserInfo, userAgent: string) {
    this.resource = resource;
    this.#transport = transport;
    this.#user = user;
    this.#userAgent = userAgent;
  }

  async get(namespace: string, name: string, options: { resourceVersion?: string } = {}): Promise<T> {
    return this.#object('get', { namespace, name, query: { ...options } });
  }

  async list(options: ListOptions = {}): Promise<KubeList<T>> {
    const { namespace, limit, ...query } = options;
    const response = await this.#transport.request(this.#request('list', { namespace, query: { ...query, limit: text(limit) } }));
    const list = response.object as KubeList<T>;
    // Over the network the items leave their kind to the list.
    const { kind } = this.resource;
    return list.items[0]?.kind === undefined
      ? { ...list, items: list.items.map((item) => ({ ...item, kind, apiVersion: apiVersionOf(this.resource) })) }
      : list;
  }

  /** Resolves when the watch stands; its events follow in order. */
  async watch(options: WatchOptions = {}): Promise<Watch<T>> {
    const { namespace, signal, allowWatchBookmarks, timeoutSeconds, ...query } = options;
    const response = await this.#transport.request(
      this.#request('watch', { namespace, signal, query: { ...query, allowWatchBookmarks: text(allowWatchBookmarks), timeoutSeconds: text(timeoutSeconds) } }),
    );
    if (!response.watch) throw new Error(`the answer to a watch of ${this.resource.resource} is not a watch`);
    return response.watch as Watch<T>;
  }

  /** Creates the object in its own namespace. `apiVersion` and `kind` are filled in. */
  async create(draft: Draft<T>, options: WriteOptions = {}): Promise<T> {
    const body = { ...draft, apiVersion: apiVersionOf(this.resource), kind: this.resource.kind };
    return this.#object('create', { namespace: namespaceOf(draft), body, query: { ...options } });
  }

  async update(object: T, options: WriteOptions & { subresource?: string } = {}): Promise<T> {
    const { subresource, ...query } = options;
    return this.#object('update', { namespace: object.metadata.namespace, name: object.metadata.name, subresource, body: object, query });
  }

  async updateStatus(object: T, options: WriteOptions = {}): Promise<T> {
    return this.update(object, { ...options, subresource: 'status' });
  }

  /** Server-side apply under this client's user agent; takes over fields of other managers. `apiVersion` and `kind` are filled in. */
  async apply(draft: Draft<T>, options: { subresource?: string } = {}): Promise<T> {
    const { namespace = '', name = '' } = (draft as KubeObject).metadata;
    const body = { ...draft, apiVersion: apiVersionOf(this.resource), kind: this.resource.kind };
    return this.patch(namespace, name, body, 'application/apply-patch+yaml', { ...options, fieldManager: this.#userAgent, force: true });
  }

  async patch(namespace: string, name: string, body: unknown, patchType: PatchType, options: PatchOptions = {}): Promise<T> {
    const { subresource, force, ...query } = options;
    return this.#object('patch', { namespace, name, subresource, body, contentType: patchType, query: { ...query, force: text(force) } });
  }

  /** @returns the object where it lives on for a while (grace period, finalizers), or a Status. */
  async delete(namespace: string, name: string, options: DeleteOptions = {}): Promise<KubeObject> {
    const response = await this.#transport.request(this.#request('delete', { namespace, name, body: deleteBody(options) }));
    return response.object as KubeObject;
  }

  async deleteCollection(options: Omit<ListOptions, 'continue'> & Omit<DeleteOptions, 'uid' | 'resourceVersion'> = {}): Promise<void> {
    const { namespace, labelSelector, fieldSelector, limit, resourceVersion, resourceVersionMatch, ...deletion } = options;
    const query = { labelSelector, fieldSelector, limit: text(limit), resourceVersion, resourceVersionMatch };
    await this.#transport.request(this.#request('deletecollection', { namespace, query, body: deleteBody(deletion) }));
  }

  /** POST to a subresource such as `binding`, `eviction` or `token`. */
  async createSubresource(namespace: string, name: string, subresource: string, body: KubeObject | Draft<KubeObject>): Promise<KubeObject> {
    const response = await this.#transport.request(this.#request('create', { namespace, name, subresource, body }));
    return response.object as KubeObject;
  }

  /** GET of a subresource such as `scale`. */
  async getSubresource(namespace: string, name: string, subresource: string): Promise<KubeObject> {
    const response = await this.#transport.request(this.#request('get', { namespace, name, subresource }));
    return response.object as KubeObject;
  }

  /** PUT to a subresource whose objects are of another kind, such as `scale`. */
  async updateSubresource(namespace: string, name: string, subresource: string, body: KubeObject): Promise<KubeObject> {
    const response = await this.#transport.request(this.#request('update', { namespace, name, subresource, body }));
    return response.object as KubeObject;
  }

  async #object(verb: Verb, call: Call): Promise<T> {
    const response = await this.#transport.request(this.#request(verb, call));
    return response.object as T;
  }

  #request(verb: Verb, { namespace, name, subresource, query = {}, body, contentType, signal }: Call): ApiRequest {
    const { group, version, resource, namespaced } = this.resource;
    return {
      verb,
      group,
      version,
      resource,
      ...(namespaced && namespace ? { namespace } : {}),
      ...(name ? { name } : {}),
      ...(subresource ? { subresource } : {}),
      query: present(query),
      ...(body === undefined ? {} : { body }),
      ...(contentType ? { contentType } : {}),
      user: this.#user,
      userAgent: this.#userAgent,
      ...(signal ? { signal } : {}),
    };
  }
}

function namespaceOf(draft: unknown): string | undefined {
  return (draft as { metadata?: { namespace?: string } }).metadata?.namespace;
}

function deleteBody({ uid, resourceVersion, dryRun, ...rest }: DeleteOptions): unknown {
  const preconditions = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  const body = { ...rest, ...(dryRun ? { dryRun: [dryRun] } : {}), ...(uid || resourceVersion ? { preconditions } : {}) };
  return Object.keys(body).length === 0 ? undefined : { kind: 'DeleteOptions', apiVersion: 'v1', ...body };
}

function text(value: number | boolean | undefined): string | undefined {
  return value === undefined ? undefined : String(value);
}

function present(query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined && value !== ''));
}
