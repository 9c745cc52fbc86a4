import type { Event, ObjectReference } from '../api/generated/types/core.v1.ts';
import type { KubeObject } from '../api/object.ts';
import { Events } from '../api/resources.ts';
import { hasReason, StatusError } from '../api/status.ts';
import { type Clock, sleep, timestamp } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Rng } from '../lib/rng.ts';
import type { Client, ResourceClient } from './client.ts';
import { type Correlation, EventCorrelator } from './event-correlator.ts';

export type EventType = 'Normal' | 'Warning';

/** What an event tells about its object. */
export interface EventNote {
  type: EventType;
  reason: string;
  message: string;
  /** A part of the object, e.g. `spec.containers{app}`. */
  fieldPath?: string;
}

/** Takes events; never fails and never waits. */
export interface EventRecorder {
  event(involved: KubeObject, note: EventNote): void;
}

export interface StoredEventRecorderOptions {
  client: Client;
  clock: Clock;
  /** Shared by the recorders of a process. */
  instants: EventInstants;
  log: Log;
  /** `source.component`, e.g. `deployment-controller`. */
  component: string;
  /** `source.host`, for what runs on a node. */
  host?: string;
  /** Ends the waits between attempts. */
  signal?: AbortSignal;
}

const QUEUE_LIMIT = 1000;
const ATTEMPTS = 12;
const RETRY_MS = 10_000;
const MAX_NAME = 253;

/**
 * Writes core/v1 Events, one after another in the background, counted and combined by an EventCorrelator. An event that
 * the server refuses is dropped; where the server cannot be reached it is tried again (12 times, 10 s apart); beyond
 * 1000 waiting events, new ones are dropped. Upstream: client-go/tools/record/event.go.
 */
export class StoredEventRecorder implements EventRecorder {
  readonly #options: StoredEventRecorderOptions;
  readonly #client: ResourceClient<Event>;
  readonly #correlator: EventCorrelator;
  #written: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(options: StoredEventRecorderOptions) {
    this.#options = options;
    this.#client = options.client.resource(Events);
    this.#correlator = new EventCorrelator(options.clock);
  }

  event(involved: KubeObject, note: EventNote): void {
    if (this.#waiting >= QUEUE_LIMIT) return;
    this.#waiting++;
    const at = this.#options.clock.now();
    this.#written = this.#written.then(async () => {
      try {
        await this.#write(referenceTo(involved, note.fieldPath), note, at);
      } catch (error) {
        this.#options.log.info('event dropped', { reason: note.reason, error: error instanceof Error ? error.message : String(error) });
      } finally {
        this.#waiting--;
      }
    });
  }

  /** Resolves when all events so far have been written or dropped. */
  async flush(): Promise<void> {
    await this.#written;
  }

  async #write(involvedObject: ObjectReference, note: EventNote, at: number): Promise<void> {
    const { resourceVersion: _, fieldPath = '', ...object } = involvedObject;
    const correlation = this.#correlator.correlate({ object: JSON.stringify(object), fieldPath }, note);
    if (!correlation) return;
    for (let attempt = 1; ; attempt++) {
      try {
        await this.#store(correlation, involvedObject, note, at);
        return;
      } catch (error) {
        if (error instanceof StatusError || attempt === ATTEMPTS || this.#options.signal?.aborted) throw error;
        await sleep(this.#options.clock, RETRY_MS, this.#options.signal);
      }
    }
  }

  async #store({ series, message }: Correlation, involvedObject: ObjectReference, note: EventNote, at: number): Promise<void> {
    const { count, firstAt, stored } = series;
    if (stored) {
      try {
        await this.#client.patch(stored.namespace, stored.name, { count, lastTimestamp: timestamp(at), message }, 'application/strategic-merge-patch+json');
        return;
      } catch (error) {
        if (!hasReason(error, 'NotFound')) throw error;
      }
    }
    const name = stored?.name ?? this.#name(involvedObject.name ?? '', at);
    const namespace = involvedObject.namespace || 'default';
    const { component, host } = this.#options;
    await this.#client.create({
      metadata: { name, namespace },
      involvedObject,
      reason: note.reason,
      message,
      source: { component, ...(host ? { host } : {}) },
      firstTimestamp: timestamp(firstAt),
      lastTimestamp: timestamp(at),
      count,
      type: note.type,
      reportingComponent: component,
      reportingInstance: host ?? '',
    });
    series.stored = { namespace, name };
  }

  /** `<object's name>.<nanoseconds since the epoch in hex>` */
  #name(objectName: string, at: number): string {
    const suffix = `.${this.#options.instants.next(at).toString(16)}`;
    return objectName.slice(0, MAX_NAME - suffix.length) + suffix;
  }
}

/**
 * Instants in nanoseconds, each later than the one before, so that the names of events sort in the order in which they
 * happened, whoever told them. What the clock cannot tell begins somewhere at random: another process draws other names.
 */
export class EventInstants {
  readonly #offset: bigint;
  #last = 0n;

  constructor(rng: Rng) {
    this.#offset = BigInt(rng.integer(500_000));
  }

  /** @param atMs milliseconds since the epoch */
  next(atMs: number): bigint {
    const at = BigInt(Math.floor(atMs)) * 1_000_000n + this.#offset;
    this.#last = at > this.#last ? at : this.#last + 1n;
    return this.#last;
  }
}

/** Throws every event away. */
export const noEvents: EventRecorder = { event: () => {} };

function referenceTo({ apiVersion, kind, metadata }: KubeObject, fieldPath: string | undefined): ObjectReference {
  const { namespace, name, uid, resourceVersion } = metadata;
  return {
    kind,
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
    ...(uid ? { uid } : {}),
    apiVersion,
    ...(resourceVersion ? { resourceVersion } : {}),
    ...(fieldPath ? { fieldPath } : {}),
  };
}
