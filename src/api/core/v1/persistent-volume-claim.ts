import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { at, type FieldError, forbidden, invalid } from '../../field-error.ts';
import type { PersistentVolumeClaim, PersistentVolumeClaimSpec, TypedObjectReference } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { compareQuantities } from '../../quantity.ts';
import { accessModesText, claimSpecWarnings, validateClaimSpec } from './claim-spec.ts';
import { internalDifference } from './internal-difference.ts';
import { asInternal } from './internal-types.ts';

const STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';
const CLASS_DEPRECATED = 'deprecated since v1.8; use "storageClassName" attribute instead';

type Sources = Pick<PersistentVolumeClaimSpec, 'dataSource' | 'dataSourceRef'>;

/** Sources that could be told before there was dataSourceRef. */
const isOldSource = ({ kind, apiGroup = '' }: NonNullable<Sources['dataSource']>): boolean =>
  (kind === 'PersistentVolumeClaim' && apiGroup === '') || (kind === 'VolumeSnapshot' && apiGroup === 'snapshot.storage.k8s.io');

/** Upstream: pkg/api/persistentvolumeclaim, DropDisabledFields and EnforceDataSourceBackwardsCompatibility. */
function dropUnservedSources(spec: Sources, old: Sources | undefined): void {
  // Sources in other namespaces are behind a gate.
  if (spec.dataSourceRef?.namespace && !old?.dataSourceRef) delete spec.dataSourceRef;
  if (!old?.dataSource && !old?.dataSourceRef && !spec.dataSourceRef && spec.dataSource && !isOldSource(spec.dataSource)) delete spec.dataSource;
}

/** One source told in both ways. Upstream: NormalizeDataSources. */
function unifySources(spec: Sources): void {
  const { dataSource, dataSourceRef } = spec;
  const copy = ({ apiGroup, kind, name }: TypedObjectReference): TypedObjectReference => ({ ...(apiGroup === undefined ? {} : { apiGroup }), kind, name });
  if (dataSource && !dataSourceRef) spec.dataSourceRef = copy(dataSource);
  else if (dataSourceRef && !dataSource && !dataSourceRef.namespace) spec.dataSource = copy(dataSourceRef);
}

/** What of a change is none that matters: a first volume, a class told for the first time, more storage for a bound claim. */
function comparable(
  { spec, status }: PersistentVolumeClaim,
  old: PersistentVolumeClaim,
): { now: PersistentVolumeClaimSpec; before: PersistentVolumeClaimSpec } {
  const now: PersistentVolumeClaimSpec = { ...spec };
  const before: PersistentVolumeClaimSpec = { ...old.spec };
  unifySources(before);
  const keep = <K extends keyof PersistentVolumeClaimSpec>(key: K, from: PersistentVolumeClaimSpec): void => {
    if (from[key] === undefined) delete now[key];
    else now[key] = from[key];
  };
  if (!old.spec.volumeName && spec.volumeName) before.volumeName = spec.volumeName;
  const annotated = old.metadata.annotations?.[STORAGE_CLASS];
  const isFirstClass = spec.storageClassName !== undefined && old.spec.storageClassName === undefined;
  if (isFirstClass && (annotated === undefined || annotated === spec.storageClassName)) keep('storageClassName', old.spec);
  if (status.phase !== 'Bound') return { now, before };
  const storage = old.spec.resources?.requests?.['storage'];
  if (spec.resources?.requests && storage !== undefined) now.resources = { ...spec.resources, requests: { ...spec.resources.requests, storage } };
  keep('volumeAttributesClassName', old.spec);
  return { now, before };
}

/** A class once told in an annotation stays, but for one that has become a field. Upstream: validateStorageClassUpgradeFromAnnotation. */
function checkClassAnnotation({ metadata, spec }: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const now = metadata.annotations?.[STORAGE_CLASS];
  const before = old.metadata.annotations?.[STORAGE_CLASS];
  const hasBecomeField = before !== undefined && old.spec.storageClassName === undefined && spec.storageClassName === before && (now ?? before) === before;
  return hasBecomeField || (now ?? '') === (before ?? '') ? [] : [invalid(`metadata.annotations.${STORAGE_CLASS}`, now ?? '', 'field is immutable')];
}

function checkStorage(now: PersistentVolumeClaimSpec, { spec, status }: PersistentVolumeClaim): FieldError[] {
  const sizeOf = (amounts: Readonly<Record<string, string>> | undefined): string => amounts?.['storage'] ?? '0';
  const size = sizeOf(now.resources?.requests);
  const shrinks = compareQuantities(size, sizeOf(spec.resources?.requests)) < 0;
  const isTooSmall = shrinks && compareQuantities(size, sizeOf(status.capacity)) <= 0;
  return isTooSmall ? [forbidden('spec.resources.requests.storage', 'field can not be less than status.capacity')] : [];
}

const IMMUTABLE = 'spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';

/** Upstream: ValidatePersistentVolumeClaimUpdate, which holds the claim against the rules of a new one once more. */
function validateUpdate(object: PersistentVolumeClaim, old: PersistentVolumeClaim): FieldError[] {
  const { now, before } = comparable(object, old);
  const { volumeMode, volumeAttributesClassName: attributes } = object.spec;
  const errors = [...checkClassAnnotation(object, old)];
  if (!deepEqual(now, before)) {
    const difference = internalDifference(asInternal('PersistentVolumeClaimSpec', before), asInternal('PersistentVolumeClaimSpec', now));
    errors.push(forbidden('spec', `${IMMUTABLE}\n${difference}`));
  }
  errors.push(...checkStorage(object.spec, old));
  if (volumeMode !== old.spec.volumeMode) errors.push(invalid('volumeMode', volumeMode, 'field is immutable'));
  if (attributes === old.spec.volumeAttributesClassName || old.status.currentVolumeAttributesClassName === undefined || attributes) return errors;
  const what = attributes === undefined ? 'nil' : 'empty string';
  const words = `update to ${what} is forbidden when status.currentVolumeAttributesClassName is not nil`;
  return [...errors, forbidden('spec.volumeAttributesClassName', words)];
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
    dropUnservedSources(object.spec, undefined);
    unifySources(object.spec);
  },
  prepareForUpdate: ({ spec }, old) => {
    dropUnservedSources(spec, old.spec);
    unifySources(spec);
  },
  validate: ({ spec }) => validateClaimSpec(spec, 'spec'),
  validateUpdate,
  updateOrder: ['whole', 'metadata', 'whole', 'change'],
  warnings: ({ metadata, spec }) => [
    ...(metadata.annotations?.[STORAGE_CLASS] === undefined ? [] : [`${at('metadata.annotations', STORAGE_CLASS)}: ${CLASS_DEPRECATED}`]),
    ...claimSpecWarnings(spec, 'spec'),
  ],
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    metadata.deletionTimestamp ? 'Terminating' : (status.phase ?? ''),
    spec.volumeName ?? '',
    spec.volumeName ? (status.capacity?.['storage'] ?? '') : '',
    spec.volumeName ? accessModesText(status.accessModes) : '',
    spec.storageClassName ?? metadata.annotations?.[STORAGE_CLASS] ?? '',
    spec.volumeAttributesClassName ?? '<unset>',
    age(metadata.creationTimestamp, nowMs),
    spec.volumeMode ?? '<unset>',
  ],
};
