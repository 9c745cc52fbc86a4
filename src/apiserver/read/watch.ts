import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest, ApiResponse, WatchEvent } from '../../api/request.ts';
import { expired } from '../../api/status.ts';
import type { Clock, Timer } from '../../lib/clock.ts';
import type { Rng } from '../../lib/rng.ts';
import { CompactedError } from '../../store/store.ts';
import type { ServedResource } from '../served-resource.ts';
import type { ObjectEvent, Storage } from '../storage/storage.ts';
import { type ListOptions, listOptions } from './list-options.ts';
import { readResourceVersion } from './resource-version.ts';
import { type Selection, selectionOf } from './selection.ts';

const BOOKMARK_INTERVAL_MS = 60_000;
/** Upstream picks a time limit between 30 and 60 minutes where the client names none (min-request-timeout). */
const DEFAULT_TIMEOUT_MS = 1_800_000;
/** Events that may wait for one client; a client that is slower than this is cut off, and resumes from where it was. */
const MAX_BUFFERED = 10_000;

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** The events of one watch, in order, kept until the client takes them. */
class WatchStream implements AsyncIterableIterator<WatchEvent> {
  readonly #queue: WatchEvent[] = [];
  #waiting: ((result: IteratorResult<WatchEvent>) => void) | undefined;
  #ended = false;
  readonly #onEnd: () => void;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  push(event: WatchEvent): void {
    if (this.#ended) return;
    if (this.#waiting) {
      const resolve = this.#waiting;
      this.#waiting = undefined;
      resolve({ value: event, done: false });
      return;
    }
    if (this.#queue.length >= MAX_BUFFERED) this.end();
    else this.#queue.push(event);
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onEnd();
    this.#waiting?.({ value: undefined, done: true });
    this.#waiting = undefined;
  }

  next(): Promise<IteratorResult<WatchEvent>> {
    const event = this.#queue.shift();
    if (event) return Promise.resolve({ value: event, done: false });
    if (this.#ended) return Promise.resolve({ value: undefined, done: true });
    return new Promise((resolve) => {
      this.#waiting = resolve;
    });
  }

  return(): Promise<IteratorResult<WatchEvent>> {
    this.end();
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}

export interface WatchSource {
  storage: Storage;
  clock: Clock;
  rng: Rng;
}

export async function watch(source: WatchSource, resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const { storage } = source;
  const { query, namespace = '' } = request;
  const options = listOptions({ ...query, watch: 'true' });
  const selection = selectionOf(resource, options, request.name);
  const version = readResourceVersion(options.resourceVersion, { of: 'get' });
  const timers: Timer[] = [];
  let stop = (): void => {};
  const stream = new WatchStream(() => {
    stop();
    for (const timer of timers) timer.cancel();
  });
  const startAt = version > 0 && !options.sendInitialEvents ? version : await sendCurrent(storage, resource, { namespace, selection, options, stream });
  try {
    const handle = storage.watch(resource, namespace, startAt, { onEvent: (event) => forward(selection, stream, event), onStopped: () => stream.end() });
    stop = () => handle.stop();
  } catch (error) {
    if (!(error instanceof CompactedError)) throw error;
    stream.push({ type: 'ERROR', object: expired(`too old resource version: ${version} (${error.compactRevision})`).status as unknown as KubeObject });
    stream.end();
    return { code: 200, watch: stream };
  }
  scheduleEnd(source, resource, { options, stream, timers });
  if (request.signal?.aborted) stream.end();
  else request.signal?.addEventListener('abort', () => stream.end(), { once: true });
  return { code: 200, watch: stream };
}

/** Sends what stands now as ADDED events; @returns the revision from which the changes follow. */
async function sendCurrent(
  storage: Storage,
  resource: ServedResource,
  { namespace, selection, options, stream }: { namespace: string; selection: Selection; options: ListOptions; stream: WatchStream },
): Promise<number> {
  const { sendInitialEvents, allowWatchBookmarks } = options;
  const { items, revision } = await storage.page(resource, namespace);
  // An explicit "false" asks for changes only, from now on.
  if (sendInitialEvents !== false) {
    for (const item of items) {
      const object = storage.open(resource, item);
      if (selection.matches(object)) stream.push({ type: 'ADDED', object });
    }
  }
  if (sendInitialEvents && allowWatchBookmarks) stream.push(bookmark(resource, revision, { [INITIAL_EVENTS_END]: 'true' }));
  return revision;
}

function bookmark(resource: ServedResource, revision: number, annotations?: Record<string, string>): WatchEvent {
  return {
    type: 'BOOKMARK',
    object: {
      kind: resource.facts.kind,
      apiVersion: resource.apiVersion,
      metadata: { resourceVersion: String(revision), ...(annotations ? { annotations } : {}) },
    },
  };
}

/** A change as the watcher's selection sees it: an object that comes to match is added, one that ceases to is deleted. */
function forward(selection: Selection, stream: WatchStream, event: ObjectEvent): void {
  const { object } = event;
  if (event.type === 'delete') {
    if (selection.matches(object)) stream.push({ type: 'DELETED', object });
    return;
  }
  if (selection.all) {
    stream.push({ type: event.previous ? 'MODIFIED' : 'ADDED', object });
    return;
  }
  const before = event.previous?.();
  const matched = before !== undefined && selection.matches(before);
  if (selection.matches(object)) stream.push({ type: matched ? 'MODIFIED' : 'ADDED', object });
  else if (matched) stream.push({ type: 'DELETED', object: { ...before, metadata: { ...before.metadata, resourceVersion: String(event.revision) } } });
}

function scheduleEnd(
  { clock, rng, storage }: WatchSource,
  resource: ServedResource,
  { options, stream, timers }: { options: ListOptions; stream: WatchStream; timers: Timer[] },
): void {
  const seconds = options.timeoutSeconds ?? 0;
  const limit = seconds > 0 ? seconds * 1000 : DEFAULT_TIMEOUT_MS * (1 + rng.float());
  timers.push(clock.schedule(limit, () => stream.end()));
  if (!options.allowWatchBookmarks) return;
  const again = (): void => {
    timers[1] = clock.schedule(BOOKMARK_INTERVAL_MS, () => {
      stream.push(bookmark(resource, storage.revision));
      again();
    });
  };
  again();
}
