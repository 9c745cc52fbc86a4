import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export class DirectoryInUseError extends Error {
  constructor(directory: string, pid: number) {
    super(`the data directory ${directory} is in use by process ${pid}: stop that process, or choose another directory`);
    this.name = 'DirectoryInUseError';
  }
}

/**
 * Marks a directory as taken by this process. A mark whose process is gone is taken over; a process is known by its id
 * and, where the system tells it, its start time, so that a reused id is not mistaken for the old one.
 *
 * @throws DirectoryInUseError
 */
export function lockDirectory(directory: string): { release(): void } {
  const file = join(directory, 'lock');
  const mine = `${process.pid} ${startTime(process.pid)}`;
  for (;;) {
    try {
      writeFileSync(file, mine, { flag: 'wx', mode: 0o600 });
      return { release: () => rmSync(file, { force: true }) };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const [pid = '0', started = ''] = readFileSync(file, 'utf8').split(' ');
    if (Number(pid) > 0 && isAlive(Number(pid)) && startTime(Number(pid)) === started) throw new DirectoryInUseError(directory, Number(pid));
    rmSync(file, { force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Field 22 of /proc/<pid>/stat; empty where there is no /proc. */
function startTime(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
