import { FileError } from '../memory-files.ts';
import { NO_WAIT, type Process, type Program, type Programs } from '../process.ts';
import { parseScript, ShellSyntaxError } from './parse.ts';
import type { Command, Part, Redirect, Script, Word } from './syntax.ts';

/** What one round of a loop takes that does not wait for anything itself. */
const ROUND_MS = 100;

/** `break`, `continue` and `exit`, on their way out. */
class Leave extends Error {
  readonly kind: 'break' | 'continue' | 'exit';
  readonly code: number;

  constructor(kind: Leave['kind'], code: number) {
    super(kind);
    this.kind = kind;
    this.code = code;
  }
}

function notRead({ stderr }: Process, path: string, { message }: FileError): number {
  stderr(`sh: can't open '${path}': ${message}\n`);
  return 2;
}

/** `sh -c SCRIPT [NAME [ARGUMENT…]]`, or the script in a file. */
export function shell(programs: Programs): Program {
  return function* (process) {
    const [, first, ...rest] = process.argv;
    if (first === undefined) return 0;
    const inline = /^-\w*c$/.test(first);
    try {
      const script = parseScript(inline ? (rest[0] ?? '') : process.files.read(first).toString());
      return yield* new Interpreter(process, programs, inline ? rest.slice(1) : [first, ...rest]).run(script);
    } catch (error) {
      if (!(error instanceof ShellSyntaxError) && !(error instanceof FileError)) throw error;
      return error instanceof FileError ? notRead(process, first, error) : yield* programs.otherwise(process);
    }
  };
}

type Io = Pick<Process, 'stdin' | 'stdout' | 'stderr'>;
type Run = Generator<number, number>;

class Interpreter {
  readonly #process: Process;
  readonly #programs: Programs;
  /** $0, $1 and so on. */
  readonly #arguments: readonly string[];
  readonly #variables: Map<string, string>;
  readonly #exported: Set<string>;
  #directory: string;
  #status = 0;

  constructor(process: Process, programs: Programs, positional: readonly string[]) {
    this.#process = process;
    this.#programs = programs;
    this.#arguments = positional;
    this.#variables = new Map(process.env);
    this.#exported = new Set(process.env.keys());
    this.#directory = process.directory;
  }

  *run(script: Script): Run {
    try {
      return yield* this.#script(script, this.#process);
    } catch (error) {
      if (error instanceof Leave) return error.code;
      throw error;
    }
  }

  *#script(script: Script, io: Io): Run {
    for (const { joint, negated, pipeline } of script) {
      if ((joint === '&&' && this.#status !== 0) || (joint === '||' && this.#status === 0)) continue;
      const code = yield* this.#pipeline(pipeline, io);
      this.#status = negated ? Number(code === 0) : code;
    }
    return this.#status;
  }

  *#pipeline(pipeline: readonly Command[], io: Io): Run {
    let { stdin } = io;
    let code = 0;
    for (const [index, command] of pipeline.entries()) {
      let written = '';
      const last = index === pipeline.length - 1;
      code = yield* this.#command(command, { stdin, stderr: io.stderr, stdout: last ? io.stdout : (text) => (written += text) });
      stdin = written;
    }
    return code;
  }

