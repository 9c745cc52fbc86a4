import { describe, expect, it } from 'vitest';
import { parseSchedule } from '../../api/batch/v1/cron-schedule.ts';
import type { CronJob, CronJobStatus, Job } from '../../api/generated/types/batch.v1.ts';
import type { ObjectReference } from '../../api/generated/types/core.v1.ts';
import { timestamp } from '../../lib/clock.ts';
import { actionsOf, says, writtenStatus } from '../runtime/played-plan.ts';
import { type CronJobSnapshot, planCronJob } from './plan.ts';
import { zonedTime } from './schedule.ts';

const MINUTE = 60_000;
const NOW = Date.UTC(2026, 0, 1, 12, 0, 30);
const NAME = `web-${Math.floor(NOW / MINUTE)}`;

function cronJob(spec: Partial<CronJob['spec']> = {}, status: CronJobStatus = {}, metadata: CronJob['metadata'] = {}): CronJob {
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name: 'web', namespace: 't', uid: 'cron', creationTimestamp: timestamp(NOW - 40_000), ...metadata },
    spec: {
      schedule: '* * * * *',
      concurrencyPolicy: 'Allow',
      jobTemplate: { metadata: { labels: { a: 'b' } }, spec: {} },
      ...spec,
    } as unknown as CronJob['spec'],
    status,
  };
}

function job(name: string, type?: 'Complete' | 'Failed', startedMsAgo = MINUTE): Job {
  const conditions = type ? [{ type, status: 'True' }] : [];
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, namespace: 't', uid: name },
    spec: {},
    status: {
      conditions,
      startTime: timestamp(NOW - startedMsAgo),
      ...(type === 'Complete' ? { completionTime: timestamp(NOW - 1000) } : {}),
    },
  } as unknown as Job;
}

const reference = (name: string): ObjectReference => ({ kind: 'Job', namespace: 't', name, uid: name, apiVersion: 'batch/v1' });

const look = (of: CronJob, parts: Partial<CronJobSnapshot> = {}) =>
  planCronJob({ now: NOW, cronJob: of, jobs: [], missing: new Set(), liveActive: undefined, memory: undefined, ...parts });
const done = (of: CronJob, parts: Partial<CronJobSnapshot> = {}): string[] =>
  actionsOf(look(of, parts))
    .map(says)
    .filter((text) => !text.endsWith(' status'));

/** When the plan wants the next look. */
function nextLook(plan: ReturnType<typeof look> | undefined): number | undefined {
  return (
    plan &&
    (plan.requeueAfterMs ??
      nextLook(plan.next?.(plan.actions.map((action) => ('object' in action ? { ok: true, object: action.object as never } : { ok: true })))))
  );
}

