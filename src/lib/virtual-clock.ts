import type { Clock, Timer } from './clock.ts';
import { Heap } from './heap.ts';

interface Entry {
  at: number;
  order: number;
  fire: (() => void) | undefined;
}

/**
 * A clock that moves only when told to, and only when everything else has come to rest: before each timer it lets one
 * turn of the event loop pass, in which every settled promise runs on; then it fires the single earliest timer (ties in
 * order of creation). A cluster on this clock does the same thing every time.
 */
export class VirtualClock implements Clock {
  #now: number;
  #order = 0;
  readonly #timers = new Heap<Entry>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));

  /** @param start milliseconds since the epoch; default 2026-01-01T00:00:00Z. */
  constructor(start = Date.UTC(2026, 0, 1)) {
    this.#now = start;
  }

  now(): number {
    return this.#now;
  }

  schedule(afterMs: number, fire: () => void): Timer {
    const entry: Entry = { at: this.#now + Math.max(afterMs, 0), order: this.#order++, fire };
    this.#timers.push(entry);
    return {
      cancel: () => {
        entry.fire = undefined;
      },
    };
  }

  /** Runs everything that is due within the next `ms` milliseconds, then stands `ms` later. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await this.#run(end, () => false);
    this.#now = end;
  }

  /**
   * Runs until `done` holds (asked after each step), at most `withinMs` milliseconds of virtual time.
   * @returns whether `done` held in time.
   */
  runUntil(done: () => boolean, withinMs: number): Promise<boolean> {
    return this.#run(this.#now + withinMs, done);
  }

  async #run(end: number, done: () => boolean): Promise<boolean> {
    for (;;) {
      await settle();
      if (done()) return true;
      const next = this.#next();
      if (!next || next.at > end) return false;
      this.#timers.pop();
      this.#now = next.at;
      next.fire?.();
    }
  }

  #next(): Entry | undefined {
    while (this.#timers.peek() && !this.#timers.peek()!.fire) this.#timers.pop();
    return this.#timers.peek();
  }
}

/** One turn of the event loop: every promise that can settle has done so. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
