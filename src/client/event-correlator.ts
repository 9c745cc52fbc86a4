import type { Clock } from '../lib/clock.ts';

/** What an event says, without its bookkeeping. */
export interface EventFacts {
  type: string;
  reason: string;
  message: string;
}

/** What becomes of an event after its correlation with earlier ones. */
export interface Correlation {
  message: string;
  /** The series that the event belongs to, this event counted. */
  series: EventSeries;
}

/** Equal (or combined) events: one stored object with a count. */
export interface EventSeries {
  /** All occurrences, those that were dropped included. */
  count: number;
  firstAt: number;
  /** Where it is stored, if it is: set by whoever stores it. */
  stored?: { namespace: string; name: string };
}

/** The object an event is about, as far as it tells series apart. */
export interface EventSubject {
  /** The object itself. */
  object: string;
  fieldPath: string;
}

interface Similar {
  messages: Set<string>;
  lastAt: number;
}

/** Counted in the milliseconds that a token takes to come back, so that nothing is lost to rounding. */
interface Bucket {
  budgetMs: number;
  at: number;
}

const CACHE_SIZE = 4096;
const SIMILAR_LIMIT = 10;
const SIMILAR_WINDOW_MS = 600_000;
const SPAM_BURST = 25;
const SPAM_REFILL_MS = 300_000;

/**
 * Decides, as upstream does, which events are dropped, which are counted up and which are combined: a token bucket for
 * each object (25, then one in five minutes), a count for equal events, and one combined event after ten different
 * messages of the same reason within ten minutes. Upstream: client-go/tools/record/events_cache.go.
 */
export class EventCorrelator {
  readonly #clock: Clock;
  readonly #similar = new Map<string, Similar>();
  readonly #series = new Map<string, EventSeries>();
  readonly #buckets = new Map<string, Bucket>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @returns undefined where the event is to be dropped. */
  correlate({ object, fieldPath }: EventSubject, { type, reason, message }: EventFacts): Correlation | undefined {
    const similarKey = JSON.stringify([object, type, reason]);
    const combined = this.#combine(similarKey, message);
    const key = combined ? similarKey : JSON.stringify([object, fieldPath, type, reason, message]);
    const series: EventSeries = this.#series.get(key) ?? { count: 0, firstAt: this.#clock.now() };
    series.count++;
    remember(this.#series, key, series);
    if (!this.#allowed(object)) return undefined;
    return { message: combined ? `(combined from similar events): ${message}` : message, series };
  }

  #combine(similarKey: string, message: string): boolean {
    const now = this.#clock.now();
    const known = this.#similar.get(similarKey);
    const record: Similar = known && now - known.lastAt <= SIMILAR_WINDOW_MS ? known : { messages: new Set(), lastAt: now };
    record.messages.add(message);
    record.lastAt = now;
    remember(this.#similar, similarKey, record);
    if (record.messages.size < SIMILAR_LIMIT) return false;
    for (const oldest of record.messages) {
      record.messages.delete(oldest);
      break;
    }
    return true;
  }

  #allowed(objectKey: string): boolean {
    const now = this.#clock.now();
    const known = this.#buckets.get(objectKey) ?? { budgetMs: SPAM_BURST * SPAM_REFILL_MS, at: now };
    const budgetMs = Math.min(SPAM_BURST * SPAM_REFILL_MS, known.budgetMs + now - known.at);
    const allowed = budgetMs >= SPAM_REFILL_MS;
    remember(this.#buckets, objectKey, { budgetMs: allowed ? budgetMs - SPAM_REFILL_MS : budgetMs, at: now });
    return allowed;
  }
}

/** Sets the entry as the youngest and drops the eldest beyond the size of the cache. */
function remember<V>(cache: Map<string, V>, key: string, value: V): void {
  cache.delete(key);
  cache.set(key, value);
  if (cache.size <= CACHE_SIZE) return;
  for (const eldest of cache.keys()) {
    cache.delete(eldest);
    break;
  }
}
