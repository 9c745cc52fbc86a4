import { expect, test } from 'vitest';
import type { CronJob, Job } from '../../generated/types/batch.v1.ts';
import { cronJob } from './cron-job.ts';
import { scheduleFault } from './cron-schedule.ts';
import { job } from './job.ts';

const shown = (errors: readonly { field: string; message: string }[] | undefined): string[] =>
  (errors ?? []).map(({ field, message }) => `${field}: ${message}`);
const template = (spec: object = {}): object => ({ spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'a' }], ...spec } });

function makeJob(spec: object): Job {
  const object = { metadata: { name: 'j', uid: 'u' }, spec: { template: template(), ...structuredClone(spec) }, status: {} } as unknown as Job;
  job.setDefaults?.(object);
  job.prepareForCreate?.(object);
  return object;
}

function makeCronJob(spec: object): CronJob {
  const body = { schedule: '* * * * *', jobTemplate: { spec: { template: template() } }, ...structuredClone(spec) };
  const object = { metadata: { name: 'c' }, spec: body, status: {} } as unknown as CronJob;
  cronJob.setDefaults?.(object);
  return object;
}

test.each<[string, object, string[]]>([
  ['as it should be', {}, []],
  [
    'counts',
    { parallelism: -1, backoffLimit: -2 },
    ['parallelism: Invalid value: -1', 'backoffLimit: Invalid value: -2'].map((s) => `spec.${s}: must be greater than or equal to 0`),
  ],
  [
    'a Job that goes on for ever',
    { template: template({ restartPolicy: 'Always' }) },
    ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  ],
  ['indexes without their number', { completionMode: 'Indexed', parallelism: 2 }, ['spec.completions: Required value: when completion mode is Indexed']],
  ['another mode', { completionMode: 'Odd' }, ['spec.completionMode: Unsupported value: "Odd": supported values: "NonIndexed", "Indexed"']],
  ['what is for indexes alone', { backoffLimitPerIndex: 1 }, ['spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode']],
  [
    'policies of failure',
    {
      podFailurePolicy: { rules: [{ action: 'Stop' }, { action: 'FailJob', onExitCodes: { operator: 'In', values: [0, 0], containerName: 'x' } }] },
      podReplacementPolicy: 'TerminatingOrFailed',
    },
    [
      'spec.podFailurePolicy.rules[0].action: Unsupported value: "Stop": supported values: "Count", "FailIndex", "FailJob", "Ignore"',
      'spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and OnPodConditions is required',
      'spec.podFailurePolicy.rules[1].onExitCodes.containerName: Invalid value: "x": must be one of the container or initContainer names in the pod template',
      'spec.podFailurePolicy.rules[1].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator',
      'spec.podFailurePolicy.rules[1].onExitCodes.values[1]: Invalid value: 0: must not be 0 for the In operator',
      'spec.podFailurePolicy.rules[1].onExitCodes.values[1]: Duplicate value: 0',
      'spec.podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"',
    ],
  ],
])('a Job: %s', (_name, spec, wanted) => {
  expect(shown(job.validate?.(makeJob(spec)))).toEqual(wanted);
});

test('what of a Job may change', () => {
  const change = (spec: object, old: object = {}): string[] =>
    shown(job.validateUpdate?.(makeJob(spec), makeJob(old))).map((fault) => fault.split(': ')[0] ?? '');
  expect(change({ parallelism: 4, suspend: true, ttlSecondsAfterFinished: 5 }, { parallelism: 1 })).toEqual([]);
  expect(change({ completions: 2 }, { completions: 1 })).toEqual(['spec.completions']);
  expect(change({ completions: 2, parallelism: 2, completionMode: 'Indexed' }, { completions: 1, completionMode: 'Indexed' })).toEqual([]);
  expect(change({ template: template({ nodeSelector: { a: 'b' } }) })).toEqual(['spec.template']);
  expect(change({ template: template({ nodeSelector: { a: 'b' } }) }, { suspend: true })).toEqual([]);
});

test.each<[string, object, string[]]>([
  ['as it should be', { timeZone: 'Europe/Berlin' }, []],
  ['no schedule', { schedule: '' }, ['spec.schedule: Required value']],
  [
    'a zone in the schedule',
    { schedule: 'TZ=UTC * * * * *' },
    ['spec.schedule: Invalid value: "TZ=UTC * * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead'],
  ],
  [
    'zones',
    { timeZone: 'Local' },
    ['spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones'],
  ],
  ['unknown zones', { timeZone: 'Mars/Base' }, ['spec.timeZone: Invalid value: "Mars/Base": unknown time zone Mars/Base']],
  ['another policy', { concurrencyPolicy: 'Wait' }, ['spec.concurrencyPolicy: Unsupported value: "Wait": supported values: "Allow", "Forbid", "Replace"']],
])('a CronJob: %s', (_name, spec, wanted) => {
  expect(shown(cronJob.validate?.(makeCronJob(spec)))).toEqual(wanted);
});

test.each<[string, string | undefined]>([
  ['*/5 0-6/2 1,15 jan-mar mon', undefined],
  ['@daily', undefined],
  ['@every 1h30m', undefined],
  ['@never', 'unrecognized descriptor: @never'],
  ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['5-1 * * * *', 'beginning of range (5) beyond end of range (1): 5-1'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['a * * * *', 'failed to parse int from a: strconv.Atoi: parsing "a": invalid syntax'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
])('the schedule %s', (schedule, fault) => {
  expect(scheduleFault(schedule)).toBe(fault);
});

test('a Job without labels has those of its pods', () => {
  const labelled = (labels: object): Job => {
    const object = { metadata: { name: 'j', labels }, spec: { template: { ...template(), metadata: { labels: { a: 'b' } } } }, status: {} } as unknown as Job;
    job.setDefaults?.(object);
    object.metadata.uid = 'u';
    job.prepareForCreate?.(object);
    return object;
  };
  const generated = { 'batch.kubernetes.io/controller-uid': 'u', 'batch.kubernetes.io/job-name': 'j', 'controller-uid': 'u', 'job-name': 'j' };
  const object = labelled({});
  expect(object.metadata.labels).toEqual({ a: 'b', ...generated });
  expect(labelled({ c: 'd' }).metadata.labels).toEqual({ c: 'd' });
  delete object.metadata.labels;
  job.setDefaults?.(object);
  expect(object.metadata.labels).toEqual({ a: 'b', ...generated });
});
