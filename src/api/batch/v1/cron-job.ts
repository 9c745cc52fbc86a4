import { templateCells } from '../../core/v1/pod/template-cells.ts';
import { ownerNameWarnings, templateWarnings } from '../../core/v1/pod/warnings.ts';
import { age } from '../../duration.ts';
import { type FieldError, invalid, required } from '../../field-error.ts';
import type { CronJob } from '../../generated/types/batch.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { formatSelector } from '../../labels.ts';
import { checkNonNegative, checkOneOf } from '../../validation.ts';
import { scheduleFault } from './cron-schedule.ts';
import { setJobDefaults } from './job.ts';
import { validateJobSpec } from './job-validation.ts';

const POLICIES = ['Allow', 'Forbid', 'Replace'];
/** Eleven characters are left for the names of its Jobs. */
const MAX_NAME = 52;

/** Upstream: validateScheduleFormat. */
function checkSchedule(schedule: string): FieldError[] {
  const field = 'spec.schedule';
  if (!schedule) return [required(field)];
  if (/TZ/.test(schedule)) return [invalid(field, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead')];
  const fault = scheduleFault(schedule);
  return fault === undefined ? [] : [invalid(field, schedule, fault)];
}

/** Upstream: validateTimeZone. */
function checkTimeZone(timeZone: string | undefined): FieldError[] {
  const field = 'spec.timeZone';
  if (timeZone === undefined) return [];
  if (timeZone === '') return [invalid(field, timeZone, 'timeZone must be nil or non-empty string')];
  if (timeZone.toLowerCase() === 'local')
    return [invalid(field, timeZone, 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones')];
  return /^[A-Z]/i.test(timeZone) && isTimeZone(timeZone) ? [] : [invalid(field, timeZone, `unknown time zone ${timeZone}`)];
}

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Upstream: pkg/apis/batch/validation, ValidateCronJobCreate. */
function validate({ metadata, spec }: CronJob): FieldError[] {
  const name = metadata.name ?? '';
  return [
    ...checkSchedule(spec.schedule ?? ''),
    ...checkNonNegative(spec.startingDeadlineSeconds, 'spec.startingDeadlineSeconds'),
    ...checkTimeZone(spec.timeZone),
    ...checkOneOf(spec.concurrencyPolicy, POLICIES, 'spec.concurrencyPolicy'),
    ...validateJobSpec(spec.jobTemplate.spec!, 'spec.jobTemplate.spec'),
    ...checkNonNegative(spec.successfulJobsHistoryLimit, 'spec.successfulJobsHistoryLimit'),
    ...checkNonNegative(spec.failedJobsHistoryLimit, 'spec.failedJobsHistoryLimit'),
    ...(name.length > MAX_NAME ? [invalid('metadata.name', name, `must be no more than ${MAX_NAME} characters`)] : []),
  ];
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
    // A CronJob's template keeps the Job's own defaults out, but for those of its pods.
    if (spec.jobTemplate?.spec) {
      const { template } = spec.jobTemplate.spec;
      setJobDefaults({ template });
    }
  },
  prepareForCreate: (object) => {
    object.status = {};
  },
  validate,
  warnings: ({ metadata, spec }, old) => [
    ...(old ? [] : ownerNameWarnings(metadata.name)),
    ...templateWarnings(spec.jobTemplate.spec!.template, 'spec.jobTemplate.spec.template'),
  ],
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
