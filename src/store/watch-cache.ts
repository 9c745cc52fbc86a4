import { assert } from '../lib/assert.ts';
import { partitionPoint } from '../lib/partition-point.ts';
import { SortedKeys } from './sorted-keys.ts';
import { type Change, CompactedError, type KeyValue, type ListOptions, type ListResult, type Snapshot, type StoreEvent, type StoreWatch } from './store.ts';

export interface WatchCacheOptions {
  /** Where the changes to come start from. Default: nothing, at revision 0. */
  snapshot?: Snapshot;
  /** How many changes are kept for watches and lists of the past; the older half goes when there are more. Default 10,000. */
  historyLimit?: number;
  /** Told of what a watcher threw. Default: it crashes the process, for a watcher must not. */
  report?: (error: Error) => void;
}

interface Watcher {
  readonly prefix: string;
  readonly onEvent: (event: StoreEvent) => void;
  readonly onStopped: (() => void) | undefined;
  /** The last revision that it has been told of, or that is none of its business. */
  seen: number;
}

/**
 * The half of a store that is read: what stands now, a bounded history, and the watchers. It is fed with changes in the
 * order of their revisions, whoever orders them (WriteLog in this process, or another that is watched), and does not ask
 * whether they were allowed.
 */
export class WatchCache {
  readonly #current = new Map<string, KeyValue>();
  /** The keys of #current. */
  readonly #keys: SortedKeys;
  readonly #historyLimit: number;
  readonly #report: (error: Error) => void;
  readonly #watchers = new Set<Watcher>();
  #history: StoreEvent[] = [];
  #revision: number;
  #compacted: number;
  /** Where telling the watchers has come to; behind #revision while it goes on. */
  #delivered: number;
  #delivering = false;

  constructor({ snapshot, historyLimit = 10_000, report = crash }: WatchCacheOptions = {}) {
    this.#historyLimit = historyLimit;
    this.#report = report;
    this.#revision = this.#compacted = this.#delivered = snapshot?.revision ?? 0;
    for (const item of snapshot?.items ?? []) this.#current.set(item.key, item);
    this.#keys = new SortedKeys(this.#current.keys());
  }

  /** The revision of the last change. */
  get revision(): number {
    return this.#revision;
  }

  get(key: string): KeyValue | undefined {
    return this.#current.get(key);
  }

  /**
   * Keys that begin with `prefix`, in byte order.
   * @throws CompactedError when `revision` is older than the history that is kept.
   */
  list(prefix: string, { startAfter, revision = this.#revision }: ListOptions = {}): ListResult {
    if (revision < this.#revision) return { items: this.#past(prefix, { startAfter, revision }), revision };
    return { items: this.#present(prefix, startAfter), revision };
  }

  /**
   * See Store.watch.
   * @throws CompactedError when `after` is older than the history that is kept.
   */
  watch(prefix: string, after: number, onEvent: (event: StoreEvent) => void, onStopped?: () => void): StoreWatch {
    const watcher: Watcher = { prefix, onEvent, onStopped, seen: after };
    // What a watcher does upon an event may be a change itself: until there is nothing new, it is still the past.
    for (let missed = this.#historySince(after); missed.length > 0; missed = this.#historySince(watcher.seen)) {
      for (const event of missed) tell(watcher, event);
    }
    this.#watchers.add(watcher);
    return { stop: () => void this.#watchers.delete(watcher) };
  }

  /** Forgets the history up to and including `revision`; current values stay. */
  compact(revision: number): void {
    const upTo = Math.min(revision, this.#delivered);
    if (upTo <= this.#compacted) return;
    this.#history = this.#history.slice(this.#indexAfter(upTo));
    this.#compacted = upTo;
  }

  /** Takes in the change that comes next, and tells the watchers. A change that is made by one of them is told after this one. */
  take(change: Change): void {
    const event = this.#record(change);
    this.#history.push(event);
    this.#revision = event.revision;
    if (this.#delivering) return;
    this.#delivering = true;
    try {
      this.#deliver(event);
      while (this.#delivered < this.#revision) this.#deliver(this.#history[this.#indexAfter(this.#delivered)]!);
    } finally {
      this.#delivering = false;
    }
    if (this.#history.length > this.#historyLimit) this.compact(this.#history[this.#historyLimit >> 1]!.revision);
  }

  /** Ends all watches. */
  close(): void {
    this.#watchers.clear();
  }

  #record(change: Change): StoreEvent {
    const { key, revision } = change.type === 'put' ? change.item : change;
    assert(revision > this.#revision, `revision ${revision} comes after ${this.#revision}`);
    const previous = this.#current.get(key);
    if (change.type === 'put') {
      if (!previous) this.#keys.add(key);
      this.#current.set(key, change.item);
      return { type: 'put', key, revision, value: change.item.value, ...(previous ? { previous } : {}) };
    }
    assert(previous, `${key} is deleted at revision ${revision} and is not there`);
    this.#keys.remove(key);
    this.#current.delete(key);
    return { type: 'delete', key, revision, value: previous.value, previous };
  }

  #deliver(event: StoreEvent): void {
    for (const watcher of this.#watchers) {
      try {
        tell(watcher, event);
      } catch (error) {
        this.#watchers.delete(watcher);
        this.#report(new Error(`a watch of ${watcher.prefix} has failed at revision ${event.revision} and is over`, { cause: error }));
        watcher.onStopped?.();
      }
    }
    this.#delivered = event.revision;
  }

  #present(prefix: string, startAfter: string | undefined): KeyValue[] {
    return this.#keys.under(prefix, startAfter).map((key) => this.#current.get(key)!);
  }

  /** Today's items under the prefix with the changes since then undone, newest first. */
  #past(prefix: string, { startAfter, revision }: { startAfter: string | undefined; revision: number }): KeyValue[] {
    const items = new Map(this.#present(prefix, startAfter).map((item) => [item.key, item]));
    for (const { key, previous } of this.#historySince(revision).reverse()) {
      if (!key.startsWith(prefix) || (startAfter !== undefined && key <= startAfter)) continue;
      if (previous) items.set(key, previous);
      else items.delete(key);
    }
    return new SortedKeys(items.keys()).under(prefix).map((key) => items.get(key)!);
  }

  /** @throws CompactedError */
  #historySince(revision: number): StoreEvent[] {
    if (revision < this.#compacted) throw new CompactedError(this.#compacted);
    return this.#history.slice(this.#indexAfter(revision));
  }

  #indexAfter(revision: number): number {
    return partitionPoint(this.#history, (event) => event.revision <= revision);
  }
}

function tell(watcher: Watcher, event: StoreEvent): void {
  if (event.revision <= watcher.seen) return;
  watcher.seen = event.revision;
  if (event.key.startsWith(watcher.prefix)) watcher.onEvent(event);
}

/** An error that nobody catches. */
function crash(error: Error): void {
  queueMicrotask(() => {
    throw error;
  });
}
