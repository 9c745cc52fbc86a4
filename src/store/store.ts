/**
 * What is stored under a key. The bytes are asked for only where they leave the process (disk, network), so that an
 * object written and read in one process is never encoded; a store hands back the very value that it was given.
 */
export interface Value {
  readonly bytes: Uint8Array;
}

export interface KeyValue {
  key: string;
  value: Value;
  /** The revision of the last write of this key: the object's resourceVersion. */
  revision: number;
  /** The revision at which the key came into being. */
  createRevision: number;
}

/** One write, as it was ordered and kept: what a WriteLog makes durable and a WatchCache is fed with. */
export type Change = { type: 'put'; item: KeyValue } | { type: 'delete'; key: string; revision: number };

export function revisionOf(change: Change): number {
  return change.type === 'put' ? change.item.revision : change.revision;
}

/** All that stands at a revision. */
export interface Snapshot {
  revision: number;
  items: Iterable<KeyValue>;
}

export interface StoreEvent {
  type: 'put' | 'delete';
  key: string;
  revision: number;
  /** What stands under the key after a put; before it, for a delete. */
  value: Value;
  /** What stood there before; undefined for a new key. */
  previous?: KeyValue;
}

export type WriteResult = { ok: true; revision: number } | { ok: false; current: KeyValue | undefined };

export interface ListOptions {
  /** Leaves out the keys up to and including this one. */
  startAfter?: string;
  /** As it was then. Default: as it is. */
  revision?: number;
}

export interface ListResult {
  items: KeyValue[];
  /** The revision that the list shows. */
  revision: number;
}

/** The asked-for revision is no longer kept. */
export class CompactedError extends Error {
  readonly compactRevision: number;

  constructor(compactRevision: number) {
    super(`the history before revision ${compactRevision} has been compacted`);
    this.name = 'CompactedError';
    this.compactRevision = compactRevision;
  }
}

/** What the store is kept on takes no more writes. What was written before can still be read. */
export class StoreFailedError extends Error {
  constructor(cause: unknown) {
    super(`the store takes no more writes, since they cannot be kept: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
    this.name = 'StoreFailedError';
  }
}

export interface StoreWatch {
  stop(): void;
}

/**
 * A revisioned key-value store: one counter over all keys, raised by each write. A write resolves once it is durable, and
 * only then do readers and watchers see it.
 */
export interface Store {
  /** The revision of the last write that readers can see. */
  readonly revision: number;
  /** Resolves if the medium fails; from then on every write is refused with this error. Pending as long as all is well. */
  readonly failed: Promise<StoreFailedError>;
  get(key: string): Promise<KeyValue | undefined>;
  /**
   * Keys that begin with `prefix`, in byte order.
   * @throws CompactedError when `revision` is older than the history that is kept.
   */
  list(prefix: string, options?: ListOptions): Promise<ListResult>;
  /**
   * Writes if the key's revision is `expected` (0: the key must not exist); otherwise changes nothing and says what is there.
   * @throws StoreFailedError
   */
  put(key: string, value: Value, expected: number): Promise<WriteResult>;
  /**
   * Removes the key if its revision is `expected`. The removal has a revision of its own.
   * @throws StoreFailedError
   */
  delete(key: string, expected: number): Promise<WriteResult>;
  /**
   * Calls `onEvent` for each change of a key under `prefix` with a revision above `after`, in order, without gap or
   * duplicate. What it throws about what is past is the caller's; if it throws about a change as it happens, the watch is
   * over, `onStopped` is told, and the error is reported; nobody else is troubled by it.
   * @throws CompactedError when `after` is older than the history that is kept.
   */
  watch(prefix: string, after: number, onEvent: (event: StoreEvent) => void, onStopped?: () => void): StoreWatch;
  /** Forgets the history up to and including `revision`; current values stay. */
  compact(revision: number): Promise<void>;
  /** Flushes and lets go of the medium. */
  close(): Promise<void>;
}
