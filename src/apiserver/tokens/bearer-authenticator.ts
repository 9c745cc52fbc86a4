import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { UserInfo } from '../../api/request.ts';
import { StatusError } from '../../api/status.ts';
import type { Authenticator } from '../chain/authentication.ts';
import type { ServiceAccountTokens } from './service-account-tokens.ts';

/** Knows a bearer token; undefined: it is none of its own. A text: it is, but no good. */
export interface TokenAuthenticator {
  authenticateToken(token: string, audiences: readonly string[]): Promise<{ user: UserInfo; audiences: readonly string[] } | string | undefined>;
}

/** Tokens of a file, by which anybody who has one is the user that it names (upstream: --token-auth-file). */
export class StaticTokens implements TokenAuthenticator {
  readonly #tokens: readonly { token: Buffer; user: UserInfo }[];

  constructor(tokens: readonly { token: string; user: UserInfo }[]) {
    this.#tokens = tokens.map(({ token, user }) => ({ token: Buffer.from(token), user }));
  }

  authenticateToken(token: string, audiences: readonly string[]): ReturnType<TokenAuthenticator['authenticateToken']> {
    const given = Buffer.from(token);
    const found = this.#tokens.find((one) => one.token.length === given.length && timingSafeEqual(one.token, given));
    return Promise.resolve(found && { user: found.user, audiences });
  }
}

/**
 * Reads a file of static tokens: `token,user,uid,"group1,group2"`, a line each; uid and groups may be left out.
 *
 * @throws Error that names the line.
 */
export function parseTokenFile(text: string): { token: string; user: UserInfo }[] {
  return text.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return [];
    const fields = [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, field = '']) => field.trim().replace(/^"|"$/g, '').replaceAll('""', '"'));
    const [token = '', name = '', uid = '', groups = ''] = fields;
    if (!token || !name) throw new Error(`line ${index + 1} of the token file must begin with a token and a user name: token,user,uid,"groups"`);
    const list = groups
      .split(',')
      .map((group) => group.trim())
      .filter((group) => group !== '');
    return [{ token, user: { name, ...(uid ? { uid } : {}), groups: [...list, 'system:authenticated'] } }];
  });
}

/** By `Authorization: Bearer`, asking each that may know the token (upstream: authentication/request/bearertoken, token/union). */
export class BearerAuthenticator implements Authenticator {
  readonly #tokens: readonly TokenAuthenticator[];
  readonly #audiences: readonly string[];

  constructor(tokens: readonly TokenAuthenticator[], audiences: readonly string[]) {
    this.#tokens = tokens;
    this.#audiences = audiences;
  }

  /** @throws StatusError Unauthorized for a token that nobody knows. */
  async authenticate({ headers }: IncomingMessage): Promise<UserInfo | undefined> {
    const [, token] = /^Bearer +(\S+)$/i.exec(headers.authorization?.trim() ?? '') ?? [];
    if (token === undefined) return undefined;
    const found = await authenticateWith(this.#tokens, token, this.#audiences);
    if (typeof found === 'object') return found.user;
    throw new StatusError(401, 'Unauthorized', 'Unauthorized');
  }
}

/** Asks one after the other; the first that knows the token decides. */
export async function authenticateWith(
  tokens: readonly TokenAuthenticator[],
  token: string,
  audiences: readonly string[],
): ReturnType<TokenAuthenticator['authenticateToken']> {
  for (const one of tokens) {
    const found = await one.authenticateToken(token, audiences);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Tokens of ServiceAccounts, for bearers. */
export function serviceAccountTokenAuthenticator(tokens: ServiceAccountTokens): TokenAuthenticator {
  return { authenticateToken: (token, audiences) => tokens.authenticate(token, audiences) };
}

/** Who one of them says it is, in order (upstream: authentication/request/union). */
export function anyAuthenticator(authenticators: readonly Authenticator[]): Authenticator {
  return {
    async authenticate(request) {
      for (const authenticator of authenticators) {
        const user = await authenticator.authenticate(request);
        if (user) return user;
      }
      return undefined;
    },
  };
}
