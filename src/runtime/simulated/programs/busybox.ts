import { timestamp } from '../../../lib/clock.ts';
import { type Entry, FileError } from '../memory-files.ts';
import { instantly, type Process, type Program } from '../process.ts';

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86400 };

/** What `sleep` takes: seconds, or a number with a unit. */
function sleepMs(text: string | undefined): number {
  const match = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text ?? '');
  if (!match) return text === 'infinity' || text === 'inf' ? Number.POSITIVE_INFINITY : 0;
  return Number(match[1]) * (SECONDS[match[2] || 's'] ?? 1) * 1000;
}

/** A program that takes no time: what it is given, what it answers with. */
type Utility = (process: Process, args: readonly string[]) => number;

const at = ({ directory }: Process, path: string): string => (path.startsWith('/') ? path : `${directory}/${path}`);

const flagsOf = (args: readonly string[]): { flags: string; rest: string[] } => ({
  flags: args.filter((arg) => /^-[A-Za-z]/.test(arg)).join(''),
  rest: args.filter((arg) => !/^-[A-Za-z]/.test(arg)),
});

/** Does something for each path, and goes on after those that it fails for. */
function each(process: Process, name: string, paths: readonly string[], act: (path: string) => void): number {
  let code = 0;
  for (const path of paths) {
    try {
      act(at(process, path));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      process.stderr(`${name}: can't open '${path}': ${error.message}\n`);
      code = 1;
    }
  }
  return code;
}

/** What is read: the files named, or the input where there are none. */
function input(process: Process, name: string, paths: readonly string[]): { text: string; code: number } {
  if (paths.length === 0) return { text: process.stdin, code: 0 };
  let text = '';
  const code = each(process, name, paths, (path) => (text += path.endsWith('/-') ? process.stdin : process.files.read(path).toString()));
  return { text, code };
}

const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

const BITS = ['---', '--x', '-w-', '-wx', 'r--', 'r-x', 'rw-', 'rwx'];

/** Permission bits as `ls` has them, without the letter for the type. */
export const permissions = (mode: number): string => [6, 3, 0].map((shift) => BITS[(mode >> shift) & 7]).join('');

const letterOf = (entry: Entry): string => (entry.type === 'directory' ? 'd' : entry.type === 'link' ? 'l' : '-');
const sizeOf = (entry: Entry): number => (entry.type === 'file' ? entry.content.length : entry.type === 'link' ? entry.target.length : 4096);

function list(process: Process, args: readonly string[]): number {
  const { flags, rest } = flagsOf(args);
  const line = (name: string, entry: Entry | undefined): string => {
    if (!flags.includes('l') || !entry) return `${name}\n`;
    const target = entry.type === 'link' ? ` -> ${entry.target}` : '';
    return `${letterOf(entry)}${permissions(entry.mode)} 1 ${entry.uid} ${entry.gid} ${sizeOf(entry)} ${timestamp(entry.modifiedAt)} ${name}${target}\n`;
  };
  return each(process, 'ls', rest.length ? rest : ['.'], (path) => {
    const entry = process.files.find(path);
    if (!entry) throw new FileError('ENOENT');
    if (entry.type !== 'directory' || flags.includes('d')) process.stdout(line(path, entry));
    else
      for (const name of process.files.list(path))
        if (flags.includes('a') || flags.includes('A') || !name.startsWith('.')) process.stdout(line(name, process.files.findLink(`${path}/${name}`)));
  });
}

