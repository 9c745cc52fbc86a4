import type { LabelSelector } from './generated/types/meta.v1.ts';

export type Labels = Readonly<Record<string, string>>;

export type Operator = 'in' | 'notin' | '=' | '==' | '!=' | 'exists' | '!' | 'gt' | 'lt';

/** One term of a selector; `values` sorted. */
export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

/** Decides by labels. Build one with `parseSelector` (label-parser.ts), `selectorFrom`, `selectorFromMap`, `everything` or `nothing`. */
export interface Selector {
  readonly requirements: readonly Requirement[];
  /** True for the selector that matches nothing at all. */
  readonly nothing: boolean;
  matches(labels: Labels | undefined): boolean;
  /** As upstream's labels.Selector prints it. */
  toString(): string;
}

const EMPTY: Labels = {};
const INTEGER = /^[-+]?\d+$/;

function meets({ key, operator, values }: Requirement, labels: Labels): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'in':
    case '=':
    case '==':
      return value !== undefined && values.includes(value);
    case 'notin':
    case '!=':
      return value === undefined || !values.includes(value);
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    default: {
      if (value === undefined || !INTEGER.test(value)) return false;
      return operator === 'gt' ? BigInt(value) > BigInt(values[0]!) : BigInt(value) < BigInt(values[0]!);
    }
  }
}

function show({ key, operator, values }: Requirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case '!':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.join(',')})`;
    case 'gt':
      return `${key}>${values[0]}`;
    case 'lt':
      return `${key}<${values[0]}`;
    default:
      return `${key}${operator}${values[0]}`;
  }
}

const byKey = (a: { key: string }, b: { key: string }): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** A selector of requirements that have been checked. */
export function selectorOf(unordered: readonly Requirement[]): Selector {
  const requirements = [...unordered].sort(byKey);
  return {
    requirements,
    nothing: false,
    matches: (labels) => requirements.every((requirement) => meets(requirement, labels ?? EMPTY)),
    toString: () => requirements.map(show).join(','),
  };
}

export function everything(): Selector {
  return selectorOf([]);
}

export function nothing(): Selector {
  return { requirements: [], nothing: true, matches: () => false, toString: () => '' };
}

/** Equality on every entry, e.g. a Service's or a ReplicationController's selector. */
export function selectorFromMap(map: Labels | undefined): Selector {
  return selectorOf(Object.entries(map ?? EMPTY).map(([key, value]): Requirement => ({ key, operator: '=', values: [value] })));
}

const OPERATORS: Readonly<Record<string, Operator>> = { In: 'in', NotIn: 'notin', Exists: 'exists', DoesNotExist: '!' };

/**
 * A LabelSelector as a matcher: an absent one matches nothing, an empty one everything (upstream: LabelSelectorAsSelector).
 * @throws RangeError for an operator that does not exist; validation refuses those first.
 */
export function selectorFrom(selector: LabelSelector | undefined): Selector {
  if (!selector) return nothing();
  const requirements = selectorFromMap(selector.matchLabels).requirements.slice();
  for (const expression of selector.matchExpressions ?? []) {
    const operator = OPERATORS[expression.operator];
    if (!operator) throw new RangeError(`"${expression.operator}" is not a valid label selector operator`);
    requirements.push({ key: expression.key, operator, values: [...(expression.values ?? [])].sort() });
  }
  return selectorOf(requirements);
}

/** The text of a LabelSelector, as for status.selector of scale and for kubectl (upstream: FormatLabelSelector). */
export function formatSelector(selector: LabelSelector | undefined): string {
  return selectorFrom(selector).toString() || '<none>';
}

/** A LabelSelector as text with `=`, `in`, `notin` … that `parseSelector` reads back. */
export function selectorText(selector: LabelSelector | undefined): string {
  return selectorFrom(selector).toString();
}
