import type { Rejection } from './framework.ts';
import { NodeInfo, type PodInfo, type Snapshot } from './node-info.ts';
import { defaultPlugins, type Plugins } from './schedule.ts';

/** Pods to remove from a node so that another fits. */
export interface Preemption {
  node: string;
  victims: readonly PodInfo[];
}

const priorityOf = ({ pod }: PodInfo): number => pod.spec.priority ?? 0;

const startOf = ({ pod }: PodInfo): string => pod.status.startTime ?? '';

/** More important first: by priority, then by age. */
const byImportance = (a: PodInfo, b: PodInfo): number => priorityOf(b) - priorityOf(a) || (startOf(a) < startOf(b) ? -1 : startOf(a) > startOf(b) ? 1 : 0);

/** Whether the pod would fit on the node if only `pods` were there. */
function fits(pod: PodInfo, node: NodeInfo, pods: Iterable<PodInfo>, snapshot: Snapshot, plugins: Plugins): boolean {
  const changed = new NodeInfo(node.node, pods);
  const without: Snapshot = { ...snapshot, nodes: snapshot.nodes.map((other) => (other === node ? changed : other)) };
  return plugins.filters.every((plugin) => plugin.filter(pod, without)?.(changed) === undefined);
}

/** The least important pods that must go from the node; undefined: no lower-priority pod that leaves would help. */
function victimsOn(node: NodeInfo, pod: PodInfo, snapshot: Snapshot, plugins: Plugins): PodInfo[] | undefined {
  const lower = [...node.pods.values()].filter((other) => priorityOf(other) < priorityOf(pod));
  if (lower.length === 0) return undefined;
  const kept = [...node.pods.values()].filter((other) => !lower.includes(other));
  if (!fits(pod, node, kept, snapshot, plugins)) return undefined;
  const victims: PodInfo[] = [];
  for (const candidate of lower.sort(byImportance)) {
    if (fits(pod, node, [...kept, candidate], snapshot, plugins)) kept.push(candidate);
    else victims.push(candidate);
  }
  return victims;
}

/** Fewer and less important victims are better (upstream: pickOneNodeForPreemption, without disruption budgets). */
function isBetter(a: Preemption, b: Preemption): boolean {
  const highest = ({ victims }: Preemption): number => Math.max(...victims.map(priorityOf));
  const sum = ({ victims }: Preemption): number => victims.reduce((total, victim) => total + priorityOf(victim) + 2 ** 31, 0);
  if (highest(a) !== highest(b)) return highest(a) < highest(b);
  if (sum(a) !== sum(b)) return sum(a) < sum(b);
  return a.victims.length < b.victims.length;
}

/**
 * Where a pod that fits nowhere could be put if less important pods gave way (upstream: DefaultPreemption). Pure.
 * @param rejections what `schedule` said of each node; those that no pod's leaving would change are not looked at
 */
export function preempt(
  snapshot: Snapshot,
  pod: PodInfo,
  rejections: ReadonlyMap<string, Rejection>,
  plugins: Plugins = defaultPlugins,
): Preemption | undefined {
  if (pod.pod.spec.preemptionPolicy === 'Never') return undefined;
  let best: Preemption | undefined;
  for (const node of snapshot.nodes) {
    if (rejections.get(node.name)?.unresolvable !== false) continue;
    const victims = victimsOn(node, pod, snapshot, plugins);
    if (!victims?.length) continue;
    const candidate = { node: node.name, victims };
    if (!best || isBetter(candidate, best)) best = candidate;
  }
  return best;
}
