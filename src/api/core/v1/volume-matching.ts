import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../../generated/types/core.v1.ts';
import type { StorageClass } from '../../generated/types/storage.v1.ts';
import { selectorFrom } from '../../labels.ts';
import { compareQuantities } from '../../quantity.ts';
import { matchesNodeSelector } from './node/selector.ts';

// Which volume a claim may have. Upstream: staging/src/k8s.io/component-helpers/storage/volume/pv_helpers.go.

export const BOUND_BY_CONTROLLER = 'pv.kubernetes.io/bound-by-controller';
export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
export const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
export const PROVISIONED_BY = 'pv.kubernetes.io/provisioned-by';
const CLASS_ANNOTATION = 'volume.beta.kubernetes.io/storage-class';
const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

/** The name of the class, '' for none. */
export function classNameOf({ metadata, spec }: PersistentVolume | PersistentVolumeClaim): string {
  return metadata.annotations?.[CLASS_ANNOTATION] ?? spec.storageClassName ?? '';
}

/** Whether the claim says anything of a class, be it that it wants none. */
export function namesClass({ metadata, spec }: PersistentVolumeClaim): boolean {
  return metadata.annotations?.[CLASS_ANNOTATION] !== undefined || spec.storageClassName !== undefined;
}

/** The class of claims that name none: of several the youngest. Upstream: util.GetDefaultClass. */
export function defaultClass(classes: readonly StorageClass[]): StorageClass | undefined {
  const text = ({ metadata }: StorageClass): string => metadata.creationTimestamp ?? '';
  return classes
    .filter(
      ({ metadata }) =>
        metadata.annotations?.[DEFAULT_CLASS] === 'true' || metadata.annotations?.[`storageclass.beta.kubernetes.io/is-default-class`] === 'true',
    )
    .sort((a, b) => (text(a) === text(b) ? (a.metadata.name! < b.metadata.name! ? -1 : 1) : text(a) > text(b) ? -1 : 1))[0];
}

/** Whether a claim of the class waits for a pod that uses it. */
export function waitsForConsumer(storageClass: StorageClass | undefined): boolean {
  return storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
}

/** Whether the volume is kept for the claim, or has it. */
export function isKeptFor({ spec }: PersistentVolume, { metadata }: PersistentVolumeClaim): boolean {
  const { claimRef } = spec;
  if (!claimRef || claimRef.name !== metadata.name || claimRef.namespace !== metadata.namespace) return false;
  return !claimRef.uid || claimRef.uid === metadata.uid;
}

/** Whether the claim has its volume, and both say so. */
export function isFullyBound({ metadata, spec }: PersistentVolumeClaim): boolean {
  return Boolean(spec.volumeName) && metadata.annotations?.[BIND_COMPLETED] !== undefined;
}

export function hasSameMode(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (claim.spec.volumeMode ?? 'Filesystem') === (volume.spec.volumeMode ?? 'Filesystem');
}

export function hasAccessModes(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return (claim.spec.accessModes ?? []).every((mode) => volume.spec.accessModes?.includes(mode));
}

export function isLargeEnough(volume: PersistentVolume, claim: PersistentVolumeClaim): boolean {
  return compareQuantities(volume.spec.capacity?.['storage'] ?? '0', claim.spec.resources?.requests?.['storage'] ?? '0') >= 0;
}

/** Whether pods on the node reach the volume. */
export function isReachedFrom({ spec }: PersistentVolume, node: Node): boolean {
  return spec.nodeAffinity?.required === undefined || matchesNodeSelector(spec.nodeAffinity.required, node);
}

export interface MatchOptions {
  /** Where the pod is to be; left out: anywhere. */
  node?: Node;
  /** Names of volumes that others are about to get. */
  taken?: ReadonlySet<string>;
  /** Without a node, only a volume that is kept for the claim will do. */
  waits: boolean;
}

/** The volume that is kept for the claim, or else the smallest that will do. Upstream: FindMatchingVolume. */
export function matchingVolume(
  claim: PersistentVolumeClaim,
  volumes: readonly PersistentVolume[],
  { node, taken, waits }: MatchOptions,
): PersistentVolume | undefined {
  const selector = claim.spec.selector ? selectorFrom(claim.spec.selector) : undefined;
  let smallest: PersistentVolume | undefined;
  for (const volume of volumes) {
    const { metadata, spec, status } = volume;
    if (taken?.has(metadata.name!) || (spec.claimRef && !isKeptFor(volume, claim))) continue;
    if (!isLargeEnough(volume, claim) || !hasSameMode(volume, claim) || metadata.deletionTimestamp !== undefined) continue;
    if ((claim.spec.volumeAttributesClassName ?? '') !== (spec.volumeAttributesClassName ?? '')) continue;
    const isReached = node === undefined || isReachedFrom(volume, node);
    if (isKeptFor(volume, claim)) return isReached ? volume : undefined;
    if (node === undefined && waits) continue;
    if (status?.phase !== 'Available' || (selector && !selector.matches(metadata.labels))) continue;
    if (classNameOf(volume) !== classNameOf(claim) || !isReached || !hasAccessModes(volume, claim)) continue;
    if (!smallest || isSmaller(volume, smallest)) smallest = volume;
  }
  return smallest;
}

/** Fewer access modes before more, then less space. */
function isSmaller(a: PersistentVolume, b: PersistentVolume): boolean {
  const modes = (a.spec.accessModes?.length ?? 0) - (b.spec.accessModes?.length ?? 0);
  if (modes !== 0) return modes < 0;
  return compareQuantities(a.spec.capacity?.['storage'] ?? '0', b.spec.capacity?.['storage'] ?? '0') < 0;
}

/** A claim that a pod uses. */
export interface UsedClaim {
  name: string;
  /** Made for the pod alone, from a template of its own. */
  ephemeral: boolean;
}

export function claimsUsedBy({ metadata, spec }: Pod): UsedClaim[] {
  return (spec.volumes ?? []).flatMap(({ name, persistentVolumeClaim, ephemeral }): UsedClaim[] => {
    if (persistentVolumeClaim) return [{ name: persistentVolumeClaim.claimName, ephemeral: false }];
    return ephemeral ? [{ name: `${metadata.name}-${name}`, ephemeral: true }] : [];
  });
}

/** The volume with a reference to the claim; undefined where it has it already. Upstream: GetBindVolumeToClaim. */
export function boundToClaim(volume: PersistentVolume, claim: PersistentVolumeClaim): PersistentVolume | undefined {
  const { name, namespace, uid, resourceVersion } = claim.metadata;
  const { claimRef } = volume.spec;
  const byController = !isKeptFor(volume, claim) && volume.metadata.annotations?.[BOUND_BY_CONTROLLER] === undefined;
  if (claimRef?.name === name && claimRef?.namespace === namespace && claimRef?.uid === uid && !byController) return undefined;
  const annotations = byController ? { ...volume.metadata.annotations, [BOUND_BY_CONTROLLER]: 'yes' } : volume.metadata.annotations;
  return {
    ...volume,
    metadata: { ...volume.metadata, ...(annotations ? { annotations } : {}) },
    spec: {
      ...volume.spec,
      claimRef: { kind: 'PersistentVolumeClaim', namespace: namespace!, name: name!, uid: uid!, apiVersion: 'v1', resourceVersion: resourceVersion! },
    },
  };
}
