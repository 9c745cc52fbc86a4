import { DEPRECATED_NODE_LABELS } from '../../core/v1/pod/deprecations.ts';
import { deepEqual } from '../../equality.ts';
import { at, type FieldError, invalid } from '../../field-error.ts';
import type { CSIStorageCapacity } from '../../generated/types/storage.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { validateLabelSelector } from '../../label-validation.ts';
import { checkNonNegativeQuantity, checkSubdomain, sortedEntries } from '../../validation.ts';

/** Upstream: pkg/apis/storage/validation, ValidateCSIStorageCapacity. */
const validate = ({ nodeTopology, storageClassName, capacity }: CSIStorageCapacity): FieldError[] => [
  ...validateLabelSelector(nodeTopology, 'nodeTopology'),
  ...checkSubdomain(storageClassName ?? '', 'storageClassName'),
  ...checkNonNegativeQuantity(capacity, 'capacity'),
];

/** What was asked for cannot change, only what was found (upstream: ValidateCSIStorageCapacityUpdate). */
const validateUpdate = (object: CSIStorageCapacity, old: CSIStorageCapacity): FieldError[] => [
  ...(deepEqual(object.nodeTopology, old.nodeTopology) ? [] : [invalid('nodeTopology', object.nodeTopology, 'field is immutable')]),
  ...(object.storageClassName === old.storageClassName ? [] : [invalid('storageClassName', object.storageClassName, 'field is immutable')]),
];

/** Upstream: pkg/api/node, GetWarningsForNodeSelector. */
function warnings({ nodeTopology }: CSIStorageCapacity): string[] {
  const { matchExpressions = [], matchLabels } = nodeTopology ?? {};
  const said = (field: string, words: string | undefined): string[] => (words ? [`${field}${words}`] : []);
  return [
    ...matchExpressions.flatMap(({ key }, index) => said(`${at('nodeTopology.matchExpressions', index)}.key: ${key} is `, DEPRECATED_NODE_LABELS[key])),
    ...sortedEntries(matchLabels).flatMap(([key]) => said(`nodeTopology.matchLabels.${key}: `, DEPRECATED_NODE_LABELS[key])),
  ];
}

export const csiStorageCapacity: KindBehaviour<CSIStorageCapacity> = {
  group: 'storage.k8s.io',
  version: 'v1',
  kind: 'CSIStorageCapacity',
  validate,
  allowUnconditionalUpdate: false,
  updateOrder: ['whole', 'metadata', 'change'],
  validateUpdate,
  warnings,
};
