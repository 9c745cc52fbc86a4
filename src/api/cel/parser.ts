import { END, type Fault, KINDS, type Token, tokensOf } from './tokens.ts';

/** A piece of an expression, with what the rules for names ask for. */
export type Node =
  | { shape: 'identifier'; name: string; offset: number }
  | { shape: 'select'; operand: Node; field: string; offset: number }
  | Call
  | { shape: 'message'; name: string; parts: Node[]; offset: number }
  /** Operators, lists, maps and literals: names are looked for in their parts. */
  | { shape: 'other'; parts: Node[]; offset: number };

export interface Call {
  shape: 'call';
  name: string;
  target?: Node;
  parts: Node[];
  /** Of the parenthesis. */
  offset: number;
}

const quote = (text: string): string => `'${text}'`;
/** What an operand may begin with. */
const OPERANDS = [
  ...['[', '{', '(', '.', '-', '!', 'true', 'false', 'null'].map(quote),
  ...['NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', 'IDENTIFIER'],
];
const LITERALS = [...['true', 'false', 'null'].map(quote), 'NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES'];
/** Binary operators, the loosest first. */
const LEVELS = [['||'], ['&&'], ['<', '<=', '>=', '>', '==', '!=', 'in'], ['+', '-'], ['*', '/', '%']].map((level) => level.map(quote));
const OPERATORS = [...LEVELS.flat(), quote('?')];
const SELECTORS = ['.', '['].map(quote);
const RESERVED = new Set('as break const continue else for function if import let loop package namespace return var void while'.split(' '));
const MOST_FAULTS = 100;
const LARGEST_INT = 2n ** 63n;

/** Thrown where an expression cannot go on; the rule that was being read catches it. */
class Stuck extends Error {}

/**
 * Reads an expression, and says what is wrong with it in the words, and after the recoveries, of the parser that cel-go is
 * made with (ANTLR: DefaultErrorStrategy): a token too many is left out, one that is missing is put in, and otherwise the
 * rule is left at the next token that may follow it. A fault counts only once a token has matched since the last one.
 */
export function parse(source: string): { node: Node; faults: Fault[] } {
  const parser = new Parser(source);
  const node = parser.whole();
  const faults = parser.faults.sort((a, b) => a.offset - b.offset).slice(0, MOST_FAULTS);
  return { node, faults };
}

class Parser {
  readonly faults: Fault[];
  readonly #source: string;
  readonly #tokens: Token[];
  #at = 0;
  #isRecovering = false;
  /** What may come after the expressions that are being read, the innermost last. */
  readonly #closers: string[][] = [];
  /** Faults that are told only of expressions that are well formed otherwise. */
  readonly #late: Fault[] = [];

  constructor(source: string) {
    this.#source = source;
    const { tokens, faults } = tokensOf(source);
    this.#tokens = tokens;
    this.faults = faults;
  }

  whole(): Node {
    const node = this.#within([END], () => this.#expression());
    this.#attempt([END], () => this.#match(END, []));
    if (this.faults.length === 0) this.faults.push(...this.#late);
    return node;
  }

  // --- tokens

  #peek(ahead = 0): Token {
    return this.#tokens[Math.min(this.#at + ahead, this.#tokens.length - 1)]!;
  }

  #is(...kinds: string[]): boolean {
    return kinds.includes(this.#peek().kind);
  }

