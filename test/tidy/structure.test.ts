import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const source = join(root, 'src');

/** Who may import whom (ARCHITECTURE.md). A folder may always import itself. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  lib: [],
  api: ['lib'],
  store: ['lib'],
  runtime: ['lib'],
  apiserver: ['api', 'store', 'lib'],
  client: ['api', 'lib'],
  controllers: ['api', 'client', 'lib'],
  scheduler: ['api', 'client', 'lib'],
  network: ['api', 'client', 'lib'],
  kubelet: ['api', 'client', 'lib', 'runtime'],
  cli: ['api', 'client', 'lib', 'cluster', 'sim'],
  sim: ['*'],
  cluster: ['*'],
};

/** Where the machine's own clock, timers and randomness may be read. */
const AMBIENT_ALLOWED = /^(lib\/(clock|rng)\.ts|lib\/virtual-clock\.ts|cli\/|cluster\/)/;
const AMBIENT = /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bsetTimeout\((?!\))|\bsetInterval\(|\bsetImmediate\(/;
const FORBIDDEN_NAMES = /(^|[-/])(utils?|helpers?|common|misc)([-.]|$)/;

const files = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('generated/'))
  .sort();
const read = (file: string): string => readFileSync(join(source, file), 'utf8');
/** Comments may speak of what code may not do. */
const code = (file: string): string =>
  read(file)
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/^\s*\/\/.*$/gm, '');

function importsOf(file: string): string[] {
  const found = [...code(file).matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((match) => match[1]!);
  return found.map((specifier) => relative(source, resolve(dirname(join(source, file)), specifier)));
}

const folderOf = (file: string): string => file.split('/')[0]!;

describe('structure', () => {
  it('finds sources to look at', () => expect(files.length).toBeGreaterThan(100));

  it('lets folders import only whom they may', () => {
    const faults = files
      .filter((file) => file.includes('/') && !file.endsWith('.test.ts'))
      .flatMap((file) => {
        const allowed = MAY_IMPORT[folderOf(file)] ?? [];
        return importsOf(file)
          .filter((target) => folderOf(target) !== folderOf(file) && !allowed.includes('*') && !allowed.includes(folderOf(target)))
          .map((target) => `${file} imports ${target}`);
      });
    expect(faults).toEqual([]);
  });

  it('lets the kubelet see no more of the runtime than its interface', () => {
    const faults = files
      .filter((file) => file.startsWith('kubelet/') && !file.endsWith('.test.ts'))
      .flatMap((file) =>
        importsOf(file)
          .filter((target) => target.startsWith('runtime/') && target !== 'runtime/runtime.ts')
          .map((target) => `${file} imports ${target}`),
      );
    expect(faults).toEqual([]);
  });

  it('lets the judges of the simulator reach nothing that they judge', () => {
    const reached = new Set(['sim/checkers.ts', 'sim/convergence.ts']);
    for (const file of reached) for (const target of runtimeImports(file)) reached.add(target);
    expect([...reached].filter((file) => !/^(sim|lib)\//.test(file))).toEqual([]);
  });

  it('has no import cycles', () => {
    const graph = new Map(files.filter((file) => !file.endsWith('.test.ts')).map((file) => [file, runtimeImports(file)]));
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: string[]): void => {
      if (done.has(file)) return;
      const at = path.indexOf(file);
      if (at >= 0) {
        cycles.push([...path.slice(at), file].join(' → '));
        return;
      }
      for (const next of graph.get(file) ?? []) visit(next, [...path, file]);
      done.add(file);
    };
    for (const file of graph.keys()) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it('names files for what is in them', () => expect(files.filter((file) => FORBIDDEN_NAMES.test(file))).toEqual([]));

  it('takes time and randomness from where they are passed in', () => {
    const faults = files.filter((file) => !AMBIENT_ALLOWED.test(file) && !file.endsWith('.test.ts') && AMBIENT.test(code(file)));
    expect(faults).toEqual([]);
  });

  it('silences nothing', () => {
    const faults = files.filter((file) =>
      /@ts-(ignore|nocheck|expect-error)|\bas any\b|biome-ignore|\b(it|test|describe)\.(skip|todo|only)\b/.test(read(file)),
    );
    expect(faults).toEqual([]);
  });
});

/** Type imports vanish when the code runs; only the others make a cycle that matters. */
function runtimeImports(file: string): string[] {
  const text = code(file)
    .replaceAll(/import type [\s\S]*?;/g, '')
    .replaceAll(/export type \{[\s\S]*?;/g, '');
  return [...text.matchAll(/(?:^|\n)(?:import|export)\s[\s\S]*?from\s*'(\.[^']+)'/g)].map((match) =>
    relative(source, resolve(dirname(join(source, file)), match[1]!)),
  );
}
