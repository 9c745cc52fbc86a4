import { DEPRECATED_NODE_LABELS } from '../../core/v1/pod/deprecations.ts';
import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { at, duplicate, type FieldError, forbidden, required } from '../../field-error.ts';
import type { TopologySelectorTerm } from '../../generated/types/core.v1.ts';
import type { StorageClass } from '../../generated/types/storage.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { validateLabelName } from '../../label-validation.ts';
import { checkImmutable, checkOptionalOneOf } from '../../validation.ts';
import { checkParameters, checkProvisioner } from './parameters.ts';

const DEFAULT_CLASS = 'storageclass.kubernetes.io/is-default-class';

/** Upstream: pkg/apis/core/validation, ValidateTopologySelectorTerm. */
function checkTopology({ matchLabelExpressions = [] }: TopologySelectorTerm, field: string): FieldError[] {
  const keys = new Set<string>();
  return matchLabelExpressions.flatMap(({ key = '', values = [] }, index) => {
    const path = at(`${field}.matchLabelExpressions`, index);
    const isSecond = keys.has(key);
    keys.add(key);
    return [
      ...(values.length === 0 ? [required(`${path}.values`)] : []),
      ...values.flatMap((value, i) => (values.indexOf(value) < i ? [duplicate(at(`${path}.values`, i), value)] : [])),
      ...validateLabelName(key, `${path}.key`),
      ...(isSecond ? [duplicate(`${path}.key`, key)] : []),
    ];
  });
}

/** What a term asks for, whatever the order in which it does. */
function askedFor({ matchLabelExpressions = [] }: TopologySelectorTerm): Record<string, string[]> {
  return Object.fromEntries(matchLabelExpressions.map(({ key = '', values = [] }) => [key, [...new Set(values)].sort()]));
}

/** No term twice. Upstream counts a term without expressions as one more of as many empty terms as there are terms. */
function checkTopologies(topologies: readonly TopologySelectorTerm[], field: string): FieldError[] {
  const earlier: Record<string, string[]>[] = topologies.map(() => ({}));
  return topologies.flatMap((term, index) => {
    const path = at(field, index);
    const asked = askedFor(term);
    const doubles = earlier.filter((other) => deepEqual(other, asked));
    earlier.push(asked);
    return [...checkTopology(term, path), ...doubles.map(() => duplicate(`${path}.matchLabelExpressions`, ''))];
  });
}

/** Upstream: pkg/apis/storage/validation, ValidateStorageClass. */
const validate = ({ provisioner, parameters, reclaimPolicy, volumeBindingMode, allowedTopologies }: StorageClass): FieldError[] => [
  ...checkProvisioner(provisioner, 'provisioner'),
  ...checkParameters(parameters, 'parameters'),
  ...checkOptionalOneOf(reclaimPolicy || undefined, ['Delete', 'Retain'], 'reclaimPolicy'),
  ...checkOptionalOneOf(volumeBindingMode, ['Immediate', 'WaitForFirstConsumer'], 'volumeBindingMode'),
  ...checkTopologies(allowedTopologies ?? [], 'allowedTopologies'),
];

/** Upstream: ValidateStorageClassUpdate. */
function validateUpdate(object: StorageClass, old: StorageClass): FieldError[] {
  const isSame = (key: 'parameters' | 'provisioner' | 'reclaimPolicy'): boolean => deepEqual(object[key] ?? {}, old[key] ?? {});
  return [
    ...(['parameters', 'provisioner', 'reclaimPolicy'] as const).flatMap((key) => (isSame(key) ? [] : [forbidden(key, `updates to ${key} are forbidden.`)])),
    ...checkImmutable(object.volumeBindingMode, old.volumeBindingMode, 'volumeBindingMode'),
  ];
}

/** Upstream: pkg/api/storage, GetWarningsForStorageClass. */
const warnings = ({ allowedTopologies = [] }: StorageClass): string[] =>
  allowedTopologies.flatMap(({ matchLabelExpressions = [] }, index) =>
    matchLabelExpressions.flatMap(({ key }, i) => {
      const words = DEPRECATED_NODE_LABELS[key];
      return words ? [`${at(`${at('allowedTopologies', index)}.matchLabelExpressions`, i)}.key: ${words}`] : [];
    }),
  );

export const storageClass: KindBehaviour<StorageClass> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'StorageClass',
  returnsDeleted: true,
  setDefaults: (object) => {
    object.reclaimPolicy ??= 'Delete';
    object.volumeBindingMode ??= 'Immediate';
  },
  validate,
  updateOrder: ['whole', 'metadata', 'change'],
  validateUpdate,
  warnings,
  row: (object, nowMs) => [
    `${object.metadata.name}${object.metadata.annotations?.[DEFAULT_CLASS] === 'true' ? ' (default)' : ''}`,
    object.provisioner,
    object.reclaimPolicy ?? 'Delete',
    object.volumeBindingMode ?? '<unset>',
    object.allowVolumeExpansion ?? false,
    age(object.metadata.creationTimestamp, nowMs),
  ],
};
