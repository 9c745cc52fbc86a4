import { setTemplateDefaults } from '../../core/v1/pod/defaults.ts';
import { dropGatedFields } from '../../core/v1/pod/gated-fields.ts';
import { templateCells } from '../../core/v1/pod/template-cells.ts';
import { ownerNameWarnings } from '../../core/v1/pod/warnings.ts';
import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { type FieldError, invalid } from '../../field-error.ts';
import type { ReplicaSet } from '../../generated/types/apps.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { formatSelector, selectorText } from '../../labels.ts';
import { checkNonNegative } from '../../validation.ts';
import { checkReplicaSetCounts, validateSelectorAndTemplate } from './replica-validation.ts';

/** Upstream: pkg/apis/apps/validation, ValidateReplicaSetSpec. */
function validate({ spec }: ReplicaSet): FieldError[] {
  return [
    ...checkNonNegative(spec.replicas, 'spec.replicas'),
    ...checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...validateSelectorAndTemplate({ selector: spec.selector, template: spec.template }),
  ];
}

const COUNTS = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration', 'terminatingReplicas'];

/** Upstream: pkg/apis/apps/v1/defaults.go, pkg/registry/apps/replicaset/strategy.go. */
export const replicaSet: KindBehaviour<ReplicaSet> = {
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  hasGeneration: true,
  hasStatus: true,
  setDefaults: ({ spec }) => {
    setTemplateDefaults(spec.template);
    spec.replicas ??= 1;
  },
  prepareForCreate: (object) => {
    object.status = { replicas: 0 };
    dropGatedFields(object.spec.template?.spec);
  },
  prepareForUpdate: ({ spec }, old) => dropGatedFields(spec.template?.spec, old.spec.template?.spec),
  validate,
  validateUpdate: (object, old) => {
    const { selector = null } = object.spec;
    const changed = !deepEqual(selector, old.spec.selector);
    return [...validate(object), ...(changed ? [invalid('spec.selector', selector, 'field is immutable')] : [])];
  },
  validateStatusUpdate: ({ status }) => checkReplicaSetCounts({ ...status }, COUNTS),
  warnings: ({ metadata }, old) => (old ? [] : ownerNameWarnings(metadata.name)),
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    spec.replicas ?? 0,
    status.replicas ?? 0,
    status.readyReplicas ?? 0,
    age(metadata.creationTimestamp, nowMs),
    ...templateCells(spec.template?.spec),
    formatSelector(spec.selector),
  ],
  selectableFields: { 'status.replicas': ({ status }) => String(status.replicas ?? 0) },
  scale: {
    specReplicas: ({ spec }) => spec.replicas ?? 0,
    withSpecReplicas: (object, replicas) => ({ ...object, spec: { ...object.spec, replicas } }),
    statusReplicas: ({ status }) => status.replicas ?? 0,
    selector: ({ spec }) => selectorText(spec.selector),
  },
};
