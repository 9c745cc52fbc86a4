import { age } from '../../duration.ts';
import { asGiven } from '../../emptied.ts';
import { deepEqual } from '../../equality.ts';
import { at, type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type { PersistentVolume, PersistentVolumeSpec, VolumeNodeAffinity } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { asNumber, compareQuantities } from '../../quantity.ts';
import { checkOptionalOneOf, checkSubdomain, sortedEntries } from '../../validation.ts';
import { accessModesText, checkAccessModes } from './claim-spec.ts';
import { internalDifference } from './internal-difference.ts';
import { asInternal } from './internal-types.ts';
import { persistentVolumeWarnings } from './persistent-volume-warnings.ts';
import { checkNodeSelector } from './pod/validation/affinity.ts';
import { setLegacyVolumeDefaults } from './pod/volume-defaults.ts';
import { checkPersistentIscsi, checkSources, OF_PERSISTENT_VOLUMES, type SourceChecks, type SourcePlaces } from './volume-sources.ts';

const MOUNT_OPTIONS = 'volume.beta.kubernetes.io/mount-options';
/** Volumes that take mount options from the annotation. */
const WITH_MOUNT_OPTIONS = [
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'glusterfs',
  'nfs',
  'rbd',
  'quobyte',
  'iscsi',
  'cinder',
  'cephfs',
  'azureFile',
  'vsphereVolume',
  'azureDisk',
  'photonPersistentDisk',
] as const;

/** Upstream: pkg/volume/validation, checkMountOption. */
function checkMountOptions({ metadata, spec }: PersistentVolume): FieldError[] {
  if (metadata.annotations?.[MOUNT_OPTIONS] === undefined || WITH_MOUNT_OPTIONS.some((source) => spec[source])) return [];
  return [forbidden(`metadata.annotations.${MOUNT_OPTIONS}`, 'may not specify mount options for this volume type')];
}

function checkCapacity(spec: PersistentVolumeSpec): FieldError[] {
  const field = 'spec.capacity';
  const { capacity } = spec;
  const names = Object.keys(capacity ?? {});
  return [
    ...(names.length === 0 ? [required(field)] : []),
    ...(names.length === 1 && names[0] === 'storage' ? [] : [notSupported(field, asGiven(spec, 'capacity'), ['storage'])]),
    ...sortedEntries(capacity).flatMap(([name, quantity]) => checkAmount(quantity, at(field, name))),
  ];
}

function checkAmount(quantity: string, field: string): FieldError[] {
  if (compareQuantities(quantity, '0') > 0) return [];
  const whole = asNumber(quantity);
  return [...(whole < 0 ? [invalid(field, whole, 'must be a valid resource quantity')] : []), invalid(field, quantity, 'must be greater than zero')];
}

function checkNodeAffinity(affinity: VolumeNodeAffinity | undefined): FieldError[] {
  const field = 'spec.nodeAffinity.required';
  if (!affinity) return [];
  return affinity.required ? checkNodeSelector(affinity.required, field) : [required(field, 'must specify required node constraints')];
}

/** @param name the volume's own */
function checksOf(spec: PersistentVolumeSpec, name: string): SourceChecks<PersistentVolumeSpec> {
  const { hostPath, gcePersistentDisk, awsElasticBlockStore, glusterfs, flocker, nfs, rbd, quobyte, cephfs, cinder, fc, flexVolume } = OF_PERSISTENT_VOLUMES;
  const { azureFile, vsphereVolume, photonPersistentDisk, portworxVolume, azureDisk, scaleIO, local, storageos, csi } = OF_PERSISTENT_VOLUMES;
  return {
    hostPath,
    gcePersistentDisk,
    awsElasticBlockStore,
    glusterfs,
    flocker,
    nfs,
    rbd,
    quobyte,
    cephfs,
    iscsi: (source, field) => checkPersistentIscsi(source, field, name),
    cinder,
    fc,
    flexVolume,
    azureFile,
    vsphereVolume,
    photonPersistentDisk,
    portworxVolume,
    azureDisk,
    scaleIO,
    local: (source, field) => [
      ...local(source, field),
      ...(spec.nodeAffinity ? [] : [required(field.replace(/local$/, 'nodeAffinity'), 'Local volume requires node affinity')]),
    ],
    storageos,
    csi,
  };
}

/** As upstream has them, with their slips. */
const PLACES: SourcePlaces<PersistentVolumeSpec> = {
  inside: { gcePersistentDisk: 'persistentDisk' },
  excess: { cephfs: 'cephFS' },
  neverExcess: 'flexVolume',
};

/** What the volume is. @param name its own */
export const checkVolumeSource = (spec: PersistentVolumeSpec, field: string, name: string): FieldError[] =>
  checkSources(spec, field, checksOf(spec, name), PLACES);

function checkAttributesClass({ volumeAttributesClassName: name, csi }: PersistentVolumeSpec): FieldError[] {
  const field = 'spec.volumeAttributesClassName';
  if (name === undefined) return [];
  return [
    ...(name ? checkSubdomain(name, field) : [required(field, 'an empty string is disallowed')]),
    ...(csi ? [] : [required('spec.csi', 'has to be specified when using volumeAttributesClassName')]),
  ];
}

/** The root, however it is written. */
const isRoot = (path: string): boolean => /^\/(?:\.{0,2}\/)*\.{0,2}$/.test(path);

/** Upstream: pkg/apis/core/validation, ValidatePersistentVolumeSpec. */
function validateSpec({ metadata, spec }: PersistentVolume): FieldError[] {
  const { accessModes = [], persistentVolumeReclaimPolicy: policy, hostPath, storageClassName, volumeMode } = spec;
  const isRecycledRoot = policy === 'Recycle' && hostPath !== undefined && isRoot(hostPath.path ?? '');
  return [
    ...(accessModes.length ? [] : [required('spec.accessModes')]),
    ...checkAccessModes(spec, 'spec.accessModes'),
    ...checkCapacity(spec),
    ...checkOptionalOneOf(policy || undefined, ['Delete', 'Recycle', 'Retain'], 'spec.persistentVolumeReclaimPolicy'),
    ...checkNodeAffinity(spec.nodeAffinity),
    ...checkVolumeSource(spec, 'spec', metadata.name ?? ''),
    ...(isRecycledRoot ? [forbidden('spec.persistentVolumeReclaimPolicy', "may not be 'recycle' for a hostPath mount of '/'")] : []),
    ...(storageClassName ? checkSubdomain(storageClassName, 'spec.storageClassName') : []),
    ...checkOptionalOneOf(volumeMode, ['Block', 'Filesystem'], 'spec.volumeMode'),
    ...checkAttributesClass(spec),
  ];
}

/** What of the spec is the volume itself, but for a secret that may be added later. */
function sourceOf(spec: PersistentVolumeSpec, old: PersistentVolumeSpec): object {
  const source = asInternal('PersistentVolumeSource', spec);
  if (!spec.csi?.controllerExpandSecretRef || !old.csi || old.csi.controllerExpandSecretRef) return source;
  const { controllerExpandSecretRef: _, ...csi } = spec.csi;
  return asInternal('PersistentVolumeSource', { ...spec, csi });
}

/** Labels of nodes that have new names, by their old ones. */
const RENAMED: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': 'topology.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/instance-type': 'node.kubernetes.io/instance-type',
};

