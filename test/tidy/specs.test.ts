import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const filesBelow = (folder: string): string[] => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(root, folder, file));

/** The first cell of a row is the number of a rule. */
const RULE = /^\| ([A-Z]+-\d+) /gm;
/** What a test, or a group of them, is called: the string after the opening bracket, be it the second pair, as of it.each. */
const TITLE = /\b(?:it|test|describe)(?:\.each\((?:[^()]|\([^()]*\))*\))?\(\s*(?:'((?:[^'\\]|\\.)*)'|`([^`]*)`)/g;
const TITLE_OF_EACH = /\]\)\('((?:[^'\\]|\\.)*)'/g;
/** A row of it.each that begins with its own name. */
const TITLE_OF_ROW = /\[\s*'([A-Z]+-\d+(?:[^'\\]|\\.)*)'/g;

/** `KUB-44 to KUB-47` are all of them. */
function rulesIn(title: string): string[] {
  const spans = [...title.matchAll(/\b([A-Z]+)-(\d+) to [A-Z]+-(\d+)/g)].flatMap(([, area, from, to]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => `${area}-${Number(from) + index}`),
  );
  return [...spans, ...(title.match(/\b[A-Z]+-\d+\b/g) ?? [])];
}

it('every numbered rule of a SPEC.md has a test with its number in its name', () => {
  const rules = filesBelow('src')
    .filter((file) => file.endsWith('/SPEC.md'))
    .flatMap((file) => [...readFileSync(file, 'utf8').matchAll(RULE)].map((match) => match[1]!));
  expect(rules.length).toBeGreaterThan(50);
  expect(new Set(rules).size).toBe(rules.length);
  const titles = [...filesBelow('src'), ...filesBelow('test')]
    .filter((file) => file.endsWith('.test.ts'))
    .flatMap((file) => {
      const text = readFileSync(file, 'utf8');
      return [...text.matchAll(TITLE), ...text.matchAll(TITLE_OF_EACH), ...text.matchAll(TITLE_OF_ROW)].map((match) => match[1] ?? match[2] ?? '');
    });
  const tested = new Set(titles.flatMap(rulesIn));
  expect(rules.filter((rule) => !tested.has(rule))).toEqual([]);
});
