import { isDeepStrictEqual } from 'node:util';
import type { Namespace, Node, Pod } from '../api/generated/types/core.v1.ts';
import type { PodDisruptionBudget } from '../api/generated/types/policy.v1.ts';
import { keyOf } from '../api/object.ts';
import { Pods } from '../api/resources.ts';
import type { Client } from '../client/client.ts';
import type { EventRecorder } from '../client/event-recorder.ts';
import type { Informer } from '../client/informer.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Rng } from '../lib/rng.ts';
import { ClusterCache } from './cluster-cache.ts';
import { type Decision, decide } from './decision.ts';
import { podInfo } from './node-info.ts';
import { type BindingOutcome, PodWriter } from './pod-writer.ts';
import type { Plugins } from './schedule.ts';
import { SchedulingQueue } from './scheduling-queue.ts';
import { type StorageInformers, VolumeBinder } from './volume-binder.ts';

export interface SchedulerOptions {
  client: Client;
  clock: Clock;
  rng: Rng;
  log: Log;
  recorder: EventRecorder;
  /** Started by whoever owns them. */
  pods: Informer<Pod>;
  nodes: Informer<Node>;
  /** For affinity terms that select namespaces by their labels. */
  namespaces?: Informer<Namespace>;
  /** Whom preemption would rather spare. */
  budgets?: Informer<PodDisruptionBudget>;
  /** Left out: nothing is asked of volumes. */
  storage?: StorageInformers;
  /** Pods that name another scheduler are left alone. Default `default-scheduler`. */
  name?: string;
  /** Default: upstream's. */
  plugins?: Plugins;
}

const isOver = ({ status }: Pod): boolean => status.phase === 'Succeeded' || status.phase === 'Failed';

