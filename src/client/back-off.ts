import type { Clock } from '../lib/clock.ts';
import type { Rng } from '../lib/rng.ts';

export interface BackOffOptions {
  initialMs: number;
  maxMs: number;
  /** Idle for this long, the next wait is the initial one again. */
  resetAfterMs: number;
}

/** Waits that double up to a limit, each made longer by a random part of itself. */
export class BackOff {
  readonly #clock: Clock;
  readonly #rng: Rng;
  readonly #options: BackOffOptions;
  #nextMs: number;
  #lastAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, rng: Rng, options: BackOffOptions) {
    this.#clock = clock;
    this.#rng = rng;
    this.#options = options;
    this.#nextMs = options.initialMs;
  }

  /** Milliseconds to wait before the next attempt. */
  next(): number {
    const now = this.#clock.now();
    if (now - this.#lastAt > this.#options.resetAfterMs) this.#nextMs = this.#options.initialMs;
    this.#lastAt = now;
    const wait = this.#nextMs * (1 + this.#rng.float());
    this.#nextMs = Math.min(this.#nextMs * 2, this.#options.maxMs);
    return wait;
  }
}
