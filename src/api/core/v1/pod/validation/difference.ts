import type { PodSpec } from '../../../../generated/types/core.v1.ts';
import { internalPodSpec } from './internal-names.ts';

const CONTEXT = 3;

type Edit = { kind: ' ' | '-' | '+'; text: string };

/** The shortest edit that leads from one list of lines to the other. */
function edits(before: readonly string[], after: readonly string[]): Edit[] {
  let head = 0;
  while (head < before.length && head < after.length && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < before.length - head && tail < after.length - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const a = before.slice(head, before.length - tail);
  const b = after.slice(head, after.length - tail);
  const lengths = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) lengths[i]![j] = a[i] === b[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  }
  const middle: Edit[] = [];
  let i = 0;
  let j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      middle.push({ kind: ' ', text: a[i++]! });
      j++;
    } else if (i < a.length && (j >= b.length || lengths[i + 1]![j]! >= lengths[i]![j + 1]!)) middle.push({ kind: '-', text: a[i++]! });
    else middle.push({ kind: '+', text: b[j++]! });
  }
  const same = (text: string): Edit => ({ kind: ' ', text });
  return [...before.slice(0, head).map(same), ...middle, ...before.slice(before.length - tail).map(same)];
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

/** How upstream shows what of a pod's spec may not change: its internal type as JSON, line by line. */
export function podSpecDifference(before: PodSpec, after: PodSpec): string {
  const lines = (spec: PodSpec): string[] => JSON.stringify(internalPodSpec(spec), null, 1).split('\n');
  return unifiedDifference(lines(before), lines(after));
}
