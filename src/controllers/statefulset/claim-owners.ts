import type { StatefulSet } from '../../api/generated/types/apps.v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/types/core.v1.ts';
import type { OwnerReference } from '../../api/generated/types/meta.v1.ts';
import { apiVersionOf, type KubeObject, type Resource } from '../../api/object.ts';
import { Pods, StatefulSets } from '../../api/resources.ts';
import { controllerReference } from '../ownership.ts';
import { isInRange, ordinalOf } from './identity.ts';

// Who owns a claim decides when it goes: nobody, then it stays; the set, then with the set; its pod, which it gets when it is
// scaled away, then with that. Upstream: stateful_set_utils.go (isClaimOwnerUpToDate, updateClaimOwnerRefForSetAndPod).

/** A pod of a set, which may not be there yet. */
export interface Member {
  set: StatefulSet;
  /** Without a uid: it is still to be made. */
  pod: Pick<Pod, 'metadata'>;
}

function isNamedBy({ apiVersion, kind, name }: OwnerReference, resource: Resource, { metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return apiVersion === apiVersionOf(resource) && kind === resource.kind && name === metadata.name;
}

function referencesOf({ metadata }: PersistentVolumeClaim): readonly OwnerReference[] {
  return metadata.ownerReferences ?? [];
}

function isOwnedBy(claim: PersistentVolumeClaim, { metadata }: Pick<KubeObject, 'metadata'>): boolean {
  return referencesOf(claim).some(({ uid }) => uid === metadata.uid);
}

/** Whether the claim belongs to an earlier object of the same name. */
export function isStale(claim: PersistentVolumeClaim, resource: Resource, object: Pick<KubeObject, 'metadata'>): boolean {
  const named = referencesOf(claim).find((reference) => isNamedBy(reference, resource, object));
  return named !== undefined && named.uid !== object.metadata.uid;
}

function policyOf({ spec }: StatefulSet): { whenDeleted: boolean; whenScaled: boolean } {
  const { whenDeleted, whenScaled } = spec.persistentVolumeClaimRetentionPolicy ?? {};
  return { whenDeleted: whenDeleted === 'Delete', whenScaled: whenScaled === 'Delete' };
}

/** Whether claims go when their pods are scaled away. */
export function goesWithScale(set: StatefulSet): boolean {
  return policyOf(set).whenScaled;
}

/** Whether somebody else controls the claim. Of no concern where claims are kept in any case. */
export function hasUnexpectedController(claim: PersistentVolumeClaim, { set, pod }: Member): boolean {
  const { whenDeleted, whenScaled } = policyOf(set);
  if (!whenDeleted && !whenScaled) return false;
  return referencesOf(claim).some((reference) => {
    if (isNamedBy(reference, StatefulSets, set)) return reference.uid !== set.metadata.uid;
    if (isNamedBy(reference, Pods, pod)) return reference.uid !== pod.metadata.uid;
    return reference.controller === true;
  });
}

function wantedOwners({ set, pod }: Member): { set: boolean; pod: boolean } {
  const { whenDeleted, whenScaled } = policyOf(set);
  const scaledAway = !isInRange(set, ordinalOf(pod));
  return { set: whenDeleted && !(whenScaled && scaledAway), pod: whenScaled && scaledAway };
}

/** Whether there is nothing to change about the claim's owners; what is in an unknown state is left alone. */
export function hasRightOwners(claim: PersistentVolumeClaim, member: Member): boolean {
  const { set, pod } = member;
  if (isStale(claim, StatefulSets, set) || isStale(claim, Pods, pod)) return true;
  const owned = { set: isOwnedBy(claim, set), pod: isOwnedBy(claim, pod) };
  if (hasUnexpectedController(claim, member)) return !owned.set && !owned.pod;
  const ours = [set.metadata.uid, pod.metadata.uid];
  if (referencesOf(claim).some(({ uid, controller }) => ours.includes(uid) && !controller)) return false;
  const wanted = wantedOwners(member);
  return owned.set === wanted.set && owned.pod === wanted.pod;
}

/** The claim with the owners that it should have. */
export function withRightOwners(claim: PersistentVolumeClaim, member: Member): PersistentVolumeClaim {
  const { set, pod } = member;
  const others = referencesOf(claim).filter((reference) => !isNamedBy(reference, StatefulSets, set) && !isNamedBy(reference, Pods, pod));
  const wanted = hasUnexpectedController(claim, member) ? { set: false, pod: false } : wantedOwners(member);
  const ownerReferences = [
    ...others,
    ...(wanted.pod ? [controllerReference(Pods, pod as KubeObject)] : []),
    ...(wanted.set ? [controllerReference(StatefulSets, set)] : []),
  ];
  return { ...claim, metadata: { ...claim.metadata, ownerReferences } };
}
