import type { Pod } from '../../api/generated/types/core.v1.ts';

// The indexes of an Indexed Job, many as they may be, are kept as intervals: `1,3-5`. Upstream: indexed_job_utils.go.

export const COMPLETION_INDEX = 'batch.kubernetes.io/job-completion-index';

interface Interval {
  first: number;
  last: number;
}

/** A set of indexes: intervals in order, none of which touch. */
export type Indexes = readonly Interval[];

export function totalOf(indexes: Indexes): number {
  return indexes.reduce((sum, { first, last }) => sum + last - first + 1, 0);
}

export function hasIndex(indexes: Indexes, index: number): boolean {
  return indexes.some(({ first, last }) => first <= index && index <= last);
}

export function union(a: Indexes, b: Indexes): Indexes {
  const result: Interval[] = [];
  for (const { first, last } of [...a, ...b].sort((one, other) => one.first - other.first)) {
    const before = result.at(-1);
    if (!before || first > before.last + 1) result.push({ first, last });
    else if (before.last < last) before.last = last;
  }
  return result;
}

export function indexesOf(numbers: Iterable<number>): Indexes {
  return union(
    [...numbers].map((index) => ({ first: index, last: index })),
    [],
  );
}

/** How many indexes both have. */
export function overlap(a: Indexes, b: Indexes): number {
  return a.reduce(
    (sum, one) => sum + b.reduce((part, other) => part + Math.max(0, Math.min(one.last, other.last) - Math.max(one.first, other.first) + 1), 0),
    0,
  );
}

/** Two neighbours are written as two. */
export function indexesText(indexes: Indexes): string {
  return indexes.map(({ first, last }) => (first === last ? String(first) : `${first}${last === first + 1 ? ',' : '-'}${last}`)).join();
}

/** Reads what `indexesText` writes, without what is not below `completions`; what is no interval is left out. */
export function parseIndexes(text: string, completions: number): Indexes {
  const intervals: Interval[] = [];
  for (const part of text === '' ? [] : text.split(',')) {
    const [start = '', end = start] = part.split('-');
    if (!/^\d+$/.test(start) || !/^\d+$/.test(end)) continue;
    if (Number(start) >= completions) break;
    intervals.push({ first: Number(start), last: Math.min(Number(end), completions - 1) });
  }
  return union(intervals, []);
}

/** The first `count` indexes below `completions` that are not taken. */
export function firstFree(taken: Indexes, { count, completions }: { count: number; completions: number }): number[] {
  const free: number[] = [];
  let candidate = 0;
  for (const { first, last } of [...taken, { first: completions, last: completions }]) {
    for (; candidate < Math.min(first, completions) && free.length < count; candidate++) free.push(candidate);
    candidate = Math.max(candidate, last + 1);
  }
  return free;
}

/** The pod's index; undefined where it has none. */
export function completionIndex({ metadata }: Pod): number | undefined {
  const text = metadata.annotations?.[COMPLETION_INDEX];
  return text !== undefined && /^\+?\d+$/.test(text) ? Number(text) : undefined;
}
