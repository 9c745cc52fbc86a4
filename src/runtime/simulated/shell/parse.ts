import type { Command, Part, Redirect, Script, Step, Word } from './syntax.ts';

/** A script that is not one, or says more than this shell understands. */
export class ShellSyntaxError extends Error {}

const OPERATOR = /^(?:&&|\|\||;;|[;|&()\n])/;
const REDIRECT = /^(\d?)(>>|>&|>|<)/;
const NAME = /^[A-Za-z_]\w*/;
const RESERVED = new Set(['if', 'then', 'elif', 'else', 'fi', 'while', 'until', 'for', 'do', 'done', '{', '}', '!']);

/**
 * Reads a POSIX shell script: lists, pipelines, redirections, quotes, variables, command substitution, arithmetic, if, while,
 * until, for and groups. Functions, case, here-documents and background jobs are not understood. @throws ShellSyntaxError
 */
export function parseScript(text: string): Script {
  const parser = new Parser(text);
  const script = parser.script();
  parser.expectEnd();
  return script;
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  expectEnd(): void {
    this.#skipSeparators();
    if (this.#at < this.#text.length) throw this.#fault();
  }

  /** Commands up to the end, a closing bracket, or a reserved word that ends a list. */
  script(): Script {
    const steps: Step[] = [];
    let joint: Step['joint'] = ';';
    for (;;) {
      this.#skipSeparators();
      if (this.#ends()) return steps;
      steps.push({ joint, ...this.#pipeline() });
      this.#skipBlanks();
      if (this.#take('&&')) joint = '&&';
      else if (this.#take('||')) joint = '||';
      else if (/^[;\n)}#]|^$/.test(this.#rest().slice(0, 1)) && !this.#rest().startsWith(';;')) joint = ';';
      else throw this.#fault();
    }
  }

  #pipeline(): { negated: boolean; pipeline: Command[] } {
    const negated = this.#takeWord('!');
    const pipeline = [this.#command()];
    for (;;) {
      this.#skipBlanks();
      if (this.#rest().startsWith('||') || !this.#take('|')) return { negated, pipeline };
      this.#skipSeparators();
      pipeline.push(this.#command());
    }
  }

  #command(): Command {
    this.#skipBlanks();
    if (this.#takeWord('while')) return this.#loop(false);
    if (this.#takeWord('until')) return this.#loop(true);
    if (this.#takeWord('if')) return this.#conditional();
    if (this.#takeWord('for')) return this.#forLoop();
    if (this.#take('(')) return this.#group(')');
    if (this.#takeWord('{')) return this.#group('}');
    return this.#simple();
  }

  #loop(until: boolean): Command {
    const condition = this.#upTo('do');
    const body = this.#upTo('done');
    return { type: 'while', until, condition, body, redirects: this.#redirects() };
  }

  #conditional(): Command {
    const branches = [{ condition: this.#upTo('then'), body: this.script() }];
    while (this.#takeWord('elif')) branches.push({ condition: this.#upTo('then'), body: this.script() });
    const otherwise = this.#takeWord('else') ? this.script() : [];
    if (!this.#takeWord('fi')) throw this.#fault();
    return { type: 'if', branches, otherwise, redirects: this.#redirects() };
  }

  #forLoop(): Command {
    this.#skipBlanks();
    const name = this.#match(NAME);
    if (!name) throw this.#fault();
    this.#skipBlanks();
    if (!this.#takeWord('in')) throw this.#fault();
    const words: Word[] = [];
    for (let word = this.#word(); word; word = this.#word()) words.push(word);
    this.#skipSeparators();
    if (!this.#takeWord('do')) throw this.#fault();
    return { type: 'for', name, words, body: this.#upTo('done'), redirects: this.#redirects() };
  }

  #group(end: ')' | '}'): Command {
    const body = this.script();
    if (!this.#take(end)) throw this.#fault();
    return { type: 'group', body, redirects: this.#redirects() };
  }

  #upTo(word: string): Script {
    const script = this.script();
    if (!this.#takeWord(word)) throw this.#fault();
    return script;
  }

  #simple(): Command {
    const assignments: { name: string; value: Word }[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      this.#skipBlanks();
      const redirect = this.#redirect();
      if (redirect) {
        redirects.push(redirect);
        continue;
      }
      const assigned = words.length === 0 ? /^([A-Za-z_]\w*)=/.exec(this.#rest()) : null;
      if (assigned) {
        this.#at += assigned[0].length;
        assignments.push({ name: assigned[1]!, value: this.#word() ?? [] });
        continue;
      }
      const word = this.#word();
      if (!word) break;
      words.push(word);
    }
    if (words.length + assignments.length + redirects.length === 0) throw this.#fault();
    return { type: 'simple', assignments, words, redirects };
  }

  #redirects(): Redirect[] {
    const redirects: Redirect[] = [];
    for (;;) {
      this.#skipBlanks();
      const redirect = this.#redirect();
      if (!redirect) return redirects;
      redirects.push(redirect);
    }
  }

  #redirect(): Redirect | undefined {
    const match = REDIRECT.exec(this.#rest());
    if (!match || this.#rest().startsWith('<<')) return undefined;
    const [whole, digit, operator] = match;
    this.#at += whole.length;
    this.#skipBlanks();
    const to = this.#word();
    if (!to) throw this.#fault();
    const from = digit ? Number(digit) : operator === '<' ? 0 : 1;
    return { from, mode: operator === '<' ? 'read' : operator === '>' ? 'write' : operator === '>>' ? 'append' : 'duplicate', to };
  }

  #word(): Word | undefined {
    this.#skipBlanks();
    const parts: Part[] = [];
    for (;;) {
      const rest = this.#rest();
      if (rest === '' || /^\s/.test(rest) || OPERATOR.test(rest) || /^[<>]/.test(rest)) break;
      if (parts.length === 0 && rest.startsWith('#')) {
        this.#match(/^[^\n]*/);
        break;
      }
      parts.push(...this.#parts());
    }
    return parts.length ? parts : undefined;
  }

  #parts(): Part[] {
    if (this.#take("'")) return [{ type: 'text', text: this.#until("'"), quoted: true }];
    if (this.#take('"')) return this.#doubleQuoted();
    if (this.#take('\\')) return this.#take('\n') ? [] : [{ type: 'text', text: this.#next(), quoted: true }];
    const special = this.#special(false);
    if (special) return [special];
    return [{ type: 'text', text: this.#match(/^[^\s'"\\$`;|&(){}<>]+/) || this.#next(), quoted: false }];
  }

  #doubleQuoted(): Part[] {
    const parts: Part[] = [{ type: 'text', text: '', quoted: true }];
    while (!this.#take('"')) {
      if (this.#at >= this.#text.length) throw this.#fault();
      if (/^\\["\\$`\n]/.test(this.#rest())) {
        this.#at++;
        const escaped = this.#next();
        parts.push({ type: 'text', text: escaped === '\n' ? '' : escaped, quoted: true });
        continue;
      }
      parts.push(this.#special(true) ?? { type: 'text', text: this.#match(/^[^"\\$`]+/) || this.#next(), quoted: true });
    }
    return parts;
  }

  /** What begins with a dollar sign or a backquote. */
  #special(quoted: boolean): Part | undefined {
    if (this.#take('`')) return { type: 'command', script: parseScript(this.#until('`')), quoted };
    if (this.#take('$((')) return { type: 'arithmetic', text: this.#until('))') };
    if (this.#take('$(')) {
      const script = this.script();
      if (!this.#take(')')) throw this.#fault();
      return { type: 'command', script, quoted };
    }
    const braced = /^\$\{([A-Za-z_]\w*|[?#@*$\d])(?::?-([^}]*))?\}/.exec(this.#rest());
    const plain = braced ?? /^\$([A-Za-z_]\w*|[?#@*$\d])/.exec(this.#rest());
    if (!plain) {
      if (this.#rest().startsWith('${')) throw this.#fault();
      return undefined;
    }
    this.#at += plain[0].length;
    return { type: 'variable', name: plain[1]!, otherwise: plain[2], quoted };
  }

  #ends(): boolean {
    const rest = this.#rest();
    if (rest === '' || rest.startsWith(')')) return true;
    const word = /^[^\s;|&()<>]+/.exec(rest)?.[0];
    return word !== undefined && RESERVED.has(word) && !['if', 'while', 'until', 'for', '{', '!'].includes(word);
  }

  #skipBlanks(): void {
    this.#match(/^(?:[ \t\r]|\\\n)+/);
  }

  #skipSeparators(): void {
    this.#match(/^(?:\s|;|\\\n|#[^\n]*)+/);
  }

  #rest(): string {
    return this.#text.slice(this.#at);
  }

  #match(pattern: RegExp): string {
    const found = pattern.exec(this.#rest())?.[0] ?? '';
    this.#at += found.length;
    return found;
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  /** A reserved word, which must stand alone. */
  #takeWord(word: string): boolean {
    this.#skipBlanks();
    const after = this.#text[this.#at + word.length];
    return (after === undefined || /[\s;|&()<>]/.test(after)) && this.#take(word);
  }

  #next(): string {
    if (this.#at >= this.#text.length) throw this.#fault();
    return this.#text[this.#at++]!;
  }

  #until(end: string): string {
    const found = this.#text.indexOf(end, this.#at);
    if (found < 0) throw this.#fault();
    const text = this.#text.slice(this.#at, found);
    this.#at = found + end.length;
    return text;
  }

  #fault(): ShellSyntaxError {
    return new ShellSyntaxError(`sh: syntax error: unexpected ${JSON.stringify(this.#rest().slice(0, 12) || 'end of file')}`);
  }
}
