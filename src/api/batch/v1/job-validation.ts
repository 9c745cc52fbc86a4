import { asInternal, internalPodTemplate } from '../../core/v1/internal-types.ts';
import { validatePodTemplate } from '../../core/v1/pod/validation/pod-spec.ts';
import { asGiven } from '../../emptied.ts';
import { deepEqual } from '../../equality.ts';
import { at, type FieldError, invalid, notSupported, required, tooLong } from '../../field-error.ts';
import type { Job, JobSpec } from '../../generated/types/batch.v1.ts';
import type { Affinity, PodTemplateSpec } from '../../generated/types/core.v1.ts';
import { validateLabelSelector } from '../../label-validation.ts';
import { nothing, type Selector, selectorFrom } from '../../labels.ts';
import { dns1123LabelFaults } from '../../names.ts';
import { checkDomainPrefixedPath, checkNonNegative } from '../../validation.ts';
import { checkFailurePolicy, checkSuccessPolicy } from './job-policies.ts';

/** Beyond them the lists of done and failed indexes would grow too long. */
const MAX_INDEXED = 100_000;
const MAX_INDEXED_WITH_MANY_COMPLETIONS = 10_000;
const MAX_MANAGED_BY = 63;
const COUNTS = ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished', 'backoffLimitPerIndex'] as const;
const MODES = ['NonIndexed', 'Indexed'];
const RESTARTS = ['OnFailure', 'Never'];

export const CONTROLLER_UID = 'batch.kubernetes.io/controller-uid';
export const JOB_NAME = 'batch.kubernetes.io/job-name';
/** The same, from the time before labels had prefixes. */
export const LEGACY_CONTROLLER_UID = 'controller-uid';
export const LEGACY_JOB_NAME = 'job-name';

const isIndexed = ({ completionMode }: JobSpec): boolean => completionMode === 'Indexed';

function checkManagedBy(managedBy: string | undefined, field: string): FieldError[] {
  if (managedBy === undefined) return [];
  return [...checkDomainPrefixedPath(managedBy, field), ...(managedBy.length > MAX_MANAGED_BY ? [tooLong(field, MAX_MANAGED_BY)] : [])];
}

function checkMaxFailedIndexes({ maxFailedIndexes, backoffLimitPerIndex }: JobSpec, field: string): FieldError[] {
  if (maxFailedIndexes === undefined) return [];
  const errors = checkNonNegative(maxFailedIndexes, `${field}.maxFailedIndexes`);
  return backoffLimitPerIndex === undefined ? [...errors, required(`${field}.backoffLimitPerIndex`, 'when maxFailedIndexes is specified')] : errors;
}

function checkIndexed({ completions, parallelism, maxFailedIndexes, backoffLimitPerIndex }: JobSpec, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const limit = (key: 'parallelism' | 'maxFailedIndexes', value: number | undefined, most: number, when = ''): void => {
    if (value !== undefined && value > most) errors.push(invalid(`${field}.${key}`, value, `must be less than or equal to ${most}${when}`));
  };
  if (completions === undefined) errors.push(required(`${field}.completions`, 'when completion mode is Indexed'));
  limit('parallelism', parallelism, MAX_INDEXED, ' when completion mode is Indexed');
  if (completions !== undefined && maxFailedIndexes !== undefined && maxFailedIndexes > completions)
    errors.push(invalid(`${field}.maxFailedIndexes`, maxFailedIndexes, 'must be less than or equal to completions'));
  limit('maxFailedIndexes', maxFailedIndexes, MAX_INDEXED);
  if (completions === undefined || completions <= MAX_INDEXED || backoffLimitPerIndex === undefined) return errors;
  if (maxFailedIndexes === undefined) errors.push(required(`${field}.maxFailedIndexes`, `must be specified when completions is above ${MAX_INDEXED}`));
  const when = ` when completions are above ${MAX_INDEXED} and used with backoff limit per index`;
  limit('parallelism', parallelism, MAX_INDEXED_WITH_MANY_COMPLETIONS, when);
  limit('maxFailedIndexes', maxFailedIndexes, MAX_INDEXED_WITH_MANY_COMPLETIONS, when);
  return errors;
}

