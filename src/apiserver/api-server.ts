import { resourceFacts } from '../api/generated/resource-facts.ts';
import { schema } from '../api/generated/schema.ts';
import type { KindBehaviour } from '../api/kind.ts';
import { kinds as builtInKinds } from '../api/kinds.ts';
import { apiVersionOf, type KubeObject } from '../api/object.ts';
import type { ApiRequest, ApiResponse, Transport } from '../api/request.ts';
import { hasReason, methodNotAllowed, pathNotFound } from '../api/status.ts';
import { compileTypes } from '../api/type.ts';
import type { Clock } from '../lib/clock.ts';
import type { Rng } from '../lib/rng.ts';
import type { Store } from '../store/store.ts';
import { AdmissionChain, type AdmissionContext, type AdmissionPlugin } from './admission/admission.ts';
import { type Authorizer, adminsOnly, authorization } from './chain/authorization.ts';
import { attributesOf, Chain } from './chain/chain.ts';
import { BodyDecoder } from './decode/body.ts';
import { serveBuiltIns } from './handlers/built-in.ts';
import { PodConnector } from './handlers/pod-connection.ts';
import type { NodeConnections } from './node-connection.ts';
import { Registry } from './registry.ts';
import type { Handlers, ServedResource } from './served-resource.ts';
import { Storage } from './storage/storage.ts';
import { serverOptions } from './write/options.ts';
import { warning } from './write/write.ts';
import { WritePath } from './write/write-path.ts';

export interface ApiServerOptions {
  store: Store;
  clock: Clock;
  rng: Rng;
  admission: readonly AdmissionPlugin[];
  authorizer?: Authorizer;
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
  /** How the server is. */
  readonly health = { storeIsWell: true };

  constructor({ store, clock, rng, admission, authorizer = adminsOnly, kinds = builtInKinds, nodes = () => undefined, freeze = false }: ApiServerOptions) {
    const { registry } = this;
    const storage = new Storage(store, { freeze });
    const writes: WritePath = new WritePath({
      storage,
      admission: new AdmissionChain(admission, admissionContext({ registry, storage, clock, rng, writes: () => writes })),
      clock,
      rng,
    });
    this.clock = clock;
    void store.failed.then(() => {
      this.health.storeIsWell = false;
    });
    this.storage = storage;
    this.authorizer = authorizer;
    this.connector = new PodConnector({ storage, registry, nodes });
    this.chain = new Chain([authorization(authorizer)]);
    const bodies = new BodyDecoder(registry);
    serveBuiltIns({ registry, storage, writes, bodies, authorizer, connector: this.connector, nodes, clock, rng }, resourceFacts, kinds);
  }

  /** @throws StatusError for everything that is not a success. */
  request(request: ApiRequest): Promise<ApiResponse> {
    return this.chain.run(attributesOf(request), () => this.#handle(request));
  }

  async #handle(request: ApiRequest): Promise<ApiResponse> {
    const resource = this.registry.find(request);
    if (!resource) throw pathNotFound();
    const handlers = handlersOf(resource, request);
    const handler = handlers.connect ?? handlers[request.verb];
    if (!handler) throw methodNotAllowed();
    const { deprecation } = resource.behaviour;
    const warnings = deprecation ? [deprecation] : [];
    const response = await warning(warnings, () => handler(resource, request));
    return deprecation ? { ...response, warnings: [...warnings, ...(response.warnings ?? [])] } : response;
  }
}

/** The handlers for what the request names, with those verbs alone that are served there. */
function handlersOf(resource: ServedResource, { verb, name, subresource }: ApiRequest): Handlers {
  if (subresource) {
    const served = resource.subresources.get(subresource);
    if (!served) throw pathNotFound();
    return served.facts.verbs.includes(verb) ? served.handlers : {};
  }
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
