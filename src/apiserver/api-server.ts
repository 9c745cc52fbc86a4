import { deepFreeze } from '../api/equality.ts';
import { resources } from '../api/generated/resources.ts';
import { kinds } from '../api/kinds.ts';
import type { ApiRequest, ApiResponse, Transport, Verb } from '../api/request.ts';
import { forbidden, methodNotAllowed, pathNotFound } from '../api/status.ts';
import type { Clock } from '../lib/clock.ts';
import type { Rng } from '../lib/rng.ts';
import type { Store } from '../store/store.ts';
import { AdmissionChain, type AdmissionPlugin } from './admission/admission.ts';
import { type Authorizer, adminsOnly } from './authorization.ts';
import type { ApiContext } from './context.ts';
import type { NodeConnections } from './node-connection.ts';
import { Registry, type ServedResource } from './registry.ts';
import { reviewer } from './reviews.ts';
import { ObjectCodec } from './stored-object.ts';
import { findSubresource, type Subresource } from './subresources/subresources.ts';
import { create } from './verbs/create.ts';
import { remove, removeCollection } from './verbs/delete.ts';
import { get, list } from './verbs/list.ts';
import { patch } from './verbs/patch.ts';
import { update } from './verbs/update.ts';
import { watch } from './verbs/watch.ts';

export interface ApiServerOptions {
  store: Store;
  clock: Clock;
  rng: Rng;
  admission: readonly AdmissionPlugin[];
  authorizer?: Authorizer;
  /** Reaches the kubelets, for logs, exec and the like. */
  nodes?: NodeConnections;
  /** Freeze every object that is handed out, so that a reader that writes fails. For tests. */
  freeze?: boolean;
}

type Handler = (context: ApiContext, resource: ServedResource, request: ApiRequest) => Promise<ApiResponse>;

const HANDLERS: Record<Exclude<Verb, 'connect'>, Handler> = { get, list, watch, create, update, patch, delete: remove, deletecollection: removeCollection };

/**
 * The API server without its wire: from a request to a response. The https adapter and the in-process transport both come
 * here, so that everything passes the same authorization, defaulting, admission and validation.
 */
export class ApiServer implements Transport {
  readonly context: ApiContext;

  constructor({ store, clock, rng, admission, authorizer = adminsOnly, nodes = () => undefined, freeze = false }: ApiServerOptions) {
    this.context = {
      store,
      clock,
      rng,
      registry: new Registry(resources, kinds),
      codec: new ObjectCodec(),
      admission: new AdmissionChain(admission),
      authorizer,
      nodes,
      freeze: freeze ? deepFreeze : (value) => value,
    };
  }

  /** @throws StatusError for everything that is not a success. */
  async request(request: ApiRequest): Promise<ApiResponse> {
    const { context } = this;
    const resource = context.registry.find(request);
    if (!resource) throw pathNotFound();
    const refusal = context.authorizer.authorize(request);
    if (refusal) throw forbidden(resource.facts, request.name ?? '', refusal);
    if (request.subresource) return this.#subresource(resource, request);
    const { verb, name } = request;
    const misplaced = name === undefined ? verb === 'update' || verb === 'patch' : verb === 'create';
    if (verb === 'connect' || misplaced || !resource.facts.verbs.includes(verb)) throw methodNotAllowed();
    if (verb === 'create') {
      const answer = reviewer(resource);
      if (answer) return answer(context, resource, request);
    }
    const response = await HANDLERS[verb](context, resource, request);
    const { deprecation } = resource.behaviour;
    return deprecation ? { ...response, warnings: [deprecation, ...(response.warnings ?? [])] } : response;
  }

  #subresource(resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
    const facts = resource.facts.subresources?.find((s) => s.name === request.subresource);
    const subresource: Subresource | undefined = facts && findSubresource(resource, facts.name);
    if (!facts || !subresource) throw pathNotFound();
    if (!facts.verbs.includes(request.verb)) throw methodNotAllowed();
    return subresource(this.context, resource, request);
  }
}
