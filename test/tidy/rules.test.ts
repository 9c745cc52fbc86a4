import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const filesBelow = (folder: string, ending: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => readFileSync(join(root, folder, file), 'utf8'));

/** What tests are called: the strings that a line with a test or a row of its table begins with. */
const names = [...filesBelow('src', '.test.ts'), ...filesBelow('test', '.test.ts')].join('\n').match(/'[A-Z]{3}-\d+[^'\n]*: [^'\n]*'/g) ?? [];

/** The rules that a name carries; `KUB-44 to KUB-47` are all of them. */
function rulesIn(name: string): string[] {
  const spans = [...name.matchAll(/([A-Z]{3})-(\d+) to [A-Z]{3}-(\d+)/g)].flatMap(([, area, from, to]) =>
    Array.from({ length: Number(to) - Number(from) + 1 }, (_, index) => `${area}-${Number(from) + index}`),
  );
  return [...spans, ...(name.match(/\b[A-Z]{3}-\d+/g) ?? [])];
}

test.each(['src/kubelet/SPEC.md', 'src/scheduler/SPEC.md'])('every rule of %s has a test that carries its number, and the other way round', (spec) => {
  const rules = [...readFileSync(join(root, spec), 'utf8').matchAll(/^\| ([A-Z]{3}-\d+) /gm)].map(([, rule]) => rule!);
  const area = rules[0]!.slice(0, 4);
  const tested = new Set(names.flatMap(rulesIn).filter((rule) => rule.startsWith(area)));
  expect(rules.filter((rule) => !tested.has(rule))).toEqual([]);
  expect([...tested].filter((rule) => !rules.includes(rule))).toEqual([]);
});
