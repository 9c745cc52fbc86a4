import { checkReplicaSetCounts, validateTemplateFor } from '../../apps/v1/replica-validation.ts';
import { age } from '../../duration.ts';
import { type FieldError, required } from '../../field-error.ts';
import type { ReplicationController } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { selectorFromMap } from '../../labels.ts';
import { checkNonNegative } from '../../validation.ts';
import { setTemplateDefaults } from './pod/defaults.ts';
import { dropGatedFields } from './pod/gated-fields.ts';
import { templateCells } from './pod/template-cells.ts';
import { ownerNameWarnings } from './pod/warnings.ts';

/** Upstream: pkg/apis/core/validation, ValidateReplicationControllerSpec. */
function validate({ spec }: ReplicationController): FieldError[] {
  return [
    ...checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...(Object.keys(spec.selector ?? {}).length ? [] : [required('spec.selector')]),
    ...checkNonNegative(spec.replicas, 'spec.replicas'),
    ...validateTemplateFor(spec.template, selectorFromMap(spec.selector), 'ReplicationController'),
  ];
}

const COUNTS = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'];

/** Upstream: pkg/apis/core/v1/defaults.go, pkg/registry/core/replicationcontroller/strategy.go. */
export const replicationController: KindBehaviour<ReplicationController> = {
  group: '',
  version: 'v1',
  kind: 'ReplicationController',
  storagePrefix: 'controllers',
  hasGeneration: true,
  hasStatus: true,
  defaultDeletionPropagation: 'orphan',
  setDefaults: ({ metadata, spec }) => {
    setTemplateDefaults(spec.template);
    const labels = spec.template?.metadata?.labels;
    if (labels) {
      if (Object.keys(spec.selector ?? {}).length === 0) spec.selector = { ...labels };
      if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
    }
    spec.replicas ??= 1;
  },
  prepareForCreate: (object) => {
    object.status = { replicas: 0 };
    dropGatedFields(object.spec.template?.spec);
  },
  prepareForUpdate: ({ spec }, old) => dropGatedFields(spec.template?.spec, old.spec.template?.spec),
  validate,
  validateUpdate: validate,
  updateOrder: ['whole', 'metadata', 'change'],
  validateStatusUpdate: ({ status }) => checkReplicaSetCounts({ ...status }, COUNTS),
  warnings: ({ metadata }, old) => (old ? [] : ownerNameWarnings(metadata.name)),
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    spec.replicas ?? 0,
    status.replicas ?? 0,
    status.readyReplicas ?? 0,
    age(metadata.creationTimestamp, nowMs),
    ...templateCells(spec.template?.spec),
    selectorFromMap(spec.selector).toString() || '<none>',
  ],
  selectableFields: { 'status.replicas': ({ status }) => String(status.replicas ?? 0) },
  scale: {
    specReplicas: ({ spec }) => spec.replicas ?? 0,
    withSpecReplicas: (object, replicas) => ({ ...object, spec: { ...object.spec, replicas } }),
    statusReplicas: ({ status }) => status.replicas ?? 0,
    selector: ({ spec }) => selectorFromMap(spec.selector).toString(),
  },
};