function checkMode(spec: JobSpec, field: string): FieldError[] {
  const { completionMode = 'NonIndexed' } = spec;
  if (isIndexed(spec)) return checkIndexed(spec, field);
  if (completionMode !== 'NonIndexed') return [notSupported(`${field}.completionMode`, completionMode, MODES)];
  return (['backoffLimitPerIndex', 'maxFailedIndexes'] as const).flatMap((key) =>
    spec[key] === undefined ? [] : [invalid(`${field}.${key}`, spec[key], 'requires indexed completion mode')],
  );
}

function checkPolicies(spec: JobSpec, field: string): FieldError[] {
  const { podFailurePolicy, successPolicy, podReplacementPolicy } = spec;
  const errors = checkFailurePolicy(spec, `${field}.podFailurePolicy.rules`);
  if (successPolicy && !isIndexed(spec))
    errors.push(invalid(`${field}.successPolicy`, asInternal('SuccessPolicy', successPolicy), 'requires indexed completion mode'));
  else if (successPolicy) errors.push(...checkSuccessPolicy(spec, `${field}.successPolicy.rules`));
  const replacements = podFailurePolicy ? ['Failed'] : ['Failed', 'TerminatingOrFailed'];
  if (podReplacementPolicy !== undefined && !replacements.includes(podReplacementPolicy))
    errors.push(notSupported(`${field}.podReplacementPolicy`, podReplacementPolicy, replacements));
  return errors;
}

function checkRestartPolicy({ template, podFailurePolicy }: JobSpec, field: string): FieldError[] {
  const policy = template.spec.restartPolicy ?? '';
  if (policy === '' || policy === 'Always') return [required(field, 'valid values: "OnFailure", "Never"')];
  if (!RESTARTS.includes(policy)) return [notSupported(field, policy, RESTARTS)];
  return podFailurePolicy && policy !== 'Never' ? [invalid(field, policy, 'only "Never" is supported when podFailurePolicy is specified')] : [];
}

/** Upstream: pkg/apis/batch/validation, validateJobSpec; what a CronJob's template is held to as well. */
export function validateJobSpec(spec: JobSpec, field: string): FieldError[] {
  return [
    ...COUNTS.flatMap((key) => checkNonNegative(spec[key], `${field}.${key}`)),
    ...checkMaxFailedIndexes(spec, field),
    ...checkManagedBy(spec.managedBy, `${field}.managedBy`),
    ...checkMode(spec, field),
    ...checkPolicies(spec, field),
    ...validatePodTemplate(spec.template, `${field}.template`),
    ...checkRestartPolicy(spec, `${field}.template.spec.restartPolicy`),
  ];
}

