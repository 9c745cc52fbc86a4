/** A fault at a place of an expression. */
export interface Fault {
  /** In UTF-16 units from the start of the source. */
  offset: number;
  words: string;
}

/** A token; its kind is how messages name it, such as `'&&'` or `IDENTIFIER`. */
export interface Token {
  kind: string;
  text: string;
  offset: number;
}

/** All kinds of tokens, in the order in which messages list them (cel-go: parser/gen/CEL.g4). */
export const KINDS: readonly string[] = [
  ...['==', '!=', 'in', '<', '<=', '>=', '>', '&&', '||', '[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?', ':', '+', '*', '/', '%'].map(quoted),
  ...['true', 'false', 'null'].map(quoted),
  ...['NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES', 'IDENTIFIER', 'ESC_IDENTIFIER'],
];

export const END = '<EOF>';

function quoted(text: string): string {
  return `'${text}'`;
}

const ESCAPE = '\\\\(?:[abfnrtv"\'\\\\?`]|[xX][0-9a-fA-F]{2}|[0-3][0-7]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})';
const STRING = [
  `"""(?:${ESCAPE}|[^\\\\])*?"""`,
  `'''(?:${ESCAPE}|[^\\\\])*?'''`,
  `"(?:${ESCAPE}|[^\\\\"\\n\\r])*"`,
  `'(?:${ESCAPE}|[^\\\\'\\n\\r])*'`,
  String.raw`[rR]"""[\s\S]*?"""`,
  String.raw`[rR]'''[\s\S]*?'''`,
  String.raw`[rR]"[^"\n\r]*"`,
  String.raw`[rR]'[^'\n\r]*'`,
].join('|');

/** What may stand at a place, by kind; of those that match, the longest counts, and then the first. */
const FORMS: readonly [kind: string, form: RegExp][] = [
  ['', /[\t\n\f\r ]+|\/\/[^\n]*/y],
  ['NUM_FLOAT', /\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?/y],
  ['NUM_UINT', /(?:0x[0-9a-fA-F]+|\d+)[uU]/y],
  ['NUM_INT', /0x[0-9a-fA-F]+|\d+/y],
  ['BYTES', new RegExp(`[bB](?:${STRING})`, 'y')],
  ['STRING', new RegExp(STRING, 'y')],
  ['IDENTIFIER', /[_a-zA-Z][_a-zA-Z0-9]*/y],
  ['ESC_IDENTIFIER', /`[-_a-zA-Z0-9./ ]+`/y],
  ['symbol', /==|!=|<=|>=|&&|\|\||[<>[\]{}().,\-!?:+*/%]/y],
];

const WORDS = new Set(['in', 'true', 'false', 'null']);

/** The tokens of an expression, the end among them, and what is no token. */
export function tokensOf(source: string): { tokens: Token[]; faults: Fault[] } {
  const tokens: Token[] = [];
  const faults: Fault[] = [];
  for (let offset = 0; offset < source.length; ) {
    const [kind, text] = longest(source, offset);
    if (text === '') {
      const bad = unrecognized(source, offset);
      faults.push({ offset, words: `Syntax error: token recognition error at: '${bad}'` });
      offset += bad.length;
      continue;
    }
    if (kind !== '') tokens.push({ kind: kind === 'symbol' || WORDS.has(text) ? quoted(text) : kind, text, offset });
    offset += text.length;
  }
  tokens.push({ kind: END, text: END, offset: source.length });
  return { tokens, faults };
}

function longest(source: string, offset: number): [kind: string, text: string] {
  let best: [string, string] = ['', ''];
  for (const [kind, form] of FORMS) {
    form.lastIndex = offset;
    const text = form.exec(source)?.[0] ?? '';
    if (text.length > best[1].length) best = [kind, text];
  }
  return best;
}

/** As far as a token could have gone on, and the character at which it could not. */
function unrecognized(source: string, offset: number): string {
  const rest = source.slice(offset);
  const begun =
    /^(?:[bB]?[rR]?)(?:"""|''')[\s\S]*/.exec(rest)?.[0] ??
    new RegExp(`^[bB]?(?:"(?:${ESCAPE}|[^\\\\"\\n\\r])*|'(?:${ESCAPE}|[^\\\\'\\n\\r])*)(?:\\\\(?:.|$)|[\\n\\r]|$)`).exec(rest)?.[0] ??
    /^(?:[=&|`](?:.|$))/s.exec(rest)?.[0];
  return begun || String.fromCodePoint(rest.codePointAt(0)!);
}
