import { type Change, type KeyValue, revisionOf, StoreFailedError, type Value, type WriteResult } from './store.ts';
import type { WatchCache } from './watch-cache.ts';

/** Makes changes durable. One append is outstanding at a time; it carries all that arrived while the one before it ran. */
export interface Journal {
  /** Resolves when every change is on the medium. Rejects if one may not be; it is not asked again then. */
  append(changes: readonly Change[]): Promise<void>;
  close(): Promise<void>;
}

interface Waiting {
  change: Change;
  resolve: () => void;
  reject: (error: Error) => void;
}

/**
 * The half of a store that is written: it gives each write the next revision, compares and swaps against the latest state of
 * the key, durable or not, and keeps the change; then the cache learns of it, and the writer.
 */
export class WriteLog {
  readonly failed: Promise<StoreFailedError>;
  readonly #cache: WatchCache;
  readonly #journal: Journal | undefined;
  /** The latest change of each key whose change is not durable yet. */
  readonly #pending = new Map<string, Change>();
  #queue: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #failure: StoreFailedError | undefined;
  #tellFailure!: (failure: StoreFailedError) => void;
  #revision: number;

  /**
   * @param cache what stands now; fed with what is kept.
   * @param journal where changes are kept; without one they are gone with the process, and take no time.
   */
  constructor(cache: WatchCache, journal?: Journal) {
    this.#cache = cache;
    this.#journal = journal;
    this.#revision = cache.revision;
    this.failed = new Promise((resolve) => {
      this.#tellFailure = resolve;
    });
  }

  put(key: string, value: Value, expected: number): Promise<WriteResult> {
    const current = this.#head(key);
    if (this.#failure || (current?.revision ?? 0) !== expected) return this.#refuse(key);
    const revision = ++this.#revision;
    return this.#keep(key, { type: 'put', item: { key, value, revision, createRevision: current?.createRevision ?? revision } });
  }

  delete(key: string, expected: number): Promise<WriteResult> {
    const current = this.#head(key);
    if (this.#failure || current?.revision !== expected) return this.#refuse(key);
    return this.#keep(key, { type: 'delete', key, revision: ++this.#revision });
  }

  async close(): Promise<void> {
    await this.#flushing;
    await this.#journal?.close();
  }

  #head(key: string): KeyValue | undefined {
    const pending = this.#pending.get(key);
    if (!pending) return this.#cache.get(key);
    return pending.type === 'put' ? pending.item : undefined;
  }

  /** What stands in the way may not be durable yet; it is told only once it is, so that a retry reads it. */
  async #refuse(key: string): Promise<WriteResult> {
    while (this.#pending.has(key) && this.#flushing) await this.#flushing;
    if (this.#failure) throw this.#failure;
    return { ok: false, current: this.#cache.get(key) };
  }

  async #keep(key: string, change: Change): Promise<WriteResult> {
    if (this.#journal) await this.#append(key, change, this.#journal);
    else this.#cache.take(change);
    return { ok: true, revision: revisionOf(change) };
  }

  #append(key: string, change: Change, journal: Journal): Promise<void> {
    this.#pending.set(key, change);
    const durable = new Promise<void>((resolve, reject) => {
      this.#queue.push({ change, resolve, reject });
    });
    this.#flushing ??= this.#flush(journal);
    return durable;
  }

  async #flush(journal: Journal): Promise<void> {
    // Writes of this turn of the event loop travel together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      try {
        await journal.append(batch.map(({ change }) => change));
      } catch (error) {
        this.#fail(new StoreFailedError(error), [...batch, ...this.#queue]);
        break;
      }
      for (const { change, resolve } of batch) {
        const key = change.type === 'put' ? change.item.key : change.key;
        if (this.#pending.get(key) === change) this.#pending.delete(key);
        this.#cache.take(change);
        resolve();
      }
    }
    this.#flushing = undefined;
  }

  #fail(failure: StoreFailedError, waiting: readonly Waiting[]): void {
    this.#failure = failure;
    this.#queue = [];
    for (const { reject } of waiting) reject(failure);
    this.#tellFailure(failure);
  }
}
