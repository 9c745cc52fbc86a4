import { templateCells } from '../../core/v1/pod/template-cells.ts';
import { ownerNameWarnings, templateWarnings } from '../../core/v1/pod/warnings.ts';
import { age } from '../../duration.ts';
import { type FieldError, notSupported, required } from '../../field-error.ts';
import type { CronJob } from '../../generated/types/batch.v1.ts';
import { formatSelector } from '../../labels.ts';
import type { KindBehaviour } from '../../resource.ts';
import { checkNonNegative } from '../../validation.ts';
import { setJobDefaults, validateJobSpec } from './job.ts';

const POLICIES = ['Allow', 'Forbid', 'Replace'];

/** Upstream: validateCronJobSpec. */
function validate({ spec }: CronJob): FieldError[] {
  const errors = spec.schedule ? [] : [required('spec.schedule')];
  errors.push(...checkNonNegative(spec.startingDeadlineSeconds, 'spec.startingDeadlineSeconds'));
  if (!POLICIES.includes(spec.concurrencyPolicy ?? '')) errors.push(notSupported('spec.concurrencyPolicy', spec.concurrencyPolicy ?? '', POLICIES));
  errors.push(...validateJobSpec(spec.jobTemplate.spec!, 'spec.jobTemplate.spec'));
  return [
    ...errors,
    ...checkNonNegative(spec.successfulJobsHistoryLimit, 'spec.successfulJobsHistoryLimit'),
    ...checkNonNegative(spec.failedJobsHistoryLimit, 'spec.failedJobsHistoryLimit'),
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
  validate: (object) =>
    validate({
      ...object,
      spec: { ...object.spec, jobTemplate: { ...object.spec.jobTemplate, spec: { completionMode: 'NonIndexed', ...object.spec.jobTemplate.spec! } } },
    }),
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
