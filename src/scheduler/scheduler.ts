import { isDeepStrictEqual } from 'node:util';
import type { Namespace, Node, Pod } from '../api/generated/types/core.v1.ts';
import type { Draft, KubeObject } from '../api/object.ts';
import { Pods } from '../api/resources.ts';
import { hasReason } from '../api/status.ts';
import type { Client, ResourceClient } from '../client/client.ts';
import type { EventRecorder } from '../client/event-recorder.ts';
import type { Informer } from '../client/informer.ts';
import { type Clock, timestamp } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Rng } from '../lib/rng.ts';
import { ClusterCache } from './cluster-cache.ts';
import { unschedulableMessage } from './diagnosis.ts';
import { podInfo } from './node-info.ts';
import { preempt } from './preemption.ts';
import { schedule } from './schedule.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

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
  /** Pods that name another scheduler are left alone. Default `default-scheduler`. */
  name?: string;
}

const isOver = ({ status }: Pod): boolean => status.phase === 'Succeeded' || status.phase === 'Failed';

/** Finds a node for each pod that has none, and binds it (upstream: pkg/scheduler). */
export class Scheduler {
  readonly #options: SchedulerOptions;
  readonly #pods: ResourceClient<Pod>;
  readonly #name: string;
  readonly #cache = new ClusterCache();
  readonly #queue: SchedulingQueue;
  #startAt = 0;
  #busy = false;
  #stopped = true;

  constructor(options: SchedulerOptions) {
    this.#options = options;
    this.#name = options.name ?? 'default-scheduler';
    this.#pods = options.client.resource(Pods);
    this.#queue = new SchedulingQueue(options.clock, () => this.#wake());
  }

  /** Begins once the informers have their first lists. */
  async start(signal: AbortSignal): Promise<void> {
    const { pods, nodes, namespaces } = this.#options;
    await Promise.all([pods.whenSynced(), nodes.whenSynced(), namespaces?.whenSynced()]);
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
    if (pod.spec.nodeName) {
      this.#queue.remove(pod);
      this.#cache.setPod(pod, pod.spec.nodeName);
      if (old?.spec.nodeName && !isDeepStrictEqual(old.metadata.labels, pod.metadata.labels)) this.#queue.moveAll();
      return;
    }
    if (pod.spec.schedulerName !== this.#name || pod.metadata.deletionTimestamp || pod.spec.schedulingGates?.length) {
      this.#queue.remove(pod);
      return;
    }
    this.#queue.put(pod);
  }

  #remove(pod: Pod): void {
    this.#queue.remove(pod);
    this.#cache.removePod(pod.metadata.uid ?? '');
    if (pod.spec.nodeName) this.#queue.moveAll();
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

  #cycle(pod: Pod): void {
    const { namespaces, rng } = this.#options;
    const { nodes } = this.#cache;
    const movesBefore = this.#queue.moves;
    const snapshot = { nodes, namespaceLabels: (name: string) => namespaces?.lister.get('', name)?.metadata.labels };
    const info = podInfo(pod);
    const placement = schedule(snapshot, info, { rng, startAt: nodes.length ? this.#startAt % nodes.length : 0 });
    if ('node' in placement) {
      this.#startAt = (this.#startAt + placement.looked) % nodes.length;
      this.#cache.setPod(pod, placement.node);
      void this.#bind(pod, placement.node);
      return;
    }
    this.#queue.failed(pod, { movesBefore });
    const preemption = this.#isWaitingForVictims(pod) ? undefined : preempt(snapshot, info, placement.rejections);
    const message = unschedulableMessage({
      nodes: nodes.length,
      rejections: placement.rejections,
      mayPreempt: pod.spec.preemptionPolicy !== 'Never',
      preempting: preemption !== undefined,
    });
    void this.#tellUnschedulable(pod, message, preemption?.node);
    for (const victim of preemption?.victims ?? []) void this.#evict(victim.pod, pod, preemption!.node);
  }

  /** Pods that have been asked to make room for this one are still leaving. */
  #isWaitingForVictims(pod: Pod): boolean {
    const nominated = this.#options.pods.lister.get(pod.metadata.namespace ?? '', pod.metadata.name ?? '')?.status.nominatedNodeName;
    const node = nominated === undefined ? undefined : this.#cache.nodes.find(({ name }) => name === nominated);
    if (!node) return false;
    return [...node.pods.values()].some((other) => other.pod.metadata.deletionTimestamp && (other.pod.spec.priority ?? 0) < (pod.spec.priority ?? 0));
  }

  async #evict(victim: Pod, preemptor: Pod, node: string): Promise<void> {
    const { namespace = '', name = '', uid = '' } = victim.metadata;
    try {
      await this.#pods.delete(namespace, name, { uid });
      this.#options.recorder.event(victim, { type: 'Normal', reason: 'Preempted', message: `Preempted by pod ${preemptor.metadata.uid} on node ${node}` });
    } catch (error) {
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict'))
        this.#options.log.info('victim not deleted', { pod: `${namespace}/${name}`, error: String(error) });
    }
  }

  async #bind(pod: Pod, node: string): Promise<void> {
    const { recorder, log } = this.#options;
    const { namespace = '', name = '', uid = '' } = pod.metadata;
    const binding: Draft<KubeObject> & { target: object } = {
      apiVersion: 'v1',
      kind: 'Binding',
      metadata: { name, namespace, uid },
      target: { kind: 'Node', name: node },
    };
    try {
      await this.#pods.createSubresource(namespace, name, 'binding', binding);
      recorder.event(pod, { type: 'Normal', reason: 'Scheduled', message: `Successfully assigned ${namespace}/${name} to ${node}` });
    } catch (error) {
      this.#cache.removePod(uid);
      this.#queue.moveAll();
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict'))
        log.info('binding failed', { pod: `${namespace}/${name}`, node, error: error instanceof Error ? error.message : String(error) });
      this.#queue.again(pod);
    }
  }

  async #tellUnschedulable(pod: Pod, message: string, nominatedNodeName: string | undefined): Promise<void> {
    const { recorder, clock, log } = this.#options;
    recorder.event(pod, { type: 'Warning', reason: 'FailedScheduling', message });
    const known = this.#options.pods.lister.get(pod.metadata.namespace ?? '', pod.metadata.name ?? '') ?? pod;
    const old = known.status.conditions?.find(({ type }) => type === 'PodScheduled');
    if (old?.status === 'False' && old.reason === 'Unschedulable' && old.message === message && nominatedNodeName === undefined) return;
    const condition = {
      type: 'PodScheduled',
      ...(pod.metadata.generation === undefined ? {} : { observedGeneration: pod.metadata.generation }),
      status: 'False',
      lastTransitionTime: old?.status === 'False' ? (old.lastTransitionTime ?? timestamp(clock.now())) : timestamp(clock.now()),
      reason: 'Unschedulable',
      message,
    };
    try {
      const { namespace = '', name = '', uid } = pod.metadata;
      const patch = { metadata: { uid }, status: { ...(nominatedNodeName === undefined ? {} : { nominatedNodeName }), conditions: [condition] } };
      await this.#pods.patch(namespace, name, patch, 'application/strategic-merge-patch+json', { subresource: 'status' });
    } catch (error) {
      if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) log.info('condition not written', { pod: pod.metadata.name, error: String(error) });
    }
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
