import { describe, expect, it } from 'vitest';
import { type FileError, MemoryFiles, makeDirectory } from './memory-files.ts';

const code = (act: () => unknown): string => {
  try {
    act();
    return 'ok';
  } catch (error) {
    return (error as FileError).code;
  }
};

describe('files in memory', () => {
  it('are written, read, listed and removed', () => {
    const files = new MemoryFiles();
    files.makeDirectory('/a/b', { parents: true });
    files.write('/a/b/x', 'one');
    files.write('/a/b/x', '+two', { append: true });
    files.write('/a/../a/./b//y', '');
    expect(files.read('/a/b/x').toString()).toBe('one+two');
    expect(files.list('/a/b')).toEqual(['x', 'y']);
    files.remove('/a', { recursive: true });
    expect(files.list('/')).toEqual([]);
  });

  it.each<[string, (files: MemoryFiles) => unknown]>([
    ['ENOENT', (files) => files.read('/nope')],
    ['ENOENT', (files) => files.write('/nope/x', '')],
    ['ENOTDIR', (files) => files.write('/file/x', '')],
    ['EISDIR', (files) => files.read('/dir')],
    ['EISDIR', (files) => files.write('/dir', '')],
    ['EEXIST', (files) => files.makeDirectory('/dir')],
    ['ENOTEMPTY', (files) => files.remove('/dir')],
    ['EROFS', (files) => files.write('/locked/x', '')],
    ['EROFS', (files) => files.write('/locked/deep/x', '')],
    ['ELOOP', (files) => files.read('/loop')],
  ])('fail with %s', (expected, act) => {
    const files = new MemoryFiles();
    files.makeDirectory('/dir/sub', { parents: true });
    files.write('/file', 'f');
    const locked = makeDirectory();
    new MemoryFiles(locked).makeDirectory('/deep');
    files.mount('/locked', { ...locked, readOnly: true });
    files.link('/loop', 'loop');
    expect(code(() => act(files))).toBe(expected);
  });

  it('are shared by trees that mount one directory', () => {
    const volume = makeDirectory();
    const [one, other] = [new MemoryFiles(), new MemoryFiles()];
    one.mount('/data', volume);
    other.mount('/mnt/deep/data', volume);
    one.write('/data/x', 'shared');
    expect(other.read('/mnt/deep/data/x').toString()).toBe('shared');
  });

  it('follow links, relative ones from where they stand', () => {
    const files = new MemoryFiles();
    files.makeDirectory('/v/..2026', { parents: true });
    files.write('/v/..2026/key', 'value');
    files.link('/v/..data', '..2026');
    files.link('/v/key', '..data/key');
    expect(files.read('/v/key').toString()).toBe('value');
    files.remove('/v/key');
    expect(files.find('/v/key')).toBeUndefined();
    expect(files.read('/v/..2026/key').toString()).toBe('value');
  });
});
