import type { ApiRequest, ApiResponse, Transport, Watch, WatchEvent } from '../api/request.ts';
import { type Clock, sleep } from '../lib/clock.ts';

/** What befalls one request. */
export type Disturbance =
  /** It never reaches the server. */
  | { type: 'refuse'; error: Error; afterMs?: number }
  /** It is carried out, and the caller is told that it failed. */
  | { type: 'loseAnswer'; error: Error; afterMs?: number }
  /** It is carried out later. */
  | { type: 'delay'; ms: number };

/** Asked about every request; undefined lets it pass. */
export type Disturb = (request: ApiRequest, component: string) => Disturbance | undefined;

/** Told of each request that reaches the server, before it does and when it is done. */
export interface TransportObserver {
  began(request: ApiRequest, component: string): void;
  ended(request: ApiRequest, component: string): void;
}

export interface FaultyTransportOptions {
  server: Transport;
  clock: Clock;
  component: string;
  disturb?: Disturb;
  observer?: TransportObserver;
}

/** The process at this end of the connection has ended. */
export class Disconnected extends Error {
  constructor() {
    super('the connection to the API server is gone');
    this.name = 'Disconnected';
  }
}

/** Between a component and the API server: the place where a network goes wrong. */
export class FaultyTransport implements Transport {
  readonly component: string;
  readonly #options: FaultyTransportOptions;
  readonly #watches = new Set<InterruptibleWatch>();
  readonly #stalledUntil = new Map<string, number>();
  readonly #lags = new Map<string, { ms: number; untilMs: number }>();
  #dead = false;

  constructor(options: FaultyTransportOptions) {
    this.#options = options;
    this.component = options.component;
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    this.#checkAlive();
    const { clock, disturb } = this.#options;
    const disturbance = disturb?.(request, this.component);
    if (!disturbance) return this.#perform(request);
    if (disturbance.type === 'delay') {
      await sleep(clock, disturbance.ms);
      return this.#perform(request);
    }
    if (disturbance.type === 'loseAnswer') {
      await this.#perform(request).then(
        (response) => void response.watch?.[Symbol.asyncIterator]().return?.(),
        () => {}, // The caller learns of a failure in any case, only of another one.
      );
    }
    if (disturbance.afterMs) await sleep(clock, disturbance.afterMs);
    throw disturbance.error;
  }

  /** Ends the watches of a resource, or all. Those who watch resume from where they were. */
  cutWatches(resource?: string): void {
    for (const watch of [...this.#watches]) if (resource === undefined || watch.resource === resource) watch.cut();
  }

  /** Holds back what the watches of a resource (or all: `*`) have to tell, for so long. */
  stall(resource: string, ms: number): void {
    this.#stalledUntil.set(resource, Math.max(this.#stalledUntil.get(resource) ?? 0, this.#options.clock.now() + ms));
  }

  /** Makes each event of the watches of a resource (or all: `*`) take so long, for a while. */
  lag(resource: string, { ms, forMs }: { ms: number; forMs: number }): void {
    this.#lags.set(resource, { ms, untilMs: this.#options.clock.now() + forMs });
  }

  /** As when the component's process is killed: nothing more is sent, and nobody hears the answers to what has been sent. */
  kill(): void {
    this.#dead = true;
    this.cutWatches();
  }

  async #perform(request: ApiRequest): Promise<ApiResponse> {
    this.#checkAlive();
    const { server, observer } = this.#options;
    observer?.began(request, this.component);
    let response: ApiResponse;
    try {
      response = await server.request(request);
    } finally {
      observer?.ended(request, this.component);
    }
    this.#checkAlive();
    return response.watch ? { ...response, watch: this.#interruptible(request.resource, response.watch) } : response;
  }

  #checkAlive(): void {
    if (this.#dead) throw new Disconnected();
  }

  #interruptible(resource: string, source: Watch): Watch {
    const watch = new InterruptibleWatch({
      resource,
      source,
      clock: this.#options.clock,
      delayMs: () => this.#delayMs(resource),
      ended: () => void this.#watches.delete(watch),
    });
    this.#watches.add(watch);
    return watch;
  }

  #delayMs(resource: string): number {
    const now = this.#options.clock.now();
    let delayMs = 0;
    for (const which of [resource, '*']) {
      const lag = this.#lags.get(which);
      if (lag && lag.untilMs > now) delayMs = Math.max(delayMs, lag.ms);
      delayMs = Math.max(delayMs, (this.#stalledUntil.get(which) ?? 0) - now);
    }
    return delayMs;
  }
}

interface InterruptibleWatchOptions {
  resource: string;
  source: Watch;
  /** How long the event that comes next is held back. */
  delayMs: () => number;
  clock: Clock;
  ended: () => void;
}

/** A watch that can be cut, and held back for a while. What was held back when it is cut is lost; the server tells it again. */
class InterruptibleWatch implements AsyncIterableIterator<WatchEvent> {
  readonly resource: string;
  readonly #source: AsyncIterator<WatchEvent>;
  readonly #options: InterruptibleWatchOptions;
  readonly #cut: Promise<IteratorResult<WatchEvent>>;
  #end: () => void = () => {};

  constructor(options: InterruptibleWatchOptions) {
    this.#options = options;
    this.resource = options.resource;
    this.#source = options.source[Symbol.asyncIterator]();
    this.#cut = new Promise((resolve) => {
      this.#end = () => resolve({ value: undefined, done: true });
    });
  }

  cut(): void {
    this.#end();
    void this.return();
  }

  next(): Promise<IteratorResult<WatchEvent>> {
    return Promise.race([this.#cut, this.#take()]);
  }

  async return(): Promise<IteratorResult<WatchEvent>> {
    this.#options.ended();
    await this.#source.return?.();
    return { value: undefined, done: true };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async #take(): Promise<IteratorResult<WatchEvent>> {
    const result = await this.#source.next();
    const { clock, delayMs } = this.#options;
    const ms = delayMs();
    if (ms > 0) await sleep(clock, ms);
    if (result.done) this.#options.ended();
    return result;
  }
}