describe('the times of a CronJob', () => {
  it('CJ-10: makes the Job of the last time that is due', () => {
    const [create, event] = actionsOf(look(cronJob({}, {}, { annotations: { x: 'y' } })));
    expect(create).toMatchObject({
      type: 'create',
      object: { metadata: { name: NAME, labels: { a: 'b' }, annotations: { 'batch.kubernetes.io/cronjob-scheduled-timestamp': '2026-01-01T12:00:00Z' } } },
    });
    expect(event).toMatchObject({ note: { reason: 'SuccessfulCreate', message: `Created job ${NAME}` } });
    expect(nextLook(look(cronJob()))).toBe(30_100);
  });

  it('CJ-10: of many missed times the last one', () => {
    const old = { creationTimestamp: timestamp(NOW - 200 * MINUTE) };
    expect(done(cronJob({}, {}, old))).toEqual(['event TooManyMissedTimes', `create Job ${NAME}`, 'event SuccessfulCreate']);
  });

  it('CJ-10: not twice', () => {
    expect(done(cronJob({}, { lastScheduleTime: timestamp(NOW - 30_000) }))).toEqual([]);
    expect(done(cronJob({}, { active: [reference(NAME)] }), { jobs: [job(NAME)] })).toEqual([]);
  });

  it('CJ-10: in the zone of the CronJob', () => {
    expect(zonedTime(cronJob({ timeZone: 'Europe/Berlin' }), Date.UTC(2026, 6, 1, 10))).toBe('2026-07-01T12:00:00+02:00');
    expect(zonedTime(cronJob({ timeZone: 'America/St_Johns' }), Date.UTC(2026, 0, 1))).toBe('2025-12-31T20:30:00-03:30');
    expect(zonedTime(cronJob(), NOW)).toBe('2026-01-01T12:00:30Z');
  });

  it('CJ-11: misses what is due for too long', () => {
    expect(done(cronJob({ startingDeadlineSeconds: 10, schedule: '0 * * * *' }))).toEqual([]);
    expect(done(cronJob({ startingDeadlineSeconds: 40 }))).toContain(`create Job ${NAME}`);
  });

  it('CJ-12: Forbid waits for the one before', () => {
    const of = cronJob({ concurrencyPolicy: 'Forbid' }, { active: [reference('web-1')] });
    expect(done(of, { jobs: [job('web-1')] })).toEqual(['event JobAlreadyActive']);
  });

  it('CJ-13: Replace deletes the one before', () => {
    const of = cronJob({ concurrencyPolicy: 'Replace' }, { active: [reference('web-1')] });
    expect(done(of, { jobs: [job('web-1')] })).toEqual(['delete Job web-1', `create Job ${NAME}`, 'event SuccessfulCreate']);
    expect((writtenStatus(look(of, { jobs: [job('web-1')] })) as CronJobStatus).active).toHaveLength(1);
  });

  it('CJ-14: the eldest Jobs go beyond the limits', () => {
    const of = cronJob({ successfulJobsHistoryLimit: 1, failedJobsHistoryLimit: 0, suspend: true });
    const jobs = [job('new', 'Complete', 2 * MINUTE), job('old', 'Complete', 3 * MINUTE), job('bad', 'Failed')];
    expect(done(of, { jobs })).toEqual(['delete Job old', 'delete Job bad']);
  });

  it('CJ-15: nothing while suspended, nor for times before a new schedule', () => {
    expect(done(cronJob({ suspend: true }))).toEqual([]);
    const memory = { uid: 'cron', schedule: '0 0 1 1 *', timeZone: undefined };
    expect(done(cronJob(), { memory })).toEqual([]);
    expect(look(cronJob(), { memory }).requeueAfterMs).toBe(30_100);
  });

  it('CJ-20: tells of Jobs that have ended, are missing, or are not known', () => {
    const of = cronJob({ suspend: true }, { active: [reference('a'), reference('b')] });
    const parts = { jobs: [job('a', 'Complete'), job('c')], missing: new Set(['b']) };
    expect(done(of, parts)).toEqual(['event SawCompletedJob', 'event UnexpectedJob', 'event MissingJob']);
  });

  it('CJ-21: the status has what is active, the last time and the last success', () => {
    const of = cronJob({}, { active: [reference('a')] });
    expect(writtenStatus(look(of, { jobs: [job('a', 'Complete')] }))).toMatchObject({
      active: [{ name: NAME, kind: 'Job' }],
      lastScheduleTime: '2026-01-01T12:00:00Z',
      lastSuccessfulTime: timestamp(NOW - 1000),
    });
  });
});

describe('schedules', () => {
  const next = (schedule: string, from: string, zone?: string): string => new Date(parseSchedule(schedule, zone).next(Date.parse(from))!).toISOString();
  it.each([
    ['*/15 * * * *', '2012-07-09T14:45:00Z', undefined, '2012-07-09T15:00:00.000Z'],
    ['20-35/15 * * * *', '2012-07-09T23:46:00Z', undefined, '2012-07-10T00:20:00.000Z'],
    ['0 0 9 4-7 *', '2012-07-09T23:35:00Z', undefined, '2013-04-09T00:00:00.000Z'],
    ['0 0 29 2 *', '2012-07-09T23:35:00Z', undefined, '2016-02-29T00:00:00.000Z'],
    ['0 0 1,15 * mon', '2026-01-02T00:00:00Z', undefined, '2026-01-05T00:00:00.000Z'],
    ['0 0 */2 * sun', '2026-01-02T00:00:00Z', undefined, '2026-01-03T00:00:00.000Z'],
    ['@weekly', '2026-01-01T00:00:00Z', undefined, '2026-01-04T00:00:00.000Z'],
    ['@every 90m', '2026-01-01T00:00:30Z', undefined, '2026-01-01T01:30:30.000Z'],
    // The clocks go forward at 02:00 on 11 March 2012, and back on 4 November.
    ['30 2 11 3 *', '2012-03-11T00:00:00-05:00', 'America/New_York', '2013-03-11T06:30:00.000Z'],
    ['0 * * * *', '2012-03-11T01:00:00-05:00', 'America/New_York', '2012-03-11T07:00:00.000Z'],
    ['0 3 * * *', '2012-03-11T00:00:00-05:00', 'America/New_York', '2012-03-11T07:00:00.000Z'],
    ['30 1 4 11 *', '2012-11-04T00:00:00-04:00', 'America/New_York', '2012-11-04T05:30:00.000Z'],
    ['0 * * * *', '2012-11-04T01:00:00-04:00', 'America/New_York', '2012-11-04T06:00:00.000Z'],
    ['0 9 * * *', '2026-03-29T00:00:00Z', 'Europe/Berlin', '2026-03-29T07:00:00.000Z'],
  ])('%s after %s in %s', (schedule, from, zone, wanted) => {
    expect(next(schedule, from, zone)).toBe(wanted);
  });

  it('that never come have no next time', () => {
    expect(parseSchedule('0 0 31 2 *').next(NOW)).toBeUndefined();
  });
});
