import { parseTime } from '../../../lib/clock.ts';
import { setTemplateDefaults } from '../../core/v1/pod/defaults.ts';
import { dropGatedFields } from '../../core/v1/pod/gated-fields.ts';
import { templateCells } from '../../core/v1/pod/template-cells.ts';
import { ownerNameWarnings, templateWarnings } from '../../core/v1/pod/warnings.ts';
import { age, humanDuration } from '../../duration.ts';
import type { Job, JobSpec } from '../../generated/types/batch.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { formatSelector } from '../../labels.ts';
import { CONTROLLER_UID, JOB_NAME, LEGACY_CONTROLLER_UID, LEGACY_JOB_NAME, validateJob, validateJobUpdate } from './job-validation.ts';

/** What a CronJob's template has of a Job's defaults: those of its parts. */
export function setJobTemplateDefaults(spec: JobSpec): void {
  setTemplateDefaults(spec.template);
  for (const { onPodConditions } of spec.podFailurePolicy?.rules ?? []) for (const pattern of onPodConditions ?? []) pattern.status ||= 'True';
}

/** Upstream: pkg/apis/batch/v1/defaults.go, SetDefaults_Job. */
function setDefaults({ metadata, spec }: Job): void {
  setJobTemplateDefaults(spec);
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  const { labels } = spec.template.metadata ?? {};
  // The very same: what the server adds to the template's is added to these.
  if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = labels;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : 0x7fffffff;
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
  spec.manualSelector ??= false;
}

/** The selector and labels that tie a Job to its pods; a client's own stay, and are refused (upstream: generateSelector). */
function generateSelector({ metadata, spec }: Job): void {
  if (spec.manualSelector) return;
  const { uid = '', name = '' } = metadata;
  spec.template.metadata ??= {};
  const labels = spec.template.metadata.labels ?? {};
  spec.template.metadata.labels = labels;
  for (const key of [LEGACY_JOB_NAME, JOB_NAME]) labels[key] ??= name;
  for (const key of [LEGACY_CONTROLLER_UID, CONTROLLER_UID]) labels[key] ??= uid;
  // As upstream finds it when it reads the Job back.
  if (Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
  spec.selector = { ...spec.selector, matchLabels: { [CONTROLLER_UID]: uid, ...spec.selector?.matchLabels } };
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
  defaultDeletionPropagation: 'orphan',
  setDefaults,
  prepareForCreate: (object) => {
    generateSelector(object);
    // An empty list does not survive upstream's storage.
    const { podFailurePolicy } = object.spec;
    if (podFailurePolicy?.rules?.length === 0) Object.assign(podFailurePolicy, { rules: null });
    object.status = {};
    dropGatedFields(object.spec.template?.spec);
  },
  prepareForUpdate: ({ spec }, old) => dropGatedFields(spec.template?.spec, old.spec.template?.spec),
  validate: validateJob,
  validateUpdate: validateJobUpdate,
  updateOrder: ['whole', 'metadata', 'change'],
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
