import { claimsOf, referencesOf } from '../../api/core/v1/pod/references.ts';
import { bootstrapFacts } from '../../api/generated/bootstrap-facts.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/types/core.v1.ts';
import type { PolicyRule } from '../../api/generated/types/rbac.v1.ts';
import { PersistentVolumeClaims, Pods } from '../../api/resources.ts';
import type { Authorizer, Decision } from '../chain/authorization.ts';
import type { Attributes, ResourceAttributes } from '../chain/chain.ts';
import type { Registry } from '../registry.ts';
import { Mirror } from '../storage/mirror.ts';
import type { Storage } from '../storage/storage.ts';
import { ruleAllows } from './rules.ts';

const USER = 'system:node:';
const GROUP = 'system:nodes';
const LEASE_NAMESPACE = 'kube-node-lease';

const ALLOWED: Decision = { allowed: true };
const refuse = (reason = ''): Decision => ({ allowed: false, ...(reason ? { reason } : {}) });

/** The node that a kubelet's user speaks for (upstream: pkg/auth/nodeidentifier). */
export function nodeOf({ name, groups }: { name: string; groups: readonly string[] }): string | undefined {
  return name.startsWith(USER) && groups.includes(GROUP) ? name.slice(USER.length) : undefined;
}

/** Lets each kubelet read what its own pods need, and no more (upstream: plugin/pkg/auth/authorizer/node). */
export class NodeAuthorizer implements Authorizer {
  readonly #storage: Storage;
  readonly #registry: Registry;
  #mirrors: { pods: Mirror<Pod>; claims: Mirror<PersistentVolumeClaim> } | undefined;
  #rules: readonly PolicyRule[] | undefined;

  constructor(storage: Storage, registry: Registry) {
    this.#storage = storage;
    this.#registry = registry;
  }

  async authorize(attributes: Attributes): Promise<Decision> {
    const node = nodeOf(attributes.user);
    if (node === undefined) return refuse();
    const { resource, verb } = attributes;
    const special = resource && (await this.#special(node, verb, resource));
    if (special) return special;
    this.#rules ??= (bootstrapFacts.clusterRoles.find(({ metadata }) => metadata?.name === 'system:node')?.rules ?? []) as PolicyRule[];
    return this.#rules.some((rule) => ruleAllows(attributes, rule)) ? ALLOWED : refuse();
  }

  /** Undefined: the same for all nodes. */
  async #special(node: string, verb: string, target: ResourceAttributes): Promise<Decision | undefined> {
    switch (`${target.resource}.${target.group}`) {
      case 'secrets.':
      case 'configmaps.':
        return this.#read(node, verb, target);
      case 'persistentvolumeclaims.':
        return target.subresource === 'status' ? this.#updateStatus(node, verb, target) : this.#get(node, verb, target);
      case 'persistentvolumes.':
      case 'resourceclaims.resource.k8s.io':
      case 'volumeattachments.storage.k8s.io':
        return this.#get(node, verb, target);
      case 'serviceaccounts.':
        return this.#serviceAccount(node, verb, target);
      case 'leases.coordination.k8s.io':
        return ownLease(node, verb, target);
      case 'csinodes.storage.k8s.io':
        return ownCSINode(node, verb, target);
      case 'nodes.':
        return ownNode(node, verb, target);
      case 'pods.':
        return this.#pod(node, verb, target);
      default:
        return undefined;
    }
  }

