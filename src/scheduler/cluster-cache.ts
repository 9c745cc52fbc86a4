import type { Node, Pod } from '../api/generated/types/core.v1.ts';
import { NodeInfo, type PodInfo, podInfo } from './node-info.ts';

/** Nodes and the pods on them, with the pods whose binding is under way (upstream: pkg/scheduler/backend/cache). */
export class ClusterCache {
  readonly #nodes = new Map<string, NodeInfo>();
  /** Pods by uid with the node that they count on. */
  readonly #pods = new Map<string, { info: PodInfo; node: string }>();
  /** Pods by uid with the node on which room is being made for them. */
  readonly #nominated = new Map<string, { info: PodInfo; node: string }>();
  #list: NodeInfo[] | undefined;

  /** By the node's name. */
  get nominated(): ReadonlyMap<string, readonly PodInfo[]> {
    const byNode = new Map<string, PodInfo[]>();
    for (const { info, node } of this.#nominated.values()) byNode.set(node, [...(byNode.get(node) ?? []), info]);
    return byNode;
  }

  get nodes(): readonly NodeInfo[] {
    this.#list ??= [...this.#nodes.values()];
    return this.#list;
  }

  setNode(node: Node): void {
    const name = node.metadata.name ?? '';
    const old = this.#nodes.get(name);
    const pods = old ? [...old.pods.values()] : [...this.#pods.values()].filter((entry) => entry.node === name).map((entry) => entry.info);
    this.#nodes.set(name, new NodeInfo(node, pods));
    this.#list = undefined;
  }

  removeNode(name: string): void {
    this.#nodes.delete(name);
    this.#list = undefined;
  }

  /** The pod counts on this node from now on: because it is bound to it, or because it is about to be. */
  setPod(pod: Pod, node: string): void {
    const uid = pod.metadata.uid ?? '';
    const old = this.#pods.get(uid);
    if (old && old.node !== node) this.#nodes.get(old.node)?.remove(uid);
    const info = old && old.info.pod.spec === pod.spec ? { ...old.info, pod } : podInfo(pod);
    this.#pods.set(uid, { info, node });
    this.#nodes.get(node)?.add(info);
  }

  /** Others are leaving the node for this pod. */
  nominate(pod: Pod, node: string): void {
    this.#nominated.set(pod.metadata.uid ?? '', { info: podInfo(pod), node });
  }

  dropNomination(uid: string): void {
    this.#nominated.delete(uid);
  }

  removePod(uid: string): void {
    const old = this.#pods.get(uid);
    if (!old) return;
    this.#pods.delete(uid);
    this.#nodes.get(old.node)?.remove(uid);
  }
}
