import { setMaxListeners } from 'node:events';
import type { KubeObject, Resource } from '../../api/object.ts';
import type { Client } from '../../client/client.ts';
import type { EventRecorder } from '../../client/event-recorder.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { WorkQueue } from '../../client/work-queue.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import { controllerOf } from '../ownership.ts';
import type { Change, Controller, ExpectationRule, WatchRule } from './controller.ts';
import { type Execution, type ExecutionContext, type Expecting, execute } from './execute.ts';
import { Expectations } from './expectations.ts';
import { resourceId } from './served-resources.ts';

/** The wait after a first refusal. What the API server would not have becomes right by a change, which wakes the key by itself, or by time. */
const REFUSED_DELAY_MS = 1000;

export interface ShellOptions {
  client: Client;
  informers: InformerFactory;
  recorder: EventRecorder;
  clock: Clock;
  log: Log;
  /** Keys handled at the same time. Default 5. */
  workers?: number;
}

/** Something that runs from start() to stop(). */
export interface Runnable {
  readonly name: string;
  /** Ends with `signal` or with stop(), whichever comes first. */
  start(signal: AbortSignal): void;
  /** Resolves when the work in hand is done. */
  stop(): Promise<void>;
}

/** Runs one controller: informers fill its queue, workers observe, plan and execute, failures come back later and later. */
export class Shell<Snapshot> implements Runnable {
  readonly name: string;
  readonly #controller: Controller<Snapshot>;
  readonly #options: ShellOptions;
  readonly #queue: WorkQueue;
  readonly #expectations: Expectations;
  readonly #stop = new AbortController();
  /** The resources that `watchesAll` has come to, by id. */
  readonly #watched = new Map<string, Resource>();
  /** What plans wanted remembered, by key. */
  readonly #memory = new Map<string, unknown>();
  /** What own patches have made of objects whose cached state is older, by uid. */
  readonly #patched = new Map<string, KubeObject>();
  #workers: Promise<void>[] = [];

