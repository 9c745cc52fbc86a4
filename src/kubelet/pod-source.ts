import type { Pod } from '../api/generated/types/core.v1.ts';
import type { Informer } from '../client/informer.ts';

/** Takes the pods of one node. */
export interface PodSink {
  put(pod: Pod): void;
  remove(pod: Pod): void;
}

/** Sorts the pods of one informer by node, so that many kubelets in one process share it. */
export class PodSource {
  readonly #sinks = new Map<string, PodSink>();
  readonly #informer: Informer<Pod>;

  constructor(informer: Informer<Pod>) {
    this.#informer = informer;
    informer.addHandler({
      added: (pod) => this.#sink(pod)?.put(pod),
      updated: (_, pod) => this.#sink(pod)?.put(pod),
      deleted: (pod) => this.#sink(pod)?.remove(pod),
    });
  }

  /** Resolves when the pods that are there have been handed on. */
  whenSynced(): Promise<void> {
    return this.#informer.whenSynced();
  }

  /** Hands the node's pods to `sink`, those that are already there first. */
  add(nodeName: string, sink: PodSink): void {
    this.#sinks.set(nodeName, sink);
    for (const pod of this.#informer.lister.list()) if (pod.spec.nodeName === nodeName) sink.put(pod);
  }

  remove(nodeName: string): void {
    this.#sinks.delete(nodeName);
  }

  #sink(pod: Pod): PodSink | undefined {
    return pod.spec.nodeName ? this.#sinks.get(pod.spec.nodeName) : undefined;
  }
}
