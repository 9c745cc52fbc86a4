import type { Clock } from '../../lib/clock.ts';

const TIMEOUT_MS = 300_000;

interface Expected {
  creations: number;
  deletions: Set<string>;
  since: number;
}

/**
 * Creates and deletes that were sent and that the cache has not shown yet, by the uid of the owner: one that is made again
 * under the same name starts with none. Until the cache has shown them, a decision upon it would be made twice. After
 * five minutes they are given up, in case the cache will never show them.
 * Upstream: pkg/controller/controller_utils.go (UIDTrackingControllerExpectations).
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #expected = new Map<string, Expected>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** 0: the cache has shown everything, or it was given up; else the milliseconds until it will be. */
  unmetForMs(owner: string): number {
    const expected = this.#expected.get(owner);
    if (!expected) return 0;
    const left = expected.since + TIMEOUT_MS - this.#clock.now();
    if (left > 0) return left;
    this.#expected.delete(owner);
    return 0;
  }

  expectCreation(owner: string): void {
    this.#entry(owner).creations++;
  }

  expectDeletion(owner: string, uid: string): void {
    this.#entry(owner).deletions.add(uid);
  }

  creationSeen(owner: string): void {
    const expected = this.#expected.get(owner);
    if (!expected) return;
    expected.creations = Math.max(0, expected.creations - 1);
    this.#drop(owner, expected);
  }

  deletionSeen(owner: string, uid: string): void {
    const expected = this.#expected.get(owner);
    if (!expected) return;
    expected.deletions.delete(uid);
    this.#drop(owner, expected);
  }

  #drop(owner: string, { creations, deletions }: Expected): void {
    if (creations === 0 && deletions.size === 0) this.#expected.delete(owner);
  }

  #entry(owner: string): Expected {
    let entry = this.#expected.get(owner);
    if (!entry) {
      entry = { creations: 0, deletions: new Set(), since: this.#clock.now() };
      this.#expected.set(owner, entry);
    }
    return entry;
  }
}
