import { isDeepStrictEqual } from 'node:util';
import { setTemplateDefaults } from '../../core/v1/pod/defaults.ts';
import { templateCells } from '../../core/v1/pod/template-cells.ts';
import { templateWarnings } from '../../core/v1/pod/warnings.ts';
import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { type FieldError, invalid, notSupported, required } from '../../field-error.ts';
import type { DaemonSet } from '../../generated/types/apps.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { formatSelector, selectorFromMap } from '../../labels.ts';
import { checkNonNegative } from '../../validation.ts';
import { checkCollisionCount, checkCounts, checkIntOrPercent, checkNotAbove100Percent, isZero, validateSelectorAndTemplate } from './replica-validation.ts';

function validateStrategy({ updateStrategy }: DaemonSet['spec']): FieldError[] {
  const { type, rollingUpdate } = updateStrategy ?? {};
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') return [notSupported('spec.updateStrategy', { Type: type, RollingUpdate: null }, ['OnDelete', 'RollingUpdate'])];
  const path = 'spec.updateStrategy.rollingUpdate';
  if (!rollingUpdate) return [required(path)];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const errors = [...checkIntOrPercent(maxUnavailable, `${path}.maxUnavailable`), ...checkNotAbove100Percent(maxUnavailable, `${path}.maxUnavailable`)];
  errors.push(...checkIntOrPercent(maxSurge, `${path}.maxSurge`), ...checkNotAbove100Percent(maxSurge, `${path}.maxSurge`));
  if (!isZero(maxUnavailable) && !isZero(maxSurge)) errors.push(invalid(`${path}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  if (isZero(maxUnavailable) && isZero(maxSurge)) errors.push(required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  return errors;
}

/** Upstream: ValidateDaemonSetSpec. */
function validate({ spec }: DaemonSet): FieldError[] {
  return [
    ...validateSelectorAndTemplate(spec, 'spec', 'empty selector is invalid for daemonset', 'DaemonSet'),
    ...checkNonNegative(spec.minReadySeconds, 'spec.minReadySeconds'),
    ...validateStrategy(spec),
    ...checkNonNegative(spec.revisionHistoryLimit, 'spec.revisionHistoryLimit'),
  ];
}

const COUNTS = [
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
];

/** Counts changes of the template; a field of long ago, which upstream's internal type still has (pkg/apis/apps/v1/conversion.go). */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

const templateGeneration = ({ metadata }: DaemonSet): number => Number.parseInt(metadata.annotations?.[TEMPLATE_GENERATION] ?? '', 10) || 0;

function setTemplateGeneration(object: DaemonSet, generation: number): void {
  object.metadata = { ...object.metadata, annotations: { ...object.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) } };
}

function setDefaults({ spec }: DaemonSet): void {
  setTemplateDefaults(spec.template);
  spec.updateStrategy ??= {};
  spec.updateStrategy.type ||= 'RollingUpdate';
  if (spec.updateStrategy.type === 'RollingUpdate') {
    spec.updateStrategy.rollingUpdate ??= {};
    spec.updateStrategy.rollingUpdate.maxUnavailable ??= 1;
    spec.updateStrategy.rollingUpdate.maxSurge ??= 0;
  }
  spec.revisionHistoryLimit ??= 10;
}

/** Upstream: pkg/apis/apps/v1/defaults.go, pkg/registry/apps/daemonset/strategy.go. */
export const daemonSet: KindBehaviour<DaemonSet> = {
  group: 'apps',
  version: 'v1',
  kind: 'DaemonSet',
  hasGeneration: true,
  statusResetFields: [['metadata', 'labels']],
  hasStatus: true,
  setDefaults,
  prepareForCreate: (object) => {
    object.status = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
    setTemplateGeneration(object, Math.max(templateGeneration(object), 1));
  },
  prepareForUpdate: (object, old) => {
    setDefaults(object);
    setTemplateGeneration(object, templateGeneration(old) + (deepEqual(object.spec.template, old.spec.template) ? 0 : 1));
  },
  prepareForStatusUpdate: (object, old) => setTemplateGeneration(object, templateGeneration(old)),
  validate,
  validateUpdate: (object, old) => {
    const changed = !isDeepStrictEqual(object.spec.selector, old.spec.selector);
    return [...validate(object), ...(changed ? [invalid('spec.selector', object.spec.selector, 'field is immutable')] : [])];
  },
  validateStatusUpdate: ({ status }, old) => [...checkCounts({ ...status }, COUNTS, []), ...checkCollisionCount(status, old.status)],
  warnings: (object, old) => {
    if (old && object.metadata.generation === old.metadata.generation) return [];
    return templateWarnings(object.spec.template, 'spec.template');
  },
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    status.desiredNumberScheduled ?? 0,
    status.currentNumberScheduled ?? 0,
    status.numberReady ?? 0,
    status.updatedNumberScheduled ?? 0,
    status.numberAvailable ?? 0,
    selectorFromMap(spec.template?.spec?.nodeSelector).toString() || '<none>',
    age(metadata.creationTimestamp, nowMs),
    ...templateCells(spec.template?.spec),
    formatSelector(spec.selector),
  ],
};
