import { validatePodTemplate } from '../../core/v1/pod/validation/pod-spec.ts';
import { deepEqual } from '../../equality.ts';
import { at, duplicate, type FieldError, invalid, notSupported, required, tooLong, tooMany } from '../../field-error.ts';
import type { Job, JobSpec, PodFailurePolicyRule } from '../../generated/types/batch.v1.ts';
import { validateLabelSelector } from '../../label-validation.ts';
import { selectorFrom } from '../../labels.ts';
import { checkDomainPrefixedPath, checkNonNegative, checkOneOf } from '../../validation.ts';

const MAX_INDEXED_PARALLELISM = 100_000;
const MAX_MANAGED_BY = 63;
const MAX_RULES = 20;
const MAX_EXIT_CODES = 255;
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const COUNTS = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished', 'backoffLimitPerIndex'] as const;

function checkIndexes(spec: JobSpec, field: string): FieldError[] {
  const { completionMode = 'NonIndexed', completions, parallelism = 0, backoffLimitPerIndex, maxFailedIndexes, managedBy } = spec;
  const errors: FieldError[] = [];
  if (maxFailedIndexes !== undefined) {
    errors.push(...checkNonNegative(maxFailedIndexes, `${field}.maxFailedIndexes`));
    if (backoffLimitPerIndex === undefined) errors.push(required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified'));
  }
  if (managedBy !== undefined) {
    errors.push(...checkDomainPrefixedPath(managedBy, `${field}.managedBy`));
    if (managedBy.length > MAX_MANAGED_BY) errors.push(tooLong(`${field}.managedBy`, MAX_MANAGED_BY));
  }
  if (completionMode !== 'NonIndexed' && completionMode !== 'Indexed')
    errors.push(notSupported(`${field}.completionMode`, completionMode, ['NonIndexed', 'Indexed']));
  if (completionMode === 'Indexed') {
    if (completions === undefined) errors.push(required(`${field}.completions`, 'when completion mode is Indexed'));
    if (parallelism > MAX_INDEXED_PARALLELISM) {
      const words = `must be less than or equal to ${MAX_INDEXED_PARALLELISM} when completion mode is Indexed`;
      errors.push(invalid(`${field}.parallelism`, parallelism, words));
    }
  } else if (completionMode === 'NonIndexed') {
    if (backoffLimitPerIndex !== undefined) errors.push(invalid(`${field}.backoffLimitPerIndex`, backoffLimitPerIndex, 'requires indexed completion mode'));
    if (maxFailedIndexes !== undefined) errors.push(invalid(`${field}.maxFailedIndexes`, maxFailedIndexes, 'requires indexed completion mode'));
  }
  return errors;
}

function checkExitCodes({ onExitCodes }: PodFailurePolicyRule, containers: readonly string[], field: string): FieldError[] {
  if (!onExitCodes) return [];
  const { operator, values = [], containerName } = onExitCodes;
  const path = `${field}.onExitCodes`;
  const errors = checkOneOf(operator, ['In', 'NotIn'], `${path}.operator`);
  if (containerName !== undefined && !containers.includes(containerName)) {
    errors.push(invalid(`${path}.containerName`, containerName, 'must be one of the container or initContainer names in the pod template'));
  }
  if (values.length === 0) errors.push(invalid(`${path}.values`, values, 'at least one value is required'));
  else if (values.length > MAX_EXIT_CODES) errors.push(tooMany(`${path}.values`, values.length, MAX_EXIT_CODES));
  values.forEach((value, index) => {
    const place = at(`${path}.values`, index);
    if (operator === 'In' && value === 0) errors.push(invalid(place, value, 'must not be 0 for the In operator'));
    if (values.indexOf(value) < index) errors.push(duplicate(place, value));
  });
  if (values.some((value, index) => index > 0 && value < values[index - 1]!)) errors.push(invalid(`${path}.values`, values, 'must be ordered'));
  return errors;
}

/** Without the value, as upstream leaves it out here. */
const misformed = (field: string, words: string): FieldError => ({ reason: 'FieldValueInvalid', field, message: `Invalid value: ${words}` });

/** Upstream: validatePodFailurePolicyRule. */
function checkRule(rule: PodFailurePolicyRule, spec: JobSpec, field: string): FieldError[] {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  const path = `${field}.action`;
  const errors: FieldError[] = [];
  if (!action) errors.push(required(path, `valid values: [${ACTIONS.map((one) => JSON.stringify(one)).join(' ')}]`));
  else if (!ACTIONS.includes(action)) errors.push(notSupported(path, action, ACTIONS));
  else if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined) errors.push(invalid(path, action, 'requires the backoffLimitPerIndex to be set'));
  const containers = [...(spec.template.spec.containers ?? []), ...(spec.template.spec.initContainers ?? [])].map(({ name }) => name);
  errors.push(...checkExitCodes(rule, containers, field));
  if (onExitCodes && onPodConditions.length) errors.push(misformed(field, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (!onExitCodes && !onPodConditions.length) errors.push(misformed(field, 'specifying one of OnExitCodes and OnPodConditions is required'));
  return errors;
}

function checkPolicies(spec: JobSpec, field: string): FieldError[] {
  const { podFailurePolicy, podReplacementPolicy } = spec;
  const rules = podFailurePolicy?.rules ?? [];
  const errors = rules.length > MAX_RULES ? [tooMany(`${field}.podFailurePolicy.rules`, rules.length, MAX_RULES)] : [];
  errors.push(...rules.flatMap((rule, index) => checkRule(rule, spec, at(`${field}.podFailurePolicy.rules`, index))));
  const replacements = podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  if (podReplacementPolicy !== undefined && !replacements.includes(podReplacementPolicy))
    errors.push(notSupported(`${field}.podReplacementPolicy`, podReplacementPolicy, replacements));
  return errors;
}

/** Upstream: pkg/apis/batch/validation, validateJobSpec; what a CronJob's template is held to as well. */
export function validateJobSpec(spec: JobSpec, field: string): FieldError[] {
  const errors = COUNTS.flatMap((key) => checkNonNegative(spec[key], `${field}.${key}`));
  errors.push(...checkIndexes(spec, field), ...checkPolicies(spec, field), ...validatePodTemplate(spec.template, `${field}.template`));
  const { restartPolicy } = spec.template.spec;
  const path = `${field}.template.spec.restartPolicy`;
  if (restartPolicy === 'Always') errors.push(required(path, 'valid values: "OnFailure", "Never"'));
  if (spec.podFailurePolicy && restartPolicy !== 'Never')
    errors.push(invalid(path, restartPolicy ?? '', 'only "Never" is supported when podFailurePolicy is specified'));
  return errors;
}

/** Upstream: ValidateJob. */
export function validateJob({ spec }: Job): FieldError[] {
  const errors = validateJobSpec(spec, 'spec');
  const labels = spec.template.metadata?.labels;
  if (!spec.selector) return [...errors, required('spec.selector')];
  const faults = validateLabelSelector(spec.selector, 'spec.selector');
  errors.push(...faults);
  if (!faults.length && !selectorFrom(spec.selector).matches(labels))
    errors.push(invalid('spec.template.metadata.labels', labels ?? null, '`selector` does not match template `labels`'));
  return errors;
}

const IMMUTABLE = ['selector', 'template', 'completionMode', 'podFailurePolicy', 'backoffLimitPerIndex', 'managedBy', 'successPolicy'] as const;

/** A suspended Job that has not begun may still be told where its pods shall run. */
function templatesDiffer(spec: JobSpec, old: Job): boolean {
  const mayMove = old.spec.suspend && old.status.startTime === undefined;
  const comparable = ({ template }: JobSpec): unknown => {
    if (!mayMove) return template;
    const { affinity: _a, nodeSelector: _n, tolerations: _t, schedulingGates: _g, ...pod } = template.spec;
    const { labels: _l, annotations: _s, ...metadata } = template.metadata ?? {};
    return { metadata, spec: pod };
  };
  return !deepEqual(comparable(spec), comparable(old.spec));
}

/** Upstream: ValidateJobUpdate. */
export function validateJobUpdate(object: Job, old: Job): FieldError[] {
  const errors = validateJob(object);
  const { spec } = object;
  if (spec.completions !== old.spec.completions) {
    const elastic = spec.completionMode === 'Indexed' && spec.completions !== undefined && old.spec.completions !== undefined;
    if (!elastic) errors.push(invalid('spec.completions', spec.completions ?? null, 'field is immutable'));
    else if (spec.completions !== spec.parallelism)
      errors.push(invalid('spec.completions', spec.completions, 'can only be modified in tandem with spec.parallelism'));
  }
  for (const key of IMMUTABLE) {
    const differs = key === 'template' ? templatesDiffer(spec, old) : !deepEqual(spec[key], old.spec[key]);
    if (differs) errors.push(invalid(`spec.${key}`, spec[key] ?? null, 'field is immutable'));
  }
  return errors;
}
