import { allowsNode } from '../api/core/v1/node/selector.ts';
import { addInto, amountsOf, podRequests } from '../api/core/v1/pod/requests.ts';
import type { Node, Pod } from '../api/generated/types/core.v1.ts';
import type { Cause } from './plan/pod-life.ts';

/**
 * Why this node does not take a pod that has been bound to it (upstream: pkg/kubelet/lifecycle, GeneralFilter).
 * @param others the pods that it has taken and that are not over
 * @returns reason and event message; undefined: it takes the pod
 */
export function refusal(pod: Pod, node: Node, others: readonly Pod[]): Cause | undefined {
  const capacity = amountsOf(node.status.allocatable);
  if (others.length + 1 > (capacity['pods'] ?? 110)) {
    return shortOf('pods', { requested: 1, used: others.length, capacity: capacity['pods'] ?? 110 });
  }
  const requests = podRequests(pod.spec);
  const wanted = Object.entries(requests).filter(([, amount]) => amount > 0);
  if (wanted.length) {
    const used: Record<string, number> = {};
    for (const other of others) addInto(used, podRequests(other.spec));
    for (const [name, requested] of wanted) {
      const total = capacity[name] ?? 0;
      if (requested > total - (used[name] ?? 0)) return shortOf(name, { requested, used: used[name] ?? 0, capacity: total });
    }
  }
  const os = node.metadata.labels?.['kubernetes.io/os'] ?? 'linux';
  if (pod.spec.os && pod.spec.os.name !== os) return { reason: 'PodOSNotSupported', message: "Failed to admit pod as the OS field doesn't match node OS" };
  if (!allowsNode(pod.spec, node)) {
    return { reason: 'NodeAffinity', message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector" };
  }
  return undefined;
}

function shortOf(resource: string, { requested, used, capacity }: { requested: number; used: number; capacity: number }): Cause {
  return {
    reason: `OutOf${resource}`,
    message: `Node didn't have enough resource: ${resource}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
  };
}
