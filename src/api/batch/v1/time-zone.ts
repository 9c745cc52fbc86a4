/** No other name is looked for among the files of the zones. */
const isPart = (part: string): boolean => part !== '.' && part !== '..' && /^(?!-)[A-Za-z.\-_0-9+]{1,14}$/.test(part);

export const mayBeTimeZone = (name: string): boolean => name.split('/').every(isPart);

/** What is wrong with a name that no zone has, in the words of Go's time package. */
export function timeZoneFault(name: string): string | undefined {
  if (name === '' || name === 'UTC' || name === 'Local') return undefined;
  return mayBeTimeZone(name) && isKnown(name) ? undefined : `unknown time zone ${name}`;
}

function isKnown(name: string): boolean {
  // Offsets, which Node knows as well, are no names.
  if (/^[+-]/.test(name)) return false;
  // Node does not look at upper and lower case; names of files are looked at closely.
  if (!name.split('/').every((part) => /^[A-Z]/.test(part))) return false;
  try {
    const known = new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
    return known === name || known.toLowerCase() !== name.toLowerCase();
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The clocks of a place. */
export interface Zone {
  /** A moment as the clocks show it, in the UTC fields of a Date. */
  local(timeMs: number): Date;
  /** The moment at which the clocks show it; of two, or where there is none, the one that Go's time.Date takes. */
  utc(localMs: number): number;
  /** Minutes by which the clocks are ahead of UTC. */
  offset(timeMs: number): number;
}

const MINUTE_MS = 60_000;

/** The zone with this name; '' and `UTC` is UTC. */
export function zoneOf(name: string): Zone {
  const offset = name === '' || name === 'UTC' ? (): number => 0 : offsetsOf(name);
  return {
    offset,
    local: (timeMs) => new Date(timeMs + offset(timeMs) * MINUTE_MS),
    utc: (localMs) => {
      const guess = localMs - offset(localMs) * MINUTE_MS;
      return localMs - offset(guess) * MINUTE_MS;
    },
  };
}

function offsetsOf(name: string): (timeMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name === 'Local' ? undefined : name, timeZoneName: 'longOffset' });
  return (timeMs) => {
    const shown = format.formatToParts(timeMs).find(({ type }) => type === 'timeZoneName')?.value ?? 'GMT';
    const [, sign, hours = '0', minutes = '0'] = /^GMT(?:([+-])(\d+):(\d+))?/.exec(shown) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
  };
}
