import { parseTime } from '../lib/clock.ts';

/** A span in the short form of kubectl's AGE column (upstream: apimachinery/pkg/util/duration.HumanDuration). */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (seconds < -1) return '<invalid>';
  if (seconds < 0) return '0s';
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return pair(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return pair(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  if (hours < 192) return pair(days, 'd', hours % 24, 'h');
  if (hours < 730 * 24) return `${days}d`;
  const years = Math.floor(days / 365);
  return hours < 8 * 365 * 24 ? pair(years, 'y', days % 365, 'd') : `${years}y`;
}

function pair(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit}${small}${smallUnit}`;
}

/** How long ago `time` was; `<unknown>` for no time (upstream: printers' translateTimestampSince). */
export function age(time: string | null | undefined, nowMs: number): string {
  const at = parseTime(time);
  return at === undefined || Number.isNaN(at) ? '<unknown>' : humanDuration(nowMs - at);
}
