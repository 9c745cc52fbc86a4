import { parseTime } from '../../../lib/clock.ts';
import { setTemplateDefaults } from '../../core/v1/pod/defaults.ts';
import { templateCells } from '../../core/v1/pod/template-cells.ts';
import { ownerNameWarnings, templateWarnings } from '../../core/v1/pod/warnings.ts';
import { age, humanDuration } from '../../duration.ts';
import type { Job, JobSpec } from '../../generated/types/batch.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { formatSelector } from '../../labels.ts';
import { validateJob, validateJobUpdate } from './job-validation.ts';

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

/** A Job without labels has those of its pods (upstream: SetDefaults_Job), with what ties them together. */
function labelLikeTemplate({ metadata, spec }: Job): void {
  const labels = spec.template?.metadata?.labels;
  if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
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
  setDefaults: (object) => {
    setJobDefaults(object.spec);
    // A new Job gets them when the template has all of its own.
    if (object.metadata.uid) labelLikeTemplate(object);
  },
  prepareForCreate: (object) => {
    generateSelector(object);
    labelLikeTemplate(object);
    object.status = {};
  },
  validate: validateJob,
  validateUpdate: validateJobUpdate,
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
