import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { VirtualClock } from '../../lib/virtual-clock.ts';
import type { HostPathType } from '../runtime.ts';
import { DiskFiles } from './disk-files.ts';

let folder: string;
let files: DiskFiles;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'coracle-disk-'));
  files = new DiskFiles(new VirtualClock());
});
afterEach(() => rmSync(folder, { recursive: true }));

const file = (text: string, mode = 0o644) => ({ content: Buffer.from(text), mode });

describe('the files of a volume', () => {
  test('are replaced all at once, through one link', async () => {
    await files.replaceFiles(
      folder,
      new Map([
        ['a', file('1', 0o400)],
        ['deep/b', file('2')],
      ]),
      {},
    );
    expect(readFileSync(join(folder, 'a'), 'utf8') + readFileSync(join(folder, 'deep/b'), 'utf8')).toBe('12');
    expect(statSync(join(folder, 'a')).mode & 0o777).toBe(0o400);
    const before = readlinkSync(join(folder, '..data'));
    await files.replaceFiles(folder, new Map([['a', file('3')]]), {});
    expect(readFileSync(join(folder, 'a'), 'utf8')).toBe('3');
    expect(readdirSync(folder).filter((name) => !name.startsWith('..'))).toEqual(['a']);
    expect(existsSync(join(folder, before))).toBe(false);
  });

  test('stay as they are where nothing has changed', async () => {
    const same = new Map([['a', file('1')]]);
    await files.replaceFiles(folder, same, {});
    const before = readlinkSync(join(folder, '..data'));
    await files.replaceFiles(folder, same, {});
    expect(readlinkSync(join(folder, '..data'))).toBe(before);
  });
});

describe('a path below a volume', () => {
  test('is made where it is not there, as open as the volume', async () => {
    const volume = join(folder, 'volume');
    await files.makeDirectory(volume, { mode: 0o777, inMemory: false });
    expect(await files.subPath(volume, 'a/b')).toBe(join(volume, 'a/b'));
    expect(statSync(join(volume, 'a')).mode & 0o777).toBe(0o777);
  });

  test.each<[string, string]>([
    ['by itself', '../secret'],
    ['by a link', 'link'],
    ['by a link on the way', 'link/deeper'],
  ])('does not lead out of it %s', async (_name, path) => {
    const volume = join(folder, 'volume');
    mkdirSync(volume);
    mkdirSync(join(folder, 'secret'));
    symlinkSync('../secret', join(volume, 'link'));
    await expect(files.subPath(volume, path)).rejects.toThrow('leads out of the volume');
    expect(readdirSync(join(folder, 'secret'))).toEqual([]);
  });

  test('may be a link that stays inside', async () => {
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'link'));
    expect(await files.subPath(folder, 'link')).toBe(join(folder, 'real'));
  });
});

test.each<[HostPathType, string, string | undefined]>([
  ['', 'absent', undefined],
  ['Directory', 'folder', undefined],
  ['Directory', 'file', 'is not a directory'],
  ['Directory', 'absent', 'is not a directory'],
  ['DirectoryOrCreate', 'absent', undefined],
  ['FileOrCreate', 'absent', undefined],
  ['File', 'folder', 'is not a file'],
  ['Socket', 'file', 'is not a socket file'],
  ['CharDevice', 'file', 'is not a character device'],
  ['BlockDevice', 'folder', 'is not a block device'],
])('hostPath of type "%s" over %s', async (type, name, fault) => {
  mkdirSync(join(folder, 'folder'));
  writeFileSync(join(folder, 'file'), '');
  const path = join(folder, name);
  expect(await files.checkHostPath(path, type)).toBe(fault && `hostPath type check failed: ${path} ${fault}`);
});

test('a folder is measured, and removed with all that is in it', async () => {
  mkdirSync(join(folder, 'a'));
  writeFileSync(join(folder, 'a/x'), Buffer.alloc(100_000));
  expect(await files.usedBytes(join(folder, 'a'))).toBeGreaterThanOrEqual(100_000);
  await files.removeDirectory(join(folder, 'a'));
  expect(await files.usedBytes(join(folder, 'a'))).toBe(0);
});
