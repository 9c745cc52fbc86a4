import type { Node, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodSpec } from '../../../generated/types/core.v1.ts';

function meets({ key, operator, values = [] }: NodeSelectorRequirement, value: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
    case 'Lt': {
      if (value === undefined || !/^[-+]?\d+$/.test(value) || values.length !== 1) return false;
      return operator === 'Gt' ? BigInt(value) > BigInt(values[0]!) : BigInt(value) < BigInt(values[0]!);
    }
    default:
      throw new Error(`"${operator}" is not an operator of node selectors (key ${key})`);
  }
}

/** A term without any requirement matches nothing. */
export function matchesTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, node: Node): boolean {
  if (matchExpressions.length === 0 && matchFields.length === 0) return false;
  return (
    matchExpressions.every((requirement) => meets(requirement, node.metadata.labels?.[requirement.key])) &&
    matchFields.every((requirement) => meets(requirement, requirement.key === 'metadata.name' ? node.metadata.name : undefined))
  );
}

export function matchesNodeSelector({ nodeSelectorTerms }: NodeSelector, node: Node): boolean {
  return nodeSelectorTerms.some((term) => matchesTerm(term, node));
}

/** Whether the pod's nodeSelector and its required node affinity allow the node. */
export function allowsNode(spec: PodSpec, node: Node): boolean {
  for (const [key, value] of Object.entries(spec.nodeSelector ?? {})) if (node.metadata.labels?.[key] !== value) return false;
  const required = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  return required === undefined || matchesNodeSelector(required, node);
}
