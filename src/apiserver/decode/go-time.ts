/** Go's layouts of the API's times: seconds, in which a fraction is let in, and exactly six digits of them. */
export const LAYOUTS = { time: '2006-01-02T15:04:05Z07:00', microTime: '2006-01-02T15:04:05.000000Z07:00' } as const;

/** A number of a layout: what stands there, the unit to complain of, and the first value that is too much. */
const NUMBERS: Readonly<Record<string, { unit: string; end: number; from?: number; mayBeShort?: true }>> = {
  '01': { unit: 'month', end: 13, from: 1 },
  '02': { unit: 'day', end: 32 },
  '15': { unit: 'hour', end: 24, mayBeShort: true },
  '04': { unit: 'minute', end: 60 },
  '05': { unit: 'second', end: 60 },
};

class Fault extends Error {}

/**
 * Reads a time as Go does (time.Parse): the same texts are let in, and the same words told of the others.
 *
 * @returns milliseconds since 1970 and the digits of the fraction, or the fault.
 */
export function parseGoTime(text: string, layout: (typeof LAYOUTS)[keyof typeof LAYOUTS]): { ms: number; fraction: string } | { fault: string } {
  try {
    return read(text, layout);
  } catch (error) {
    if (error instanceof Fault) return { fault: `parsing time ${JSON.stringify(text)}${error.message}` };
    throw error;
  }
}

function read(text: string, layout: string): { ms: number; fraction: string } {
  let rest = text;
  const cannot = (part: string, at = rest): Fault => new Fault(` as ${JSON.stringify(layout)}: cannot parse ${JSON.stringify(at)} as ${JSON.stringify(part)}`);
  const take = (form: RegExp, part: string): string => {
    const match = form.exec(rest);
    if (!match) throw cannot(part);
    rest = rest.slice(match[0].length);
    return match[0];
  };
  const numbers = [Number(take(/^\d{4}/, '2006'))];
  let fraction = '';
  for (const part of layout.slice(4).match(/\.0+|Z07:00|\d\d|./g) ?? []) {
    const number = NUMBERS[part];
    if (number) {
      const value = Number(take(number.mayBeShort ? /^\d\d?/ : /^\d\d/, part));
      if (part !== '02' && (value < (number.from ?? 0) || value >= number.end)) throw new Fault(`: ${number.unit} out of range`);
      numbers.push(value);
      if (part === '05' && !layout.includes('.')) fraction = /^[.,]\d+/.exec(rest)?.[0] ?? '';
      if (part === '05') rest = rest.slice(fraction.length);
    } else if (part.startsWith('.')) fraction = take(new RegExp(`^[.,]\\d{${part.length - 1}}`), part);
    else if (part !== 'Z07:00') take(new RegExp(`^${part}`), part);
    else numbers.push(offsetMinutes(take(/^(Z|[-+]\d\d:\d\d)/, part)));
  }
  if (rest) throw new Fault(`: extra text: ${JSON.stringify(rest)}`);
  const [year, month, day, hour, minute, second, offset] = numbers as [number, number, number, number, number, number, number];
  const ms = new Date(0).setUTCFullYear(year, month - 1, day) + ((hour * 60 + minute - offset) * 60 + second) * 1000;
  if (day === 0 || new Date(Date.UTC(2000 + (year % 400), month - 1, day)).getUTCDate() !== day) throw new Fault(': day out of range');
  return { ms: ms + Math.trunc(Number(`0.${fraction.slice(1) || '0'}`) * 1000), fraction: fraction.slice(1) };
}

function offsetMinutes(zone: string): number {
  if (zone === 'Z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(4))];
  if (hours > 24) throw new Fault(': time zone offset hour out of range');
  if (minutes > 60) throw new Fault(': time zone offset minute out of range');
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes);
}
