import { deepEqual, deepFreeze } from '../api/equality.ts';
import type { KindBehaviour } from '../api/kind.ts';
import { apiVersionOf, type KubeObject } from '../api/object.ts';
import type { ApiRequest, ApiResponse, Verb } from '../api/request.ts';
import type { ResourceFacts } from '../api/resource-facts.ts';
import type { StructuralSchema } from '../api/structural-type.ts';
import type { Struct, Type } from '../api/type.ts';
import type { Decode } from './decode/decode.ts';
import { zeroObject } from './decode/go.ts';

/** Answers a request for a resource. @throws StatusError for everything that is not a success. */
export type Handler = (resource: ServedResource, request: ApiRequest) => Promise<ApiResponse>;

/** By verb; `connect` answers every verb that a subresource is served with. */
export type Handlers = Readonly<Partial<Record<Verb | 'connect', Handler>>>;

type SubresourceFacts = NonNullable<ResourceFacts['subresources']>[number];

export interface ServedSubresource {
  readonly facts: SubresourceFacts;
  readonly handlers: Handlers;
}

/** One resource as it is served in one version. */
export interface ServedResource {
  readonly facts: ResourceFacts;
  /** `apps/v1` */
  readonly apiVersion: string;
  readonly type: Struct;
  readonly decode: Decode;
  /** What an object is before anything is set: the beginning of ownership. */
  readonly zero: object;
  readonly behaviour: KindBehaviour;
  /** `/registry/deployments/`; versions and groups that show the same objects share it. */
  readonly prefix: string;
  readonly namespaced: boolean;
  /** Of a custom resource: the schema that its definition has. */
  readonly customSchema?: StructuralSchema;
  /** What a stored object is in the present schema, whose defaults may be younger than the object. */
  readonly completed?: (object: KubeObject) => KubeObject;
  readonly hasStatus: boolean;
  readonly hasGeneration: boolean;
  readonly handlers: Handlers;
  /** By name. */
  readonly subresources: ReadonlyMap<string, ServedSubresource>;
}

export interface ResourceDefinition {
  facts: ResourceFacts;
  type: Struct;
  decode: Decode;
  behaviour: KindBehaviour;
  customSchema?: StructuralSchema;
  handlers: Handlers;
  /** The handlers of a subresource; undefined: it is not served. */
  subresource: (name: string) => Handlers | undefined;
}

/** A served resource: what its facts and its behaviour come to. */
export function servedResource({ facts, type, decode, behaviour, handlers, subresource, customSchema }: ResourceDefinition): ServedResource {
  const subresources = new Map<string, ServedSubresource>();
  for (const facet of facts.subresources ?? []) {
    const own = subresource(facet.name);
    if (own) subresources.set(facet.name, { facts: facet, handlers: own });
  }
  return Object.freeze({
    facts,
    apiVersion: apiVersionOf(facts),
    type,
    decode,
    zero: type.id ? deepFreeze(zeroObject(type)) : {},
    behaviour,
    prefix: `/registry/${behaviour.storagePrefix ?? facts.resource}/`,
    ...(customSchema ? { customSchema } : {}),
    ...(customSchema && hasDefaults(type) ? { completed: completion(type, decode) } : {}),
    namespaced: facts.scope === 'Namespaced',
    hasStatus: behaviour.hasStatus ?? facts.subresources?.some(({ name }) => name === 'status') ?? false,
    hasGeneration: behaviour.hasGeneration ?? false,
    handlers,
    subresources,
  });
}

function hasDefaults(type: Type): boolean {
  if (type.shape === 'list' || type.shape === 'map') return hasDefaults(type.element);
  return type.shape === 'struct' && type.id === '' && [...type.fields.values()].some((field) => field.default !== undefined || hasDefaults(field.type));
}

/** An object is completed once, however often it is read. */
function completion(type: Struct, decode: Decode): (object: KubeObject) => KubeObject {
  const known = new WeakMap<KubeObject, KubeObject>();
  return (object) => {
    const found = known.get(object);
    if (found) return found;
    const decoded = decode(type, object).object as unknown as KubeObject;
    const completed = deepEqual(decoded, object) ? object : decoded;
    known.set(object, completed);
    return completed;
  };
}
