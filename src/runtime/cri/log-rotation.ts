import { createReadStream, createWriteStream } from 'node:fs';
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Clock } from '../../lib/clock.ts';

/** Upstream: containerLogMaxSize and containerLogMaxFiles of the kubelet's configuration. */
export const MAX_LOG_BYTES = 10 * 1024 * 1024;
export const MAX_LOG_FILES = 5;

export interface RotatedLogs {
  runningLogs(): Promise<readonly { id: string; path: string }[]>;
  reopenLog(id: string): Promise<void>;
}

/**
 * Moves logs aside that have grown too large, packs all but the newest of those, and drops the oldest
 * (upstream: pkg/kubelet/logs/container_log_manager.go).
 */
export async function rotateLogs(logs: RotatedLogs, { clock, maxBytes, maxFiles }: { clock: Clock; maxBytes: number; maxFiles: number }): Promise<void> {
  for (const { id, path } of await logs.runningLogs()) {
    const size = (await stat(path).catch(() => undefined))?.size ?? 0;
    if (size < maxBytes) continue;
    await tidyAside(path, maxFiles);
    const moved = `${path}.${new Date(clock.now()).toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-')}`;
    await rename(path, moved);
    try {
      await logs.reopenLog(id);
    } catch (error) {
      // It is still written to the file that was moved: back with it.
      await rename(moved, path);
      throw error;
    }
  }
}

/** What was moved aside before: packed, and no more of it than may stay beside the file in use and the one about to be moved. */
async function tidyAside(path: string, maxFiles: number): Promise<void> {
  const folder = dirname(path);
  const aside = (await readdir(folder)).filter((name) => name.startsWith(`${basename(path)}.`)).sort();
  const kept = Math.max(maxFiles - 2, 0);
  const excess = Math.max(aside.length - kept, 0);
  for (const name of aside.slice(0, excess)) await rm(join(folder, name), { force: true });
  for (const name of aside.slice(excess)) if (!name.endsWith('.gz')) await pack(join(folder, name));
}

async function pack(path: string): Promise<void> {
  await pipeline(createReadStream(path), createGzip(), createWriteStream(`${path}.gz`));
  await rm(path);
}
