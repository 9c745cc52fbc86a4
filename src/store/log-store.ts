import { CompactedError, type KeyValue, type ListResult, type Store, type StoreEvent, type StoreWatch, type Value, type WriteResult } from './store.ts';

/** Makes writes durable. One append is outstanding at a time; it carries all that arrived while the one before it ran. */
export interface Journal {
  /** Resolves when every event is on the medium. */
  append(events: readonly StoreEvent[]): Promise<void>;
  close(): Promise<void>;
}

export interface LogStoreOptions {
  /** Where writes are kept; without one they are gone with the process. */
  journal?: Journal;
  /** What the medium held. */
  initial?: { revision: number; items: Iterable<KeyValue> };
  /** How many changes are kept for watches and lists of the past; the older half goes when there are more. */
  historyLimit?: number;
}

interface Watcher {
  prefix: string;
  onEvent: (event: StoreEvent) => void;
}

/**
 * The store's rules, once: revisions, compare-and-swap, order, history. Current values and a bounded history are kept in
 * memory; a journal, if there is one, makes each batch of writes durable before anybody sees it.
 */
export class LogStore implements Store {
  readonly #journal: Journal | undefined;
  readonly #historyLimit: number;
  readonly #current = new Map<string, KeyValue>();
  /** Writes that are not yet durable: the latest state of each key, undefined for a removal. */
  readonly #pending = new Map<string, KeyValue | undefined>();
  #queue: { event: StoreEvent; resolve: () => void; reject: (error: unknown) => void }[] = [];
  #flushing: Promise<void> | undefined;
  #failure: Error | undefined;
  #assigned: number;
  #revision: number;
  #compacted: number;
  #history: StoreEvent[] = [];
  readonly #watchers = new Set<Watcher>();
  /** The keys of #current in byte order. */
  readonly #keys: string[];

  constructor(options: LogStoreOptions = {}) {
    this.#journal = options.journal;
    this.#historyLimit = options.historyLimit ?? 10_000;
    this.#revision = this.#assigned = this.#compacted = options.initial?.revision ?? 0;
    for (const item of options.initial?.items ?? []) this.#current.set(item.key, item);
    this.#keys = [...this.#current.keys()].sort(byteOrder);
  }

  get revision(): number {
    return this.#revision;
  }

