import { claimsUsedBy, classNameOf, isFullyBound, isReachedFrom, matchingVolume, SELECTED_NODE, waitsForConsumer } from '../api/core/v1/volume-matching.ts';
import type { Node, PersistentVolume, PersistentVolumeClaim, Pod } from '../api/generated/types/core.v1.ts';
import type { StorageClass } from '../api/generated/types/storage.v1.ts';
import { compareQuantities } from '../api/quantity.ts';

/** Claims, volumes and classes at one moment. */
export interface Storage {
  claim(namespace: string, name: string): PersistentVolumeClaim | undefined;
  volume(name: string): PersistentVolume | undefined;
  storageClass(name: string): StorageClass | undefined;
  volumes(): readonly PersistentVolume[];
  /** Names of volumes that pods are about to get. */
  readonly taken: ReadonlySet<string>;
}

/** The claims of a pod, or why no node can take it. */
export type PodClaims =
  | { fault: string }
  | {
      bound: readonly PersistentVolumeClaim[];
      /** Those that wait for a node. */
      waiting: readonly PersistentVolumeClaim[];
    };

/** Upstream: pkg/scheduler/framework/plugins/volumebinding (PreFilter). */
export function claimsOf(pod: Pod, storage: Storage): PodClaims {
  const { namespace = '' } = pod.metadata;
  const bound: PersistentVolumeClaim[] = [];
  const waiting: PersistentVolumeClaim[] = [];
  let isImmediate = false;
  for (const { name, ephemeral } of claimsUsedBy(pod)) {
    const claim = storage.claim(namespace, name);
    if (!claim)
      return {
        fault: ephemeral
          ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
          : `persistentvolumeclaim "${name}" not found`,
      };
    if (claim.status?.phase === 'Lost') return { fault: `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec.volumeName}"` };
    if (claim.metadata.deletionTimestamp !== undefined) return { fault: `persistentvolumeclaim "${name}" is being deleted` };
    if (ephemeral && !claim.metadata.ownerReferences?.some(({ uid, controller }) => controller && uid === pod.metadata.uid)) {
      return { fault: `PVC ${namespace}/${name} was not created for pod ${namespace}/${pod.metadata.name} (pod is not owner)` };
    }
    if (isFullyBound(claim)) bound.push(claim);
    else if (waitsForConsumer(storage.storageClass(classNameOf(claim))) && !claim.spec.volumeName) waiting.push(claim);
    else isImmediate = true;
  }
  return isImmediate ? { fault: 'pod has unbound immediate PersistentVolumeClaims' } : { bound, waiting };
}

/** What the waiting claims get on a node: a volume that there is, or one that is to be made. */
export interface Provisions {
  found: readonly { claim: PersistentVolumeClaim; volume: PersistentVolume }[];
  toMake: readonly PersistentVolumeClaim[];
}

const NO_PROVISIONER = 'kubernetes.io/no-provisioner';
const size = ({ spec }: PersistentVolumeClaim): string => spec.resources?.requests?.['storage'] ?? '0';

/** Undefined: the node cannot have them. Upstream: volumebinding/binder.go (findMatchingVolumes, checkVolumeProvisions). */
export function provisionsOn(node: Node, waiting: readonly PersistentVolumeClaim[], storage: Storage): Provisions | undefined {
  const found: { claim: PersistentVolumeClaim; volume: PersistentVolume }[] = [];
  const toMake: PersistentVolumeClaim[] = [];
  const taken = new Set(storage.taken);
  for (const claim of waiting.toSorted((a, b) => compareQuantities(size(a), size(b)))) {
    const chosen = claim.metadata.annotations?.[SELECTED_NODE];
    if (chosen !== undefined && chosen !== node.metadata.name) return undefined;
    const volume = chosen === undefined ? matchingVolume(claim, storage.volumes(), { node, taken, waits: false }) : undefined;
    if (volume) {
      found.push({ claim, volume });
      taken.add(volume.metadata.name!);
    } else if (isMadeFor(node, storage.storageClass(classNameOf(claim)))) toMake.push(claim);
    else return undefined;
  }
  return { found, toMake };
}

function isMadeFor({ metadata }: Node, storageClass: StorageClass | undefined): boolean {
  if (!storageClass || storageClass.provisioner === NO_PROVISIONER) return false;
  const { allowedTopologies = [] } = storageClass;
  if (allowedTopologies.length === 0) return true;
  return allowedTopologies.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(metadata.labels?.[key] ?? '')),
  );
}

/** Why the pod's volumes keep it from the node. */
export function volumeConflict(node: Node, { bound, waiting }: Exclude<PodClaims, { fault: string }>, storage: Storage): string | undefined {
  for (const claim of bound) {
    const volume = storage.volume(claim.spec.volumeName!);
    if (!volume) return 'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)';
    if (!isReachedFrom(volume, node)) return 'node(s) had volume node affinity conflict';
  }
  return provisionsOn(node, waiting, storage) ? undefined : "node(s) didn't find available persistent volumes to bind";
}
