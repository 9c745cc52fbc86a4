import { badRequest, StatusError } from '../../api/status.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Storage } from '../storage/storage.ts';

/** How long a read waits for a version that this server has not seen yet (apiserver: cacher.blockTimeout). */
const WAIT_MS = 3_000;

/**
 * The resourceVersion that a client names, as a revision; 0: any, or none named.
 *
 * @throws StatusError for what is no version: as lists answer it, or as everything else does.
 */
export function readResourceVersion(text: string | undefined, { of }: { of: 'list' | 'get' }): number {
  if (!text || text === '0') return 0;
  if (/^\d+$/.test(text)) return Number(text);
  const fault = `resourceVersion: Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  throw of === 'list' ? badRequest(`invalid resource version: ${fault}`) : new StatusError(500, '', fault);
}

/** Waits until the server has come to a revision of the future. @throws StatusError Timeout where that takes too long. */
export async function untilRevision(storage: Storage, revision: number, clock: Clock): Promise<void> {
  if (revision <= storage.revision) return;
  if (await storage.reached(revision, clock, WAIT_MS)) return;
  throw new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${revision}, current: ${storage.revision}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}