  #take(): Token {
    const token = this.#peek();
    this.#isRecovering = false;
    this.#at++;
    return token;
  }

  #report(token: Token, words: string): void {
    if (this.#isRecovering) return;
    this.#isRecovering = true;
    this.faults.push({ offset: token.offset, words: `Syntax error: ${words}` });
  }

  #mismatch(expected: readonly string[]): never {
    const token = this.#peek();
    this.#report(token, `mismatched input '${token.text}' expecting ${listed(expected)}`);
    throw new Stuck();
  }

  /** Nothing that may stand here begins with the next two tokens. */
  #noAlternative(length = 2): never {
    const [first, last] = [this.#peek(), this.#peek(length - 1)];
    const end = last.kind === END ? last.offset : last.offset + last.text.length;
    this.#report(last, `no viable alternative at input '${this.#source.slice(first.offset, end).trimEnd()}'`);
    throw new Stuck();
  }

  /** Leaves out the next token if that helps. */
  #drop(expected: readonly string[]): boolean {
    if (!expected.includes(this.#peek(1).kind) || this.#is(END)) return false;
    this.#report(this.#peek(), `extraneous input '${this.#peek().text}' expecting ${listed(expected)}`);
    this.#at++;
    this.#isRecovering = false;
    return true;
  }

  /** One of the kinds must come next, unless faults are being passed over. */
  #expect(expected: readonly string[]): void {
    if (this.#isRecovering || this.#is(...expected) || this.#drop(expected)) return;
    this.#mismatch(expected);
  }

  /** Takes a token of the kind; `next`: what may come after it. */
  #match(kind: string, next: readonly string[]): void {
    if (this.#is(kind) || this.#drop([kind])) {
      this.#take();
      return;
    }
    if (!next.includes(this.#peek().kind)) this.#mismatch([kind]);
    this.#report(this.#peek(), `missing ${kind} at '${this.#peek().text}'`);
  }

  /** Reads a rule; where it gets stuck, passes over what cannot follow it. */
  #attempt<T>(follow: readonly string[], rule: () => T): T | undefined {
    try {
      return rule();
    } catch (error) {
      if (!(error instanceof Stuck)) throw error;
      this.#skipTo(follow);
      return undefined;
    }
  }

  #skipTo(follow: readonly string[]): void {
    const stops = new Set([...follow, ...OPERATORS, ...this.#closers.flat(), END]);
    while (!stops.has(this.#peek().kind)) this.#at++;
  }

  #within<T>(closers: string[], rule: () => T): T {
    this.#closers.push(closers);
    const result = rule();
    this.#closers.pop();
    return result;
  }

  #afterOperand(): string[] {
    return [...SELECTORS, ...OPERATORS, ...(this.#closers.at(-1) ?? [])];
  }

  // --- rules

  #expression(): Node {
    const { offset } = this.#peek();
    const condition = this.#binary(0);
    if (!this.#is(quote('?'))) return condition;
    const parts = [condition];
    this.#attempt([], () => {
      this.#take();
      parts.push(this.#within([quote(':')], () => this.#binary(0)));
      this.#match(quote(':'), OPERANDS);
      parts.push(this.#expression());
    });
    return { shape: 'other', parts, offset };
  }

  #binary(level: number): Node {
    const operators = LEVELS[level];
    if (!operators) return this.#unary();
    const { offset } = this.#peek();
    const parts = [this.#binary(level + 1)];
    while (this.#is(...operators)) {
      this.#take();
      parts.push(this.#binary(level + 1));
    }
    return parts.length === 1 ? parts[0]! : { shape: 'other', parts, offset };
  }

  #unary(): Node {
    const { offset } = this.#peek();
    const nothing: Node = { shape: 'other', parts: [], offset };
    return (
      this.#attempt([], () => {
        this.#expect(OPERANDS);
        const sign = this.#peek();
        if (sign.kind === quote('-') && !/^NUM_(INT|FLOAT)$/.test(this.#peek(1).kind) && !this.#operandAt(1)) this.#noAlternative();
        if (sign.kind !== quote('!') && sign.kind !== quote('-')) return this.#member();
        while (this.#is(sign.kind)) this.#take();
        // A repetition leaves out what neither repeats nor ends it, with no look at what comes after.
        if (!this.#isRecovering && !this.#operandAt(0)) {
          this.#report(this.#peek(), `extraneous input '${this.#peek().text}' expecting ${listed(OPERANDS)}`);
          this.#skipTo(OPERANDS);
        }
        return { shape: 'other', parts: [this.#member()], offset };
      }) ?? nothing
    );
  }

  #operandAt(ahead: number): boolean {
    return OPERANDS.includes(this.#peek(ahead).kind);
  }

  #member(): Node {
    let node = this.#attempt(SELECTORS, () => this.#primary()) ?? { shape: 'other', parts: [], offset: this.#peek().offset };
    while (this.#is(...SELECTORS)) {
      const next = this.#attempt([], () => (this.#is(quote('[')) ? this.#index(node) : this.#select(node)));
      if (!next) return node;
      node = next;
    }
    return node;
  }

  #index(operand: Node): Node {
    const { offset } = this.#take();
    this.#expect(sorted([...OPERANDS, quote('?')]));
    if (this.#is(quote('?'))) this.#take();
    const index = this.#within([quote(']')], () => this.#expression());
    this.#match(quote(']'), this.#afterOperand());
    return { shape: 'other', parts: [operand, index], offset };
  }

  #select(operand: Node): Node {
    const isOptional = this.#peek(1).kind === quote('?');
    const field = this.#peek(isOptional ? 2 : 1);
    if (field.kind !== 'IDENTIFIER' && field.kind !== 'ESC_IDENTIFIER') this.#noAlternative(isOptional ? 3 : 2);
    for (let count = isOptional ? 3 : 2; count > 0; count--) this.#take();
    if (field.kind === 'ESC_IDENTIFIER') this.#late.push({ offset: field.offset, words: "unsupported syntax: '`'" });
    if (!isOptional && this.#is(quote('('))) return this.#call(field.text, operand);
    if (isOptional) return { shape: 'other', parts: [operand], offset: field.offset };
    return { shape: 'select', operand, field: field.text, offset: field.offset - 1 };
  }

  #call(name: string, target?: Node): Node {
    const { offset } = this.#take();
    this.#expect(sorted([...OPERANDS, quote(')')]));
    const parts = this.#is(quote(')')) ? [] : this.#elements([quote(')')], () => this.#expression());
    this.#match(quote(')'), this.#afterOperand());
    return { shape: 'call', name, ...(target ? { target } : {}), parts, offset };
  }

  /** Expressions between commas, before one of the closers. */
  #elements(closers: string[], element: () => Node): Node[] {
    const parts: Node[] = [];
    this.#attempt([], () => {
      do {
        if (parts.length) this.#take();
        parts.push(this.#within([...closers, quote(',')], element));
      } while (this.#is(quote(',')) && !closers.includes(this.#peek(1).kind));
    });
    return parts;
  }

  #primary(): Node {
    this.#expect(OPERANDS);
    const { kind, offset } = this.#peek();
    if (LITERALS.includes(kind) || kind === quote('-')) return this.#literal();
    switch (kind) {
      case quote('('): {
        this.#take();
        const inner = this.#within([quote(')')], () => this.#expression());
        this.#match(quote(')'), this.#afterOperand());
        return inner;
      }
      case quote('['):
        return this.#aggregate(quote(']'), () => this.#optional());
      case quote('{'):
        return this.#aggregate(quote('}'), () => this.#entry(() => this.#optional()));
      case quote('.'):
        if (this.#peek(1).kind !== 'IDENTIFIER') this.#noAlternative();
        this.#take();
        return this.#named('.');
      case 'IDENTIFIER':
        return this.#named('');
      default:
        // Faults are being passed over.
        this.#mismatch(OPERANDS);
    }
    return { shape: 'other', parts: [], offset };
  }

  #literal(): Node {
    const { offset, kind } = this.#peek();
    const sign = kind === quote('-') ? this.#take().text : '';
    const token = this.#take();
    const magnitude = token.kind === 'NUM_INT' ? BigInt(token.text) : 0n;
    if (magnitude > (sign ? LARGEST_INT : LARGEST_INT - 1n)) this.#late.push({ offset, words: 'invalid int literal' });
    return { shape: 'other', parts: [], offset };
  }

  /** A list or a map; a comma may come last. */
  #aggregate(closer: string, element: () => Node): Node {
    const { offset } = this.#take();
    this.#expect(sorted([...OPERANDS, quote('?'), closer, quote(',')]));
    const parts = this.#is(closer, quote(',')) ? [] : this.#elements([closer], element);
    this.#expect(sorted([closer, quote(',')]));
    if (this.#is(quote(','))) this.#take();
    this.#match(closer, this.#afterOperand());
    return { shape: 'other', parts, offset };
  }

  #optional(): Node {
    if (this.#is(quote('?'))) this.#take();
    return this.#expression();
  }

  #entry(key: () => Node): Node {
    const { offset } = this.#peek();
    const parts = [this.#within([quote(':')], key)];
    this.#match(quote(':'), OPERANDS);
    parts.push(this.#expression());
    return { shape: 'other', parts, offset };
  }

  /** What begins with a name: a variable, a function's call, a message. */
  #named(prefix: string): Node {
    const { text, offset } = this.#take();
    const name = `${prefix}${text}`;
    if (RESERVED.has(text)) this.#late.push({ offset, words: `reserved identifier: ${text}` });
    if (this.#is(quote('('))) return this.#call(name);
    const length = this.#messageNameLength();
    if (length === undefined) return { shape: 'identifier', name, offset };
    const rest = Array.from({ length }, () => this.#take().text).join('');
    const { offset: brace } = this.#peek();
    const { parts } = this.#aggregate(quote('}'), () => this.#entry(() => this.#fieldName())) as { parts: Node[] };
    return { shape: 'message', name: `${name}${rest}`, parts, offset: brace };
  }

  /** How many more tokens belong to the name of a message; undefined if it is none. */
  #messageNameLength(): number | undefined {
    let length = 0;
    while (this.#peek(length).kind === quote('.') && this.#peek(length + 1).kind === 'IDENTIFIER') length += 2;
    return this.#peek(length).kind === quote('{') ? length : undefined;
  }

  #fieldName(): Node {
    const { offset } = this.#take();
    return { shape: 'other', parts: [], offset };
  }
}

function sorted(kinds: readonly string[]): string[] {
  return [...kinds].sort((a, b) => KINDS.indexOf(a) - KINDS.indexOf(b));
}

function listed(kinds: readonly string[]): string {
  return kinds.length === 1 ? kinds[0]! : `{${kinds.join(', ')}}`;
}
