import { type FieldError, invalid } from './field-error.ts';
import { type Operator, type Requirement, type Selector, selectorOf } from './labels.ts';
import { labelValueFaults, qualifiedNameFaults } from './names.ts';

const INTEGER = /^[-+]?\d+$/;

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
    return requirements;
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
