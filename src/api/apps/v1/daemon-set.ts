import { setTemplateDefaults } from '../../core/v1/pod/defaults.ts';
import { dropGatedFields } from '../../core/v1/pod/gated-fields.ts';
import { templateCells } from '../../core/v1/pod/template-cells.ts';
import { validatePodTemplate } from '../../core/v1/pod/validation/pod-spec.ts';
import { templateWarnings } from '../../core/v1/pod/warnings.ts';
import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { type FieldError, invalid, notSupported, required } from '../../field-error.ts';
import type { DaemonSet } from '../../generated/types/apps.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { validateLabelSelector } from '../../label-validation.ts';
import { formatSelector, selectorFromMap } from '../../labels.ts';
import { checkNonNegative } from '../../validation.ts';
import {
  checkCollisionCount,
  checkCounts,
  checkIntOrPercent,
  checkMatches,
  checkNotAbove100Percent,
  checkRunsForever,
  isZero,
  usableSelector,
} from './replica-validation.ts';

function validateStrategy({ updateStrategy }: DaemonSet['spec']): FieldError[] {
  const { type, rollingUpdate } = updateStrategy ?? {};
  if (type === 'OnDelete') return [];
  if (type !== 'RollingUpdate') {
    const shown = rollingUpdate ? { MaxUnavailable: rollingUpdate.maxUnavailable ?? 0, MaxSurge: rollingUpdate.maxSurge ?? 0 } : null;
    return [notSupported('spec.updateStrategy', { Type: type, RollingUpdate: shown }, ['RollingUpdate', 'OnDelete'])];
  }
  const path = 'spec.updateStrategy.rollingUpdate';
  if (!rollingUpdate) return [required(path)];
  const { maxUnavailable, maxSurge } = rollingUpdate;
  const errors = [...checkIntOrPercent(maxUnavailable, `${path}.maxUnavailable`), ...checkIntOrPercent(maxSurge, `${path}.maxSurge`)];
  errors.push(...checkNotAbove100Percent(maxUnavailable, `${path}.maxUnavailable`), ...checkNotAbove100Percent(maxSurge, `${path}.maxSurge`));
  if (!isZero(maxUnavailable) && !isZero(maxSurge)) errors.push(invalid(`${path}.maxSurge`, maxSurge, 'may not be set when maxUnavailable is non-zero'));
  if (isZero(maxUnavailable) && isZero(maxSurge)) errors.push(required(`${path}.maxUnavailable`, 'cannot be 0 when maxSurge is 0'));
  return errors;
}

/** Upstream: ValidateDaemonSetSpec. */
function validate({ spec }: DaemonSet): FieldError[] {
  const { selector, template } = spec;
  const { matchLabels, matchExpressions } = selector ?? {};
  const isEmpty = selector && Object.keys(matchLabels ?? {}).length + (matchExpressions ?? []).length === 0;
  const matcher = usableSelector(selector);
  return [
    ...validateLabelSelector(selector, 'spec.selector'),
    ...(matcher ? checkMatches(template, matcher) : []),
    ...(isEmpty ? [invalid('spec.selector', selector, 'empty selector is invalid for daemonset')] : []),
    ...validatePodTemplate(template, 'spec.template'),
    ...checkRunsForever(template, 'DaemonSet'),
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

function setDefaults(object: DaemonSet): void {
  const { spec } = object;
  // Upstream's conversion writes the annotation in any case.
  setTemplateGeneration(object, templateGeneration(object));
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
    dropGatedFields(object.spec.template?.spec);
    object.status = { currentNumberScheduled: 0, numberMisscheduled: 0, desiredNumberScheduled: 0, numberReady: 0 };
    setTemplateGeneration(object, Math.max(templateGeneration(object), 1));
  },
  prepareForUpdate: (object, old) => {
    dropGatedFields(object.spec.template?.spec, old.spec.template?.spec);
    setTemplateGeneration(object, templateGeneration(old) + (deepEqual(object.spec.template, old.spec.template) ? 0 : 1));
  },
  prepareForStatusUpdate: (object, old) => setTemplateGeneration(object, templateGeneration(old)),
  validate,
  validateUpdate: (object, old) => {
    const { selector = null } = object.spec;
    const changed = !deepEqual(selector, old.spec.selector);
    return [...(changed ? [invalid('spec.selector', selector, 'field is immutable')] : []), ...validate(object)];
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
