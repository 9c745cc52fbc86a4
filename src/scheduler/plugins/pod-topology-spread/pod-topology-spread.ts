import { allowsNode } from '../../../api/core/v1/node/selector.ts';
import { untolerated } from '../../../api/core/v1/pod/tolerations.ts';
import type { Pod, TopologySpreadConstraint } from '../../../api/generated/types/core.v1.ts';
import { type Selector, selectorFrom } from '../../../api/labels.ts';
import { type FilterPlugin, normalize, type ScorePlugin } from '../../framework.ts';
import type { NodeInfo } from '../../node-info.ts';

interface Constraint {
  constraint: TopologySpreadConstraint;
  selector: Selector;
  self: number;
}

const REASON = "node(s) didn't match pod topology spread constraints";

function constraintsOf(pod: Pod, whenUnsatisfiable: string): Constraint[] {
  return (pod.spec.topologySpreadConstraints ?? [])
    .filter((constraint) => constraint.whenUnsatisfiable === whenUnsatisfiable)
    .map((constraint) => {
      const labels = pod.metadata.labels ?? {};
      const extra = (constraint.matchLabelKeys ?? [])
        .filter((key) => labels[key] !== undefined)
        .map((key) => ({ key, operator: 'In', values: [labels[key]!] }));
      const selector = selectorFrom(
        constraint.labelSelector && { ...constraint.labelSelector, matchExpressions: [...(constraint.labelSelector.matchExpressions ?? []), ...extra] },
      );
      return { constraint, selector, self: selector.matches(labels) ? 1 : 0 };
    });
}

/** Whether the node counts where pods are spread, by the constraint's policies. */
function counts(pod: Pod, { constraint }: Constraint, { node }: NodeInfo): boolean {
  if ((constraint.nodeAffinityPolicy ?? 'Honor') === 'Honor' && !allowsNode(pod.spec, node)) return false;
  return constraint.nodeTaintsPolicy !== 'Honor' || untolerated(node.spec.taints, pod.spec.tolerations, ['NoSchedule', 'NoExecute']) === undefined;
}

function matching(pod: Pod, { selector }: Constraint, node: NodeInfo): number {
  let count = 0;
  for (const { pod: other } of node.pods.values()) {
    if (!other.metadata.deletionTimestamp && other.metadata.namespace === pod.metadata.namespace && selector.matches(other.metadata.labels)) count++;
  }
  return count;
}

const labelOf = ({ node }: NodeInfo, key: string): string | undefined => node.metadata.labels?.[key];

/** Matching pods by domain, over nodes that have all the topology keys. */
function domains(pod: Pod, one: Constraint, all: readonly Constraint[], nodes: readonly NodeInfo[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const node of nodes) {
    if (!all.every(({ constraint }) => labelOf(node, constraint.topologyKey) !== undefined) || !counts(pod, one, node)) continue;
    const domain = labelOf(node, one.constraint.topologyKey)!;
    found.set(domain, (found.get(domain) ?? 0) + matching(pod, one, node));
  }
  return found;
}

export const podTopologySpread: FilterPlugin & ScorePlugin = {
  name: 'PodTopologySpread',
  weight: 2,
  filter({ pod }, { nodes }) {
    const constraints = constraintsOf(pod, 'DoNotSchedule');
    if (constraints.length === 0) return undefined;
    const tables = constraints.map((one) => {
      const table = domains(pod, one, constraints, nodes);
      return { ...one, table, least: table.size < (one.constraint.minDomains ?? 1) ? 0 : Math.min(...table.values()) };
    });
    return (node) => {
      for (const { constraint, self, table, least } of tables) {
        const domain = labelOf(node, constraint.topologyKey);
        if (domain === undefined) return { reasons: [`${REASON} (missing required label)`], unresolvable: true };
        const skew = (table.get(domain) ?? 0) + self - least;
        if (skew > constraint.maxSkew) return { reasons: [REASON], unresolvable: false };
      }
      return undefined;
    };
  },
  score({ pod }, candidates, { nodes }) {
    const constraints = constraintsOf(pod, 'ScheduleAnyway');
    if (constraints.length === 0) return undefined;
    const tables = constraints.map((one) => ({ ...one, table: domains(pod, one, constraints, nodes) }));
    const sums = candidates.map((node) =>
      tables.reduce((sum, { constraint, table }) => {
        const domain = labelOf(node, constraint.topologyKey);
        const weight = Math.log(table.size + 2);
        return domain === undefined ? sum + 1000 : sum + (table.get(domain) ?? 0) * weight + constraint.maxSkew - 1;
      }, 0),
    );
    return normalize(sums, { reverse: true });
  },
};
