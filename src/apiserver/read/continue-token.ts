import type { Query } from '../../api/request.ts';
import { badRequest } from '../../api/status.ts';

/** Where a list goes on. */
export interface ContinueToken {
  /** -1: whatever is current. */
  revision: number;
  /** The last key of the page before, without the prefix of the list. */
  after: string;
}

/** The same fields as upstream's tokens (apiserver/pkg/storage.EncodeContinue). */
export function writeToken({ revision, after }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: `${after}\u0000` })).toString('base64url');
}

export function readToken(text: string, query: Query): ContinueToken {
  if (query['resourceVersion'] && query['resourceVersion'] !== '0') throw badRequest('specifying resource version is not allowed when using continue');
  try {
    const token = JSON.parse(Buffer.from(text, 'base64url').toString()) as { v?: string; rv?: number; start?: string };
    if (token.v !== 'meta.k8s.io/v1' || typeof token.rv !== 'number' || !token.start) throw new Error('incomplete');
    if (token.start.split('/').includes('..')) throw new Error('unsafe');
    return { revision: token.rv, after: token.start.replace(/\u0000$/, '') };
  } catch {
    throw badRequest('continue key is not valid: the token was not issued by this server');
  }
}
