/**
 * What Go's decoder says of a text that is not JSON: clients show the words (encoding/json: scanner.go).
 *
 * @returns undefined for a text that is JSON.
 */
export function goSyntaxError(text: string): string | undefined {
  try {
    new Scanner(text).document();
    return undefined;
  } catch (error) {
    if (error instanceof SyntaxFault) return error.message;
    throw error;
  }
}

/** What Go's decoder calls a JSON value that does not fit. */
export function goKind(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return { boolean: 'bool', number: 'number', bigint: 'number', string: 'string' }[typeof value as string] ?? 'object';
}

class SyntaxFault extends Error {}

const LITERALS: Record<string, string> = { t: 'true', f: 'false', n: 'null' };

class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): void {
    this.#value('looking for beginning of value', 0);
    this.#space();
    if (this.#at < this.#text.length) this.#fail('after top-level value');
  }

  #fail(where: string): never {
    if (this.#at >= this.#text.length) throw new SyntaxFault('unexpected end of JSON input');
    const char = String.fromCodePoint(this.#text.codePointAt(this.#at)!);
    const shown = char === "'" ? "'\\''" : char === '"' ? `'"'` : char === '\n' ? "'\\n'" : char === '\t' ? "'\\t'" : char === '\r' ? "'\\r'" : `'${char}'`;
    throw new SyntaxFault(`invalid character ${shown} ${where}`);
  }

  #space(): void {
    while (' \t\r\n'.includes(this.#text[this.#at] ?? 'x')) this.#at++;
  }

  #value(where: string, depth: number): void {
    this.#space();
    const char = this.#text[this.#at];
    if (depth > 10_000) throw new SyntaxFault('exceeded max depth');
    if (char === '{') this.#object(depth);
    else if (char === '[') this.#array(depth);
    else if (char === '"') this.#string();
    else if (char !== undefined && /[-0-9]/.test(char)) this.#number();
    else if (char !== undefined && LITERALS[char]) this.#literal(LITERALS[char]);
    else this.#fail(where);
  }

  #object(depth: number): void {
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === '}') {
      this.#at++;
      return;
    }
    for (;;) {
      this.#space();
      if (this.#text[this.#at] !== '"') this.#fail('looking for beginning of object key string');
      this.#string();
      this.#space();
      if (this.#text[this.#at] !== ':') this.#fail('after object key');
      this.#at++;
      this.#value('looking for beginning of value', depth + 1);
      this.#space();
      const next = this.#text[this.#at];
      if (next !== ',' && next !== '}') this.#fail('after object key:value pair');
      this.#at++;
      if (next === '}') return;
    }
  }

  #array(depth: number): void {
    this.#at++;
    this.#space();
    if (this.#text[this.#at] === ']') {
      this.#at++;
      return;
    }
    for (;;) {
      this.#value('looking for beginning of value', depth + 1);
      this.#space();
      const next = this.#text[this.#at];
      if (next !== ',' && next !== ']') this.#fail('after array element');
      this.#at++;
      if (next === ']') return;
    }
  }

  #string(): void {
    this.#at++;
    for (;;) {
      const char = this.#text[this.#at];
      if (char === '"') break;
      if (char === undefined || char < ' ') this.#fail('in string literal');
      this.#at++;
      if (char === '\\') this.#escape();
    }
    this.#at++;
  }

  #escape(): void {
    const char = this.#text[this.#at] ?? '';
    if (char === 'u') {
      this.#at++;
      for (let i = 0; i < 4; i++, this.#at++) if (!/[0-9a-fA-F]/.test(this.#text[this.#at] ?? '')) this.#fail('in \\u hexadecimal character escape');
      return;
    }
    if (char === '' || !'"\\/bfnrt'.includes(char)) this.#fail('in string escape code');
    this.#at++;
  }

  #number(): void {
    const digits = (where: string): void => {
      if (!/[0-9]/.test(this.#text[this.#at] ?? '')) this.#fail(where);
      while (/[0-9]/.test(this.#text[this.#at] ?? '')) this.#at++;
    };
    if (this.#text[this.#at] === '-') this.#at++;
    if (this.#text[this.#at] === '0') this.#at++;
    else digits('in numeric literal');
    if (this.#text[this.#at] === '.') {
      this.#at++;
      digits('after decimal point in numeric literal');
    }
    if (/[eE]/.test(this.#text[this.#at] ?? '')) {
      this.#at++;
      if (/[-+]/.test(this.#text[this.#at] ?? '')) this.#at++;
      digits('in exponent of numeric literal');
    }
  }

  #literal(word: string): void {
    for (let i = 0; i < word.length; i++, this.#at++) {
      if (this.#text[this.#at] !== word[i]) this.#fail(i === 0 ? 'looking for beginning of value' : `in literal ${word} (expecting '${word[i]}')`);
    }
  }
}
