import { at, type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type { PersistentVolumeClaimSpec, TypedLocalObjectReference } from '../../generated/types/core.v1.ts';
import { validateLabelSelector } from '../../label-validation.ts';
import { asMilli, parseQuantity } from '../../quantity.ts';
import { checkLabelName, checkOptionalOneOf, checkSubdomain } from '../../validation.ts';

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
  const same = (['apiGroup', 'kind', 'name'] as const).every((key) => dataSource[key] === dataSourceRef[key]);
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

/** Upstream: pkg/api/persistentvolumeclaim, GetWarningsForPersistentVolumeClaimSpec. */
export function claimSpecWarnings({ resources }: PersistentVolumeClaimSpec, field: string): string[] {
  return (['requests', 'limits'] as const).flatMap((which) => {
    const storage = resources?.[which]?.['storage'];
    if (storage === undefined || asMilli(storage) % 1000 === 0) return [];
    return [`${at(`${field}.resources.${which}`, 'storage')}: fractional byte value "${storage}" is invalid, must be an integer`];
  });
}