/** The selector, which must match the labels of the template (upstream: ValidateJobSpec). */
function validateWholeSpec(spec: JobSpec): FieldError[] {
  const { selector, template } = spec;
  const faults = selector ? validateLabelSelector(selector, 'spec.selector') : [required('spec.selector')];
  const errors = [...validateJobSpec(spec, 'spec'), ...faults];
  const matcher = usable(spec);
  if (matcher && !matcher.matches(template.metadata?.labels)) {
    const labels = asGiven(template.metadata, 'labels');
    errors.push(invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
  }
  return errors;
}

/** Undefined where the selector cannot be used as one; without one, nothing matches. */
function usable({ selector }: JobSpec): Selector | undefined {
  if (!selector) return nothing();
  return validateLabelSelector(selector, '').length ? undefined : selectorFrom(selector);
}

function checkHasLabel(template: PodTemplateSpec, key: string, wanted: string): FieldError[] {
  const labels = template.metadata?.labels ?? {};
  const field = at('spec.template.metadata.labels', key);
  if (labels[key] === undefined) return [required(field, `must be '${wanted}'`)];
  return labels[key] === wanted ? [] : [invalid(field, labels, `must be '${wanted}'`)];
}

const hasPrefixedLabels = ({ spec }: Job): boolean => [JOB_NAME, CONTROLLER_UID].every((key) => spec.template.metadata?.labels?.[key] !== undefined);

/** The selector and labels that the server itself made (upstream: validateGeneratedSelector). */
function checkGenerated({ metadata, spec }: Job, old: Job | undefined): FieldError[] {
  const { uid = '', name = '' } = metadata;
  if (spec.manualSelector || !spec.selector) return [];
  const expected: Record<string, string> = { [LEGACY_CONTROLLER_UID]: uid, [LEGACY_JOB_NAME]: name };
  // Jobs from the time before labels had prefixes may stay without them.
  if (!old || hasPrefixedLabels(old)) Object.assign(expected, { [CONTROLLER_UID]: uid, [JOB_NAME]: name });
  const errors = Object.entries(expected).flatMap(([key, value]) => checkHasLabel(spec.template, key, value));
  const matches = usable(spec)?.matches(expected) ?? true;
  return matches ? errors : [...errors, invalid('spec.selector', spec.selector, '`selector` not auto-generated')];
}

/** The pods of an indexed Job have its name and their index for a host name. */
function checkHostnames({ metadata: { name = '' }, spec }: Job): FieldError[] {
  if (!isIndexed(spec) || !spec.completions || spec.completions < 0) return [];
  const last = `${name}-${spec.completions - 1}`;
  return dns1123LabelFaults(last).length ? [invalid('metadata.name', name, `will not able to create pod with invalid DNS label: ${last}`)] : [];
}

/** Upstream: ValidateJob. */
export function validateJob(object: Job, old?: Job): FieldError[] {
  return [...checkGenerated(object, old), ...validateWholeSpec(object.spec), ...checkHostnames(object)];
}

function checkCompletions(spec: JobSpec, old: JobSpec): FieldError[] {
  const field = 'spec.completions';
  if (spec.completions === old.completions) return [];
  if (!isIndexed(spec)) return [invalid(field, spec.completions, 'field is immutable')];
  if (spec.completions === undefined || spec.completions === spec.parallelism) return [];
  return [invalid(field, spec.completions, 'can only be modified in tandem with spec.parallelism')];
}

/** A wanted node may be told anew, as may, with it, that there is any affinity at all. */
function withAffinityOf(affinity: Affinity | undefined, old: Affinity | undefined): Affinity | undefined {
  const { nodeAffinity: _, ...rest } = old ?? {};
  if (affinity) return { ...rest, ...(affinity.nodeAffinity && { nodeAffinity: affinity.nodeAffinity }) };
  return Object.keys(rest).length ? rest : undefined;
}

/** The old template, with what of the new one a suspended Job that has not begun may still be told. */
function withPlacementOf({ metadata, spec }: PodTemplateSpec, old: PodTemplateSpec): PodTemplateSpec {
  const { labels, annotations } = metadata ?? {};
  const { nodeSelector, tolerations, schedulingGates } = spec;
  const affinity = withAffinityOf(spec.affinity, old.spec.affinity);
  return { metadata: { ...old.metadata, labels, annotations }, spec: { ...old.spec, affinity, nodeSelector, tolerations, schedulingGates } } as PodTemplateSpec;
}

function checkTemplate({ template }: JobSpec, { spec, status }: Job): FieldError[] {
  const mayMove = spec.suspend && status.startTime === undefined;
  const before = mayMove ? withPlacementOf(template, spec.template) : spec.template;
  return deepEqual(before, template) ? [] : [invalid('spec.template', internalPodTemplate(template), 'field is immutable')];
}

/** Upstream: ValidateJobUpdate. */
export function validateJobUpdate({ spec }: Job, old: Job): FieldError[] {
  const immutable = (key: keyof JobSpec, shown: unknown = spec[key]): FieldError[] =>
    deepEqual(spec[key], old.spec[key]) ? [] : [invalid(`spec.${key}`, shown, 'field is immutable')];
  return [
    ...validateWholeSpec(spec),
    ...checkCompletions(spec, old.spec),
    ...immutable('selector'),
    ...checkTemplate(spec, old),
    ...immutable('completionMode'),
    ...immutable('podFailurePolicy', spec.podFailurePolicy && asInternal('PodFailurePolicy', spec.podFailurePolicy)),
    ...immutable('backoffLimitPerIndex'),
    ...immutable('managedBy'),
    ...immutable('successPolicy', spec.successPolicy && asInternal('SuccessPolicy', spec.successPolicy)),
  ];
}
