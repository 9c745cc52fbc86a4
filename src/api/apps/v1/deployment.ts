import { setTemplateDefaults } from '../../core/v1/pod/defaults.ts';
import { dropGatedFields } from '../../core/v1/pod/gated-fields.ts';
import { templateCells } from '../../core/v1/pod/template-cells.ts';
import { ownerNameWarnings, templateWarnings } from '../../core/v1/pod/warnings.ts';
import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type { Deployment, DeploymentStrategy } from '../../generated/types/apps.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { formatSelector, selectorText } from '../../labels.ts';
import { checkNonNegative } from '../../validation.ts';
import { checkCollisionCount, checkCounts, checkIntOrPercent, checkNotAbove100Percent, isZero, validateSelectorAndTemplate } from './replica-validation.ts';

function validateStrategy({ type, rollingUpdate }: DeploymentStrategy, field: string): FieldError[] {
  const path = `${field}.rollingUpdate`;
  if (type === 'Recreate') return rollingUpdate ? [forbidden(path, "may not be specified when strategy `type` is 'Recreate'")] : [];
  if (type !== 'RollingUpdate') {
    return [notSupported(field, { Type: type, RollingUpdate: rollingUpdate ? internalRollingUpdate(rollingUpdate) : null }, ['Recreate', 'RollingUpdate'])];
  }
  if (!rollingUpdate) return [required(path, 'this should be defaulted and never be nil')];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const errors = [...checkIntOrPercent(maxUnavailable, `${path}.maxUnavailable`), ...checkIntOrPercent(maxSurge, `${path}.maxSurge`)];
  if (isZero(maxUnavailable) && isZero(maxSurge)) errors.push(invalid(`${path}.maxUnavailable`, maxUnavailable, 'may not be 0 when `maxSurge` is 0'));
  return [...errors, ...checkNotAbove100Percent(maxUnavailable, `${path}.maxUnavailable`)];
}

/** With Go's names, as messages print it. */
function internalRollingUpdate({ maxUnavailable, maxSurge }: NonNullable<DeploymentStrategy['rollingUpdate']>): object {
  return { MaxUnavailable: maxUnavailable ?? 0, MaxSurge: maxSurge ?? 0 };
}

/** Upstream: pkg/apis/apps/validation, ValidateDeploymentSpec. */
function validate({ spec }: Deployment): FieldError[] {
  const { minReadySeconds = 0, progressDeadlineSeconds, revisionHistoryLimit } = spec;
  const errors = [
    ...checkNonNegative(spec.replicas, 'spec.replicas'),
    ...validateSelectorAndTemplate(spec),
    ...validateStrategy(spec.strategy, 'spec.strategy'),
    ...checkNonNegative(minReadySeconds, 'spec.minReadySeconds'),
    ...checkNonNegative(revisionHistoryLimit, 'spec.revisionHistoryLimit'),
    ...checkNonNegative(progressDeadlineSeconds, 'spec.progressDeadlineSeconds'),
  ];
  if (progressDeadlineSeconds !== undefined && progressDeadlineSeconds <= minReadySeconds) {
    errors.push(invalid('spec.progressDeadlineSeconds', progressDeadlineSeconds, 'must be greater than minReadySeconds'));
  }
  return errors;
}

const COUNTS = [
  'observedGeneration',
  'replicas',
  'updatedReplicas',
  'readyReplicas',
  'availableReplicas',
  'unavailableReplicas',
  'terminatingReplicas',
  'collisionCount',
];

function validateStatusUpdate({ status }: Deployment, old: Deployment): FieldError[] {
  const errors = checkCounts({ ...status }, COUNTS, [
    ['updatedReplicas', 'replicas', 'status.replicas'],
    ['readyReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'readyReplicas', 'readyReplicas'],
  ]);
  return [...errors, ...checkCollisionCount(status, old.status)];
}

/** Upstream: pkg/apis/apps/v1/defaults.go, pkg/registry/apps/deployment/strategy.go. */
export const deployment: KindBehaviour<Deployment> = {
  group: 'apps',
  version: 'v1',
  kind: 'Deployment',
  hasGeneration: true,
  statusResetFields: [['metadata', 'labels']],
  generationCounts: 'annotations',
  hasStatus: true,
  setDefaults: ({ spec }) => {
    setTemplateDefaults(spec.template);
    spec.replicas ??= 1;
    spec.strategy ??= {};
    spec.strategy.type ||= 'RollingUpdate';
    if (spec.strategy.type === 'RollingUpdate') {
      spec.strategy.rollingUpdate ??= {};
      spec.strategy.rollingUpdate.maxUnavailable ??= '25%';
      spec.strategy.rollingUpdate.maxSurge ??= '25%';
    }
    spec.revisionHistoryLimit ??= 10;
    spec.progressDeadlineSeconds ??= 600;
  },
  prepareForCreate: (object) => {
    object.status = {};
    dropGatedFields(object.spec.template?.spec);
  },
  prepareForUpdate: ({ spec }, old) => dropGatedFields(spec.template?.spec, old.spec.template?.spec),
  validate,
  validateUpdate: (object, old) => {
    const { selector = null } = object.spec;
    const changed = !deepEqual(selector, old.spec.selector);
    return [...validate(object), ...(changed ? [invalid('spec.selector', selector, 'field is immutable')] : [])];
  },
  validateStatusUpdate,
  warnings: (object, old) => {
    if (old && object.metadata.generation === old.metadata.generation) return [];
    return [...(old ? [] : ownerNameWarnings(object.metadata.name)), ...templateWarnings(object.spec.template, 'spec.template')];
  },
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    `${status.readyReplicas ?? 0}/${spec.replicas ?? 0}`,
    status.updatedReplicas ?? 0,
    status.availableReplicas ?? 0,
    age(metadata.creationTimestamp, nowMs),
    ...templateCells(spec.template?.spec),
    formatSelector(spec.selector),
  ],
  scale: {
    specReplicas: ({ spec }) => spec.replicas ?? 0,
    withSpecReplicas: (object, replicas) => ({ ...object, spec: { ...object.spec, replicas } }),
    statusReplicas: ({ status }) => status.replicas ?? 0,
    selector: ({ spec }) => selectorText(spec.selector),
  },
};