  /** Registers with the informers, which are to be started afterwards. */
  constructor(controller: Controller<Snapshot>, options: ShellOptions) {
    this.name = controller.name;
    this.#controller = controller;
    this.#options = options;
    this.#queue = new WorkQueue({ clock: options.clock });
    this.#expectations = new Expectations(options.clock);
    if (controller.expects) this.#watchExpected(controller.expects);
    for (const rule of controller.watches) this.#watch(rule);
    controller.watchesAll?.resources.onChange(() => this.#watchAll());
    this.#watchAll();
  }

  #watch({ resource, keys }: WatchRule): void {
    const take = (change: Change): void => {
      for (const key of keys(change)) this.#queue.add(key);
    };
    this.#options.informers.informer(resource).addHandler({
      added: (object) => take({ type: 'added', object }),
      updated: (old, object) => take({ type: 'updated', object, old }),
      deleted: (object) => take({ type: 'deleted', object }),
    });
  }

  /** Takes up the resources that have come to be served, and lets go of those that are no more. */
  #watchAll(): void {
    const { watchesAll } = this.#controller;
    if (!watchesAll) return;
    const served = new Map(watchesAll.resources.current().map((resource) => [resourceId(resource), resource]));
    for (const [id, resource] of this.#watched) {
      if (served.has(id)) continue;
      this.#watched.delete(id);
      this.#options.informers.forget(resource);
    }
    for (const [id, resource] of served) {
      if (this.#watched.has(id)) continue;
      this.#watched.set(id, resource);
      this.#watch(watchesAll.rule(resource));
    }
  }

  start(signal: AbortSignal): void {
    if (this.#workers.length > 0) return;
    // One listener for each controller, and for each worker, is no leak.
    setMaxListeners(0, signal, this.#stop.signal);
    signal.addEventListener('abort', () => this.#end(), { once: true });
    if (signal.aborted) this.#end();
    for (const key of this.#controller.initialKeys ?? []) this.#queue.add(key);
    this.#workers = Array.from({ length: this.#options.workers ?? 5 }, () => this.#work());
  }

  async stop(): Promise<void> {
    this.#end();
    await Promise.all(this.#workers);
  }

  /** Whether nothing waits and nothing is in hand; what is to be looked at later does not count. */
  get idle(): boolean {
    return this.#queue.idle;
  }

  /** Looks at the key, as if something had changed. */
  enqueue(key: string): void {
    this.#queue.add(key);
  }

  #end(): void {
    this.#stop.abort();
    this.#queue.shutDown();
  }

  async #work(): Promise<void> {
    await this.#untilSynced();
    for (let key = await this.#queue.get(); key !== undefined; key = await this.#queue.get()) {
      try {
        await this.#handle(key);
      } finally {
        this.#queue.done(key);
      }
    }
  }

  async #untilSynced(): Promise<void> {
    const { informers } = this.#options;
    const watched = [...this.#controller.watches.map(({ resource }) => resource), ...this.#watched.values()];
    const stopped = new Promise<void>((resolve) => {
      if (this.#stop.signal.aborted) resolve();
      this.#stop.signal.addEventListener('abort', () => resolve(), { once: true });
    });
    await Promise.race([stopped, Promise.all(watched.map((resource) => informers.informer(resource).whenSynced()))]);
  }

  async #handle(key: string): Promise<void> {
    const failure = await this.#sync(key);
    if (!failure) {
      this.#queue.forget(key);
      return;
    }
    this.#options.log.info(`${this.name}: ${key} failed, trying again`, { error: failure.error.message });
    this.#queue.addRateLimited(key, failure.refused ? REFUSED_DELAY_MS : undefined);
  }

  async #sync(key: string): Promise<Execution['failure']> {
    const { clock, client, recorder, log } = this.#options;
    try {
      const { expects } = this.#controller;
      const owner = expects?.ownerOf(key);
      const unmetForMs = owner === undefined ? 0 : this.#expectations.unmetForMs(owner);
      if (unmetForMs > 0) this.#queue.addAfter(key, unmetForMs);
      const snapshot = await this.#controller.observe(key, {
        now: clock.now(),
        expectationsMet: unmetForMs === 0,
        memory: this.#memory.get(key),
        latest: <T extends KubeObject>(object: T) => (this.#patched.get(object.metadata.uid!) as T | undefined) ?? object,
      });
      if (snapshot === undefined) {
        this.#memory.delete(key);
        return undefined;
      }
      const context: ExecutionContext = { client, recorder, log, stopped: () => this.#stop.signal.aborted };
      if (expects && owner !== undefined) context.expecting = this.#expecting(owner, expects);
      const { failure, requeueAfterMs, remember } = await execute(this.#controller.plan(snapshot), context);
      if (remember !== undefined) this.#memory.set(key, remember);
      if (requeueAfterMs !== undefined) this.#queue.addAfter(key, requeueAfterMs);
      return failure;
    } catch (error) {
      // A fault of ours, in observe or plan: say so loudly, and do not let one object stop the others.
      log.error(`${this.name}: cannot handle ${key}`, { error });
      return { error: error instanceof Error ? error : new Error(String(error)), refused: false };
    }
  }

  #watchExpected({ resource }: ExpectationRule): void {
    const shown = (object: KubeObject): void => {
      const patched = this.#patched.get(object.metadata.uid!);
      if (patched && !isNewer(patched, object)) this.#patched.delete(object.metadata.uid!);
    };
    const gone = (object: KubeObject): void => {
      const owner = controllerOf(object)?.uid;
      if (owner !== undefined) this.#expectations.deletionSeen(owner, object.metadata.uid!);
    };
    this.#options.informers.informer(resource).addHandler({
      added: (object) => {
        const owner = controllerOf(object)?.uid;
        if (owner !== undefined) this.#expectations.creationSeen(owner);
        if (object.metadata.deletionTimestamp) gone(object);
      },
      updated: (_, object) => {
        shown(object);
        if (object.metadata.deletionTimestamp) gone(object);
      },
      deleted: (object) => {
        this.#patched.delete(object.metadata.uid!);
        gone(object);
      },
    });
  }

  #expecting(owner: string, rule: ExpectationRule): Expecting {
    const expectations = this.#expectations;
    const cached = this.#options.informers.lister(rule.resource);
    const ours = (action: { resource: { group: string; resource: string } }): boolean =>
      action.resource.resource === rule.resource.resource && action.resource.group === rule.resource.group;
    return {
      creation: (action) => {
        if (ours(action)) expectations.expectCreation(owner);
      },
      creationFailed: (action) => {
        if (ours(action)) expectations.creationSeen(owner);
      },
      deletion: (action) => {
        if (ours(action)) expectations.expectDeletion(owner, action.uid);
      },
      deletionFailed: (action) => {
        if (ours(action)) expectations.deletionSeen(owner, action.uid);
      },
      patched: (action, object) => {
        if (!ours(action)) return;
        const { namespace = '', name = '', uid = '' } = object.metadata;
        const current = cached.get(namespace, name);
        if (current?.metadata.uid === uid && isNewer(object, current)) this.#patched.set(uid, object);
      },
    };
  }
}

function isNewer(a: KubeObject, b: KubeObject): boolean {
  return BigInt(a.metadata.resourceVersion ?? 0) > BigInt(b.metadata.resourceVersion ?? 0);
}
