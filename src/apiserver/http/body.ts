import type { IncomingMessage } from 'node:http';
import { tooLarge } from '../../api/status.ts';

/** Upstream's limit of a request body (MaxRequestBodyBytes). */
const MAX_BODY_BYTES = 3 * 1024 * 1024;

/**
 * Reads a body whole.
 *
 * @throws StatusError 413 as soon as it is known to be too large; the rest is not read.
 */
export function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const refuse = (): Error => tooLarge(`Request entity too large: limit is ${MAX_BODY_BYTES}`);
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) return reject(refuse());
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > MAX_BODY_BYTES) {
        request.removeAllListeners('data');
        request.pause();
        reject(refuse());
      } else chunks.push(chunk);
    });
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)));
    request.on('error', reject);
  });
}
