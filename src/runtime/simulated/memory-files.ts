/** Why a file operation fails, as the C library has it. */
export type FileErrorCode = 'ENOENT' | 'ENOTDIR' | 'EISDIR' | 'EEXIST' | 'ENOTEMPTY' | 'EROFS' | 'ELOOP';

const WORDS: Readonly<Record<FileErrorCode, string>> = {
  ENOENT: 'No such file or directory',
  ENOTDIR: 'Not a directory',
  EISDIR: 'Is a directory',
  EEXIST: 'File exists',
  ENOTEMPTY: 'Directory not empty',
  EROFS: 'Read-only file system',
  ELOOP: 'Too many levels of symbolic links',
};

export class FileError extends Error {
  readonly code: FileErrorCode;

  constructor(code: FileErrorCode) {
    super(WORDS[code]);
    this.name = 'FileError';
    this.code = code;
  }
}

interface Owned {
  /** Permission bits. */
  mode: number;
  uid: number;
  gid: number;
  /** Milliseconds since the epoch. */
  modifiedAt: number;
  /** Whether it, and what is in it, can be changed; left out: as what it is in. */
  readOnly?: boolean;
}

export type File = Owned & { type: 'file'; content: Buffer };
export type Link = Owned & { type: 'link'; target: string };
export type Directory = Owned & {
  type: 'directory';
  entries: Map<string, Entry>;
  /** `tmpfs` for a directory in memory. */
  fileSystem: string;
};
export type Entry = File | Link | Directory;

const DIRECTORY_MODE = 0o755;
const FILE_MODE = 0o644;
const MAX_LINKS = 40;

export interface MakeOptions {
  mode?: number;
  uid?: number;
  gid?: number;
  now?: number;
}

export function makeDirectory({ mode = DIRECTORY_MODE, uid = 0, gid = 0, now = 0 }: MakeOptions = {}): Directory {
  return { type: 'directory', entries: new Map(), fileSystem: 'overlay', mode, uid, gid, modifiedAt: now };
}

export function makeFile(content: string | Uint8Array, { mode = FILE_MODE, uid = 0, gid = 0, now = 0 }: MakeOptions = {}): File {
  return { type: 'file', content: Buffer.from(content as Uint8Array), mode, uid, gid, modifiedAt: now };
}

/** A path without `.`, `..` and repeated slashes, as its names. */
export function namesIn(path: string, from = '/'): string[] {
  const names: string[] = [];
  for (const name of (path.startsWith('/') ? path : `${from}/${path}`).split('/')) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  return names;
}

/** Where a path leads: the directory that holds it, and what stands there, links not followed. */
interface Place {
  parent: Directory;
  name: string;
  entry: Entry | undefined;
  /** What stands there, or would, cannot be changed. */
  readOnly: boolean;
}

/** A tree of files in memory. Directories of one tree may stand in others as well, which is how volumes are mounted. */
export class MemoryFiles {
  readonly root: Directory;

  constructor(root: Directory = makeDirectory()) {
    this.root = root;
  }

  /** What stands at a path, links followed; undefined where nothing does. @throws FileError ELOOP */
  find(path: string): Entry | undefined {
    return this.#resolve(namesIn(path), 0)?.entry;
  }

  /** The same, the last link not followed. */
  findLink(path: string): Entry | undefined {
    const names = namesIn(path);
    return names.length === 0 ? this.root : this.#place(names, 0)?.entry;
  }

  read(path: string): Buffer {
    const entry = this.find(path);
    if (!entry) throw new FileError('ENOENT');
    if (entry.type !== 'file') throw new FileError('EISDIR');
    return entry.content;
  }

  list(path: string): string[] {
    const entry = this.find(path);
    if (!entry) throw new FileError('ENOENT');
    if (entry.type !== 'directory') throw new FileError('ENOTDIR');
    return [...entry.entries.keys()].sort();
  }

  /** Writes a file, or adds to one. */
  write(path: string, content: string | Uint8Array, { append = false, ...options }: MakeOptions & { append?: boolean } = {}): void {
    const place = this.#writable(path);
    const { parent, name, entry } = place;
    if (entry?.type === 'directory') throw new FileError('EISDIR');
    if (entry?.type === 'file') {
      entry.content = append ? Buffer.concat([entry.content, Buffer.from(content as Uint8Array)]) : Buffer.from(content as Uint8Array);
      entry.modifiedAt = options.now ?? entry.modifiedAt;
    } else parent.entries.set(name, makeFile(content, options));
  }

  /** Makes a directory; with `parents`, those above it too, and one that is there will do. */
  makeDirectory(path: string, { parents = false, ...options }: MakeOptions & { parents?: boolean } = {}): Directory {
    const names = namesIn(path);
    if (parents)
      for (let i = 1; i < names.length; i++) if (!this.find(`/${names.slice(0, i).join('/')}`)) this.makeDirectory(`/${names.slice(0, i).join('/')}`);
    const { parent, name, entry } = this.#writable(path);
    if (entry?.type === 'directory' && parents) return entry;
    if (entry) throw new FileError('EEXIST');
    const made = makeDirectory(options);
    parent.entries.set(name, made);
    return made;
  }

  link(path: string, target: string): void {
    const { parent, name, entry } = this.#writable(path, { followLast: false });
    if (entry) throw new FileError('EEXIST');
    parent.entries.set(name, { type: 'link', target, mode: 0o777, uid: 0, gid: 0, modifiedAt: 0 });
  }

  /** Removes what stands at a path; a directory with something in it only where `recursive`. */
  remove(path: string, { recursive = false }: { recursive?: boolean } = {}): void {
    const { parent, name, entry } = this.#writable(path, { followLast: false });
    if (!entry) throw new FileError('ENOENT');
    if (entry.type === 'directory' && entry.entries.size > 0 && !recursive) throw new FileError('ENOTEMPTY');
    parent.entries.delete(name);
  }

  /** Puts an entry of any tree at a path, in the place of what is there; the directories above it are made. */
  mount(path: string, entry: Entry): void {
    const names = namesIn(path);
    const above = names.slice(0, -1);
    if (above.length) this.makeDirectory(`/${above.join('/')}`, { parents: true });
    const parent = this.find(`/${above.join('/')}`);
    if (parent?.type !== 'directory') throw new FileError('ENOTDIR');
    parent.entries.set(names.at(-1)!, entry);
  }

  #writable(path: string, { followLast = true }: { followLast?: boolean } = {}): Place {
    const names = namesIn(path);
    if (names.length === 0) throw new FileError('EEXIST');
    const place = followLast ? this.#resolve(names, 0) : this.#place(names, 0);
    if (!place) throw new FileError('ENOENT');
    if (place.readOnly) throw new FileError('EROFS');
    return place;
  }

  #resolve(names: readonly string[], links: number): Place | undefined {
    if (links > MAX_LINKS) throw new FileError('ELOOP');
    if (names.length === 0) return { parent: this.root, name: '', entry: this.root, readOnly: this.root.readOnly ?? false };
    const place = this.#place(names, links);
    if (place?.entry?.type !== 'link') return place;
    return this.#resolve(namesIn(place.entry.target, `/${names.slice(0, -1).join('/')}`), links + 1);
  }

  #place(names: readonly string[], links: number): Place | undefined {
    const above = this.#resolve(names.slice(0, -1), links);
    if (!above?.entry) return undefined;
    if (above.entry.type !== 'directory') throw new FileError('ENOTDIR');
    const name = names.at(-1)!;
    const entry = above.entry.entries.get(name);
    return { parent: above.entry, name, entry, readOnly: entry?.readOnly ?? above.readOnly };
  }
}
