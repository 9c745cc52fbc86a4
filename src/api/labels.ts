import { at, type FieldError, forbidden, invalid, required } from './field-error.ts';
import type { LabelSelector } from './generated/types/meta.v1.ts';
import { labelValueFaults, qualifiedNameFaults } from './names.ts';

export type Labels = Readonly<Record<string, string>>;

type Operator = 'in' | 'notin' | '=' | '==' | '!=' | 'exists' | '!' | 'gt' | 'lt';

/** One term of a selector; `values` sorted. */
export interface Requirement {
  readonly key: string;
  readonly operator: Operator;
  readonly values: readonly string[];
}

/** Decides by labels. Build one with `parseSelector`, `selectorFrom`, `selectorFromMap`, `everything` or `nothing`. */
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

function selectorOf(requirements: readonly Requirement[]): Selector {
  return {
    requirements,
    nothing: false,
    matches: (labels) => requirements.every((requirement) => meets(requirement, labels ?? EMPTY)),
    toString: () => requirements.map(show).join(','),
  };
}

const byKey = (a: { key: string }, b: { key: string }): number => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

export function everything(): Selector {
  return selectorOf([]);
}

export function nothing(): Selector {
  return { requirements: [], nothing: true, matches: () => false, toString: () => '' };
}

/** Equality on every entry, e.g. a Service's or a ReplicationController's selector. */
export function selectorFromMap(map: Labels | undefined): Selector {
  return selectorOf(
    Object.entries(map ?? EMPTY)
      .map(([key, value]): Requirement => ({ key, operator: '=', values: [value] }))
      .sort(byKey),
  );
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
  return selectorOf(requirements.sort(byKey));
}

/** The text of a LabelSelector, as for status.selector of scale and for kubectl (upstream: FormatLabelSelector). */
export function formatSelector(selector: LabelSelector | undefined): string {
  return selectorFrom(selector).toString() || '<none>';
}

/** A LabelSelector as text with `=`, `in`, `notin` … that `parseSelector` reads back. */
export function selectorText(selector: LabelSelector | undefined): string {
  return selectorFrom(selector).toString();
}

export interface SelectorValidation {
  /** Values that are no label values are let through (objects written before that was checked). */
  allowInvalidValues?: boolean;
}

/** Upstream: apimachinery/pkg/apis/meta/v1/validation.ValidateLabelSelector. */
export function validateLabelSelector(selector: LabelSelector | undefined, field: string, options: SelectorValidation = {}): FieldError[] {
  if (!selector) return [];
  const errors = validateLabels(selector.matchLabels, `${field}.matchLabels`);
  (selector.matchExpressions ?? []).forEach((expression, index) => {
    const path = at(`${field}.matchExpressions`, index);
    const values = expression.values ?? [];
    if (expression.operator === 'In' || expression.operator === 'NotIn') {
      if (values.length === 0) errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (expression.operator === 'Exists' || expression.operator === 'DoesNotExist') {
      if (values.length > 0) errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    } else errors.push(invalid(`${path}.operator`, expression.operator ?? '', 'not a valid selector operator'));
    errors.push(...validateLabelName(expression.key ?? '', `${path}.key`));
    if (options.allowInvalidValues) return;
    values.forEach((value, i) => {
      for (const fault of labelValueFaults(value)) errors.push(invalid(at(`${path}.values`, i), value, fault));
    });
  });
  return errors;
}

export function validateLabelName(name: string, field: string): FieldError[] {
  return qualifiedNameFaults(name).map((fault) => invalid(field, name, fault));
}

/** Upstream: apimachinery/pkg/apis/meta/v1/validation.ValidateLabels; keys in order, all reported on the field itself. */
export function validateLabels(labels: Labels | undefined, field: string): FieldError[] {
  return Object.entries(labels ?? EMPTY)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, value]) => [...validateLabelName(key, field), ...labelValueFaults(value).map((fault) => invalid(field, value, fault))]);
}

type Token = { type: 'end' | 'identifier' | 'in' | 'notin' | '(' | ')' | ',' | '!' | '=' | '==' | '!=' | '>' | '<' | 'error'; text: string };

const SYMBOLS = new Set(['(', ')', ',', '!', '=', '==', '!=', '>', '<']);
const isSpace = (char: string): boolean => char === ' ' || char === '\t' || char === '\r' || char === '\n';
const isSpecial = (char: string): boolean => '=!(),><'.includes(char);

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let i = 0;
  while (i < text.length) {
    const char = text[i]!;
    if (isSpace(char)) {
      i++;
    } else if (isSpecial(char)) {
      const pair = text.slice(i, i + 2);
      const symbol = pair.length === 2 && SYMBOLS.has(pair) ? pair : char;
      tokens.push({ type: symbol as Token['type'], text: symbol });
      i += symbol.length;
    } else {
      const start = i;
      while (i < text.length && !isSpecial(text[i]!) && !isSpace(text[i]!)) i++;
      const word = text.slice(start, i);
      tokens.push({ type: word === 'in' || word === 'notin' ? word : 'identifier', text: word });
    }
  }
  return tokens;
}

