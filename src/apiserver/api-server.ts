import { resourceFacts } from '../api/generated/resource-facts.ts';
import { schema } from '../api/generated/schema.ts';
import type { KindBehaviour } from '../api/kind.ts';
import { kinds as builtInKinds } from '../api/kinds.ts';
import { apiVersionOf, type KubeObject } from '../api/object.ts';
import type { ApiRequest, ApiResponse, Transport, UserInfo } from '../api/request.ts';
import { hasReason, methodNotAllowed, NoSuchPage, pathNotFound } from '../api/status.ts';
import { compileTypes } from '../api/type.ts';
import type { Clock } from '../lib/clock.ts';
import type { Rng } from '../lib/rng.ts';
import type { Store } from '../store/store.ts';
import { AdmissionChain, type AdmissionContext, type AdmissionPlugin, type AdmissionServer } from './admission/admission.ts';
import { type Authorizer, alwaysAllow, anyOf, authorization, privileged } from './chain/authorization.ts';
import { attributesOf, Chain } from './chain/chain.ts';
import { BodyDecoder } from './decode/body.ts';
import { serveBuiltIns } from './handlers/built-in.ts';
import { connectOptions } from './handlers/connect-options.ts';
import { PodConnector } from './handlers/pod-connection.ts';
import type { NodeConnections } from './node-connection.ts';
import { NodeAuthorizer } from './rbac/node-authorizer.ts';
import { RoleAuthorizer } from './rbac/role-authorizer.ts';
import { roleEscalation } from './rbac/role-escalation.ts';
import { Registry } from './registry.ts';
import type { Handlers, ServedResource } from './served-resource.ts';
import { Storage } from './storage/storage.ts';
import { StaticTokens, serviceAccountTokenAuthenticator, type TokenAuthenticator } from './tokens/bearer-authenticator.ts';
import { BootstrapTokens } from './tokens/bootstrap-tokens.ts';
import { ServiceAccountTokens } from './tokens/service-account-tokens.ts';
import { serverOptions } from './write/options.ts';
import { targetOfRequest, warning } from './write/write.ts';
import { WritePath } from './write/write-path.ts';

/** Upstream: --authorization-mode. */
export type AuthorizationMode = 'RBAC' | 'AlwaysAllow';

export interface ApiServerOptions {
  store: Store;
  clock: Clock;
  rng: Rng;
  /** The plugins of the admission chain, made for this server. */
  admission: (server: AdmissionServer) => readonly AdmissionPlugin[];
  /** PEM of the key that ServiceAccounts' tokens are signed with; left out: a new one. */
  signingKey?: string;
  /** Who may come with which token, beside ServiceAccounts. */
  staticTokens?: readonly { token: string; user: UserInfo }[];
  /** By what it is decided what users may do. Default `RBAC`. */
  authorizationMode?: AuthorizationMode;
  /** The kinds that are more than their schema. Default: upstream's. */
  kinds?: readonly KindBehaviour[];
  /** Reaches the kubelets, for logs, exec and the like. */
  nodes?: NodeConnections;
  /** Freeze every object that is handed out, so that a reader that writes fails. For tests. */
  freeze?: boolean;
}

/**
 * The API server without its wire: from a request to a response. The https adapter and the in-process transport both come
 * here, so that everything passes the same authorization, defaulting, admission and validation.
 */
export class ApiServer implements Transport {
  readonly registry = new Registry(compileTypes(schema));
  readonly storage: Storage;
  readonly authorizer: Authorizer;
  readonly connector: PodConnector;
  /** What every request passes first; the https adapter sends its pages and upgrades through it too. */
  readonly chain: Chain;
  readonly clock: Clock;
  readonly tokens: ServiceAccountTokens;
  /** Whom the server believes by a token, in order. */
  readonly tokenAuthenticators: readonly TokenAuthenticator[];
  readonly #writes: WritePath;
  /** How the server is. */
  readonly health = { storeIsWell: true };

  constructor({
    store,
    clock,
    rng,
    admission,
    authorizationMode = 'RBAC',
    signingKey,
    staticTokens = [],
    kinds = builtInKinds,
    nodes = () => undefined,
    freeze = false,
  }: ApiServerOptions) {
    const { registry } = this;
    const storage = new Storage(store, { freeze });
    const roles = new RoleAuthorizer(storage, registry);
    const authorizer = authorizationMode === 'RBAC' ? anyOf([privileged, new NodeAuthorizer(storage, registry), roles]) : alwaysAllow;
    const writes: WritePath = new WritePath({
      storage,
      admission: new AdmissionChain(
        [...admission({ registry, storage, authorizer }), ...(authorizationMode === 'RBAC' ? [roleEscalation(authorizer, roles)] : [])],
        admissionContext({ registry, storage, clock, rng, writes: () => writes }),
      ),
      clock,
      rng,
    });
    this.clock = clock;
    this.#writes = writes;
    void store.failed.then(() => {
      this.health.storeIsWell = false;
    });
    this.storage = storage;
    this.authorizer = authorizer;
    this.connector = new PodConnector({ storage, registry, nodes });
    this.tokens = new ServiceAccountTokens({ storage, registry, clock, ...(signingKey === undefined ? {} : { signingKey }) });
    this.tokenAuthenticators = [
      ...(staticTokens.length ? [new StaticTokens(staticTokens)] : []),
      new BootstrapTokens({ storage, registry, clock }),
      serviceAccountTokenAuthenticator(this.tokens),
    ];
    this.chain = new Chain([authorization(authorizer)]);
    const bodies = new BodyDecoder(registry);
    serveBuiltIns(
      {
        registry,
        storage,
        writes,
        bodies,
        authorizer,
        rules: roles,
        tokens: this.tokens,
        tokenAuthenticators: this.tokenAuthenticators,
        connector: this.connector,
        nodes,
        clock,
        rng,
      },
      resourceFacts,
      kinds,
    );
  }

