import { type Amounts, addInto, amountsOf, hostPorts, podRequests } from '../api/core/v1/pod/requests.ts';
import type { Node, Pod } from '../api/generated/types/core.v1.ts';

/** What containers without a request are taken to use where nodes are compared (upstream: NonMissingContainerRequests). */
const SCORED_CPU_MILLI = 100;
const SCORED_MEMORY = 200 * 1024 * 1024;

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
  const scored = { cpu: 0, memory: 0 };
  for (const container of pod.spec.containers ?? []) {
    const own = amountsOf(container.resources?.requests);
    scored.cpu += own['cpu'] ?? SCORED_CPU_MILLI;
    scored.memory += own['memory'] ?? SCORED_MEMORY;
  }
  scored.cpu = Math.max(scored.cpu, requests['cpu'] ?? 0);
  scored.memory = Math.max(scored.memory, requests['memory'] ?? 0);
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
  /** Labels of namespaces, for terms that select by them. */
  namespaceLabels(namespace: string): Readonly<Record<string, string>> | undefined;
}
