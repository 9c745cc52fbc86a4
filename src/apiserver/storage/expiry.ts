import type { KubeObject } from '../../api/object.ts';
import { type Clock, parseTime, type Timer } from '../../lib/clock.ts';
import type { Registry } from '../registry.ts';
import type { Storage } from './storage.ts';

const SWEEP_MS = 60_000;

/**
 * Removes objects whose time is up (Events, after an hour). Upstream's etcd leases count from the last write; here the
 * latest time that the object itself tells counts, which is the same for whoever writes Events.
 */
export class Expiry {
  readonly #registry: Registry;
  readonly #storage: Storage;
  readonly #clock: Clock;
  #timer: Timer | undefined;

  constructor({ registry, storage, clock }: { registry: Registry; storage: Storage; clock: Clock }) {
    this.#registry = registry;
    this.#storage = storage;
    this.#clock = clock;
  }

  start(): void {
    this.#timer = this.#clock.schedule(SWEEP_MS, () => {
      this.start();
      void this.sweep();
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Looks once. An object that is written meanwhile stays. */
  async sweep(): Promise<void> {
    for (const resource of this.#registry.all()) {
      const { ttlSeconds, storedAs } = resource.behaviour;
      if (ttlSeconds === undefined || storedAs) continue;
      const deadline = this.#clock.now() - ttlSeconds * 1000;
      for (const object of await this.#storage.all(resource)) {
        const { namespace = '', name = '', resourceVersion } = object.metadata;
        if (lastMentioned(object) < deadline) await this.#storage.delete(resource, { namespace, name }, Number(resourceVersion));
      }
    }
  }
}

interface Mentions {
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  series?: { lastObservedTime?: string | null };
}

/** The latest time that an Event itself tells. */
function lastMentioned(object: KubeObject): number {
  const { firstTimestamp, lastTimestamp, eventTime, series } = object as KubeObject & Mentions;
  return Math.max(
    ...[object.metadata.creationTimestamp, firstTimestamp, lastTimestamp, eventTime, series?.lastObservedTime].map((time) => parseTime(time) ?? 0),
  );
}
