import { isDeepStrictEqual } from 'node:util';
import type { Pod } from '../api/generated/types/core.v1.ts';
import { keyOf } from '../api/object.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import { Heap } from '../lib/heap.ts';

const INITIAL_BACK_OFF_MS = 1_000;
const MAX_BACK_OFF_MS = 10_000;
/** A pod that nothing has moved is tried again after this long. */
const FLUSH_MS = 300_000;

interface Entry {
  pod: Pod;
  order: number;
  attempts: number;
  failedAt: number;
  state: 'active' | 'backOff' | 'unschedulable' | 'taken';
}

/**
 * The pods that wait for a node: those to try now, by priority and then by age, those that wait for a delay after a
 * failure, and those that wait for the cluster to change (upstream: pkg/scheduler/backend/queue).
 */
export class SchedulingQueue {
  readonly #clock: Clock;
  readonly #wake: () => void;
  readonly #entries = new Map<string, Entry>();
  readonly #active = new Heap<Entry>((a, b) => {
    const difference = (b.pod.spec.priority ?? 0) - (a.pod.spec.priority ?? 0);
    return difference !== 0 ? difference < 0 : a.order < b.order;
  });
  #order = 0;
  /** Counts changes of the cluster, so that a pod that failed while one came in is tried again. */
  #moves = 0;
  #flush: Timer | undefined;

  /** @param wake called when there is something to take */
  constructor(clock: Clock, wake: () => void) {
    this.#clock = clock;
    this.#wake = wake;
  }

  get moves(): number {
    return this.#moves;
  }

  put(pod: Pod): void {
    const key = keyOf(pod);
    const entry = this.#entries.get(key);
    if (entry && entry.pod.metadata.uid === pod.metadata.uid) {
      const changed = entry.pod.metadata.generation !== pod.metadata.generation || !isDeepStrictEqual(entry.pod.metadata.labels, pod.metadata.labels);
      entry.pod = pod;
      if (entry.state === 'unschedulable' && changed) this.#activate(entry);
      return;
    }
    const fresh: Entry = { pod, order: this.#order++, attempts: 0, failedAt: 0, state: 'active' };
    this.#entries.set(key, fresh);
    this.#activate(fresh);
  }

  remove(pod: Pod): void {
    this.#entries.delete(keyOf(pod));
  }

  /** The next pod to try; undefined: none for now. */
  take(): Pod | undefined {
    for (let entry = this.#active.pop(); entry; entry = this.#active.pop()) {
      if (this.#entries.get(keyOf(entry.pod)) !== entry || entry.state !== 'active') continue;
      entry.state = 'taken';
      entry.attempts++;
      return entry.pod;
    }
    return undefined;
  }

  /** The pod found no node. @param movesBefore what `moves` was when it was tried */
  failed(pod: Pod, { movesBefore }: { movesBefore: number }): void {
    const entry = this.#entries.get(keyOf(pod));
    if (!entry) return;
    entry.failedAt = this.#clock.now();
    if (this.#moves !== movesBefore) this.#backOff(entry);
    else {
      entry.state = 'unschedulable';
      this.#flush ??= this.#clock.schedule(FLUSH_MS, () => {
        this.#flush = undefined;
        this.moveAll();
      });
    }
  }

  /** The API server refused or could not be reached: try again after the delay. */
  again(pod: Pod): void {
    const entry = this.#entries.get(keyOf(pod));
    if (!entry) return;
    entry.failedAt = this.#clock.now();
    this.#backOff(entry);
  }

  /** Something has changed that may make room. */
  moveAll(): void {
    this.#moves++;
    for (const entry of this.#entries.values()) if (entry.state === 'unschedulable') this.#backOff(entry);
  }

  #backOff(entry: Entry): void {
    const delay = Math.min(INITIAL_BACK_OFF_MS * 2 ** Math.max(entry.attempts - 1, 0), MAX_BACK_OFF_MS);
    const left = entry.failedAt + delay - this.#clock.now();
    if (left <= 0) {
      this.#activate(entry);
      return;
    }
    entry.state = 'backOff';
    this.#clock.schedule(left, () => {
      if (entry.state === 'backOff' && this.#entries.get(keyOf(entry.pod)) === entry) this.#activate(entry);
    });
  }

  #activate(entry: Entry): void {
    entry.state = 'active';
    this.#active.push(entry);
    this.#wake();
  }
}
