import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { VirtualClock } from '../../lib/virtual-clock.ts';
import { rotateLogs } from './log-rotation.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coracle-log-'));
  path = join(folder, '0.log');
});
afterEach(() => rmSync(folder, { recursive: true }));

const clock = new VirtualClock();
const logs = { runningLogs: async () => [{ id: 'a', path }], reopenLog: async () => writeFileSync(path, '') };
const rotate = (): Promise<void> => rotateLogs(logs, { clock, maxBytes: 10, maxFiles: 3 });

test('a small log stays', async () => {
  writeFileSync(path, 'small');
  await rotate();
  expect(readdirSync(folder)).toEqual(['0.log']);
});

test('no more files are kept than may be; all but the newest of those aside are packed', async () => {
  for (const content of ['the first content', 'the second content', 'the third content', 'the fourth content']) {
    writeFileSync(path, content);
    await rotate();
    await clock.advance(1000);
  }
  const aside = readdirSync(folder).sort().slice(1);
  expect(aside).toHaveLength(2);
  expect(gunzipSync(readFileSync(join(folder, aside[0]!))).toString()).toBe('the third content');
  expect(readFileSync(join(folder, aside[1]!), 'utf8')).toBe('the fourth content');
});

test('a log that the runtime does not let go of comes back', async () => {
  writeFileSync(path, 'something long');
  const stubborn = { ...logs, reopenLog: () => Promise.reject(new Error('no')) };
  await expect(rotateLogs(stubborn, { clock, maxBytes: 10, maxFiles: 3 })).rejects.toThrow('no');
  expect(existsSync(path)).toBe(true);
  expect(readdirSync(folder)).toEqual(['0.log']);
});
