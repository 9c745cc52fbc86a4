const UNIT_MS: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, µs: 1e-3, μs: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

/**
 * A duration as Go writes it, e.g. `1m30s`, in milliseconds.
 *
 * @throws RangeError in the words of Go's time.ParseDuration.
 */
export function parseDuration(text: string): number {
  const quoted = JSON.stringify(text);
  const unsigned = text.replace(/^[-+]/, '');
  if (unsigned === '0') return 0;
  if (unsigned === '') throw new RangeError(`time: invalid duration ${quoted}`);
  let totalMs = 0;
  let rest = unsigned;
  while (rest !== '') {
    const [number = ''] = /^(\d+(\.\d*)?|\.\d+)/.exec(rest) ?? [];
    if (number === '') throw new RangeError(`time: invalid duration ${quoted}`);
    rest = rest.slice(number.length);
    const [unit = ''] = /^[^\d.]+/.exec(rest) ?? [];
    if (unit === '') throw new RangeError(`time: missing unit in duration ${quoted}`);
    const unitMs = UNIT_MS[unit];
    if (unitMs === undefined) throw new RangeError(`time: unknown unit ${JSON.stringify(unit)} in duration ${quoted}`);
    totalMs += Number(number) * unitMs;
    rest = rest.slice(unit.length);
  }
  return text.startsWith('-') ? -totalMs : totalMs;
}

/** As Go prints a duration of whole seconds: `40s`, `1m20s`, `5m0s`. */
export function goSeconds(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m${seconds % 60}s`;
  return `${Math.floor(minutes / 60)}h${minutes % 60}m${seconds % 60}s`;
}

/** As Go prints a duration of milliseconds: `1.234s`, `250ms`. */
export function goMilliseconds(ms: number): string {
  if (ms === 0) return '0s';
  if (ms < 1000) return `${ms}ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds}s`;
  return `${Math.floor(seconds / 60)}m${Number((seconds % 60).toFixed(3))}s`;
}

/** Seconds as the API has them, of 64 bits, in milliseconds; so many that nobody will see their end are as many as a number holds. */
export function secondsToMs(seconds: number | bigint): number {
  return Math.min(Number(seconds) * 1000, Number.MAX_SAFE_INTEGER);
}
