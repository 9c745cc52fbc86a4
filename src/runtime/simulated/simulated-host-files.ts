import type { Clock } from '../../lib/clock.ts';
import type { DirectoryOptions, HostFile, HostFiles } from '../runtime.ts';
import { type Directory, type Entry, FileError, MemoryFiles } from './memory-files.ts';

/** Where the version of a volume's files stands that is in force (upstream: pkg/volume/util/atomic_writer.go). */
const DATA = '..data';

/** The files of a simulated node, in memory. */
export class SimulatedHostFiles implements HostFiles {
  readonly #clock: Clock;
  readonly #files = new MemoryFiles();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** What stands at a path, to be mounted into a container; a directory that is not there is made. */
  entry(path: string): Entry {
    return this.#files.find(path) ?? this.#files.makeDirectory(path, { parents: true, now: this.#clock.now() });
  }

  async makeDirectory(path: string, { mode, inMemory, gid = 0 }: DirectoryOptions): Promise<void> {
    if (this.#files.find(path)) return;
    const directory = this.#files.makeDirectory(path, { parents: true, mode, gid, now: this.#clock.now() });
    directory.fileSystem = inMemory ? 'tmpfs' : 'ext4';
  }

  /** Each version is a directory of its own; one link leads to that in force, and a link for each name leads through that. */
  async replaceFiles(directory: string, files: ReadonlyMap<string, HostFile>, { gid = 0 }: { gid?: number }): Promise<void> {
    const volume = this.#files.find(directory);
    if (volume?.type !== 'directory') throw new FileError(volume ? 'ENOTDIR' : 'ENOENT');
    if (isSame(volume, files)) return;
    const now = this.#clock.now();
    const tree = new MemoryFiles(volume);
    const version = `..${new Date(now).toISOString().replaceAll(/[-:]/g, '_').replace('T', '_').slice(0, 19)}.${now % 1e9}`;
    tree.makeDirectory(version, { parents: true, gid, now });
    for (const [path, { content, mode }] of files) {
      const above = path.split('/').slice(0, -1).join('/');
      if (above) tree.makeDirectory(`${version}/${above}`, { parents: true, gid, now });
      tree.write(`${version}/${path}`, content, { mode, gid, now });
    }
    const before = tree.findLink(DATA);
    const past = before?.type === 'link' ? before.target : undefined;
    if (past !== undefined) tree.remove(DATA);
    tree.link(DATA, version);
    const names = new Set([...files.keys()].map((path) => path.split('/')[0]!));
    for (const name of tree.list('/')) if (!name.startsWith('..') && !names.has(name)) tree.remove(name);
    for (const name of names) if (!tree.findLink(name)) tree.link(name, `${DATA}/${name}`);
    if (past !== undefined && past !== version) tree.remove(past, { recursive: true });
  }

  async writeFile(path: string, { content, mode }: HostFile): Promise<void> {
    const above = path.slice(0, path.lastIndexOf('/'));
    if (above) this.#files.makeDirectory(above, { parents: true, now: this.#clock.now() });
    this.#files.write(path, content, { mode, now: this.#clock.now() });
  }

  async readFile(path: string): Promise<Uint8Array | undefined> {
    const entry = this.#files.find(path);
    return entry?.type === 'file' ? entry.content : undefined;
  }

  /** A simulated machine has whatever is asked for. */
  async checkHostPath(): Promise<undefined> {
    return undefined;
  }

  async subPath(volume: string, relative: string): Promise<string> {
    return `${volume}/${relative}`;
  }

  async usedBytes(path: string): Promise<number> {
    const entry = this.#files.find(path);
    return entry ? sizeOf(entry) : 0;
  }

  async removeDirectory(path: string): Promise<void> {
    if (this.#files.find(path)) this.#files.remove(path, { recursive: true });
  }
}

function sizeOf(entry: Entry): number {
  if (entry.type === 'file') return entry.content.length;
  return entry.type === 'directory' ? [...entry.entries.values()].reduce((sum, inner) => sum + sizeOf(inner), 0) : 0;
}

/** Whether a volume holds just these files already. */
function isSame(volume: Directory, files: ReadonlyMap<string, HostFile>): boolean {
  const tree = new MemoryFiles(volume);
  if (!tree.find(DATA)) return false;
  const present = filesBelow(tree, DATA, '');
  return (
    present.length === files.size &&
    present.every((path) => {
      const [wanted, entry] = [files.get(path), tree.find(`${DATA}/${path}`)];
      return wanted && entry?.type === 'file' && entry.mode === wanted.mode && entry.content.equals(wanted.content);
    })
  );
}

function filesBelow(tree: MemoryFiles, root: string, path: string): string[] {
  const here = path ? `${root}/${path}` : root;
  return tree.list(here).flatMap((name) => {
    const inner = path ? `${path}/${name}` : name;
    return tree.find(`${root}/${inner}`)?.type === 'directory' ? filesBelow(tree, root, inner) : [inner];
  });
}