/** Reads a label selector's text (upstream: apimachinery/pkg/labels.Parse; its messages). */
class Parser {
  readonly #tokens: Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  /** In the place of a value, `in` and `notin` are words like others. */
  #peek(values = true): Token {
    const token = this.#tokens[this.#at] ?? { type: 'end', text: '' };
    return values && (token.type === 'in' || token.type === 'notin') ? { type: 'identifier', text: token.text } : token;
  }

  #take(values = true): Token {
    const token = this.#peek(values);
    this.#at++;
    return token;
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.type === 'end') break;
      if (token.type !== 'identifier' && token.type !== '!') throw new RangeError(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      try {
        requirements.push(this.#requirement());
      } catch (error) {
        throw new RangeError(`unable to parse requirement: ${(error as Error).message}`);
      }
      const next = this.#take();
      if (next.type === 'end') break;
      if (next.type !== ',') throw new RangeError(`found '${next.text}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after.type !== 'identifier' && after.type !== '!') throw new RangeError(`found '${after.text}', expected: identifier after ','`);
    }
    return requirements.sort(byKey);
  }

  #requirement(): Requirement {
    let token = this.#take();
    const absent = token.type === '!';
    if (absent) token = this.#take();
    if (token.type !== 'identifier') throw new RangeError(`found '${token.text}', expected: identifier`);
    const key = token.text;
    checkKey(key);
    const next = this.#peek().type;
    if (absent || next === 'end' || next === ',') return checked({ key, operator: absent ? '!' : 'exists', values: [] });
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#exactValue()];
    return checked({ key, operator, values: [...new Set(values)].sort() });
  }

  #operator(): Operator {
    const token = this.#take(false);
    switch (token.type) {
      case 'in':
      case 'notin':
      case '=':
      case '==':
      case '!=':
        return token.type;
      case '>':
        return 'gt';
      case '<':
        return 'lt';
      default:
        throw new RangeError(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #values(): string[] {
    const open = this.#take();
    if (open.type !== '(') throw new RangeError(`found '${open.text}' expected: '('`);
    const next = this.#peek();
    if (next.type === ')') {
      this.#take();
      return [];
    }
    if (next.type !== 'identifier' && next.type !== ',') throw new RangeError(`found '${next.text}', expected: ',', ')' or identifier`);
    const values = this.#list();
    const close = this.#take();
    if (close.type !== ')') throw new RangeError(`found '${close.text}', expected: ')'`);
    return values;
  }

  #list(): string[] {
    const values: string[] = [];
    for (;;) {
      const token = this.#take();
      if (token.type === 'identifier') {
        values.push(token.text);
        const next = this.#peek();
        if (next.type === ')') return values;
        if (next.type !== ',') throw new RangeError(`found '${next.text}', expected: ',' or ')'`);
      } else if (token.type === ',') {
        if (values.length === 0) values.push('');
        const next = this.#peek();
        if (next.type === ')') return [...values, ''];
        if (next.type === ',') {
          this.#take();
          values.push('');
        }
      } else throw new RangeError(`found '${token.text}', expected: ',', or identifier`);
    }
  }

  #exactValue(): string {
    const next = this.#peek();
    if (next.type === 'end' || next.type === ',') return '';
    const token = this.#take();
    if (token.type !== 'identifier') throw new RangeError(`found '${token.text}', expected: identifier`);
    return token.text;
  }
}

function checkKey(key: string): void {
  const faults = qualifiedNameFaults(key);
  if (faults.length) throw new RangeError(fault(invalid('<nil>', key, faults.join('; '))));
}

const fault = (error: FieldError): string => `${error.field}: ${error.message}`;

function checked(requirement: Requirement): Requirement {
  const { key, operator, values } = requirement;
  const errors: FieldError[] = [];
  if ((operator === 'in' || operator === 'notin') && values.length === 0) {
    errors.push(invalid('values', values, "for 'in', 'notin' operators, values set can't be empty"));
  }
  if (operator === 'gt' || operator === 'lt') {
    if (!INTEGER.test(values[0]!)) errors.push(invalid('values[0]', values[0], "for 'Gt', 'Lt' operators, the value must be an integer"));
  }
  values.forEach((value, index) => {
    const faults = labelValueFaults(value);
    if (faults.length) errors.push(invalid(`values[${index}][${key}]`, value, faults.join('; ')));
  });
  const messages = [...new Set(errors.map(fault))];
  if (messages.length) throw new RangeError(messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`);
  return requirement;
}

/**
 * Reads a label selector from a query.
 * @throws RangeError with upstream's words; the caller answers 400 with them.
 */
export function parseSelector(text: string): Selector {
  return selectorOf(new Parser(text).parse());
}
