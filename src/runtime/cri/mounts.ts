import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Makes a folder's content live in memory. Needs the rights of root. */
export async function mountTmpfs(path: string, { mode, sizeLimitBytes }: { mode: number; sizeLimitBytes?: number }): Promise<void> {
  const size = sizeLimitBytes === undefined ? '' : `,size=${sizeLimitBytes}`;
  await run('mount', ['-t', 'tmpfs', '-o', `mode=${mode.toString(8)}${size}`, 'tmpfs', path]);
}

/** What is mounted at a path or below it, the innermost first. */
export async function mountsBelow(path: string): Promise<string[]> {
  const table = await readFile('/proc/self/mountinfo', 'utf8');
  return table
    .split('\n')
    .map((line) => unescaped(line.split(' ')[4] ?? ''))
    .filter((point) => point === path || point.startsWith(`${path}/`))
    .sort()
    .reverse();
}

export async function unmount(path: string): Promise<void> {
  await run('umount', [path]);
}

/** Spaces and the like are octal in the table. */
const unescaped = (text: string): string => text.replaceAll(/\\(\d{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