  *#command(command: Command, outer: Io): Run {
    let io: Io;
    try {
      io = yield* this.#redirected(outer, command.redirects);
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      outer.stderr(`sh: can't open: ${error.message}\n`);
      return 1;
    }
    switch (command.type) {
      case 'simple':
        return yield* this.#simple(command, io);
      case 'group':
        return yield* this.#script(command.body, io);
      case 'if':
        for (const { condition, body } of command.branches) {
          if ((yield* this.#script(condition, io)) === 0) return yield* this.#fresh(body, io);
        }
        return yield* this.#fresh(command.otherwise, io);
      case 'while':
        return yield* this.#rounds(command.body, io, function* (this: Interpreter) {
          return ((yield* this.#script(command.condition, io)) === 0) !== command.until;
        });
      case 'for': {
        const values = yield* this.#fields(command.words);
        return yield* this.#rounds(command.body, io, function* (this: Interpreter) {
          yield* NO_WAIT;
          const value = values.shift();
          if (value !== undefined) this.#variables.set(command.name, value);
          return value !== undefined;
        });
      }
    }
  }

  /** A body that succeeds where nothing in it runs. */
  *#fresh(body: Script, io: Io): Run {
    this.#status = 0;
    return yield* this.#script(body, io);
  }

  *#rounds(body: Script, io: Io, more: (this: Interpreter) => Generator<number, boolean>): Run {
    let code = 0;
    for (;;) {
      const before = this.#process.now();
      if (!(yield* more.call(this))) return code;
      try {
        code = yield* this.#script(body, io);
      } catch (error) {
        if (!(error instanceof Leave) || error.kind === 'exit') throw error;
        if (error.kind === 'break') return 0;
      }
      if (this.#process.now() === before) yield ROUND_MS;
    }
  }

  *#simple({ assignments, words }: Command & { type: 'simple' }, io: Io): Run {
    const [name, ...args] = yield* this.#fields(words);
    const own = new Map<string, string>();
    for (const assignment of assignments) own.set(assignment.name, (yield* this.#fields([assignment.value], false)).join(' '));
    if (name === undefined) {
      for (const [variable, value] of own) this.#variables.set(variable, value);
      return 0;
    }
    return (yield* this.#builtin(name, args, io)) ?? (yield* this.#program([name, ...args], own, io));
  }

  *#builtin(name: string, args: readonly string[], io: Io): Generator<number, number | undefined> {
    switch (name) {
      case ':':
      case 'trap':
      case 'set':
      case 'ulimit':
      case 'umask':
        return 0;
      case 'exit':
        throw new Leave('exit', args[0] === undefined ? this.#status : Number(args[0]) & 0xff);
      case 'break':
      case 'continue':
        throw new Leave(name, 0);
      case 'wait':
        return 0;
      case 'exec':
        if (args.length === 0) return 0;
        throw new Leave('exit', yield* this.#program(args, new Map(), io));
      case 'cd':
        this.#directory = this.#path(args[0] ?? '/');
        return 0;
      case 'pwd':
        io.stdout(`${this.#directory}\n`);
        return 0;
      case 'export':
        for (const arg of args) {
          const [variable = '', value] = arg.split(/=(.*)/s);
          if (value !== undefined) this.#variables.set(variable, value);
          this.#exported.add(variable);
        }
        return 0;
      case 'read': {
        const line = io.stdin.split('\n')[0] ?? '';
        if (args[0]) this.#variables.set(args[0], line);
        return io.stdin === '' ? 1 : 0;
      }
      default:
        return undefined;
    }
  }

  *#program(argv: readonly string[], own: ReadonlyMap<string, string>, io: Io): Run {
    const program = this.#programs.find(argv[0]!) ?? this.#programs.otherwise;
    const exported = [...this.#variables].filter(([name]) => this.#exported.has(name));
    return yield* program({ ...this.#process, argv, env: new Map([...exported, ...own]), directory: this.#directory, ...io });
  }

  *#redirected(outer: Io, redirects: readonly Redirect[]): Generator<number, Io> {
    const io: Io = { stdin: outer.stdin, stdout: (text) => outer.stdout(text), stderr: (text) => outer.stderr(text) };
    for (const { from, mode, to } of redirects) {
      const target = (yield* this.#fields([to], false)).join(' ');
      if (mode === 'read') io.stdin = this.#process.files.read(this.#path(target)).toString();
      else if (mode === 'duplicate')
        Object.assign(io, from === 2 ? { stderr: target === '1' ? io.stdout : io.stderr } : { stdout: target === '2' ? io.stderr : io.stdout });
      else Object.assign(io, { [from === 2 ? 'stderr' : 'stdout']: this.#writer(target, mode === 'append') });
    }
    return io;
  }

  #writer(target: string, append: boolean): (text: string) => void {
    if (target === '/dev/stdout') return this.#process.stdout;
    if (target === '/dev/stderr') return this.#process.stderr;
    if (target === '/dev/null') return () => {};
    const path = this.#path(target);
    this.#process.files.write(path, '', { append, now: this.#process.now() });
    return (text) => this.#process.files.write(path, text, { append: true, now: this.#process.now() });
  }

  /** The words after expansion: unquoted values are split at white space, and vanish where they are empty. */
  *#fields(words: readonly Word[], split = true): Generator<number, string[]> {
    const fields: string[] = [];
    for (const word of words) {
      let field: string | undefined;
      for (const part of word) {
        const value = yield* this.#value(part);
        if (!split || part.type === 'text' || part.type === 'arithmetic' || part.quoted) {
          field = (field ?? '') + value;
          continue;
        }
        for (const [index, piece] of value.split(/\s+/).entries()) {
          if (index > 0 && field !== undefined) {
            fields.push(field);
            field = undefined;
          }
          if (piece !== '') field = (field ?? '') + piece;
        }
      }
      if (field !== undefined) fields.push(...(split ? this.#matching(word, field) : [field]));
    }
    return fields;
  }

  /** The files that a word with an unquoted asterisk stands for; itself where there are none. */
  #matching(word: Word, field: string): string[] {
    if (!word.some((part) => part.type === 'text' && !part.quoted && part.text.includes('*'))) return [field];
    const slash = field.lastIndexOf('/');
    const above = field.slice(0, slash + 1);
    const pattern = new RegExp(
      `^${field
        .slice(slash + 1)
        .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
        .replaceAll('*', '.*')}$`,
    );
    const directory = this.#process.files.find(this.#path(above || '.'));
    if (directory?.type !== 'directory') return [field];
    const names = [...directory.entries.keys()].filter((name) => pattern.test(name) && !name.startsWith('.')).sort();
    return names.length ? names.map((name) => above + name) : [field];
  }

  *#value(part: Part): Generator<number, string> {
    switch (part.type) {
      case 'text':
        return part.text;
      case 'arithmetic':
        return String(this.#arithmetic(part.text));
      case 'variable':
        return this.#variable(part.name) || (part.otherwise ?? '');
      case 'command': {
        let text = '';
        const status = yield* this.#script(part.script, { stdin: '', stdout: (more) => (text += more), stderr: this.#process.stderr });
        this.#status = status;
        return text.replace(/\n+$/, '');
      }
    }
  }

  #variable(name: string): string {
    if (name === '?') return String(this.#status);
    if (name === '$') return '1';
    if (name === '#') return String(Math.max(this.#arguments.length - 1, 0));
    if (name === '@' || name === '*') return this.#arguments.slice(1).join(' ');
    return /^\d$/.test(name) ? (this.#arguments[Number(name)] ?? '') : (this.#variables.get(name) ?? '');
  }

  /** Whole numbers, variables, the four operations, remainders, comparisons and brackets. */
  #arithmetic(text: string): number {
    const plain = text.replace(/\$?([A-Za-z_]\w*)/g, (_, name: string) => this.#variable(name) || '0');
    const tokens = plain.match(/\d+|<=|>=|==|!=|[-+*/%()<>]/g) ?? [];
    const value = new Arithmetic(tokens).comparison();
    if (value === undefined) throw new ShellSyntaxError(`sh: arithmetic syntax error: ${text}`);
    return value;
  }

  #path(path: string): string {
    return path.startsWith('/') ? path : `${this.#directory}/${path}`;
  }
}

const LEVELS: readonly Readonly<Record<string, (a: number, b: number) => number>>[] = [
  {
    '<': (a, b) => Number(a < b),
    '>': (a, b) => Number(a > b),
    '<=': (a, b) => Number(a <= b),
    '>=': (a, b) => Number(a >= b),
    '==': (a, b) => Number(a === b),
    '!=': (a, b) => Number(a !== b),
  },
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  { '*': (a, b) => a * b, '/': (a, b) => Math.trunc(a / b), '%': (a, b) => a % b },
];

class Arithmetic {
  readonly #tokens: string[];

  constructor(tokens: readonly string[]) {
    this.#tokens = [...tokens];
  }

  /** Undefined: it is not an expression. */
  comparison(level = 0): number | undefined {
    const operations = LEVELS[level];
    if (!operations) return this.#atom();
    let value = this.comparison(level + 1);
    for (let operation = operations[this.#tokens[0] ?? '']; operation && value !== undefined; operation = operations[this.#tokens[0] ?? '']) {
      this.#tokens.shift();
      const right = this.comparison(level + 1);
      value = right === undefined ? undefined : operation(value, right);
    }
    return value;
  }

  #atom(): number | undefined {
    const token = this.#tokens.shift();
    if (token === '-') return -(this.#atom() ?? Number.NaN);
    if (token !== '(') return token !== undefined && /^\d+$/.test(token) ? Number(token) : undefined;
    const value = this.comparison();
    return this.#tokens.shift() === ')' ? value : undefined;
  }
}
