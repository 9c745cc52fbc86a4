import type { LabelSelector } from '../api/generated/types/meta.v1.ts';

type Labels = Readonly<Record<string, string>>;

/** A compiled label selector. */
export interface Selector {
  /** Whether the labels fulfil every requirement. */
  matches(labels: Labels | undefined): boolean;
  /** True where there is no requirement, so that everything matches. */
  readonly empty: boolean;
  /** As it stands in a `labelSelector` query; requirements in the order of their keys. */
  readonly text: string;
}

interface Requirement {
  key: string;
  text: string;
  holds(labels: Labels): boolean;
}

const NO_LABELS: Labels = {};

function selector(requirements: Requirement[]): Selector {
  const sorted = requirements.toSorted((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return {
    matches: (labels = NO_LABELS) => sorted.every((requirement) => requirement.holds(labels)),
    empty: sorted.length === 0,
    text: sorted.map((requirement) => requirement.text).join(','),
  };
}

function equalsRequirement(key: string, value: string): Requirement {
  return { key, text: `${key}=${value}`, holds: (labels) => labels[key] === value };
}

function expressionRequirement(key: string, operator: string, values: readonly string[]): Requirement {
  const list = `(${values.toSorted().join(',')})`;
  const among = (labels: Labels): boolean => labels[key] !== undefined && values.includes(labels[key]);
  switch (operator) {
    case 'In':
      return { key, text: `${key} in ${list}`, holds: among };
    case 'NotIn':
      return { key, text: `${key} notin ${list}`, holds: (labels) => !among(labels) };
    case 'Exists':
      return { key, text: key, holds: (labels) => labels[key] !== undefined };
    case 'DoesNotExist':
      return { key, text: `!${key}`, holds: (labels) => labels[key] === undefined };
    default:
      throw new Error(`"${operator}" is not a valid label selector operator`);
  }
}

const NOTHING: Selector = { matches: () => false, empty: false, text: '' };

/**
 * Compiles an object's selector: none selects nothing, an empty one selects everything.
 * @throws Error for an operator that does not exist.
 * Upstream: metav1.LabelSelectorAsSelector.
 */
export function selectorFrom(labelSelector: LabelSelector | undefined): Selector {
  if (!labelSelector) return NOTHING;
  return selector([
    ...Object.entries(labelSelector.matchLabels ?? {}).map(([key, value]) => equalsRequirement(key, value)),
    ...(labelSelector.matchExpressions ?? []).map(({ key, operator, values }) => expressionRequirement(key, operator, values ?? [])),
  ]);
}

/** Selects what carries all of these labels; an empty map selects everything. */
export function selectorFromLabels(labels: Labels | undefined): Selector {
  return selector(Object.entries(labels ?? NO_LABELS).map(([key, value]) => equalsRequirement(key, value)));
}

export const EVERYTHING: Selector = selector([]);
