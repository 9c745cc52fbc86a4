import { sourcesOf } from '../../core/v1/persistent-volume.ts';
import { ACCESS_MODES } from '../../core/v1/persistent-volume-claim.ts';
import { type FieldError, forbidden, notSupported, required } from '../../field-error.ts';
import type { CSIPersistentVolumeSource, PersistentVolumeSpec, SecretReference } from '../../generated/types/core.v1.ts';
import { checkLabelName, checkPresent, checkSubdomain } from '../../validation.ts';
import { checkDriverName } from './parameters.ts';

const OF_INLINE_VOLUMES = 'in the context of inline volumes';

function checkSecretReference({ name, namespace }: SecretReference, field: string): FieldError[] {
  return [
    ...(name ? checkSubdomain(name, `${field}.name`) : [required(`${field}.name`)]),
    ...(namespace ? checkLabelName(namespace, `${field}.namespace`) : [required(`${field}.namespace`)]),
  ];
}

/** Upstream: validateCSIPersistentVolumeSource. */
function checkSource(source: CSIPersistentVolumeSource, field: string): FieldError[] {
  const secrets = ['controllerPublishSecretRef', 'controllerExpandSecretRef', 'nodePublishSecretRef', 'nodeExpandSecretRef'] as const;
  return [
    ...checkDriverName(source.driver ?? '', `${field}.driver`),
    ...checkPresent(source.volumeHandle, `${field}.volumeHandle`),
    ...secrets.flatMap((secret) => (source[secret] ? checkSecretReference(source[secret], `${field}.${secret}`) : [])),
  ];
}

function checkAccessModes(modes: readonly string[], field: string): FieldError[] {
  const known = modes.filter((mode) => ACCESS_MODES.includes(mode));
  const isShared = known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod');
  return [
    ...(modes.length ? [] : [required(field)]),
    ...modes.flatMap((mode) => (known.includes(mode) ? [] : [notSupported(field, mode, ACCESS_MODES)])),
    ...(isShared ? [forbidden(field, 'may not use ReadWriteOncePod with other access modes')] : []),
  ];
}

function checkSources(spec: PersistentVolumeSpec, field: string): FieldError[] {
  const [first, ...others] = sourcesOf(spec);
  if (!first) return [required(field, 'must specify a volume type')];
  return [
    ...(first === 'csi' && spec.csi ? checkSource(spec.csi, `${field}.csi`) : []),
    ...others.map((source) => forbidden(`${field}.${source}`, 'may not specify more than 1 volume type')),
  ];
}

/**
 * A volume that stands within its VolumeAttachment: one of a CSI driver, which a pod named without a PersistentVolume
 * (upstream: ValidatePersistentVolumeSpec for inline volumes; the fields of other drivers' volumes are not looked at).
 */
export function checkInlineVolume(spec: PersistentVolumeSpec, field: string): FieldError[] {
  const unwanted = (name: string): FieldError => forbidden(`${field}.${name}`, `may not be specified ${OF_INLINE_VOLUMES}`);
  const { claimRef, capacity, csi, accessModes = [], persistentVolumeReclaimPolicy: policy, nodeAffinity, storageClassName, volumeMode } = spec;
  return [
    ...(claimRef ? [unwanted('claimRef')] : []),
    ...(Object.keys(capacity ?? {}).length ? [unwanted('capacity')] : []),
    ...(csi ? [] : [required(`${field}.csi`, `has to be specified ${OF_INLINE_VOLUMES}`)]),
    ...checkAccessModes(accessModes, `${field}.accessModes`),
    ...(policy && policy !== 'Retain' ? [forbidden(`${field}.persistentVolumeReclaimPolicy`, `may only be Retain ${OF_INLINE_VOLUMES}`)] : []),
    ...(nodeAffinity ? [unwanted('nodeAffinity')] : []),
    ...checkSources(spec, field),
    ...(storageClassName ? [unwanted('storageClassName')] : []),
    ...(volumeMode === undefined || volumeMode === 'Filesystem'
      ? []
      : [forbidden(`${field}.volumeMode`, `may not specify volumeMode other than Filesystem ${OF_INLINE_VOLUMES}`)]),
  ];
}
