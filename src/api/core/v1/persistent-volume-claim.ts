import { age } from '../../duration.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type { PersistentVolumeClaim } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../resource.ts';

const MODES = ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'];
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
  for (const mode of modes) if (!MODES.includes(mode)) errors.push(notSupported('spec.accessModes', mode, MODES));
  if (modes.includes('ReadWriteOncePod') && modes.length > 1)
    errors.push(forbidden('spec.accessModes', 'may not use ReadWriteOncePod with other access modes'));
  const storage = spec.resources?.requests?.['storage'];
  if (storage === undefined) errors.push(required('spec.resources[storage]'));
  else if (storage === '0' || storage.startsWith('-')) errors.push(invalid('spec.resources[storage]', storage, 'must be greater than zero'));
  return errors;
}

export const persistentVolumeClaim: KindBehaviour<PersistentVolumeClaim> = {
  group: '',
  version: 'v1',
  kind: 'PersistentVolumeClaim',
  hasStatus: true,
  setDefaults: ({ spec, status }) => {
    spec.volumeMode ??= 'Filesystem';
    status.phase ||= 'Pending';
  },
  prepareForCreate: (object) => {
    object.status = { phase: 'Pending' };
  },
  validate,
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
