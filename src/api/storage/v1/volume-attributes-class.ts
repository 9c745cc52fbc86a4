import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { type FieldError, forbidden, required } from '../../field-error.ts';
import type { VolumeAttributesClass } from '../../generated/types/storage.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { checkParameters, checkProvisioner } from './parameters.ts';

const DEFAULT_CLASS = 'volumeattributesclass.kubernetes.io/is-default-class';

/** Upstream: pkg/apis/storage/validation, ValidateVolumeAttributesClass. */
const validate = ({ driverName, parameters }: VolumeAttributesClass): FieldError[] => [
  ...checkProvisioner(driverName, 'driverName'),
  ...checkParameters(parameters, 'parameters'),
  ...(Object.keys(parameters ?? {}).length ? [] : [required('parameters', 'must contain at least one key/value pair')]),
];

/** Upstream: ValidateVolumeAttributesClassUpdate. */
const validateUpdate = (object: VolumeAttributesClass, old: VolumeAttributesClass): FieldError[] => [
  ...(object.driverName === old.driverName ? [] : [forbidden('driverName', 'updates to driverName are forbidden.')]),
  ...(deepEqual(object.parameters ?? {}, old.parameters ?? {}) ? [] : [forbidden('parameters', 'updates to parameters are forbidden.')]),
];

export const volumeAttributesClass: KindBehaviour<VolumeAttributesClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'VolumeAttributesClass',
  returnsDeleted: true,
  validate,
  updateOrder: ['whole', 'metadata', 'change', 'whole'],
  validateUpdate,
  row: ({ metadata, driverName }, nowMs) => [
    `${metadata.name ?? ''}${metadata.annotations?.[DEFAULT_CLASS] === 'true' ? ' (default)' : ''}`,
    driverName,
    age(metadata.creationTimestamp, nowMs),
  ],
};
