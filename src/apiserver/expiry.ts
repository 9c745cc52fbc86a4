import type { KubeObject } from '../api/object.ts';
import { parseTime, type Timer } from '../lib/clock.ts';
import type { ApiContext } from './context.ts';
import type { ServedResource } from './registry.ts';

const SWEEP_MS = 60_000;

/**
 * Removes objects whose time is up (Events, after an hour). Upstream's etcd leases count from the last write; here the
 * latest time that the object itself tells counts, which is the same for whoever writes Events.
 */
export class Expiry {
  readonly #context: ApiContext;
  readonly #resources: readonly ServedResource[];
  #timer: Timer | undefined;

  constructor(context: ApiContext) {
    this.#context = context;
    this.#resources = context.registry.all().filter(({ behaviour, conversion }) => behaviour.ttlSeconds !== undefined && !conversion);
  }

  start(): void {
    this.#timer = this.#context.clock.schedule(SWEEP_MS, () => {
      this.start();
      void this.sweep();
    });
  }

  stop(): void {
    this.#timer?.cancel();
  }

  /** Looks once. An object that is written meanwhile stays. */
  async sweep(): Promise<void> {
    const { store, codec, clock } = this.#context;
    for (const { prefix, behaviour } of this.#resources) {
      const deadline = clock.now() - behaviour.ttlSeconds! * 1000;
      for (const item of (await store.list(prefix)).items) {
        if (lastTold(codec.object(item)) < deadline) await store.delete(item.key, item.revision);
      }
    }
  }
}

interface Told {
  firstTimestamp?: string | null;
  lastTimestamp?: string | null;
  eventTime?: string | null;
  series?: { lastObservedTime?: string | null };
}

function lastTold(object: KubeObject): number {
  const { firstTimestamp, lastTimestamp, eventTime, series } = object as KubeObject & Told;
  return Math.max(
    ...[object.metadata.creationTimestamp, firstTimestamp, lastTimestamp, eventTime, series?.lastObservedTime].map((time) => parseTime(time) ?? 0),
  );
}
