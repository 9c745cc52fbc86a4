import type { Clock } from '../../lib/clock.ts';

const TIMEOUT_MS = 300_000;

interface Expected {
  creations: number;
  deletions: Set<string>;
  since: number;
}

/**
 * Creates and deletes that were sent and that the cache has not shown yet. Until it has, a decision upon the cache would
 * be made twice. After five minutes they are given up, in case the cache will never show them.
 * Upstream: pkg/controller/controller_utils.go (UIDTrackingControllerExpectations).
 */
export class Expectations {
  readonly #clock: Clock;
  readonly #expected = new Map<string, Expected>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  met(key: string): boolean {
    const expected = this.#expected.get(key);
    if (!expected) return true;
    return (expected.creations <= 0 && expected.deletions.size === 0) || this.#clock.now() - expected.since > TIMEOUT_MS;
  }

  expectCreation(key: string): void {
    this.#entry(key).creations++;
  }

  expectDeletion(key: string, uid: string): void {
    this.#entry(key).deletions.add(uid);
  }

  creationSeen(key: string): void {
    const expected = this.#expected.get(key);
    if (expected && expected.creations > 0) expected.creations--;
  }

  deletionSeen(key: string, uid: string): void {
    this.#expected.get(key)?.deletions.delete(uid);
  }

  forget(key: string): void {
    this.#expected.delete(key);
  }

  /** Expectations of an earlier decision are met or given up by the time of the next, so they do not add up. */
  #entry(key: string): Expected {
    let entry = this.#expected.get(key);
    if (!entry || this.met(key)) {
      entry = { creations: 0, deletions: new Set(), since: this.#clock.now() };
      this.#expected.set(key, entry);
    }
    return entry;
  }
}
