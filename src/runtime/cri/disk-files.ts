import { chmod, chown, lstat, mkdir, readdir, readFile, readlink, realpath, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import type { DirectoryOptions, HostFile, HostFiles, HostPathType } from '../runtime.ts';
import { mountsBelow, mountTmpfs, unmount } from './mounts.ts';

/** Where the version of a volume's files stands that is in force (upstream: pkg/volume/util/atomic_writer.go). */
const DATA = '..data';
const NEW_DATA = '..data_tmp';

/** The unit in which the kernel counts what files take up. */
const BLOCK_BYTES = 512;

/** Folders of a pod's group hand it on to what is made in them, and let it in. */
const GROUP_FOLDER = 0o2070;

/** The files of the machine itself. */
export class DiskFiles implements HostFiles {
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async makeDirectory(path: string, { mode, inMemory, sizeLimitBytes, gid }: DirectoryOptions): Promise<void> {
    if (await found(path)) return;
    await mkdir(path, { recursive: true });
    if (inMemory) await mountTmpfs(path, { mode, ...(sizeLimitBytes === undefined ? {} : { sizeLimitBytes }) });
    await setOwner(path, { mode, gid });
  }

  /** Each version is a folder of its own; one link leads to that in force, and a link for each name leads through that. */
  async replaceFiles(directory: string, files: ReadonlyMap<string, HostFile>, { gid }: { gid?: number }): Promise<void> {
    const past = await readlink(join(directory, DATA)).catch(() => undefined);
    if (past !== undefined && (await isSame(join(directory, past), files))) return;
    const now = this.#clock.now();
    const version = `..${new Date(now).toISOString().slice(0, 19).replaceAll(/[-:]/g, '_').replace('T', '_')}.${(now % 1000) * 1e6 + (Number(past?.split('.').at(-1) ?? 0) % 1e6) + 1}`;
    await mkdir(join(directory, version));
    await setOwner(join(directory, version), { mode: 0o755, gid });
    for (const [path, { content, mode, uid }] of files) {
      const target = join(directory, version, path);
      await makeAbove(join(directory, version), path, gid);
      await writeFile(target, content);
      await chmod(target, mode);
      if (gid !== undefined || uid !== undefined) await chown(target, uid ?? 0, gid ?? 0);
    }
    await symlink(version, join(directory, NEW_DATA));
    await rename(join(directory, NEW_DATA), join(directory, DATA));
    await this.#linkNames(directory, new Set([...files.keys()].map((path) => path.split('/')[0]!)));
    if (past !== undefined) await rm(join(directory, past), { recursive: true, force: true });
  }

  async #linkNames(directory: string, names: ReadonlySet<string>): Promise<void> {
    const present = (await readdir(directory)).filter((name) => !name.startsWith('..'));
    for (const name of present) if (!names.has(name)) await rm(join(directory, name), { recursive: true, force: true });
    for (const name of names) if (!present.includes(name)) await symlink(join(DATA, name), join(directory, name));
  }

  async writeFile(path: string, { content, mode, uid }: HostFile): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
    await chmod(path, mode);
    if (uid !== undefined) await chown(path, uid, 0);
  }

  async readFile(path: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** What is mounted below is let go of first, so that nothing outside is ever removed. */
  async removeDirectory(path: string): Promise<void> {
    for (const point of await mountsBelow(path)) await unmount(point);
    const left = await mountsBelow(path);
    if (left.length > 0) throw new Error(`${path} cannot be removed: something is still mounted at ${left[0]}`);
    await rm(path, { recursive: true, force: true });
  }

  async checkHostPath(path: string, type: HostPathType): Promise<string | undefined> {
    if (type === '') return undefined;
    if (!(await found(path))) {
      if (type === 'DirectoryOrCreate') await mkdir(path, { recursive: true, mode: 0o755 });
      else if (type === 'FileOrCreate') await writeFile(path, '', { mode: 0o644 });
    }
    const { test, what } = HOST_PATH_TYPES[type];
    const entry = await stat(path).catch(() => undefined);
    return entry && test(entry) ? undefined : `hostPath type check failed: ${path} is not ${what}`;
  }

  async subPath(volume: string, below: string): Promise<string> {
    const root = await realpath(volume);
    const wanted = join(root, below);
    if (!isWithin(root, wanted)) throw new Error(`${below} leads out of the volume`);
    let existing = wanted;
    while (!(await lstat(existing).catch(() => undefined))) existing = dirname(existing);
    const real = await realpath(existing);
    if (!isWithin(root, real)) throw new Error(`${below} leads out of the volume`);
    if (existing === wanted) return real;
    const made = join(real, relative(existing, wanted));
    const { mode, gid } = await stat(root);
    await mkdir(made, { recursive: true });
    for (let path = made; path !== real; path = dirname(path)) await setOwner(path, { mode: mode & 0o7777, gid });
    return made;
  }

  /** Files come and go while they are counted. */
  async usedBytes(path: string): Promise<number> {
    const entry = await lstat(path).catch(() => undefined);
    if (!entry) return 0;
    let sum = entry.blocks * BLOCK_BYTES;
    if (entry.isDirectory()) for (const name of await readdir(path).catch(() => [])) sum += await this.usedBytes(join(path, name));
    return sum;
  }
}

type Entry = Awaited<ReturnType<typeof stat>>;

const isDirectory = (entry: Entry): boolean => entry.isDirectory();
const isFile = (entry: Entry): boolean => entry.isFile();

const HOST_PATH_TYPES: Readonly<Record<Exclude<HostPathType, ''>, { test(entry: Entry): boolean; what: string }>> = {
  DirectoryOrCreate: { test: isDirectory, what: 'a directory' },
  Directory: { test: isDirectory, what: 'a directory' },
  FileOrCreate: { test: isFile, what: 'a file' },
  File: { test: isFile, what: 'a file' },
  Socket: { test: (entry) => entry.isSocket(), what: 'a socket file' },
  CharDevice: { test: (entry) => entry.isCharacterDevice(), what: 'a character device' },
  BlockDevice: { test: (entry) => entry.isBlockDevice(), what: 'a block device' },
};

const found = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined)) !== undefined;

const isWithin = (root: string, path: string): boolean => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);

/** After its creation, for the process has a mask of its own. */
async function setOwner(path: string, { mode, gid }: { mode: number; gid: number | undefined }): Promise<void> {
  if (gid !== undefined) await chown(path, 0, gid);
  await chmod(path, gid ? mode | GROUP_FOLDER : mode);
}

async function makeAbove(root: string, path: string, gid: number | undefined): Promise<void> {
  let above = root;
  for (const name of path.split('/').slice(0, -1)) {
    above = join(above, name);
    if (await found(above)) continue;
    await mkdir(above);
    await setOwner(above, { mode: 0o755, gid });
  }
}

/** Whether a version holds just these files. */
async function isSame(version: string, files: ReadonlyMap<string, HostFile>): Promise<boolean> {
  const present = await readdir(version, { recursive: true, withFileTypes: true }).catch(() => []);
  const names = present.filter((entry) => !entry.isDirectory()).map((entry) => relative(version, join(entry.parentPath, entry.name)));
  if (names.length !== files.size) return false;
  for (const name of names) {
    const wanted = files.get(name);
    if (!wanted || !(await readFile(join(version, name))).equals(wanted.content)) return false;
    if (((await stat(join(version, name))).mode & 0o777) !== (wanted.mode & 0o777)) return false;
  }
  return true;
}
