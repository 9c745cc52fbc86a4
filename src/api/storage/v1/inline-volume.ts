import { checkAccessModes } from '../../core/v1/claim-spec.ts';
import { checkVolumeSource } from '../../core/v1/persistent-volume.ts';
import { type FieldError, forbidden, required } from '../../field-error.ts';
import type { PersistentVolumeSpec } from '../../generated/types/core.v1.ts';

const OF_INLINE_VOLUMES = 'in the context of inline volumes';

/**
 * A volume that stands within its VolumeAttachment: one of a CSI driver, which a pod named without a PersistentVolume
 * (upstream: ValidatePersistentVolumeSpec for inline volumes).
 */
export function checkInlineVolume(spec: PersistentVolumeSpec, field: string): FieldError[] {
  const unwanted = (name: string): FieldError => forbidden(`${field}.${name}`, `may not be specified ${OF_INLINE_VOLUMES}`);
  const { claimRef, capacity, csi, accessModes = [], persistentVolumeReclaimPolicy: policy, nodeAffinity, storageClassName, volumeMode } = spec;
  return [
    ...(claimRef ? [unwanted('claimRef')] : []),
    ...(Object.keys(capacity ?? {}).length ? [unwanted('capacity')] : []),
    ...(csi ? [] : [required(`${field}.csi`, `has to be specified ${OF_INLINE_VOLUMES}`)]),
    ...(accessModes.length ? [] : [required(`${field}.accessModes`)]),
    ...checkAccessModes(spec, `${field}.accessModes`),
    ...(policy && policy !== 'Retain' ? [forbidden(`${field}.persistentVolumeReclaimPolicy`, `may only be Retain ${OF_INLINE_VOLUMES}`)] : []),
    ...(nodeAffinity ? [unwanted('nodeAffinity')] : []),
    ...checkVolumeSource(spec, field, ''),
    ...(storageClassName ? [unwanted('storageClassName')] : []),
    ...(volumeMode === undefined || volumeMode === 'Filesystem'
      ? []
      : [forbidden(`${field}.volumeMode`, `may not specify volumeMode other than Filesystem ${OF_INLINE_VOLUMES}`)]),
  ];
}
