import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { type FieldError, forbidden, invalid, required } from '../../field-error.ts';
import type { StorageClass } from '../../generated/types/storage.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { qualifiedNameFaults } from '../../names.ts';
import { checkOneOf, checkOptionalOneOf } from '../../validation.ts';

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

/** Upstream: pkg/apis/storage/validation, ValidateStorageClass. */
function validate({ provisioner, reclaimPolicy, volumeBindingMode }: StorageClass): FieldError[] {
  const faults = provisioner ? qualifiedNameFaults(provisioner.toLowerCase()) : [];
  return [
    ...(provisioner ? faults.map((fault) => invalid('provisioner', provisioner, fault)) : [required('provisioner')]),
    ...checkOptionalOneOf(reclaimPolicy, ['Delete', 'Retain'], 'reclaimPolicy'),
    ...checkOneOf(volumeBindingMode, ['Immediate', 'WaitForFirstConsumer'], 'volumeBindingMode'),
  ];
}

function validateUpdate(object: StorageClass, old: StorageClass): FieldError[] {
  const errors = validate(object);
  for (const key of ['parameters', 'provisioner', 'reclaimPolicy'] as const) {
    if (!deepEqual(object[key] ?? {}, old[key] ?? {})) errors.push(forbidden(key, `updates to ${key} are forbidden.`));
  }
  if (object.volumeBindingMode !== old.volumeBindingMode) errors.push(invalid('volumeBindingMode', object.volumeBindingMode, 'field is immutable'));
  return errors;
}

export const storageClass: KindBehaviour<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  setDefaults: (object) => {
    object.reclaimPolicy ??= 'Delete';
    object.volumeBindingMode ??= 'Immediate';
  },
  validate,
  validateUpdate,
  row: (object, nowMs) => [
    `${object.metadata.name}${object.metadata.annotations?.[DEFAULT_CLASS] === 'true' ? ' (default)' : ''}`,
    object.provisioner,
    object.reclaimPolicy ?? 'Delete',
    object.volumeBindingMode ?? '<unset>',
    object.allowVolumeExpansion ?? false,
    age(object.metadata.creationTimestamp, nowMs),
  ],
};