/** With the new names where the new affinity has them (upstream: getMaskNodeSelectorLabelChangeEqualities). */
function withNewNames(old: VolumeNodeAffinity, now: VolumeNodeAffinity | undefined): VolumeNodeAffinity {
  const terms = old.required?.nodeSelectorTerms.map((term, i) => {
    const matchExpressions = term.matchExpressions?.map((expression, j) => {
      const key = now?.required?.nodeSelectorTerms[i]?.matchExpressions?.[j]?.key;
      return key !== undefined && RENAMED[expression.key] === key ? { ...expression, key } : expression;
    });
    return { ...term, ...(matchExpressions && { matchExpressions }) };
  });
  return { ...old, ...(terms && { required: { ...old.required, nodeSelectorTerms: terms } }) };
}

/** Upstream: ValidatePersistentVolumeUpdate. */
function validateUpdate({ spec }: PersistentVolume, old: PersistentVolume): FieldError[] {
  const errors: FieldError[] = [];
  const [before, after] = [asInternal('PersistentVolumeSource', old.spec), sourceOf(spec, old.spec)];
  if (!deepEqual(before, after)) {
    const difference = internalDifference(before, after);
    errors.push(forbidden('spec.persistentvolumesource', `spec.persistentvolumesource is immutable after creation\n${difference}`));
  }
  const { volumeMode, nodeAffinity } = spec;
  if (volumeMode !== old.spec.volumeMode) errors.push(invalid('volumeMode', volumeMode, 'field is immutable'));
  if (old.spec.nodeAffinity && !deepEqual(nodeAffinity, withNewNames(old.spec.nodeAffinity, nodeAffinity))) {
    const shown = nodeAffinity && asInternal('VolumeNodeAffinity', nodeAffinity);
    errors.push(invalid('nodeAffinity', shown, 'field is immutable, except for updating from beta label to GA'));
  }
  if (old.spec.volumeAttributesClassName !== undefined && spec.volumeAttributesClassName === undefined)
    errors.push(forbidden('spec.volumeAttributesClassName', 'update from non-nil value to nil is forbidden'));
  return errors;
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
  validate: (object) => [...validateSpec(object), ...checkMountOptions(object)],
  validateUpdate,
  updateOrder: ['whole', 'whole', 'change'],
  warnings: persistentVolumeWarnings,
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
