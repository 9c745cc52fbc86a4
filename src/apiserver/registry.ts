import { type Conversion, conversions } from '../api/conversions.ts';
import { apiVersionOf, type KubeObject } from '../api/object.ts';
import type { KindBehaviour, ResourceFacts } from '../api/resource.ts';

/** Where upstream keeps a resource under /registry, when that is not its plural name (pkg/registry/*, storage prefixes). */
const STORAGE_NAMES: Record<string, string> = {
  nodes: 'minions',
  services: 'services/specs',
  endpoints: 'services/endpoints',
  replicationcontrollers: 'controllers',
  ingresses: 'ingress',
  customresourcedefinitions: 'apiextensions.k8s.io/customresourcedefinitions',
  apiservices: 'apiregistration.k8s.io/apiservices',
};

/** Kinds without a behaviour of their own whose metadata.generation counts changes of spec (their strategy.go says so). */
const WITH_GENERATION = new Set([
  'Deployment',
  'ReplicaSet',
  'ReplicationController',
  'DaemonSet',
  'StatefulSet',
  'Job',
  'CronJob',
  'Pod',
  'Ingress',
  'IngressClass',
  'NetworkPolicy',
  'PodDisruptionBudget',
  'CustomResourceDefinition',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'FlowSchema',
  'PriorityLevelConfiguration',
  'EndpointSlice',
  'DeviceClass',
  'ResourceSlice',
  'PriorityClass',
]);

/** Kinds that are no resources: the bodies of subresources, and options. */
const BODY_KINDS: Record<string, string> = {
  'v1/DeleteOptions': 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
  'meta.k8s.io/v1/DeleteOptions': 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions',
  'autoscaling/v1/Scale': 'io.k8s.api.autoscaling.v1.Scale',
  'policy/v1/Eviction': 'io.k8s.api.policy.v1.Eviction',
  'authentication.k8s.io/v1/TokenRequest': 'io.k8s.api.authentication.v1.TokenRequest',
};

/** One resource as it is served in one version: the facts, the schema, the behaviour, and where its objects are stored. */
export interface ServedResource {
  facts: ResourceFacts;
  /** `apps/v1` */
  apiVersion: string;
  schemaId: string;
  behaviour: KindBehaviour;
  /** `/registry/deployments/`; versions and groups that show the same objects share it. */
  prefix: string;
  namespaced: boolean;
  hasStatus: boolean;
  hasGeneration: boolean;
  /** From and to the stored version, where that is another one. */
  conversion?: Conversion;
}

export type GroupVersionResource = { group: string; version: string; resource: string };

/** All that is served, by group, version and resource. */
export class Registry {
  readonly #resources = new Map<string, ServedResource>();

  constructor(facts: readonly ResourceFacts[], kinds: readonly KindBehaviour[]) {
    const behaviours = new Map(kinds.map((kind) => [id(kind.group, kind.version, kind.kind), kind]));
    for (const fact of facts) {
      if (!fact.schema) continue;
      const { group, version, kind } = fact;
      const behaviour = behaviours.get(id(group, version, kind)) ?? { group, version, kind };
      const conversion = conversions[id(group, version, kind)];
      this.#resources.set(id(group, version, fact.resource), {
        facts: fact,
        apiVersion: apiVersionOf(fact),
        schemaId: fact.schema,
        behaviour,
        prefix: `/registry/${STORAGE_NAMES[fact.resource] ?? fact.resource}/`,
        namespaced: fact.scope === 'Namespaced',
        hasStatus: behaviour.hasStatus ?? fact.subresources?.some((s) => s.name === 'status') ?? false,
        hasGeneration: behaviour.hasGeneration ?? WITH_GENERATION.has(kind),
        ...(conversion ? { conversion } : {}),
      });
    }
  }

  find({ group, version, resource }: GroupVersionResource): ServedResource | undefined {
    return this.#resources.get(id(group, version, resource));
  }

  /** The served resource of a kind, by `apiVersion` and `kind` of an object or reference. */
  ofKind(apiVersion: string, kind: string): ServedResource | undefined {
    for (const resource of this.#resources.values()) if (resource.apiVersion === apiVersion && resource.facts.kind === kind) return resource;
    return undefined;
  }

  /** The schema of a kind that may stand in a request's body, resource or not. */
  schemaOf(apiVersion: string, kind: string): string | undefined {
    return this.ofKind(apiVersion, kind)?.schemaId ?? BODY_KINDS[`${apiVersion}/${kind}`];
  }

  all(): ServedResource[] {
    return [...this.#resources.values()];
  }
}

function id(group: string, version: string, name: string): string {
  return `${group}/${version}/${name}`;
}

export function storageKey(resource: ServedResource, namespace: string, name: string): string {
  return resource.namespaced ? `${resource.prefix}${namespace}/${name}` : `${resource.prefix}${name}`;
}

/** The stored object in the version that this resource serves. */
export function toServed(resource: ServedResource, object: KubeObject): KubeObject {
  return resource.conversion && object.apiVersion !== resource.apiVersion ? resource.conversion.fromStorage(object) : object;
}

export function toStorage(resource: ServedResource, object: KubeObject): KubeObject {
  return resource.conversion ? resource.conversion.toStorage(object) : object;
}
