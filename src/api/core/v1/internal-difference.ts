import { stringifyExact } from '../../../lib/exact-json.ts';

const CONTEXT = 3;
/** In a text of so many lines, those that make up more than a hundredth of it are no landmarks. */
const MANY_LINES = 200;

/** Lines that both texts have in the same order. */
interface Match {
  a: number;
  b: number;
  size: number;
}

/** Where each line stands in the later text; without those that stand everywhere (difflib's "popular" lines). */
function placesOf(lines: readonly string[]): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [index, line] of lines.entries()) places.set(line, [...(places.get(line) ?? []), index]);
  if (lines.length < MANY_LINES) return places;
  const limit = Math.floor(lines.length / 100) + 1;
  for (const [line, all] of places) if (all.length > limit) places.delete(line);
  return places;
}

type Range = readonly [aLow: number, aHigh: number, bLow: number, bHigh: number];

/** The longest run that two ranges share, the earliest of several; it grows over lines that are no landmarks. */
function longestMatch(before: readonly string[], after: readonly string[], places: ReadonlyMap<string, number[]>, [aLow, aHigh, bLow, bHigh]: Range): Match {
  let best: Match = { a: aLow, b: bLow, size: 0 };
  let lengths = new Map<number, number>();
  for (let i = aLow; i < aHigh; i++) {
    const next = new Map<number, number>();
    for (const j of places.get(before[i]!) ?? []) {
      if (j < bLow) continue;
      if (j >= bHigh) break;
      const size = (lengths.get(j - 1) ?? 0) + 1;
      next.set(j, size);
      if (size > best.size) best = { a: i - size + 1, b: j - size + 1, size };
    }
    lengths = next;
  }
  let { a, b, size } = best;
  while (a > aLow && b > bLow && before[a - 1] === after[b - 1]) [a, b, size] = [a - 1, b - 1, size + 1];
  while (a + size < aHigh && b + size < bHigh && before[a + size] === after[b + size]) size++;
  return { a, b, size };
}

/** All runs that the texts share, in order (Ratcliff and Obershelp, as Python's difflib and Go's copy of it). */
function matches(before: readonly string[], after: readonly string[]): Match[] {
  const places = placesOf(after);
  const found: Match[] = [];
  const search = (range: Range): void => {
    const match = longestMatch(before, after, places, range);
    if (match.size === 0) return;
    const [aLow, aHigh, bLow, bHigh] = range;
    search([aLow, match.a, bLow, match.b]);
    found.push(match);
    search([match.a + match.size, aHigh, match.b + match.size, bHigh]);
  };
  search([0, before.length, 0, after.length]);
  return found;
}

type Edit = { kind: ' ' | '-' | '+'; text: string };

/** The edit that leads from one list of lines to the other. */
function edits(before: readonly string[], after: readonly string[]): Edit[] {
  const all: Edit[] = [];
  const take = (kind: Edit['kind'], lines: readonly string[]): void => void all.push(...lines.map((text) => ({ kind, text })));
  let [a, b] = [0, 0];
  for (const match of [...matches(before, after), { a: before.length, b: after.length, size: 0 }]) {
    take('-', before.slice(a, match.a));
    take('+', after.slice(b, match.b));
    take(' ', before.slice(match.a, match.a + match.size));
    [a, b] = [match.a + match.size, match.b + match.size];
  }
  return all;
}

/** A unified diff with three lines of context and no file names. */
export function unifiedDifference(before: readonly string[], after: readonly string[]): string {
  const all = edits(before, after);
  const changed = all.flatMap((edit, index) => (edit.kind === ' ' ? [] : [index]));
  let text = '';
  for (let at = 0; at < changed.length; ) {
    let last = at;
    while (last + 1 < changed.length && changed[last + 1]! - changed[last]! <= 2 * CONTEXT) last++;
    const start = Math.max(changed[at]! - CONTEXT, 0);
    const hunk = all.slice(start, changed[last]! + CONTEXT + 1);
    const lead = all.slice(0, start);
    const range = (without: '-' | '+'): string => {
      const length = hunk.filter(({ kind }) => kind !== without).length;
      const first = lead.filter(({ kind }) => kind !== without).length + (length === 0 ? 0 : 1);
      return length === 1 ? String(first) : `${first},${length}`;
    };
    text += `@@ -${range('+')} +${range('-')} @@\n${hunk.map(({ kind, text: line }) => `${kind}${line}\n`).join('')}`;
    at = last + 1;
  }
  return text;
}

/** How upstream shows what of an internal type may not change: its JSON, line by line. */
export function internalDifference(before: object, after: object): string {
  const lines = (value: object): string[] => stringifyExact(value, 1).split('\n');
  return unifiedDifference(lines(before), lines(after));
}