function grep(process: Process, args: readonly string[]): number {
  const { flags, rest } = flagsOf(args);
  const [pattern = '', ...paths] = rest;
  const wanted = new RegExp(flags.includes('F') ? pattern.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') : pattern, flags.includes('i') ? 'i' : '');
  const { text, code } = input(process, 'grep', paths);
  const found = linesOf(text).filter((line) => wanted.test(line.replace(/\n$/, '')) !== flags.includes('v'));
  if (flags.includes('c')) process.stdout(`${found.length}\n`);
  else if (!flags.includes('q')) for (const line of found) process.stdout(line.endsWith('\n') ? line : `${line}\n`);
  return code ? 2 : found.length ? 0 : 1;
}

function countOption(args: readonly string[]): { count: number; paths: string[] } {
  const index = args.findIndex((arg) => /^-(n|\d)/.test(arg));
  if (index < 0) return { count: 10, paths: [...args] };
  const attached = args[index]!.replace(/^-n?/, '');
  return { count: Number(attached || args[index + 1]), paths: args.filter((_, position) => position !== index && (attached !== '' || position !== index + 1)) };
}

const FOLLOW = /^(-f|-F|--follow)$/;

function tail(process: Process, args: readonly string[]): number {
  const { count, paths } = countOption(args);
  const { text, code } = input(process, 'tail', paths);
  process.stdout(linesOf(text).slice(-count).join(''));
  return code;
}

const NUMBERS: Readonly<Record<string, (a: number, b: number) => boolean>> = {
  '-eq': (a, b) => a === b,
  '-ne': (a, b) => a !== b,
  '-lt': (a, b) => a < b,
  '-le': (a, b) => a <= b,
  '-gt': (a, b) => a > b,
  '-ge': (a, b) => a >= b,
};

function holds(process: Process, terms: readonly string[]): boolean {
  for (const [word, join] of [
    ['-o', (a: boolean, b: boolean) => a || b],
    ['-a', (a: boolean, b: boolean) => a && b],
  ] as const) {
    const index = terms.indexOf(word);
    if (index > 0) return join(holds(process, terms.slice(0, index)), holds(process, terms.slice(index + 1)));
  }
  if (terms[0] === '!') return !holds(process, terms.slice(1));
  const [first = '', second = '', third = ''] = terms;
  if (terms.length === 3) {
    if (second === '=' || second === '==') return first === third;
    if (second === '!=') return first !== third;
    return NUMBERS[second]?.(Number(first), Number(third)) ?? false;
  }
  if (terms.length !== 2) return first !== '';
  if (first === '-n') return second !== '';
  if (first === '-z') return second === '';
  if (first === '-L' || first === '-h') return process.files.findLink(at(process, second))?.type === 'link';
  const entry = process.files.find(at(process, second));
  if (first === '-f') return entry?.type === 'file';
  if (first === '-d') return entry?.type === 'directory';
  if (first === '-s') return entry !== undefined && sizeOf(entry) > 0;
  return entry !== undefined && ['-e', '-r', '-w', '-x'].includes(first);
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', '\\': '\\' };
const unescaped = (text: string): string => text.replace(/\\([ntr\\])/g, (_, letter: string) => ESCAPES[letter] ?? letter);

function format(template: string, values: readonly string[]): string {
  const left = [...values];
  const once = (): string =>
    unescaped(template).replace(/%([sd%])/g, (_, letter: string) => (letter === '%' ? '%' : (left.shift() ?? (letter === 'd' ? '0' : ''))));
  let text = once();
  while (left.length > 0 && left.length < values.length) text += once();
  return text;
}

function copy(process: Process, from: string, to: string): void {
  const entry = process.files.find(from);
  if (entry?.type !== 'file') throw new FileError(entry ? 'EISDIR' : 'ENOENT');
  const into = process.files.find(to)?.type === 'directory' ? `${to}/${from.slice(from.lastIndexOf('/') + 1)}` : to;
  process.files.write(into, entry.content, { mode: entry.mode, now: process.now() });
}

const UTILITIES: Readonly<Record<string, Utility>> = {
  true: () => 0,
  false: () => 1,
  echo(process, args) {
    const flags = /^-[ne]+$/.test(args[0] ?? '') ? args[0]! : '';
    const text = (flags ? args.slice(1) : args).join(' ');
    process.stdout((flags.includes('e') ? unescaped(text) : text) + (flags.includes('n') ? '' : '\n'));
    return 0;
  },
  printf(process, [template = '', ...values]) {
    process.stdout(format(template, values));
    return 0;
  },
  hostname(process) {
    process.stdout(`${process.hostname}\n`);
    return 0;
  },
  date(process, args) {
    process.stdout(args[0] === '+%s' ? `${Math.floor(process.now() / 1000)}\n` : `${timestamp(process.now())}\n`);
    return 0;
  },
  env(process, [name]) {
    if (name === undefined) for (const [key, value] of process.env) process.stdout(`${key}=${value}\n`);
    else if (process.env.has(name)) process.stdout(`${process.env.get(name)}\n`);
    return name === undefined || process.env.has(name) ? 0 : 1;
  },
  cat(process, args) {
    if (args.length === 0) process.stdout(process.stdin);
    return each(process, 'cat', args, (path) => process.stdout(path.endsWith('/-') ? process.stdin : process.files.read(path).toString()));
  },
  /** Prints columns: `{print $1, $3}` is all that it understands. */
  awk(process, [script = '', ...paths]) {
    const columns = /^\s*\{\s*print\s+([^}]*)\}\s*$/
      .exec(script)?.[1]
      ?.split(',')
      .map((column) => /^\s*\$(\d+)\s*$/.exec(column)?.[1]);
    if (!columns || columns.includes(undefined)) {
      process.stderr(`awk: ${script}: only {print $1, $2 …} is understood\n`);
      return 1;
    }
    const { text, code } = input(process, 'awk', paths);
    for (const line of linesOf(text)) {
      const fields = [line.replace(/\n$/, ''), ...line.trim().split(/\s+/)];
      process.stdout(`${columns.map((column) => fields[Number(column)] ?? '').join(' ')}\n`);
    }
    return code;
  },
  ls: list,
  grep,
  head(process, args) {
    const { count, paths } = countOption(args);
    const { text, code } = input(process, 'head', paths);
    process.stdout(linesOf(text).slice(0, count).join(''));
    return code;
  },
  wc(process, args) {
    const { flags, rest } = flagsOf(args);
    const { text, code } = input(process, 'wc', rest);
    const counts = { l: linesOf(text).length, w: text.split(/\s+/).filter(Boolean).length, c: Buffer.byteLength(text) };
    const letters = (['l', 'w', 'c'] as const).filter((letter) => !flags || flags.includes(letter));
    process.stdout(`${letters.map((letter) => counts[letter]).join(' ')}${rest.length ? ` ${rest.join(' ')}` : ''}\n`);
    return code;
  },
  seq(process, args) {
    const [first, last] = args.length > 1 ? [Number(args[0]), Number(args.at(-1))] : [1, Number(args[0])];
    for (let number = first; number <= last; number++) process.stdout(`${number}\n`);
    return 0;
  },
  touch: (process, args) => each(process, 'touch', flagsOf(args).rest, (path) => process.files.write(path, '', { append: true, now: process.now() })),
  mkdir(process, args) {
    const { flags, rest } = flagsOf(args);
    return each(process, 'mkdir', rest, (path) => void process.files.makeDirectory(path, { parents: flags.includes('p'), now: process.now() }));
  },
  rm(process, args) {
    const { flags, rest } = flagsOf(args);
    return each(process, 'rm', rest, (path) => {
      if (process.files.findLink(path) || !flags.includes('f')) process.files.remove(path, { recursive: /[rR]/.test(flags) });
    });
  },
  ln(process, args) {
    const [target = '', path = ''] = flagsOf(args).rest;
    return each(process, 'ln', [path], (place) => process.files.link(place, target));
  },
  cp(process, args) {
    const { rest } = flagsOf(args);
    return each(process, 'cp', rest.slice(0, -1), (path) => copy(process, path, at(process, rest.at(-1)!)));
  },
  mv(process, args) {
    const { rest } = flagsOf(args);
    return each(process, 'mv', rest.slice(0, -1), (path) => {
      copy(process, path, at(process, rest.at(-1)!));
      process.files.remove(path);
    });
  },
  chmod(process, args) {
    const [mode = '', ...paths] = args.filter((arg) => arg !== '-R');
    return each(process, 'chmod', paths, (path) => {
      const entry = process.files.find(path);
      if (!entry) throw new FileError('ENOENT');
      if (/^[0-7]+$/.test(mode)) entry.mode = Number.parseInt(mode, 8);
    });
  },
  hexdump(process, args) {
    const { rest } = flagsOf(args);
    return each(process, 'hexdump', rest, (path) => process.stdout(canonicalDump(process.files.read(path))));
  },
  readlink(process, args) {
    return each(process, 'readlink', flagsOf(args).rest, (path) => {
      const entry = process.files.findLink(path);
      if (entry?.type === 'link') process.stdout(`${entry.target}\n`);
    });
  },
  tee(process, args) {
    const { flags, rest } = flagsOf(args);
    process.stdout(process.stdin);
    return each(process, 'tee', rest, (path) => process.files.write(path, process.stdin, { append: flags.includes('a'), now: process.now() }));
  },
  id(process, args) {
    process.stdout(args[0] === '-u' || args[0] === '-g' ? '0\n' : 'uid=0(root) gid=0(root)\n');
    return 0;
  },
  basename(process, [path = '']) {
    process.stdout(`${path.slice(path.lastIndexOf('/') + 1)}\n`);
    return 0;
  },
  test: (process, args) => (holds(process, args) ? 0 : 1),
  '[': (process, args) => (holds(process, args.slice(0, -1)) ? 0 : 1),
};

/** As `hexdump -C` has it: sixteen bytes a line. */
function canonicalDump(content: Buffer): string {
  let text = '';
  for (let offset = 0; offset < content.length; offset += 16) {
    const row = content.subarray(offset, offset + 16);
    const half = (from: number): string => [...row.subarray(from, from + 8)].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const readable = [...row].map((byte) => (byte >= 32 && byte < 127 ? String.fromCharCode(byte) : '.')).join('');
    text += `${offset.toString(16).padStart(8, '0')}  ${`${half(0).padEnd(23)}  ${half(8)}`.padEnd(48)}  |${readable}|\n`;
  }
  return `${text}${content.length.toString(16).padStart(8, '0')}\n`;
}

const ALIASES: Readonly<Record<string, string>> = { printenv: 'env', egrep: 'grep' };

/** One of the small Unix programs, by its name. */
export function busybox(name: string): Program | undefined {
  if (name === 'sleep') {
    return function* ({ argv }) {
      yield sleepMs(argv[1]);
      return 0;
    };
  }
  if (name === 'tail') {
    return function* (process) {
      const { argv } = process;
      const code = tail(
        process,
        argv.slice(1).filter((arg) => !FOLLOW.test(arg)),
      );
      if (argv.some((arg) => FOLLOW.test(arg))) yield Number.POSITIVE_INFINITY;
      return code;
    };
  }
  const utility = Object.hasOwn(UTILITIES, ALIASES[name] ?? name) ? UTILITIES[ALIASES[name] ?? name] : undefined;
  return utility && instantly((process) => utility(process, process.argv.slice(1)));
}
