import { dropGatedFields } from '../../core/v1/pod/gated-fields.ts';
import { templateCells } from '../../core/v1/pod/template-cells.ts';
import { ownerNameWarnings, templateWarnings } from '../../core/v1/pod/warnings.ts';
import { age } from '../../duration.ts';
import { type FieldError, invalid, notSupported, required } from '../../field-error.ts';
import type { CronJob, CronJobSpec, JobSpec } from '../../generated/types/batch.v1.ts';
import type { PodSpec } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { formatSelector } from '../../labels.ts';
import { checkNonNegative, checkOneOf } from '../../validation.ts';
import { scheduleFault } from './cron-schedule.ts';
import { setJobTemplateDefaults } from './job.ts';
import { validateJobSpec } from './job-validation.ts';
import { timeZoneFault } from './time-zone.ts';

/** With upstream's path, which is not quite the field's. */
const ZONE_WARNING =
  'cannot use TZ or CRON_TZ in spec.spec.schedule, use timeZone instead, see https://kubernetes.io/docs/concepts/workloads/controllers/cron-jobs/ for more details';
const POLICIES = ['Allow', 'Forbid', 'Replace'];
/** Eleven characters are left for the names of its Jobs. */
const MAX_NAME = 52;

const namesZone = (schedule: string): boolean => schedule.includes('TZ');

/** Upstream: validateScheduleFormat. */
function checkSchedule({ schedule = '', timeZone }: CronJobSpec, old: CronJobSpec | undefined): FieldError[] {
  const field = 'spec.schedule';
  if (!schedule) return [required(field)];
  const fault = scheduleFault(schedule);
  const errors = fault === undefined ? [] : [invalid(field, schedule, fault)];
  if (!namesZone(schedule)) return errors;
  if (!old || !namesZone(old.schedule ?? '')) return [...errors, invalid(field, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')];
  return timeZone === undefined ? errors : [...errors, invalid(field, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule')];
}

/** Upstream: validateTimeZone. */
function checkTimeZone(timeZone: string | undefined): FieldError[] {
  const field = 'spec.timeZone';
  if (timeZone === undefined) return [];
  if (timeZone === '') return [invalid(field, timeZone, 'timeZone must be nil or non-empty string')];
  const isLocal = timeZone.toLowerCase() === 'local';
  const errors = isLocal ? [invalid(field, timeZone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones')] : [];
  const fault = timeZoneFault(timeZone);
  return fault === undefined ? errors : [...errors, invalid(field, timeZone, fault)];
}

/** The selector is made for each Job. Upstream: ValidateJobTemplateSpec. */
function checkJobTemplate(spec: JobSpec, field: string): FieldError[] {
  const errors = validateJobSpec(spec, field);
  if (spec.selector) errors.push(invalid(`${field}.selector`, spec.selector, '`selector` will be auto-generated'));
  if (spec.manualSelector) errors.push(notSupported(`${field}.manualSelector`, spec.manualSelector, ['nil', 'false']));
  return errors;
}

/** Upstream: pkg/apis/batch/validation, ValidateCronJobCreate and ValidateCronJobUpdate. */
function validate({ metadata: { name = '' }, spec }: CronJob, old?: CronJob): FieldError[] {
  return [
    ...checkSchedule(spec, old?.spec),
    ...checkNonNegative(spec.startingDeadlineSeconds, 'spec.startingDeadlineSeconds'),
    ...(old && old.spec.timeZone === spec.timeZone ? [] : checkTimeZone(spec.timeZone)),
    ...checkOneOf(spec.concurrencyPolicy, POLICIES, 'spec.concurrencyPolicy'),
    ...checkJobTemplate(spec.jobTemplate.spec!, 'spec.jobTemplate.spec'),
    ...checkNonNegative(spec.successfulJobsHistoryLimit, 'spec.successfulJobsHistoryLimit'),
    ...checkNonNegative(spec.failedJobsHistoryLimit, 'spec.failedJobsHistoryLimit'),
    ...(!old && name.length > MAX_NAME ? [invalid('metadata.name', name, `must be no more than ${MAX_NAME} characters`)] : []),
  ];
}

const podSpecOf = ({ spec }: CronJob): PodSpec | undefined => spec.jobTemplate.spec?.template.spec;

function warnings({ metadata, spec }: CronJob, old: CronJob | undefined): string[] {
  const messages = old ? [] : ownerNameWarnings(metadata.name);
  if (metadata.generation !== old?.metadata.generation) messages.push(...templateWarnings(spec.jobTemplate.spec!.template, 'spec.jobTemplate.spec.template'));
  if (old && namesZone(spec.schedule)) messages.push(ZONE_WARNING);
  return messages;
}

/** Upstream: pkg/apis/batch/v1/defaults.go, pkg/registry/batch/cronjob/strategy.go. */
export const cronJob: KindBehaviour<CronJob> = {
  group: 'batch',
  version: 'v1',
  kind: 'CronJob',
  hasGeneration: true,
  hasStatus: true,
  setDefaults: ({ spec }) => {
    spec.concurrencyPolicy ||= 'Allow';
    spec.suspend ??= false;
    spec.successfulJobsHistoryLimit ??= 3;
    spec.failedJobsHistoryLimit ??= 1;
    if (spec.jobTemplate?.spec) setJobTemplateDefaults(spec.jobTemplate.spec);
  },
  prepareForCreate: (object) => {
    object.status = {};
    dropGatedFields(podSpecOf(object));
  },
  prepareForUpdate: (object, old) => dropGatedFields(podSpecOf(object), podSpecOf(old)),
  validate,
  warnings,
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    spec.schedule,
    spec.timeZone ?? '<none>',
    spec.suspend ? 'True' : 'False',
    (status.active ?? []).length,
    status.lastScheduleTime ? age(status.lastScheduleTime, nowMs) : '<none>',
    age(metadata.creationTimestamp, nowMs),
    ...templateCells(spec.jobTemplate?.spec?.template?.spec),
    formatSelector(spec.jobTemplate?.spec?.selector),
  ],
};
