import { type FilterPlugin, MAX_SCORE, type ScorePlugin } from '../../framework.ts';
import type { NodeInfo, PodInfo } from '../../node-info.ts';

/** Room for one more pod, and for all that it requests (upstream: NodeResourcesFit). */
export const nodeResourcesFit: FilterPlugin & ScorePlugin = {
  name: 'NodeResourcesFit',
  weight: 1,
  filter({ requests }) {
    // cpu, memory and ephemeral-storage first, then what else there is, as upstream looks at them.
    const order = ['cpu', 'memory', 'ephemeral-storage'];
    const wanted = Object.entries(requests)
      .filter(([, amount]) => amount > 0)
      .sort(([a], [b]) => rank(order, a) - rank(order, b) || (a < b ? -1 : 1));
    return (node) => {
      const reasons: string[] = [];
      let unresolvable = false;
      const allowed = node.allocatable['pods'] ?? 0;
      if (node.pods.size + 1 > allowed) reasons.push('Too many pods');
      for (const [name, amount] of wanted) {
        const total = node.allocatable[name] ?? 0;
        if (amount <= total - (node.requested[name] ?? 0)) continue;
        reasons.push(`Insufficient ${name}`);
        unresolvable ||= amount > total;
      }
      return reasons.length ? { reasons, unresolvable } : undefined;
    };
  },
  /** The more is left of cpu and memory, the better (LeastAllocated). */
  score(pod, nodes) {
    return nodes.map((node) => {
      const { cpu, memory } = shares(pod, node);
      return Math.floor((leftOf(cpu) + leftOf(memory)) / 2);
    });
  },
};

const rank = (order: readonly string[], name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);

const leftOf = (share: number): number => (share > 1 ? 0 : Math.floor((1 - share) * MAX_SCORE));

/** The share of cpu and memory that would be taken with the pod on the node. */
function shares({ scored }: PodInfo, node: NodeInfo): { cpu: number; memory: number } {
  const share = (name: 'cpu' | 'memory'): number => {
    const total = node.allocatable[name] ?? 0;
    return total === 0 ? 1 : (node.scored[name] + scored[name]) / total;
  };
  return { cpu: share('cpu'), memory: share('memory') };
}

/** cpu and memory used evenly are better than one of them used up. */
export const nodeResourcesBalancedAllocation: ScorePlugin = {
  name: 'NodeResourcesBalancedAllocation',
  weight: 1,
  score(pod, nodes) {
    if (Object.keys(pod.requests).length === 0) return undefined;
    return nodes.map((node) => {
      const { cpu, memory } = shares(pod, node);
      return Math.floor((1 - Math.abs(Math.min(cpu, 1) - Math.min(memory, 1)) / 2) * MAX_SCORE);
    });
  },
};
