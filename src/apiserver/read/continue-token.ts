import { badRequest } from '../../api/status.ts';
import { parseJson } from '../decode/json.ts';

/** Where a list goes on. */
export interface ContinueToken {
  /** -1: whatever is current. */
  revision: number;
  /** The last key of the page before, without what all keys of the list have in common. */
  after: string;
}

const VERSION = 'meta.k8s.io/v1';

/** The same fields as upstream's tokens (apiserver/pkg/storage.EncodeContinue). */
export function writeToken({ revision, after }: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: VERSION, rv: revision, start: `${after}\u0000` })).toString('base64url');
}

/** @throws StatusError BadRequest, in the words of apiserver/pkg/storage.DecodeContinue. */
export function readToken(text: string): ContinueToken {
  const refuse = (why: string): Error => badRequest(`invalid continue token: continue key is not valid: ${why}`);
  const bad = text.search(/[^A-Za-z0-9_-]/);
  if (bad >= 0 || text.length % 4 === 1) throw refuse(`illegal base64 data at input byte ${bad >= 0 ? bad : text.length - 1}`);
  let token: unknown;
  try {
    token = parseJson(Buffer.from(text, 'base64url').toString());
  } catch (error) {
    throw refuse((error as Error).message);
  }
  const { v = '', rv = 0, start = '' } = (typeof token === 'object' && token !== null ? token : {}) as { v?: unknown; rv?: unknown; start?: unknown };
  if (v !== VERSION) throw refuse(`server does not recognize this encoded version ${String(v)}`);
  if (typeof rv !== 'number' || rv === 0) throw refuse(`incorrect encoded start resourceVersion (version ${VERSION})`);
  if (typeof start !== 'string' || start === '') throw refuse(`encoded start key empty (version ${VERSION})`);
  const after = start.replace(/^\//, '').replace(/\u0000$/, '');
  if (after.split('/').some((part) => part === '' || part === '.' || part === '..')) throw refuse(start);
  return { revision: rv, after };
}
