import { type FileHandle, open, stat } from 'node:fs/promises';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { LogLine, LogOptions } from '../runtime.ts';

/** How often a file is looked at for more. */
const FOLLOW_MS = 100;
const CHUNK_BYTES = 256 * 1024;

/** `2026-01-02T03:04:05.678901234Z stdout F text`; P instead of F: the line goes on in the next one. */
export function parseLine(line: string): LogLine | undefined {
  const [, time = '', stream = '', tags = '', text = ''] = /^(\S+) (stdout|stderr) (\S+) ?(.*)$/s.exec(line) ?? [];
  if (!stream) return undefined;
  const isPartial = tags.split(':').includes('P');
  return { at: Date.parse(time), time, stream: stream as LogLine['stream'], text: isPartial ? text : `${text}\n` };
}

export interface ReadLogOptions extends LogOptions {
  clock: Clock;
  /** Whether more may come. */
  running(): Promise<boolean>;
}

/** The lines of a container's log file, in CRI's format, also while it is moved aside and begun anew. */
export async function* readLog(path: string, { clock, running, tailLines, since, follow = false, signal }: ReadLogOptions): AsyncGenerator<LogLine> {
  const file = await openLog(path);
  if (!file && !follow) return;
  let tail = new LogTail(path, file);
  try {
    const wanted = (line: LogLine): boolean => since === undefined || line.at >= since;
    const there = (await tail.more()).filter(wanted);
    yield* tailLines === undefined ? there : lastLines(there, tailLines);
    while (follow && !signal?.aborted) {
      const alive = await running();
      const lines = await tail.more();
      yield* lines.filter(wanted);
      if (await tail.isMoved()) tail = await tail.next();
      else if (lines.length === 0 && !alive) return;
      else if (lines.length === 0) await sleep(clock, FOLLOW_MS, signal);
    }
  } finally {
    await tail.close();
  }
}

/** The last `count` lines, of which each may be in several parts. */
function lastLines(parts: readonly LogLine[], count: number): readonly LogLine[] {
  if (count === 0) return [];
  let seen = 0;
  for (let i = parts.length - 1; i > 0; i--) if (parts[i - 1]!.text.endsWith('\n') && ++seen === count) return parts.slice(i);
  return parts;
}

async function openLog(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return undefined;
  }
}

/** One file, read on from where it was left. */
class LogTail {
  readonly #path: string;
  #file: FileHandle | undefined;
  #position = 0;
  /** The beginning of a line whose end has not been written yet. */
  #rest = Buffer.alloc(0);

  constructor(path: string, file: FileHandle | undefined) {
    this.#path = path;
    this.#file = file;
  }

  async more(): Promise<LogLine[]> {
    this.#file ??= await openLog(this.#path);
    if (!this.#file) return [];
    const chunks = [this.#rest];
    for (;;) {
      const { bytesRead, buffer } = await this.#file.read(Buffer.alloc(CHUNK_BYTES), 0, CHUNK_BYTES, this.#position);
      if (bytesRead === 0) break;
      chunks.push(buffer.subarray(0, bytesRead));
      this.#position += bytesRead;
    }
    const bytes = Buffer.concat(chunks);
    const end = bytes.lastIndexOf(0x0a) + 1;
    this.#rest = bytes.subarray(end);
    if (end === 0) return [];
    const lines = bytes
      .subarray(0, end - 1)
      .toString('utf8')
      .split('\n');
    return lines.map(parseLine).filter((line) => line !== undefined);
  }

  /** Whether another file stands at the path by now. */
  async isMoved(): Promise<boolean> {
    if (!this.#file) return false;
    const now = await stat(this.#path).catch(() => undefined);
    return now !== undefined && now.ino !== (await this.#file.stat()).ino;
  }

  async next(): Promise<LogTail> {
    await this.close();
    return new LogTail(this.#path, await openLog(this.#path));
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }
}
