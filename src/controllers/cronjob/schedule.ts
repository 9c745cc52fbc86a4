import { parseSchedule, type Schedule } from '../../api/batch/v1/cron-schedule.ts';
import { timeZoneFault, zoneOf } from '../../api/batch/v1/time-zone.ts';
import type { CronJob } from '../../api/generated/types/batch.v1.ts';
import { parseTime } from '../../lib/clock.ts';

/** So long after its time a CronJob is looked at, so that clocks may differ a little. */
const DELAY_MS = 100;
/** More missed times than these are told of. */
const MANY = 100;

/** The schedule in the CronJob's time zone. @throws RangeError */
export function scheduleOf({ spec }: CronJob): Schedule {
  const zone = spec.timeZone !== undefined && timeZoneFault(spec.timeZone) === undefined ? spec.timeZone : 'UTC';
  return parseSchedule(spec.schedule, zone);
}

export interface Due {
  /** The last run, or the CronJob's creation, or the deadline. */
  earliestAt: number;
  /** When the latest run is due that has not been; undefined: none is. */
  at: number | undefined;
  missed: 'none' | 'few' | 'many';
}

/** @throws RangeError where the schedule can never come. Upstream: utils.go (mostRecentScheduleTime). */
export function due({ metadata, spec, status }: CronJob, schedule: Schedule, { now, withDeadline }: { now: number; withDeadline: boolean }): Due {
  const last = parseTime(status?.lastScheduleTime) ?? parseTime(metadata.creationTimestamp ?? undefined) ?? now;
  const { startingDeadlineSeconds: deadline } = spec;
  const earliestAt = withDeadline && deadline !== undefined ? Math.max(last, now - deadline * 1000) : last;
  const [first, second] = twoFrom(schedule, earliestAt);
  if (first === undefined || now < first) return checkPossible(first, { earliestAt, at: undefined, missed: 'none' });
  if (second === undefined || now < second) return { earliestAt, at: first, missed: 'none' };
  const betweenMs = second - first;
  const count = Math.floor(Math.floor((now - first) / 1000) / Math.round(betweenMs / 1000)) + 1;
  let at: number | undefined;
  for (let time = schedule.next(first + (count - 2) * betweenMs); time !== undefined && time <= now; time = schedule.next(time)) at = time;
  return { earliestAt, at, missed: count > MANY ? 'many' : 'few' };
}

function twoFrom(schedule: Schedule, after: number): [number | undefined, number | undefined] {
  const first = schedule.next(after);
  return [first, first === undefined ? undefined : schedule.next(first)];
}

function checkPossible(first: number | undefined, result: Due): Due {
  if (first === undefined) throw new RangeError('time difference between two schedules is less than 1 second');
  return result;
}

/** Milliseconds until the CronJob is to be looked at again. Upstream: nextScheduleTimeDuration. */
export function nextLookInMs(cronJob: CronJob, schedule: Schedule, now: number): number | undefined {
  const next = schedule.next(startOfNext(cronJob, schedule, now));
  return next === undefined ? undefined : next + DELAY_MS - now;
}

function startOfNext(cronJob: CronJob, schedule: Schedule, now: number): number {
  try {
    const { at, earliestAt, missed } = due(cronJob, schedule, { now, withDeadline: false });
    return at ?? (missed === 'none' ? earliestAt : now);
  } catch (error) {
    if (error instanceof RangeError) return now;
    throw error;
  }
}

/** The moment in the CronJob's zone, as RFC 3339. */
export function zonedTime({ spec }: CronJob, at: number): string {
  const zone = zoneOf(spec.timeZone ?? '');
  const offset = zone.offset(at);
  if (spec.timeZone === undefined || offset === 0) return `${new Date(at).toISOString().slice(0, 19)}Z`;
  const part = (value: number): string => String(value).padStart(2, '0');
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${zone.local(at).toISOString().slice(0, 19)}${offset < 0 ? '-' : '+'}${part(hours)}:${part(minutes)}`;
}
