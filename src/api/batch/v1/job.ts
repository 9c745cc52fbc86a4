import { parseTime } from '../../../lib/clock.ts';
import { setTemplateDefaults } from '../../core/v1/pod/defaults.ts';
import { templateCells } from '../../core/v1/pod/template-cells.ts';
import { validatePodTemplate } from '../../core/v1/pod/validation/pod-spec.ts';
import { ownerNameWarnings, templateWarnings } from '../../core/v1/pod/warnings.ts';
import { age, humanDuration } from '../../duration.ts';
import { type FieldError, invalid, notSupported, required } from '../../field-error.ts';
import type { Job, JobSpec } from '../../generated/types/batch.v1.ts';
import { formatSelector, selectorFrom } from '../../labels.ts';
import type { KindBehaviour } from '../../resource.ts';
import { checkNonNegative } from '../../validation.ts';

/** Upstream: pkg/apis/batch/v1/defaults.go, SetDefaults_Job. */
export function setJobDefaults(spec: JobSpec): void {
  setTemplateDefaults(spec.template);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 0x7fffffff;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
}

/** The selector and labels that tie a Job to its pods (upstream: generateSelector). */
function generateSelector({ metadata, spec }: Job): void {
  if (spec.manualSelector) return;
  const uid = metadata.uid ?? '';
  const name = metadata.name ?? '';
  spec.template.metadata ??= {};
  spec.template.metadata.labels = {
    ...spec.template.metadata.labels,
    'batch.kubernetes.io/controller-uid': uid,
    'batch.kubernetes.io/job-name': name,
    'controller-uid': uid,
    'job-name': name,
  };
  spec.selector = { ...spec.selector, matchLabels: { ...spec.selector?.matchLabels, 'batch.kubernetes.io/controller-uid': uid } };
}

/** Upstream: ValidateJobSpec. */
export function validateJobSpec(spec: JobSpec, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const key of ['parallelism', 'completions', 'activeDeadlineSeconds', 'backoffLimit', 'ttlSecondsAfterFinished'] as const) {
    errors.push(...checkNonNegative(spec[key], `${field}.${key}`));
  }
  if (spec.completionMode !== 'NonIndexed' && spec.completionMode !== 'Indexed')
    errors.push(notSupported(`${field}.completionMode`, spec.completionMode ?? '', ['Indexed', 'NonIndexed']));
  if (spec.completionMode === 'Indexed' && spec.completions === undefined) errors.push(required(`${field}.completions`, 'when completion mode is Indexed'));
  errors.push(...validatePodTemplate(spec.template, `${field}.template`));
  const { restartPolicy } = spec.template.spec;
  if (restartPolicy === 'Always') errors.push(required(`${field}.template.spec.restartPolicy`, 'valid values: "OnFailure", "Never"'));
  return errors;
}

function statusOf({ metadata, spec, status }: Job): string {
  const has = (type: string): boolean => (status.conditions ?? []).some((c) => c.type === type && c.status === 'True');
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (metadata.deletionTimestamp) return 'Terminating';
  if (has('Suspended')) return 'Suspended';
  if (has('FailureTarget')) return 'FailureTarget';
  if (has('SuccessCriteriaMet')) return 'SuccessCriteriaMet';
  return spec.suspend && (status.active ?? 0) === 0 ? 'Suspended' : 'Running';
}

function completionsOf({ spec, status }: Job): string {
  const done = status.succeeded ?? 0;
  if (spec.completions !== undefined) return `${done}/${spec.completions}`;
  return (spec.parallelism ?? 0) > 1 ? `${done}/1 of ${spec.parallelism}` : `${done}/1`;
}

function durationOf({ status }: Job, nowMs: number): string {
  const start = parseTime(status.startTime);
  return start === undefined ? '' : humanDuration((parseTime(status.completionTime) ?? nowMs) - start);
}

/** Upstream: pkg/registry/batch/job/strategy.go. */
export const job: KindBehaviour<Job> = {
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  hasGeneration: true,
  hasStatus: true,
  defaultDeletionPropagation: 'background',
  setDefaults: ({ spec }) => setJobDefaults(spec),
  prepareForCreate: (object) => {
    generateSelector(object);
    object.status = {};
  },
  validate: ({ spec }) => {
    const errors = validateJobSpec(spec, 'spec');
    const labels = spec.template.metadata?.labels;
    if (!spec.selector) errors.unshift(required('spec.selector'));
    else if (!selectorFrom(spec.selector).matches(labels))
      errors.push(invalid('spec.template.metadata.labels', labels, '`selector` does not match template `labels`'));
    return errors;
  },
  warnings: ({ metadata, spec }, old) => (old ? [] : [...ownerNameWarnings(metadata.name), ...templateWarnings(spec.template, 'spec.template')]),
  row: (object, nowMs) => [
    object.metadata.name ?? '',
    statusOf(object),
    completionsOf(object),
    durationOf(object, nowMs),
    age(object.metadata.creationTimestamp, nowMs),
    ...templateCells(object.spec.template?.spec),
    formatSelector(object.spec.selector),
  ],
  selectableFields: { 'status.successful': ({ status }) => String(status.succeeded ?? 0) },
};
