import { asInternal } from '../../core/v1/internal-types.ts';
import { asGiven } from '../../emptied.ts';
import type { PersistentVolumeSpec } from '../../generated/types/core.v1.ts';
import type { VolumeAttachmentSpec } from '../../generated/types/storage.v1.ts';

/** The spec as Go's JSON of the internal type has it (pkg/apis/storage/types.go, pkg/apis/core/types.go). */
export function internalSpec({ attacher = '', source, nodeName = '' }: VolumeAttachmentSpec): unknown {
  const { persistentVolumeName = null, inlineVolumeSpec } = source ?? {};
  return {
    Attacher: attacher,
    Source: { PersistentVolumeName: persistentVolumeName, InlineVolumeSpec: inlineVolumeSpec ? internalVolume(inlineVolumeSpec) : null },
    NodeName: nodeName,
  };
}

function internalVolume(spec: PersistentVolumeSpec): unknown {
  const { claimRef, persistentVolumeReclaimPolicy = '', storageClassName = '', volumeMode = null, nodeAffinity, volumeAttributesClassName = null } = spec;
  return {
    Capacity: asGiven(spec, 'capacity'),
    ...asInternal('PersistentVolumeSource', spec),
    AccessModes: asGiven(spec, 'accessModes'),
    ClaimRef: claimRef ? asInternal('ObjectReference', claimRef) : null,
    PersistentVolumeReclaimPolicy: persistentVolumeReclaimPolicy,
    StorageClassName: storageClassName,
    MountOptions: asGiven(spec, 'mountOptions'),
    VolumeMode: volumeMode,
    NodeAffinity: nodeAffinity ? asInternal('VolumeNodeAffinity', nodeAffinity) : null,
    VolumeAttributesClassName: volumeAttributesClassName,
  };
}
