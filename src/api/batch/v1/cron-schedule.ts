import { timeZoneFault } from './time-zone.ts';

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
const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
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

/** `*`, `5`, `1-5`, `0-30/10`, `5/15`. */
function checkRange(text: string, bounds: Bounds): void {
  const [range = '', stepText, ...moreSteps] = text.split('/');
  const [low = '', high, ...moreBounds] = range.split('-');
  let start = bounds.min;
  let end = bounds.max;
  if (low !== '*' && low !== '?') {
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
}

const NAMES_ZONE = /^(?:CRON_)?TZ=(\S*)\s*/;

function check(text: string): void {
  const zone = NAMES_ZONE.exec(text)?.[1];
  const fault = zone === undefined ? undefined : timeZoneFault(zone);
  if (fault !== undefined) throw new RangeError(`provided bad location ${zone}: ${fault}`);
  const schedule = text.replace(NAMES_ZONE, '');
  if (schedule.startsWith('@')) {
    if (DESCRIPTORS.includes(schedule)) return;
    if (!schedule.startsWith('@every ')) throw new RangeError(`unrecognized descriptor: ${schedule}`);
    const duration = schedule.slice('@every '.length);
    if (!DURATION.test(duration)) throw new RangeError(`failed to parse duration ${schedule}: time: invalid duration ${JSON.stringify(duration)}`);
    return;
  }
  const parts = schedule.split(/\s+/).filter(Boolean);
  if (parts.length !== FIELDS.length) throw new RangeError(`expected exactly ${FIELDS.length} fields, found ${parts.length}: [${parts.join(' ')}]`);
  parts.forEach((part, index) => {
    for (const range of part.split(',').filter(Boolean)) checkRange(range, FIELDS[index]!);
  });
}

/** What is wrong with a schedule, in the words of upstream's parser (github.com/robfig/cron/v3, ParseStandard). */
export function scheduleFault(schedule: string): string | undefined {
  try {
    check(schedule);
    return undefined;
  } catch (error) {
    if (error instanceof RangeError) return error.message;
    throw error;
  }
}
