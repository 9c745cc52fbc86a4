import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { at, type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type { PersistentVolume, PersistentVolumeSpec } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { compareQuantities } from '../../quantity.ts';
import { checkOptionalOneOf, checkSubdomain, sortedEntries } from '../../validation.ts';
import { ACCESS_MODES, accessModesText } from './persistent-volume-claim.ts';
import { setLegacyVolumeDefaults } from './pod/volume-defaults.ts';

/** The kinds of volume there are, in the order in which upstream looks for them. */
const SOURCES = [
  'hostPath',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'flocker',
  'nfs',
  'rbd',
  'quobyte',
  'cephfs',
  'iscsi',
  'cinder',
  'fc',
  'flexVolume',
  'azureFile',
  'vsphereVolume',
  'photonPersistentDisk',
  'portworxVolume',
  'azureDisk',
  'scaleIO',
  'local',
  'storageos',
  'csi',
] as const satisfies readonly (keyof PersistentVolumeSpec)[];

/** The kinds of volume that a spec names: one, where it is well formed. */
export const sourcesOf = (spec: PersistentVolumeSpec): (typeof SOURCES)[number][] => SOURCES.filter((source) => spec[source] !== undefined);

function checkCapacity(capacity: Record<string, string> | undefined): FieldError[] {
  const field = 'spec.capacity';
  const names = Object.keys(capacity ?? {});
  return [
    ...(names.length === 0 ? [required(field)] : []),
    ...(names.length === 1 && names[0] === 'storage' ? [] : [notSupported(field, capacity, ['storage'])]),
    ...sortedEntries(capacity).flatMap(([name, quantity]) =>
      compareQuantities(quantity, '0') > 0 ? [] : [invalid(at(field, name), quantity, 'must be greater than zero')],
    ),
  ];
}

/** Upstream: pkg/apis/core/validation, ValidatePersistentVolumeSpec, but for what is inside each kind of volume. */
function validate({ spec }: PersistentVolume): FieldError[] {
  const modes = spec.accessModes ?? [];
  const sources = sourcesOf(spec);
  const { hostPath, persistentVolumeReclaimPolicy: policy } = spec;
  const isRecycledRoot = hostPath !== undefined && /^\/+$/.test(hostPath.path) && policy === 'Recycle';
  return [
    ...(modes.length === 0 ? [required('spec.accessModes')] : []),
    ...modes.filter((mode) => !ACCESS_MODES.includes(mode)).map((mode) => notSupported('spec.accessModes', mode, ACCESS_MODES)),
    ...(modes.includes('ReadWriteOncePod') && modes.some((mode) => mode !== 'ReadWriteOncePod')
      ? [forbidden('spec.accessModes', 'may not use ReadWriteOncePod with other access modes')]
      : []),
    ...checkCapacity(spec.capacity),
    ...checkOptionalOneOf(policy || undefined, ['Delete', 'Recycle', 'Retain'], 'spec.persistentVolumeReclaimPolicy'),
    ...sources.slice(1).map((source) => forbidden(`spec.${source}`, 'may not specify more than 1 volume type')),
    ...(sources.length === 0 ? [required('spec', 'must specify a volume type')] : []),
    ...(isRecycledRoot ? [forbidden('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'")] : []),
    ...(spec.storageClassName ? checkSubdomain(spec.storageClassName, 'spec.storageClassName') : []),
    ...checkOptionalOneOf(spec.volumeMode, ['Block', 'Filesystem'], 'spec.volumeMode'),
  ];
}

/** Upstream: ValidatePersistentVolumeUpdate. */
function validateUpdate(object: PersistentVolume, old: PersistentVolume): FieldError[] {
  const isSameVolume = SOURCES.every((source) => deepEqual(object.spec[source], old.spec[source]));
  return [
    ...(isSameVolume ? [] : [forbidden('spec.persistentvolumesource', 'spec.persistentvolumesource is immutable after creation')]),
    ...(object.spec.volumeMode === old.spec.volumeMode ? [] : [invalid('spec.volumeMode', object.spec.volumeMode, 'field is immutable')]),
  ];
}

export const persistentVolume: KindBehaviour<PersistentVolume> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolume',
  returnsDeleted: true,
  hasStatus: true,
  setDefaults: ({ spec, status }) => {
    spec.persistentVolumeReclaimPolicy ||= 'Retain';
    spec.volumeMode ??= 'Filesystem';
    setLegacyVolumeDefaults(spec);
    status.phase ||= 'Pending';
  },
  prepareForCreate: (object) => {
    const { creationTimestamp } = object.metadata;
    object.status = { phase: 'Pending', ...(creationTimestamp ? { lastPhaseTransitionTime: creationTimestamp } : {}) };
  },
  validate,
  validateUpdate,
  revalidates: 'first',
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    spec.capacity?.['storage'] ?? '',
    accessModesText(spec.accessModes),
    spec.persistentVolumeReclaimPolicy ?? '',
    metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? ''),
    spec.claimRef ? `${spec.claimRef.namespace}/${spec.claimRef.name}` : '',
    spec.storageClassName ?? '',
    spec.volumeAttributesClassName ?? '<unset>',
    status.reason ?? '',
    age(metadata.creationTimestamp, nowMs),
    spec.volumeMode ?? '<unset>',
  ],
};
