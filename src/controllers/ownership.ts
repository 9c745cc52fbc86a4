import type { OwnerReference } from '../api/generated/types/meta.v1.ts';
import type { Selector } from '../api/labels.ts';
import type { KubeObject, ObjectMeta, Resource } from '../api/object.ts';
import { apiVersionOf } from '../api/object.ts';
import { type Action, andThen, type Plan } from './runtime/plan.ts';

/** The owner reference of the object's controller. */
export function controllerOf({ metadata }: { metadata: ObjectMeta }): OwnerReference | undefined {
  return metadata.ownerReferences?.find((reference) => reference.controller === true);
}

/** A reference that makes `owner` the controller, and its foreground deletion wait for the object. */
export function controllerReference(resource: Resource, owner: KubeObject): OwnerReference {
  return {
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    name: owner.metadata.name!,
    uid: owner.metadata.uid!,
    controller: true,
    blockOwnerDeletion: true,
  };
}

/** Eldest first; of the same age, by name. Upstream: controller.ReplicaSetsByCreationTimestamp. */
export function byAge(a: KubeObject, b: KubeObject): number {
  return compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') || compareText(a.metadata.name!, b.metadata.name!);
}

export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export interface ClaimOptions<T extends KubeObject> {
  owner: KubeObject;
  ownerResource: Resource;
  resource: Resource<T>;
  selector: Selector;
  /** What the owner has and what has no controller. */
  candidates: readonly T[];
  /** Beside the selector; left out: what matches is a member. */
  isMember?: (object: T) => boolean;
  /** Finalizers that what is adopted gets. */
  finalizers?: readonly string[];
  /** The numbers of the owner's rules. */
  rules: { adoption: string; release: string };
}

/**
 * Takes over what matches the selector and has no controller, after a look at the live owner; lets go of what is the
 * owner's and matches no more; goes on with what the owner has then. An owner that is being deleted does neither.
 * Upstream: pkg/controller/controller_ref_manager.go.
 */
export function claim<T extends KubeObject>(options: ClaimOptions<T>, next: (claimed: T[]) => Plan): Plan {
  const { owner, ownerResource, selector, candidates } = options;
  const deleting = owner.metadata.deletionTimestamp !== undefined;
  const claimed: T[] = [];
  const adoptions: Action[] = [];
  const releases: Action[] = [];
  const adoptedAt: number[] = [];
  for (const object of candidates) {
    const reference = controllerOf(object);
    const matches = selector.matches(object.metadata.labels) && (options.isMember?.(object) ?? true);
    if (reference) {
      if (reference.uid !== owner.metadata.uid) continue;
      if (matches) claimed.push(object);
      else if (!deleting) releases.push(release(options, object));
    } else if (!deleting && matches && object.metadata.deletionTimestamp === undefined) {
      adoptedAt.push(claimed.push(object) - 1);
      adoptions.push(adopt(options, object));
    }
  }
  const { namespace = '', name = '', uid = '' } = owner.metadata;
  const because = { rule: options.rules.adoption, facts: { adoptions: adoptions.length } };
  const verify: Action[] = adoptions.length > 0 ? [{ type: 'verifyLive', resource: ownerResource, namespace, name, uid, because }] : [];
  return andThen([...verify, ...adoptions, ...releases], (outcomes) => {
    adoptedAt.forEach((at, index) => {
      const outcome = outcomes[verify.length + index];
      if (outcome) claimed[at] = outcome.object as T;
    });
    return next(claimed.filter((object) => object !== undefined));
  });
}

function adopt<T extends KubeObject>({ owner, ownerResource, resource, rules, finalizers }: ClaimOptions<T>, object: T): Action {
  const { namespace = '', name = '', uid } = object.metadata;
  const body = { metadata: { ownerReferences: [controllerReference(ownerResource, owner)], uid, ...(finalizers ? { finalizers } : {}) } };
  const because = { rule: rules.adoption };
  return { type: 'patch', resource, namespace, name, body, patchType: 'application/strategic-merge-patch+json', ignore: ['NotFound'], because };
}

/** `Invalid` is ignored: the uid differs, so the object is another one by now, or the reference is gone already. */
function release<T extends KubeObject>({ owner, resource, rules, finalizers }: ClaimOptions<T>, object: T): Action {
  const { namespace = '', name = '', uid } = object.metadata;
  const own = finalizers ? { '$deleteFromPrimitiveList/finalizers': finalizers } : {};
  const body = { metadata: { ownerReferences: [{ $patch: 'delete', uid: owner.metadata.uid }], uid, ...own } };
  const because = { rule: rules.release };
  return { type: 'patch', resource, namespace, name, body, patchType: 'application/strategic-merge-patch+json', ignore: ['NotFound', 'Invalid'], because };
}
