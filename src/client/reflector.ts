import type { KubeList, KubeObject } from '../api/object.ts';
import type { WatchEvent } from '../api/request.ts';
import { hasReason, type Status, StatusError } from '../api/status.ts';
import type { Clock } from '../lib/clock.ts';
import { sleep } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Rng } from '../lib/rng.ts';
import { BackOff } from './back-off.ts';
import type { ResourceClient } from './client.ts';

/** Receives what a Reflector sees. Calls are synchronous and in order. */
export interface ReflectorSink<T> {
  /** The whole state, after a list. */
  replace(items: readonly T[]): void;
  /** One change since. */
  apply(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void;
}

export interface ReflectorOptions<T extends KubeObject> {
  client: ResourceClient<T>;
  sink: ReflectorSink<T>;
  clock: Clock;
  rng: Rng;
  log: Log;
  namespace?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

const MIN_WATCH_SECONDS = 300;
const SHORT_WATCH_MS = 1000;

/**
 * Follows one resource: a list, then watches, each from where the last one ended. A watch that is refused as too old
 * leads to a new list; every other failure to a wait (0.8 s doubling to 30 s, with jitter) and a new attempt from the
 * same point. Upstream: client-go/tools/cache/reflector.go.
 */
export class Reflector<T extends KubeObject> {
  readonly #options: ReflectorOptions<T>;
  readonly #backOff: BackOff;
  #resourceVersion = '';
  #listFrom = '0';

  constructor(options: ReflectorOptions<T>) {
    this.#options = options;
    this.#backOff = new BackOff(options.clock, options.rng, { initialMs: 800, maxMs: 30_000, resetAfterMs: 120_000 });
  }

  /** Resolves after `signal` has aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#list();
        await this.#watchUntilExpired(signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#report('list', error);
        if (isExpired(error)) this.#listFrom = '';
      }
      await this.#pause(signal);
    }
  }

  async #list(): Promise<void> {
    const { client, sink } = this.#options;
    const list: KubeList<T> = await client.list({ ...this.#scope(), resourceVersion: this.#listFrom });
    sink.replace(list.items);
    this.#advance(list.metadata.resourceVersion);
  }

  async #watchUntilExpired(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (await this.#watchOnce(signal)) continue;
      } catch (error) {
        if (signal.aborted) return;
        if (isExpired(error)) {
          this.#listFrom = '';
          return;
        }
        this.#report('watch', error);
      }
      await this.#pause(signal);
    }
  }

  /** @returns false where the watch ended at once with nothing seen, so that the next one should wait. */
  async #watchOnce(signal: AbortSignal): Promise<boolean> {
    const { client, clock, rng } = this.#options;
    const startedAt = clock.now();
    const timeoutSeconds = MIN_WATCH_SECONDS + rng.integer(MIN_WATCH_SECONDS);
    const events = await client.watch({ ...this.#scope(), resourceVersion: this.#resourceVersion, allowWatchBookmarks: true, timeoutSeconds, signal });
    let seen = 0;
    for await (const event of events) {
      if (signal.aborted) break;
      this.#take(event);
      seen++;
    }
    return seen > 0 || clock.now() - startedAt >= SHORT_WATCH_MS;
  }

  #take({ type, object }: WatchEvent<T>): void {
    if (type === 'ERROR') throw StatusError.from(object as unknown as Status);
    if (type !== 'BOOKMARK') this.#options.sink.apply(type, object);
    this.#advance(object.metadata.resourceVersion);
  }

  #advance(resourceVersion: string | undefined): void {
    if (!resourceVersion) return;
    this.#resourceVersion = resourceVersion;
    this.#listFrom = resourceVersion;
  }

  #scope(): { namespace?: string; labelSelector?: string; fieldSelector?: string } {
    const { namespace, labelSelector, fieldSelector } = this.#options;
    return { ...(namespace ? { namespace } : {}), ...(labelSelector ? { labelSelector } : {}), ...(fieldSelector ? { fieldSelector } : {}) };
  }

  #pause(signal: AbortSignal): Promise<void> {
    return sleep(this.#options.clock, this.#backOff.next(), signal);
  }

  #report(what: string, error: unknown): void {
    const { client, log } = this.#options;
    log.info(`${what} of ${client.resource.resource} failed, trying again`, { error: error instanceof Error ? error.message : String(error) });
  }
}

function isExpired(error: unknown): boolean {
  return hasReason(error, 'Expired') || hasReason(error, 'Gone') || (error instanceof StatusError && error.code === 410);
}
