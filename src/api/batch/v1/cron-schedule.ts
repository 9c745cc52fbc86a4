import { parseDuration } from '../../../lib/duration.ts';
import { timeZoneFault, type Zone, zoneOf } from './time-zone.ts';

/** What one of the five fields of a schedule may hold. */
interface Bounds {
  min: number;
  max: number;
  names?: readonly string[];
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const FIELDS: readonly Bounds[] = [
  { min: 0, max: 59 },
  { min: 0, max: 23 },
  { min: 1, max: 31 },
  { min: 1, max: 12, names: MONTHS },
  { min: 0, max: 6, names: DAYS },
];
const DESCRIPTORS: Readonly<Record<string, string>> = {
  '@yearly': '0 0 1 1 *',
  '@annually': '0 0 1 1 *',
  '@monthly': '0 0 1 * *',
  '@weekly': '0 0 * * 0',
  '@daily': '0 0 * * *',
  '@midnight': '0 0 * * *',
  '@hourly': '0 * * * *',
};
const DURATION = /^(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$/;

function parseNumber(text: string): number {
  if (!/^[+-]?\d+$/.test(text)) throw new RangeError(`failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`);
  const number = Number(text);
  if (number < 0) throw new RangeError(`negative number (${number}) not allowed: ${text}`);
  return number;
}

function parseNumberOrName(text: string, { min, names }: Bounds): number {
  const index = names?.indexOf(text.toLowerCase()) ?? -1;
  return index < 0 ? parseNumber(text) : index + min;
}

/** What a field allows. */
interface Allowed {
  values: Set<number>;
  /** Everything, as `*` says: then it does not decide of two fields for days. */
  any: boolean;
}

/** `*`, `5`, `1-5`, `0-30/10`, `5/15`. */
function parseRange(text: string, bounds: Bounds): Allowed {
  const [range = '', stepText, ...moreSteps] = text.split('/');
  const [low = '', high, ...moreBounds] = range.split('-');
  let start = bounds.min;
  let end = bounds.max;
  const isStar = low === '*' || low === '?';
  if (!isStar) {
    start = parseNumberOrName(low, bounds);
    if (moreBounds.length) throw new RangeError(`too many hyphens: ${text}`);
    end = high === undefined ? start : parseNumberOrName(high, bounds);
  }
  let step = 1;
  if (moreSteps.length) throw new RangeError(`too many slashes: ${text}`);
  if (stepText !== undefined) {
    step = parseNumber(stepText);
    if (high === undefined) end = bounds.max;
  }
  if (start < bounds.min) throw new RangeError(`beginning of range (${start}) below minimum (${bounds.min}): ${text}`);
  if (end > bounds.max) throw new RangeError(`end of range (${end}) above maximum (${bounds.max}): ${text}`);
  if (start > end) throw new RangeError(`beginning of range (${start}) beyond end of range (${end}): ${text}`);
  if (step === 0) throw new RangeError(`step of range should be a positive number: ${text}`);
  const values = new Set<number>();
  for (let value = start; value <= end; value += step) values.add(value);
  return { values, any: isStar && step === 1 };
}

function parseField(text: string, bounds: Bounds): Allowed {
  const ranges = text
    .split(',')
    .filter(Boolean)
    .map((range) => parseRange(range, bounds));
  return { values: new Set(ranges.flatMap(({ values }) => [...values])), any: ranges.some(({ any }) => any) };
}

const NAMES_ZONE = /^(?:CRON_)?TZ=(\S*)\s*/;

/** When something is due, again and again. */
export interface Schedule {
  /** The first time after this one, in milliseconds; undefined where there is none within five years. */
  next(afterMs: number): number | undefined;
}

/**
 * Reads a schedule as upstream's parser does (github.com/robfig/cron/v3, ParseStandard); times are those of the zone that
 * it names, or else of `timeZone`, by default UTC.
 *
 * @throws RangeError in the parser's words.
 */
export function parseSchedule(text: string, timeZone = 'UTC'): Schedule {
  const zone = NAMES_ZONE.exec(text)?.[1];
  const fault = zone === undefined ? undefined : timeZoneFault(zone);
  if (fault !== undefined) throw new RangeError(`provided bad location ${zone}: ${fault}`);
  const schedule = text.replace(NAMES_ZONE, '');
  if (schedule.startsWith('@every ')) return every(schedule);
  if (schedule.startsWith('@') && !DESCRIPTORS[schedule]) throw new RangeError(`unrecognized descriptor: ${schedule}`);
  const parts = (DESCRIPTORS[schedule] ?? schedule).split(/\s+/).filter(Boolean);
  if (parts.length !== FIELDS.length) throw new RangeError(`expected exactly ${FIELDS.length} fields, found ${parts.length}: [${parts.join(' ')}]`);
  const [minute, hour, day, month, weekday] = parts.map((part, index) => parseField(part, FIELDS[index]!));
  const fields: Fields = { minute: minute!.values, hour: hour!.values, month: month!.values, matchesDay: dayMatcher(day!, weekday!) };
  return { next: (afterMs) => nextMatch(fields, zoneOf(zone || timeZone), afterMs) };
}

function every(schedule: string): Schedule {
  const duration = schedule.slice('@every '.length);
  if (!DURATION.test(duration)) throw new RangeError(`failed to parse duration ${schedule}: time: invalid duration ${JSON.stringify(duration)}`);
  const delayMs = Math.max(Math.floor(parseDuration(duration) / SECOND), 1) * SECOND;
  return { next: (afterMs) => Math.floor(afterMs / SECOND) * SECOND + delayMs };
}

/** Where both fields for days say something, one of them is enough. */
function dayMatcher(day: Allowed, weekday: Allowed): (date: Date) => boolean {
  return (date) => {
    const [byDay, byWeekday] = [day.values.has(date.getUTCDate()), weekday.values.has(date.getUTCDay())];
    return day.any || weekday.any ? byDay && byWeekday : byDay || byWeekday;
  };
}

interface Fields {
  minute: ReadonlySet<number>;
  hour: ReadonlySet<number>;
  /** January is 1. */
  month: ReadonlySet<number>;
  matchesDay(date: Date): boolean;
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const YEARS_AHEAD = 5;

/**
 * Goes on month by month, day by day, hour by hour, minute by minute until all fields match. A time that a change of the
 * clocks leaves out is left out; one that comes twice is taken the first time, or each time where every hour is.
 */
function nextMatch({ minute, hour, month, matchesDay }: Fields, zone: Zone, afterMs: number): number | undefined {
  let time = (Math.floor(afterMs / SECOND) + 1) * SECOND;
  const date = (): Date => zone.local(time);
  const limit = date().getUTCFullYear() + YEARS_AHEAD;
  for (;;) {
    const local = date();
    if (local.getUTCFullYear() > limit) return undefined;
    const [year, monthIndex, day] = [local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate()];
    if (!month.has(monthIndex + 1)) time = zone.utc(Date.UTC(year, monthIndex + 1, 1));
    else if (!matchesDay(local)) time = startOfDay(zone, Date.UTC(year, monthIndex, day + 1));
    else if (!hour.has(local.getUTCHours())) time += HOUR - (local.getTime() % HOUR);
    else if (!minute.has(local.getUTCMinutes())) time += MINUTE - (local.getTime() % MINUTE);
    else if (local.getTime() % MINUTE !== 0) time += MINUTE - (local.getTime() % MINUTE);
    else return time;
  }
}

/** Midnight; where the clocks leave it out, the first moment of the day after it. */
function startOfDay(zone: Zone, localMidnight: number): number {
  const time = zone.utc(localMidnight);
  const hours = zone.local(time).getUTCHours();
  if (hours === 0) return time;
  return hours > 12 ? time + (24 - hours) * HOUR : time - hours * HOUR;
}

/** What is wrong with a schedule, in the words of upstream's parser. */
export function scheduleFault(schedule: string): string | undefined {
  try {
    parseSchedule(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
