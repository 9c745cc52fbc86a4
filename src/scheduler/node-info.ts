import { type Amounts, addInto, amountsOf, hostPorts, podRequests } from '../api/core/v1/pod/requests.ts';
import type { Node, Pod } from '../api/generated/types/core.v1.ts';
import type { PodDisruptionBudget } from '../api/generated/types/policy.v1.ts';
import type { Storage } from './storage.ts';

/** What containers without a request are taken to use where nodes are compared (upstream: getNonMissingContainerRequests). */
const UNREQUESTED = { cpu: '100m', memory: '200Mi' };

/** A pod with what is asked of it again and again worked out. */
export interface PodInfo {
  readonly pod: Pod;
  readonly requests: Amounts;
  /** cpu and memory, never none. */
  readonly scored: { cpu: number; memory: number };
  readonly ports: readonly { hostIP: string; hostPort: number; protocol: string }[];
}

export function podInfo(pod: Pod): PodInfo {
  const requests = podRequests(pod.spec);
  // A pod that asks for resources as a whole leaves open only those of which nothing in it asks for any.
  const missing = Object.entries(UNREQUESTED).filter(([name]) => !pod.spec.resources?.requests || requests[name] === undefined);
  const { cpu = 0, memory = 0 } = podRequests(pod.spec, { missing: Object.fromEntries(missing) });
  const scored = { cpu, memory };
  return { pod, requests, scored, ports: hostPorts(pod.spec) };
}

/** A node with the pods that it has, or is about to have. */
export class NodeInfo {
  readonly node: Node;
  readonly allocatable: Amounts;
  readonly requested: Amounts = {};
  readonly scored = { cpu: 0, memory: 0 };
  readonly pods = new Map<string, PodInfo>();

  constructor(node: Node, pods: Iterable<PodInfo> = []) {
    this.node = node;
    this.allocatable = amountsOf(node.status.allocatable);
    for (const pod of pods) this.add(pod);
  }

  get name(): string {
    return this.node.metadata.name ?? '';
  }

  add(info: PodInfo): void {
    const uid = info.pod.metadata.uid ?? '';
    this.remove(uid);
    this.pods.set(uid, info);
    addInto(this.requested, info.requests);
    this.scored.cpu += info.scored.cpu;
    this.scored.memory += info.scored.memory;
  }

  remove(uid: string): void {
    const info = this.pods.get(uid);
    if (!info) return;
    this.pods.delete(uid);
    for (const [name, amount] of Object.entries(info.requests)) this.requested[name] = (this.requested[name] ?? 0) - amount;
    this.scored.cpu -= info.scored.cpu;
    this.scored.memory -= info.scored.memory;
  }
}

/** All nodes at one moment. */
export interface Snapshot {
  readonly nodes: readonly NodeInfo[];
  /** By the node's name: pods without a node for which others are leaving it. */
  readonly nominated?: ReadonlyMap<string, readonly PodInfo[]>;
  /** The budgets that preemption would rather not overdraw. */
  readonly budgets?: readonly PodDisruptionBudget[];
  /** Left out: nothing is asked of volumes. */
  readonly storage?: Storage;
  /** Labels of namespaces, for terms that select by them. */
  namespaceLabels(namespace: string): Readonly<Record<string, string>> | undefined;
}