  #read(node: string, verb: string, target: ResourceAttributes): Promise<Decision> | Decision {
    if (!['get', 'list', 'watch'].includes(verb)) return refuse('can only read resources of this type');
    if (target.subresource) return refuse('cannot read subresource');
    if (!target.namespace) return refuse('can only read namespaced object of this type');
    return this.#related(node, target);
  }

  #get(node: string, verb: string, target: ResourceAttributes): Promise<Decision> | Decision {
    if (verb !== 'get') return refuse('can only get individual resources of this type');
    return target.subresource ? refuse('cannot get subresource') : this.#related(node, target);
  }

  #updateStatus(node: string, verb: string, target: ResourceAttributes): Promise<Decision> | Decision {
    return verb === 'update' || verb === 'patch' ? this.#related(node, target) : refuse('can only get/update/patch this type');
  }

  #serviceAccount(node: string, verb: string, target: ResourceAttributes): Promise<Decision> | Decision {
    if (verb === 'get' && !target.subresource) return this.#read(node, verb, target);
    if (verb !== 'create' || !target.name) return refuse('can only create tokens for individual service accounts');
    return target.subresource === 'token' ? this.#related(node, target) : refuse('can only create token subresource of serviceaccount');
  }

  #pod(node: string, verb: string, target: ResourceAttributes): Promise<Decision> | Decision {
    const { subresource, name, fieldSelector = '' } = target;
    if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOWED : refuse();
    if (subresource === 'eviction') return verb === 'create' ? ALLOWED : refuse();
    if (subresource) return refuse();
    if (verb === 'get') return this.#related(node, target);
    if (verb === 'create' || verb === 'delete') return ALLOWED;
    if (verb !== 'list' && verb !== 'watch') return refuse();
    if (fieldSelector.split(',').includes(`spec.nodeName=${node}`)) return ALLOWED;
    return name ? this.#related(node, target) : refuse('can only list/watch pods with spec.nodeName field selector');
  }

  /** Whether a pod of the node needs the object. */
  async #related(node: string, { resource, namespace, name }: ResourceAttributes): Promise<Decision> {
    if (!name) return refuse('No Object name found');
    this.#mirrors ??= {
      pods: new Mirror<Pod>(this.#storage, this.#registry.get(Pods)),
      claims: new Mirror<PersistentVolumeClaim>(this.#storage, this.#registry.get(PersistentVolumeClaims)),
    };
    const { pods, claims } = this.#mirrors;
    await Promise.all([pods.ready, claims.ready]);
    const related = pods.all().some((pod) => {
      if (pod.spec.nodeName !== node) return false;
      if (resource === 'persistentvolumes') return claimsOf(pod).some((claim) => claims.get(pod.metadata.namespace ?? '', claim)?.spec.volumeName === name);
      return pod.metadata.namespace === namespace && referencesOf(pod, resource).includes(name);
    });
    return related ? ALLOWED : refuse(`no relationship found between node '${node}' and this object`);
  }
}

function ownLease(node: string, verb: string, { namespace, name }: ResourceAttributes): Decision {
  if (!['get', 'create', 'update', 'patch', 'delete'].includes(verb)) return refuse('can only get, create, update, patch, or delete a node lease');
  if (namespace !== LEASE_NAMESPACE) return refuse(`can only access leases in the "${LEASE_NAMESPACE}" system namespace`);
  return verb === 'create' || name === node ? ALLOWED : refuse('can only access node lease with the same name as the requesting node');
}

function ownCSINode(node: string, verb: string, { subresource, name }: ResourceAttributes): Decision {
  if (!['get', 'create', 'update', 'patch', 'delete'].includes(verb)) return refuse('can only get, create, update, patch, or delete a CSINode');
  if (subresource) return refuse('cannot authorize CSINode subresources');
  return verb === 'create' || name === node ? ALLOWED : refuse('can only access CSINode with the same name as the requesting node');
}

function ownNode(node: string, verb: string, { subresource, name }: ResourceAttributes): Decision {
  if (subresource === 'status') return verb === 'update' || verb === 'patch' ? ALLOWED : refuse();
  if (subresource) return refuse();
  if (['create', 'update', 'patch'].includes(verb)) return ALLOWED;
  if (!['get', 'list', 'watch'].includes(verb)) return refuse();
  if (name === node) return ALLOWED;
  return refuse(name ? `node '${node}' cannot read '${name}', only its own Node object` : `node '${node}' cannot read all nodes, only its own Node object`);
}