/** Finds a node for each pod that has none, and binds it (upstream: pkg/scheduler). */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #writer: PodWriter;
  readonly #name: string;
  readonly #cache = new ClusterCache();
  readonly #queue: SchedulingQueue;
  readonly #volumes: VolumeBinder | undefined;
  #startAt = 0;
  #busy = false;
  #stopped = true;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#name = options.name ?? 'default-scheduler';
    const { client, recorder, clock, log, storage } = options;
    this.#volumes = storage ? new VolumeBinder({ client, clock, informers: storage }) : undefined;
    this.#writer = new PodWriter({ pods: client.resource(Pods), recorder, clock, log });
    this.#queue = new SchedulingQueue(clock, () => this.#wake());
  }

  /** Begins once the informers have their first lists. */
  async start(signal: AbortSignal): Promise<void> {
    const { pods, nodes, namespaces, budgets, storage } = this.#options;
    await Promise.all([pods, nodes, namespaces, budgets, storage?.claims, storage?.volumes, storage?.classes].map((informer) => informer?.whenSynced()));
    if (signal.aborted) return;
    signal.addEventListener('abort', () => this.stop(), { once: true });
    this.#stopped = false;
    nodes.addHandler({
      added: (node) => {
        this.#cache.setNode(node);
        this.#queue.moveAll();
      },
      updated: (old, node) => {
        this.#cache.setNode(node);
        if (mayMakeRoom(old, node)) this.#queue.moveAll();
      },
      deleted: (node) => this.#cache.removeNode(node.metadata.name ?? ''),
    });
    const move = (): void => this.#queue.moveAll();
    storage?.claims.addHandler({ added: move, updated: move });
    storage?.volumes.addHandler({ added: move, updated: move });
    storage?.classes.addHandler({ added: move, updated: move });
    pods.addHandler({ added: (pod) => this.#put(undefined, pod), updated: (old, pod) => this.#put(old, pod), deleted: (pod) => this.#remove(pod) });
    this.#wake();
  }

  stop(): void {
    this.#stopped = true;
  }

  #put(old: Pod | undefined, pod: Pod): void {
    if (isOver(pod)) {
      this.#remove(pod);
      return;
    }
    const { uid = '' } = pod.metadata;
    const { nominatedNodeName } = pod.status;
    if (pod.spec.nodeName) {
      this.#queue.remove(pod);
      this.#cache.dropNomination(uid);
      this.#cache.setPod(pod, pod.spec.nodeName);
      if (old?.spec.nodeName && !isDeepStrictEqual(old.metadata.labels, pod.metadata.labels)) this.#queue.moveAll();
      return;
    }
    if (pod.spec.schedulerName !== this.#name || pod.metadata.deletionTimestamp || pod.spec.schedulingGates?.length) {
      this.#queue.remove(pod);
      return;
    }
    // What has just been decided may not show in the pod yet; only what it no longer says is over.
    if (nominatedNodeName) this.#cache.nominate(pod, nominatedNodeName);
    else if (old?.status.nominatedNodeName) this.#cache.dropNomination(uid);
    this.#queue.put(pod);
  }

  #remove(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    this.#queue.remove(pod);
    this.#cache.removePod(uid);
    this.#cache.dropNomination(uid);
    if (pod.spec.nodeName || pod.status.nominatedNodeName) this.#queue.moveAll();
  }

  /** Runs cycles until the queue is empty; one turn of the event loop's promises lies between a change and the first. */
  #wake(): void {
    if (this.#busy || this.#stopped) return;
    this.#busy = true;
    void Promise.resolve().then(() => {
      for (let pod = this.#queue.take(); pod && !this.#stopped; pod = this.#queue.take()) this.#cycle(pod);
      this.#busy = false;
    });
  }

  /** Never throws: a pod that cannot be decided on must not keep the others waiting (SCH-11). */
  #cycle(pod: Pod): void {
    const { log } = this.#options;
    const movesBefore = this.#queue.moves;
    try {
      const decision = this.#decide(pod);
      log.debug?.('scheduling decision', { pod: keyOf(pod), decision: decision.type, because: decision.because });
      if (decision.type === 'bind') this.#place(pod, decision);
      else this.#makeWait(pod, decision, movesBefore);
    } catch (error) {
      log.error('scheduling failed', { pod: keyOf(pod), error });
      this.#queue.again(pod);
      void this.#writer.tellUnscheduled(this.#known(pod), { reason: 'SchedulerError', message: error instanceof Error ? error.message : String(error) });
    }
  }

  #decide(pod: Pod): Decision {
    const { namespaces, budgets, rng, plugins } = this.#options;
    const { nodes, nominated } = this.#cache;
    const namespaceLabels = (name: string) => namespaces?.lister.get('', name)?.metadata.labels;
    const snapshot = { nodes, nominated, namespaceLabels, budgets: budgets?.lister.list() ?? [], ...(this.#volumes ? { storage: this.#volumes.storage } : {}) };
    const startAt = nodes.length ? this.#startAt % nodes.length : 0;
    return decide(snapshot, podInfo(this.#known(pod)), { rng, startAt, ...(plugins ? { plugins } : {}) });
  }

  #place(pod: Pod, { node, looked }: Extract<Decision, { type: 'bind' }>): void {
    this.#startAt = (this.#startAt + looked) % this.#cache.nodes.length;
    this.#cache.setPod(pod, node);
    void this.#bind(pod, node);
  }

  #makeWait(pod: Pod, { message, preemption }: Extract<Decision, { type: 'wait' }>, movesBefore: number): void {
    this.#queue.failed(pod, { movesBefore });
    void this.#writer.tellUnscheduled(this.#known(pod), { reason: 'Unschedulable', message, nominatedNodeName: preemption?.node });
    if (!preemption) return;
    this.#cache.nominate(pod, preemption.node);
    // Less important pods that were promised this room look for another.
    for (const { pod: other } of this.#cache.nominated.get(preemption.node) ?? []) {
      if ((other.spec.priority ?? 0) >= (pod.spec.priority ?? 0)) continue;
      this.#cache.dropNomination(other.metadata.uid ?? '');
      void this.#writer.clearNomination(this.#known(other));
    }
    for (const victim of preemption.victims) void this.#writer.evict(victim.pod, { preemptor: pod, node: preemption.node });
  }

  async #bind(pod: Pod, node: string): Promise<void> {
    const outcome = await this.#withVolumes(pod, node);
    if (outcome.type === 'bound') return;
    // The room that the pod was to take is free again.
    this.#cache.removePod(pod.metadata.uid ?? '');
    this.#queue.moveAll();
    if (outcome.type === 'failed') this.#queue.again(pod);
    else {
      this.#queue.failed(pod, { movesBefore: this.#queue.moves });
      await this.#writer.tellUnscheduled(this.#known(pod), { reason: 'SchedulerError', message: outcome.message });
    }
  }

  /** SCH-26: the pod's claims get their volumes first. */
  async #withVolumes(pod: Pod, node: string): Promise<BindingOutcome> {
    const info = this.#cache.nodes.find(({ name }) => name === node);
    const fault = info && (await this.#volumes?.bind(pod, info.node));
    return fault === undefined ? this.#writer.bind(pod, node) : { type: 'refused', message: `running PreBind plugin "VolumeBinding": ${fault}` };
  }

  /** The pod as it is known now: its status may be newer than the queue's version. */
  #known(pod: Pod): Pod {
    return this.#options.pods.lister.get(pod.metadata.namespace ?? '', pod.metadata.name ?? '') ?? pod;
  }
}

/** Whether a change of a node may let a pod in that it refused. */
function mayMakeRoom(old: Node, node: Node): boolean {
  return (
    old.spec.unschedulable !== node.spec.unschedulable ||
    !isDeepStrictEqual(old.status.allocatable, node.status.allocatable) ||
    !isDeepStrictEqual(old.metadata.labels, node.metadata.labels) ||
    !isDeepStrictEqual(old.spec.taints, node.spec.taints)
  );
}
