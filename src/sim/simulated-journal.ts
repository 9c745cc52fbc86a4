import { type Clock, sleep } from '../lib/clock.ts';
import type { Rng } from '../lib/rng.ts';
import { type Change, type KeyValue, revisionOf, type Snapshot } from '../store/store.ts';
import type { Journal } from '../store/write-log.ts';

/** A batch that was cut off or failed. */
export interface Unanswered {
  changes: readonly Change[];
  /** Whether it is on the medium all the same. */
  kept: boolean;
}

/** A medium that outlives the stores over it: what a batch that was cut off or failed left on it is drawn by lot, whole or not at all. */
export class SimulatedMedium {
  readonly #clock: Clock;
  readonly #rng: Rng;
  readonly #items = new Map<string, KeyValue>();
  #revision = 0;
  #slowUntilMs = 0;
  #slowByMs = 0;
  #journal: SimulatedJournal | undefined;
  #unanswered: Unanswered | undefined;

  constructor(clock: Clock, rng: Rng) {
    this.#clock = clock;
    this.#rng = rng;
  }

  /** The last batch that nobody was told about. */
  get unanswered(): Unanswered | undefined {
    return this.#unanswered;
  }

  /** What is on it. */
  get snapshot(): Snapshot {
    return { revision: this.#revision, items: [...this.#items.values()] };
  }

  /** A journal that takes up from what is on it. */
  open(): Journal {
    const clock = this.#clock;
    this.#unanswered = undefined;
    this.#journal = new SimulatedJournal({
      appendMs: () => (clock.now() < this.#slowUntilMs ? this.#rng.integer(this.#slowByMs) : 0),
      keep: (changes) => this.#keep(changes),
      clock,
    });
    return this.#journal;
  }

  /** Makes each append take up to so long, for a while. */
  slow({ ms, forMs }: { ms: number; forMs: number }): void {
    this.#slowByMs = ms;
    this.#slowUntilMs = this.#clock.now() + forMs;
  }

  /** Ends the journal as a power cut does: nobody hears any more of what is under way. */
  cut(): void {
    const underWay = this.#journal?.abandon() ?? [];
    if (underWay.length > 0) this.#keepByLot(underWay);
  }

  /** Makes the next append fail, and all that may follow. */
  fail(): void {
    this.#journal?.failNext((changes) => this.#keepByLot(changes));
  }

  #keepByLot(changes: readonly Change[]): void {
    const kept = this.#rng.chance(0.5);
    if (kept) this.#keep(changes);
    this.#unanswered = { changes, kept };
  }

  #keep(changes: readonly Change[]): void {
    for (const change of changes) {
      // A medium has bytes, no objects.
      if (change.type === 'put') this.#items.set(change.item.key, { ...change.item, value: { bytes: change.item.value.bytes } });
      else this.#items.delete(change.key);
      this.#revision = revisionOf(change);
    }
  }
}

interface SimulatedJournalOptions {
  clock: Clock;
  appendMs: () => number;
  keep: (changes: readonly Change[]) => void;
}

class SimulatedJournal implements Journal {
  readonly #options: SimulatedJournalOptions;
  #underWay: Change[] = [];
  #abandoned = false;
  #failing: ((changes: readonly Change[]) => void) | undefined;

  constructor(options: SimulatedJournalOptions) {
    this.#options = options;
  }

  async append(changes: readonly Change[]): Promise<void> {
    const { clock, appendMs, keep } = this.#options;
    this.#underWay = [...changes];
    const ms = appendMs();
    if (ms > 0) await sleep(clock, ms);
    // The process that asked is no more.
    if (this.#abandoned) return new Promise(() => {});
    this.#underWay = [];
    if (this.#failing) {
      this.#failing(changes);
      throw new Error('input/output error');
    }
    keep(changes);
  }

  abandon(): readonly Change[] {
    this.#abandoned = true;
    return this.#underWay.splice(0);
  }

  failNext(then: (changes: readonly Change[]) => void): void {
    this.#failing = then;
  }

  async close(): Promise<void> {}
}
