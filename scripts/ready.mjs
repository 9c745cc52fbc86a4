#!/usr/bin/env node
// Brings a clone to where it can run: dependencies installed, sources generated, TypeScript compiled. Each step is done
// only when what it depends on has changed since it was last done. An installed package has none of this to do.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stamps = join(root, 'node_modules', '.coracle');

/** Runs a command with its output kept back; shows it when the command fails. */
function run(what, command, args) {
  process.stderr.write(`${what} …\n`);
  const result = spawnSync(command, args, { cwd: root, encoding: 'utf8', shell: process.platform === 'win32' });
  if (result.status === 0) return;
  process.stderr.write(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error ? `${result.error.message}\n` : ''}${what} failed\n`);
  process.exit(1);
}

/** A digest of files by content, or, for folders of many, by name, size and time of change. */
function digest(paths) {
  const hash = createHash('sha256');
  const visit = (path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) return;
    if (stat.isDirectory()) for (const name of readdirSync(path).sort()) visit(join(path, name));
    else hash.update(`${path} ${stat.size} ${path.endsWith('lock.json') ? readFileSync(path, 'utf8') : stat.mtimeMs}\n`);
  };
  for (const path of paths) visit(join(root, path));
  return hash.digest('hex');
}

function step(name, inputs, outputs, work) {
  const stamp = join(stamps, name);
  const isCurrent = () => outputs.every((path) => existsSync(join(root, path))) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest(inputs);
  if (isCurrent()) return;
  alone(() => {
    // Somebody else may have done it while this process waited for its turn.
    if (isCurrent()) return;
    work();
    mkdirSync(stamps, { recursive: true });
    writeFileSync(stamp, digest(inputs));
  });
}

const lock = join(root, '.ready.lock');

/** Does `work` while no other process does any of this. A lock whose process has died is taken over. */
function alone(work) {
  for (;;) {
    try {
      writeFileSync(lock, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      if (isHeld()) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);
      else rmSync(lock, { force: true });
    }
  }
  // A failing step ends the process.
  const release = () => rmSync(lock, { force: true });
  process.on('exit', release);
  work();
  process.off('exit', release);
  release();
}

function isHeld() {
  const made = statSync(lock, { throwIfNoEntry: false });
  if (!made) return false;
  try {
    const pid = Number(readFileSync(lock, 'utf8'));
    // Written a moment after it was made, the file may still be empty.
    if (!pid) return Date.now() - made.mtimeMs < 2000;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

if (existsSync(join(root, 'tsconfig.build.json'))) {
  step('install', ['package-lock.json'], ['node_modules/typescript'], () =>
    run('installing dependencies', 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']),
  );
  step('generate', ['scripts/generate.mjs', 'src/api/facts'], ['src/api/generated/schema.ts', 'src/api/generated/protobuf.ts'], () =>
    run('generating the API types', process.execPath, ['scripts/generate.mjs']),
  );
  step('build', ['src', 'tsconfig.json', 'tsconfig.build.json'], ['dist/cli/main.js'], () =>
    run('compiling', process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json']),
  );
}
