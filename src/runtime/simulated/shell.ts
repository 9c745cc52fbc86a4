import { timestamp } from '../../lib/clock.ts';

/** What a simulated command sees of its container. */
export interface ShellContext {
  hostname: string;
  env: readonly { name: string; value: string }[];
  now: number;
  /** Contents of the few files that there are, by path. */
  files: Readonly<Record<string, string>>;
}

/** What a command does: what it writes, how long it takes, how it ends. */
export interface CommandOutcome {
  stdout: string;
  stderr: string;
  exitCode: number;
  /** Infinity: it never ends by itself. */
  durationMs: number;
  /** False: this is not one of the simulated commands. */
  known: boolean;
}

const done = (exitCode: number, stdout = '', stderr = '', durationMs = 0): CommandOutcome => ({ stdout, stderr, exitCode, durationMs, known: true });

function words(text: string): string[] {
  return [...text.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, plain]) => double ?? single ?? plain ?? '');
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86400 };

function sleepMs(text: string | undefined): number {
  const match = /^(\d+(?:\.\d+)?)([smhd]?)$/.exec(text ?? '');
  if (!match) return text === 'infinity' || text === 'inf' ? Number.POSITIVE_INFINITY : 0;
  return Number(match[1]) * (SECONDS[match[2] || 's'] ?? 1) * 1000;
}

function cat(paths: readonly string[], { files }: ShellContext): CommandOutcome {
  let stdout = '';
  let stderr = '';
  for (const path of paths) {
    const content = files[path];
    if (content === undefined) stderr += `cat: can't open '${path}': No such file or directory\n`;
    else stdout += content;
  }
  return done(stderr ? 1 : 0, stdout, stderr);
}

function simple(command: readonly string[], context: ShellContext): CommandOutcome {
  const [name = '', ...args] = command;
  switch (name.replace(/^\/(usr\/)?bin\//, '')) {
    case 'true':
    case ':':
      return done(0);
    case 'false':
      return done(1);
    case 'exit':
      return done(Number(args[0] ?? 0) & 0xff);
    case 'echo':
      return args[0] === '-n' ? done(0, args.slice(1).join(' ')) : done(0, `${args.join(' ')}\n`);
    case 'sleep':
      return done(0, '', '', sleepMs(args[0]));
    case 'hostname':
      return done(0, `${context.hostname}\n`);
    case 'date':
      return done(0, `${timestamp(context.now)}\n`);
    case 'env':
    case 'printenv':
      if (args[0]) {
        const value = context.env.findLast((variable) => variable.name === args[0])?.value;
        return value === undefined ? done(1) : done(0, `${value}\n`);
      }
      return done(0, context.env.map((variable) => `${variable.name}=${variable.value}\n`).join(''));
    case 'cat':
      return cat(args, context);
    case 'sh':
    case 'bash':
    case 'ash':
      return args[0] === '-c' ? script(args[1] ?? '', context) : done(0);
    default:
      return { ...done(127, '', `${name}: not found\n`), known: false };
  }
}

const expand = (text: string, env: ShellContext['env']): string =>
  text.replace(/\$\{(\w+)\}|\$(\w+)/g, (_, braced?: string, bare?: string) => env.findLast((v) => v.name === (braced ?? bare))?.value ?? '');

/** Commands joined by `;`, `&&` and `||`; anything cleverer is not known. */
function script(text: string, context: ShellContext): CommandOutcome {
  const total = done(0);
  if (
    /[|&><`(){}]|\b(while|for|if|trap|case)\b/.test(
      text
        .replaceAll('&&', '')
        .replaceAll('||', '')
        .replace(/\$\{\w+\}/g, ''),
    )
  )
    return { ...total, known: false };
  for (const [, joint = ';', part = ''] of text.matchAll(/(^|;|&&|\|\||\n)((?:"[^"]*"|'[^']*'|[^;&|\n])*)/g)) {
    if (part.trim() === '' || (joint === '&&' && total.exitCode !== 0) || (joint === '||' && total.exitCode === 0)) continue;
    const command = words(expand(part.trim(), context.env));
    const stop = command[0] === 'exit';
    if (command[0] === 'exec') command.shift();
    const outcome = stop && command[1] === undefined ? done(total.exitCode) : simple(command, context);
    total.stdout += outcome.stdout;
    total.stderr += outcome.stderr;
    total.exitCode = outcome.exitCode;
    total.durationMs += outcome.durationMs;
    if (!outcome.known) return { ...total, known: false };
    if (stop || total.durationMs === Number.POSITIVE_INFINITY) break;
  }
  return total;
}

/** Plays one of a small set of commands: echo, cat, env, hostname, date, sleep, true, false, exit, and sh -c of those. */
export function runCommand(command: readonly string[], context: ShellContext): CommandOutcome {
  return simple(command, context);
}