  get(key: string): Promise<KeyValue | undefined> {
    return Promise.resolve(this.#current.get(key));
  }

  async list(prefix: string, { limit, startAfter, revision }: { limit?: number; startAfter?: string; revision?: number } = {}): Promise<ListResult> {
    const at = revision ?? this.#revision;
    const { keys, lookup } = at < this.#revision ? this.#past(prefix, at) : { keys: this.#keys, lookup: this.#current };
    const items: KeyValue[] = [];
    for (let i = lowerBound(keys, startAfter !== undefined && startAfter > prefix ? startAfter : prefix); i < keys.length; i++) {
      const key = keys[i]!;
      if (!key.startsWith(prefix)) break;
      if (key === startAfter) continue;
      if (limit !== undefined && items.length === limit) return { items, revision: at, more: true };
      items.push(lookup.get(key)!);
    }
    return { items, revision: at, more: false };
  }

  put(key: string, value: Value, expected: number): Promise<WriteResult> {
    return this.#write(key, expected, (current, revision) => ({ type: 'put', key, revision, value, ...(current ? { previous: current } : {}) }));
  }

  delete(key: string, expected: number): Promise<WriteResult> {
    if (!this.#head(key)) return this.#refuse(key);
    return this.#write(key, expected, (current, revision) => ({ type: 'delete', key, revision, value: current!.value, previous: current! }));
  }

  watch(prefix: string, after: number, onEvent: (event: StoreEvent) => void): StoreWatch {
    if (after < this.#compacted) throw new CompactedError(this.#compacted);
    for (let i = this.#historyIndexAfter(after); i < this.#history.length; i++) {
      const event = this.#history[i]!;
      if (event.key.startsWith(prefix)) onEvent(event);
    }
    const watcher = { prefix, onEvent };
    this.#watchers.add(watcher);
    return { stop: () => void this.#watchers.delete(watcher) };
  }

  compact(revision: number): Promise<void> {
    const upTo = Math.min(revision, this.#revision);
    if (upTo > this.#compacted) {
      this.#history = this.#history.slice(this.#historyIndexAfter(upTo));
      this.#compacted = upTo;
    }
    return Promise.resolve();
  }

  async close(): Promise<void> {
    await this.#flushing;
    this.#watchers.clear();
    await this.#journal?.close();
  }

  #head(key: string): KeyValue | undefined {
    return this.#pending.has(key) ? this.#pending.get(key) : this.#current.get(key);
  }

  #write(key: string, expected: number, make: (current: KeyValue | undefined, revision: number) => StoreEvent): Promise<WriteResult> {
    if (this.#failure) return Promise.reject(this.#failure);
    const current = this.#head(key);
    if ((current?.revision ?? 0) !== expected) return this.#refuse(key);
    const event = make(current, ++this.#assigned);
    if (!this.#journal) {
      this.#commit(event);
      return Promise.resolve({ ok: true, revision: event.revision });
    }
    this.#pending.set(key, event.type === 'put' ? toKeyValue(event) : undefined);
    const durable = new Promise<WriteResult>((resolve, reject) => {
      this.#queue.push({ event, resolve: () => resolve({ ok: true, revision: event.revision }), reject });
    });
    this.#flushing ??= this.#flush(this.#journal);
    return durable;
  }

  /** What stands in the way may not be durable yet; it is told only once it is, so that a retry reads it. */
  async #refuse(key: string): Promise<WriteResult> {
    while (this.#pending.has(key) && this.#flushing) await this.#flushing;
    return { ok: false, current: this.#current.get(key) };
  }

  async #flush(journal: Journal): Promise<void> {
    // Writes of this turn of the event loop travel together.
    await Promise.resolve();
    while (this.#queue.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      try {
        await journal.append(batch.map((write) => write.event));
      } catch (error) {
        this.#failure = new Error('the store cannot write any more: an append to its journal failed', { cause: error });
        for (const write of [...batch, ...this.#queue]) write.reject(this.#failure);
        this.#queue = [];
        break;
      }
      for (const { event, resolve } of batch) {
        if ((this.#pending.get(event.key)?.revision ?? event.revision) === event.revision) this.#pending.delete(event.key);
        this.#commit(event);
        resolve();
      }
    }
    this.#flushing = undefined;
  }

  #commit(event: StoreEvent): void {
    if (event.type === 'put') {
      if (!event.previous) this.#keys.splice(lowerBound(this.#keys, event.key), 0, event.key);
      this.#current.set(event.key, toKeyValue(event));
    } else {
      this.#keys.splice(lowerBound(this.#keys, event.key), 1);
      this.#current.delete(event.key);
    }
    this.#revision = event.revision;
    this.#history.push(event);
    if (this.#history.length > this.#historyLimit) void this.compact(this.#history[this.#historyLimit >> 1]!.revision);
    for (const watcher of this.#watchers) if (event.key.startsWith(watcher.prefix)) watcher.onEvent(event);
  }

  /** The keys under `prefix` as they stood at `revision`: today's, with the changes since then undone, newest first. */
  #past(prefix: string, revision: number): { keys: string[]; lookup: Map<string, KeyValue> } {
    if (revision < this.#compacted) throw new CompactedError(this.#compacted);
    const lookup = new Map<string, KeyValue>();
    for (const [key, item] of this.#current) if (key.startsWith(prefix)) lookup.set(key, item);
    for (let i = this.#history.length - 1; i >= 0 && this.#history[i]!.revision > revision; i--) {
      const event = this.#history[i]!;
      if (!event.key.startsWith(prefix)) continue;
      if (event.previous) lookup.set(event.key, event.previous);
      else lookup.delete(event.key);
    }
    return { keys: [...lookup.keys()].sort(byteOrder), lookup };
  }

  #historyIndexAfter(revision: number): number {
    let low = 0;
    let high = this.#history.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#history[middle]!.revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

function toKeyValue(event: StoreEvent): KeyValue {
  return { key: event.key, value: event.value, revision: event.revision, createRevision: event.previous?.createRevision ?? event.revision };
}

/** Keys are ASCII, so comparing code units is comparing bytes. */
function byteOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (keys[middle]! < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
