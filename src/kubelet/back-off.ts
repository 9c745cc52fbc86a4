/** How long something waits after each of its failures (upstream: client-go/util/flowcontrol.Backoff). */
export interface BackOffEntry {
  delayMs: number;
  /** When the delay was last set. */
  updatedAt: number;
}

const INITIAL_MS = 10_000;
const MAX_MS = 300_000;
/** An entry whose last change lies further back than this has no effect any more. */
const EXPIRY_MS = 2 * MAX_MS;

/** Doubling delays by key: 10 s, 20 s … 300 s. */
export class BackOffTable {
  readonly #entries = new Map<string, BackOffEntry>();

  /** The delay in force for what happened at `eventAt`; undefined: none. */
  delayFor(key: string, eventAt: number): number | undefined {
    const entry = this.#entries.get(key);
    return entry && eventAt - entry.updatedAt <= EXPIRY_MS ? entry.delayMs : undefined;
  }

  /** Notes that what happened at `eventAt` is answered at `now`: the next delay is twice this one. */
  next(key: string, { eventAt, now }: { eventAt: number; now: number }): void {
    const delay = this.delayFor(key, eventAt);
    this.#entries.set(key, { delayMs: delay === undefined ? INITIAL_MS : Math.min(2 * delay, MAX_MS), updatedAt: now });
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }
}
