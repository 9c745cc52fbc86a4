import type { Clock, Timer } from '../lib/clock.ts';

export interface WorkQueueOptions {
  clock: Clock;
  /** The wait after the first failure of a key; it doubles with each further one. Default 5 ms. */
  baseDelayMs?: number;
  /** Default 1000 s. */
  maxDelayMs?: number;
  /** Failures of all keys together that may be retried per second, beyond a burst. Default 10. */
  retriesPerSecond?: number;
  /** Default 100. */
  retryBurst?: number;
}

/**
 * Keys that wait to be handled. A key waits at most once, however often it is added, and is never handed out while it
 * is being handled: added meanwhile, it comes again after done(). Upstream: client-go/util/workqueue with
 * DefaultTypedControllerRateLimiter.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #baseDelayMs: number;
  readonly #maxDelayMs: number;
  readonly #retriesPerMs: number;
  readonly #retryBurst: number;
  readonly #waiting = new Set<string>();
  readonly #handled = new Set<string>();
  readonly #again = new Set<string>();
  readonly #delayed = new Map<string, { at: number; timer: Timer }>();
  readonly #failures = new Map<string, number>();
  readonly #takers: ((key: string | undefined) => void)[] = [];
  #tokens: number;
  #tokensAt: number;
  #shutDown = false;

  constructor({ clock, baseDelayMs = 5, maxDelayMs = 1_000_000, retriesPerSecond = 10, retryBurst = 100 }: WorkQueueOptions) {
    this.#clock = clock;
    this.#baseDelayMs = baseDelayMs;
    this.#maxDelayMs = maxDelayMs;
    this.#retriesPerMs = retriesPerSecond / 1000;
    this.#retryBurst = retryBurst;
    this.#tokens = retryBurst;
    this.#tokensAt = clock.now();
  }

  /** Keys that wait, without those that are delayed or being handled. */
  get length(): number {
    return this.#waiting.size;
  }

  /** Whether nothing waits and nothing is being handled. Delayed keys do not count. */
  get idle(): boolean {
    return this.#waiting.size === 0 && this.#handled.size === 0;
  }

  add(key: string): void {
    if (this.#shutDown) return;
    if (this.#handled.has(key)) {
      this.#again.add(key);
      return;
    }
    const taker = this.#waiting.has(key) ? undefined : this.#takers.shift();
    if (taker) {
      this.#handled.add(key);
      taker(key);
    } else this.#waiting.add(key);
  }

  /** Adds the key `delayMs` milliseconds from now; of several such calls the earliest moment counts. */
  addAfter(key: string, delayMs: number): void {
    if (this.#shutDown) return;
    if (delayMs <= 0) {
      this.add(key);
      return;
    }
    const at = this.#clock.now() + delayMs;
    const known = this.#delayed.get(key);
    if (known && known.at <= at) return;
    known?.timer.cancel();
    const timer = this.#clock.schedule(delayMs, () => {
      this.#delayed.delete(key);
      this.add(key);
    });
    this.#delayed.set(key, { at, timer });
  }

  /**
   * Adds the key after a failure: 5 ms, 10 ms, … later, and later still when many keys fail.
   * @param baseDelayMs the wait if it is the first failure.
   */
  addRateLimited(key: string, baseDelayMs = this.#baseDelayMs): void {
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    this.addAfter(key, Math.max(Math.min(baseDelayMs * 2 ** failures, this.#maxDelayMs), this.#bucketDelayMs()));
  }

  /** The key's next failure counts as its first. */
  forget(key: string): void {
    this.#failures.delete(key);
  }

  failuresOf(key: string): number {
    return this.#failures.get(key) ?? 0;
  }

  /** The next key, when there is one; undefined after shutDown(). Call done() with it afterwards. */
  get(): Promise<string | undefined> {
    if (this.#shutDown) return Promise.resolve(undefined);
    for (const key of this.#waiting) {
      this.#waiting.delete(key);
      this.#handled.add(key);
      return Promise.resolve(key);
    }
    return new Promise((resolve) => this.#takers.push(resolve));
  }

  done(key: string): void {
    this.#handled.delete(key);
    if (this.#again.delete(key)) this.add(key);
  }

  /** Everybody who waits for a key gets undefined; nothing more is handed out. */
  shutDown(): void {
    this.#shutDown = true;
    for (const { timer } of this.#delayed.values()) timer.cancel();
    this.#delayed.clear();
    this.#waiting.clear();
    this.#again.clear();
    for (const taker of this.#takers.splice(0)) taker(undefined);
  }

  #bucketDelayMs(): number {
    const now = this.#clock.now();
    this.#tokens = Math.min(this.#retryBurst, this.#tokens + (now - this.#tokensAt) * this.#retriesPerMs);
    this.#tokensAt = now;
    this.#tokens -= 1;
    return this.#tokens >= 0 ? 0 : -this.#tokens / this.#retriesPerMs;
  }
}
