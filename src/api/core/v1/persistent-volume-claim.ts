import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { at, type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec, TypedLocalObjectReference } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { validateLabelSelector } from '../../label-validation.ts';
import { compareQuantities, parseQuantity } from '../../quantity.ts';
import { checkLabelName, checkOptionalOneOf, checkSubdomain } from '../../validation.ts';
import { internalDifference } from './internal-difference.ts';
import { asInternal } from './internal-types.ts';

const CLAIM = 'PersistentVolumeClaim';
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

const modesOf = (spec: { accessModes?: readonly string[] }): readonly string[] => spec.accessModes ?? [];

/** The access modes of a volume or a claim, each by itself and all together. */
export function checkAccessModes(spec: { accessModes?: readonly string[] }, field: string): FieldError[] {
  const known = modesOf(spec).filter((mode) => ACCESS_MODES.includes(mode));
  const isMixed = known.includes('ReadWriteOncePod') && known.some((mode) => mode !== 'ReadWriteOncePod');
  return [
    ...modesOf(spec).flatMap((mode) => (ACCESS_MODES.includes(mode) ? [] : [notSupported(field, mode, ACCESS_MODES)])),
    ...(isMixed ? [forbidden(field, 'may not use ReadWriteOncePod with other access modes')] : []),
  ];
}

/** Upstream: validateDataSource. */
function checkDataSource({ name, kind, apiGroup }: TypedLocalObjectReference, field: string): FieldError[] {
  return [
    ...(name ? [] : [required(`${field}.name`)]),
    ...(kind ? [] : [required(`${field}.kind`)]),
    ...(apiGroup || kind === CLAIM ? [] : [invalid(field, kind ?? '', `must be '${CLAIM}' when referencing the default apiGroup`)]),
    ...(apiGroup ? checkSubdomain(apiGroup, `${field}.apiGroup`) : []),
  ];
}

function checkDataSources({ dataSource, dataSourceRef }: PersistentVolumeClaimSpec, field: string): FieldError[] {
  const { namespace } = dataSourceRef ?? {};
  const errors = dataSource ? checkDataSource(dataSource, `${field}.dataSource`) : [];
  if (dataSourceRef) errors.push(...checkDataSource(dataSourceRef, `${field}.dataSourceRef`));
  if (namespace) errors.push(...checkLabelName(namespace, `${field}.dataSourceRef.namespace`));
  if (!dataSource || !dataSourceRef) return errors;
  if (namespace) return [...errors, invalid(field, {}, 'may not be specified when dataSourceRef.namespace is specified')];
  const same = (['apiGroup', 'kind', 'name'] as const).every((key) => (dataSource[key] ?? '') === (dataSourceRef[key] ?? ''));
  return same ? errors : [...errors, invalid(field, {}, 'must match dataSourceRef')];
}

/** Upstream: ValidatePersistentVolumeClaimSpec. */
export function validateClaimSpec(spec: PersistentVolumeClaimSpec, field: string): FieldError[] {
  const { selector, resources, storageClassName, volumeMode, volumeAttributesClassName } = spec;
  const place = at(`${field}.resources`, 'storage');
  const storage = resources?.requests?.['storage'];
  const isPositive = storage !== undefined && parseQuantity(storage).nano > 0n;
  return [
    ...(modesOf(spec).length ? [] : [required(`${field}.accessModes`, 'at least 1 access mode is required')]),
    ...validateLabelSelector(selector, `${field}.selector`),
    ...checkAccessModes(spec, `${field}.accessModes`),
    ...(storage === undefined ? [required(place)] : isPositive ? [] : [invalid(place, storage, 'must be greater than zero')]),
    ...(storageClassName ? checkSubdomain(storageClassName, `${field}.storageClassName`) : []),
    ...checkOptionalOneOf(volumeMode, ['Block', 'Filesystem'], `${field}.volumeMode`),
    ...checkDataSources(spec, field),
    ...(volumeAttributesClassName ? checkSubdomain(volumeAttributesClassName, `${field}.volumeAttributesClassName`) : []),
  ];
}

/** Upstream: ValidatePersistentVolumeClaimUpdate: a bound claim may grow; an unbound one is bound once. */
function validateUpdate(object: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const errors: FieldError[] = [];
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
  if (!deepEqual(comparable, old.spec)) {
    const words = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
    errors.push(
      forbidden(
        'spec',
        `${words}\n${internalDifference(asInternal('PersistentVolumeClaimSpec', old.spec), asInternal('PersistentVolumeClaimSpec', comparable))}`,
      ),
    );
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
  validate: ({ spec }) => validateClaimSpec(spec, 'spec'),
  validateUpdate,
  revalidates: 'first',
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