  /** @throws StatusError for everything that is not a success. */
  request(request: ApiRequest): Promise<ApiResponse> {
    return this.chain.run(attributesOf(request), () => this.#handle(request));
  }

  /** Puts a connection before those who may refuse it. @throws StatusError */
  async admitConnection(request: ApiRequest): Promise<void> {
    const resource = this.registry.get(request);
    const object = connectOptions(resource, request);
    if (object) await this.#writes.announce({ ...targetOfRequest(resource, request), operation: 'CONNECT', object, dryRun: false, options: null }, []);
  }

  async #handle(request: ApiRequest): Promise<ApiResponse> {
    const resource = this.registry.find(request);
    if (!resource) throw this.registry.isBuiltIn(request.group) ? pathNotFound() : new NoSuchPage();
    if (resource.customSchema && resource.namespaced !== (request.namespace !== undefined) && !isAcrossNamespaces(request)) throw new NoSuchPage();
    const handlers = handlersOf(resource, request);
    const handler = handlers.connect ?? handlers[request.verb];
    if (!handler) throw methodNotAllowed();
    if (handlers.connect) await this.admitConnection(request);
    const { deprecation } = resource.behaviour;
    const warnings = deprecation ? [deprecation] : [];
    const response = await warning(warnings, () => handler(resource, request));
    return deprecation ? { ...response, warnings: [...warnings, ...(response.warnings ?? [])] } : response;
  }
}

/** What lives in a namespace may be listed and watched without naming one, and nothing else. */
function isAcrossNamespaces({ verb, namespace }: ApiRequest): boolean {
  return namespace === undefined && (verb === 'list' || verb === 'watch');
}

const NAMED: ReadonlySet<string> = new Set(['get', 'update', 'patch', 'delete']);

/** The handlers for what the request names, with those verbs alone that are served there. */
function handlersOf(resource: ServedResource, { verb, name, subresource }: ApiRequest): Handlers {
  if (subresource) {
    const served = resource.subresources.get(subresource);
    if (!served) throw pathNotFound();
    return served.facts.verbs.includes(verb) ? served.handlers : {};
  }
  // What is only asked, such as a review, has no place of its own.
  if (name !== undefined && !resource.facts.verbs.some((one) => NAMED.has(one))) throw pathNotFound();
  const misplaced = name === undefined ? verb === 'update' || verb === 'patch' : verb === 'create';
  return misplaced || !resource.facts.verbs.includes(verb) ? {} : resource.handlers;
}

interface AdmissionParts {
  registry: Registry;
  storage: Storage;
  clock: Clock;
  rng: Rng;
  /** The write path has the admission chain in it, so it comes later. */
  writes: () => WritePath;
}

/** Who writes when the server itself does. */
const SERVER = { name: 'system:apiserver', groups: ['system:masters', 'system:authenticated'] };

function admissionContext({ registry, storage, clock, rng, writes }: AdmissionParts): AdmissionContext {
  return {
    clock,
    rng,
    async get(resource, at) {
      const found = await storage.get(registry.get(resource), at);
      return found?.object as never;
    },
    async all(resource, namespace = '') {
      return (await storage.all(registry.get(resource), namespace)) as never;
    },
    async create(resource, draft) {
      const target = { resource: registry.get(resource), subresource: '', user: SERVER, options: serverOptions() };
      const { namespace = '', name = '' } = (draft as KubeObject).metadata;
      const object = { ...draft, apiVersion: apiVersionOf(resource), kind: resource.kind } as KubeObject;
      await writes().create({ ...target, namespace, name }, { object });
    },
    async delete(resource, at) {
      try {
        await writes().delete({ resource: registry.get(resource), ...at, subresource: '', user: SERVER }, {});
      } catch (error) {
        if (!hasReason(error, 'NotFound')) throw error;
      }
    },
    async updateStatus(resource, { metadata }, change) {
      const { namespace = '', name = '' } = metadata;
      const target = { resource: registry.get(resource), namespace, name, subresource: 'status', user: SERVER, options: serverOptions() };
      await writes().update(target, (current) => ({ object: change(current as never) }));
    },
  };
}
