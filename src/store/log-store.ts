import type { KeyValue, ListOptions, ListResult, Snapshot, Store, StoreEvent, StoreFailedError, StoreWatch, Value, WriteResult } from './store.ts';
import { WatchCache, type WatchCacheOptions } from './watch-cache.ts';
import { type Journal, WriteLog } from './write-log.ts';

/** What every store of this process takes. */
export type StoreOptions = Omit<WatchCacheOptions, 'snapshot'>;

/** A store whose writes are ordered in this process: a WriteLog that feeds a WatchCache. */
export class LogStore implements Store {
  readonly #cache: WatchCache;
  readonly #log: WriteLog;

  /**
   * @param kept where writes are kept, and what was found there; without it they are gone with the process.
   */
  constructor(options: StoreOptions = {}, kept?: { journal: Journal; snapshot: Snapshot }) {
    this.#cache = new WatchCache(kept ? { ...options, snapshot: kept.snapshot } : options);
    this.#log = new WriteLog(this.#cache, kept?.journal);
  }

  get revision(): number {
    return this.#cache.revision;
  }

  get failed(): Promise<StoreFailedError> {
    return this.#log.failed;
  }

  async get(key: string): Promise<KeyValue | undefined> {
    return this.#cache.get(key);
  }

  async list(prefix: string, options?: ListOptions): Promise<ListResult> {
    return this.#cache.list(prefix, options);
  }

  put(key: string, value: Value, expected: number): Promise<WriteResult> {
    return this.#log.put(key, value, expected);
  }

  delete(key: string, expected: number): Promise<WriteResult> {
    return this.#log.delete(key, expected);
  }

  watch(prefix: string, after: number, onEvent: (event: StoreEvent) => void, onStopped?: () => void): StoreWatch {
    return this.#cache.watch(prefix, after, onEvent, onStopped);
  }

  async compact(revision: number): Promise<void> {
    this.#cache.compact(revision);
  }

  async close(): Promise<void> {
    await this.#log.close();
    this.#cache.close();
  }
}
