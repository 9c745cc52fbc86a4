import { isDeepStrictEqual } from 'node:util';
import { age } from '../../duration.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { validateLabelSelector } from '../../label-validation.ts';
import { compareQuantities } from '../../quantity.ts';
import { checkOptionalOneOf, checkSubdomain } from '../../validation.ts';
import { unifiedDifference } from './pod/validation/difference.ts';

/** Of volumes and claims, sorted. */
export const ACCESS_MODES: readonly string[] = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
const SHORT: Readonly<Record<string, string>> = { ReadWriteOnce: 'RWO', ReadOnlyMany: 'ROX', ReadWriteMany: 'RWX', ReadWriteOncePod: 'RWOP' };

/** `RWO,ROX`, in upstream's order. */
export function accessModesText(modes: readonly string[] | undefined): string {
  return Object.keys(SHORT)
    .filter((mode) => modes?.includes(mode))
    .map((mode) => SHORT[mode])
    .join(',');
}

/** Upstream: ValidatePersistentVolumeClaimSpec, for what needs no volume controller. */
function validate({ spec }: PersistentVolumeClaim): FieldError[] {
  const modes = spec.accessModes ?? [];
  const errors = modes.length ? [] : [required('spec.accessModes', 'at least 1 access mode is required')];
  for (const mode of modes) if (!ACCESS_MODES.includes(mode)) errors.push(notSupported('spec.accessModes', mode, ACCESS_MODES));
  if (modes.includes('ReadWriteOncePod') && modes.length > 1)
    errors.push(forbidden('spec.accessModes', 'may not use ReadWriteOncePod with other access modes'));
  errors.push(...validateLabelSelector(spec.selector, 'spec.selector'));
  const storage = spec.resources?.requests?.['storage'];
  if (storage === undefined) errors.push(required('spec.resources[storage]'));
  else if (storage === '0' || storage.startsWith('-')) errors.push(invalid('spec.resources[storage]', storage, 'must be greater than zero'));
  if (spec.storageClassName) errors.push(...checkSubdomain(spec.storageClassName, 'spec.storageClassName'));
  return [...errors, ...checkOptionalOneOf(spec.volumeMode, ['Block', 'Filesystem'], 'spec.volumeMode')];
}

/** The spec with Go's names and order, as messages print it (pkg/apis/core/types.go). */
function internalSpec(spec: PersistentVolumeClaimSpec): string[] {
  const { limits = null, requests = null } = spec.resources ?? {};
  const shown = {
    AccessModes: spec.accessModes ?? null,
    Selector: spec.selector ?? null,
    Resources: { Limits: limits, Requests: requests },
    VolumeName: spec.volumeName ?? '',
    StorageClassName: spec.storageClassName ?? null,
    VolumeMode: spec.volumeMode ?? null,
    DataSource: spec.dataSource ?? null,
    DataSourceRef: spec.dataSourceRef ?? null,
    VolumeAttributesClassName: spec.volumeAttributesClassName ?? null,
  };
  return JSON.stringify(shown, null, 1).split('\n');
}

/** Upstream: ValidatePersistentVolumeClaimUpdate: a bound claim may grow; an unbound one is bound once. */
function validateUpdate(object: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const errors = validate(object);
  const comparable: PersistentVolumeClaimSpec = { ...object.spec };
  if (!old.spec.volumeName && comparable.volumeName) delete comparable.volumeName;
  const bound = old.status.phase === 'Bound';
  const now = object.spec.resources?.requests?.['storage'];
  const before = old.spec.resources?.requests?.['storage'];
  if (bound) {
    comparable.resources = old.spec.resources ?? {};
    delete comparable.volumeAttributesClassName;
    if (old.spec.volumeAttributesClassName !== undefined) comparable.volumeAttributesClassName = old.spec.volumeAttributesClassName;
  }
  if (!isDeepStrictEqual(comparable, old.spec)) {
    const words = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    errors.push(forbidden('spec', `${words}\n${unifiedDifference(internalSpec(old.spec), internalSpec(comparable))}`));
  }
  if (bound && now !== undefined && before !== undefined && compareQuantities(now, before) < 0) {
    const capacity = old.status.capacity?.['storage'];
    if (capacity === undefined || compareQuantities(now, capacity) <= 0)
      errors.push(forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity'));
  }
  return errors;
}

export const persistentVolumeClaim: KindBehaviour<PersistentVolumeClaim> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  returnsDeleted: true,
  hasStatus: true,
  setDefaults: ({ spec, status }) => {
    spec.volumeMode ??= 'Filesystem';
    status.phase ||= 'Pending';
  },
  prepareForCreate: (object) => {
    object.status = { phase: 'Pending' };
  },
  validate,
  validateUpdate,
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? ''),
    spec.volumeName ?? '',
    spec.volumeName ? (status.capacity?.['storage'] ?? '') : '',
    spec.volumeName ? accessModesText(status.accessModes) : '',
    spec.storageClassName ?? metadata.annotations?.['volume.beta.kubernetes.io/storage-class'] ?? '',
    spec.volumeAttributesClassName ?? '<unset>',
    age(metadata.creationTimestamp, nowMs),
    spec.volumeMode ?? '<unset>',
  ],
};
