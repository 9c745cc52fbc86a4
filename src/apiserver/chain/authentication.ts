import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { UserInfo } from '../../api/request.ts';
import { internalError } from '../../api/status.ts';
import { AUTHENTICATED_GROUP, type Authorizer, refusal, UNAUTHENTICATED_GROUP } from './authorization.ts';
import type { Attributes } from './chain.ts';

/** Says who sends a request; undefined when it cannot tell. @throws StatusError Unauthorized for credentials that are wrong. */
export interface Authenticator {
  authenticate(request: IncomingMessage): Promise<UserInfo | undefined>;
}

/** Who nobody vouches for. */
export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: [UNAUTHENTICATED_GROUP] };

/** By client certificate: the common name is the user, the organizations are the groups (authentication/request/x509). */
export class CertificateAuthenticator implements Authenticator {
  /** A connection's certificate does not change. */
  readonly #users = new WeakMap<TLSSocket, UserInfo>();

  authenticate({ socket }: IncomingMessage): Promise<UserInfo | undefined> {
    const connection = socket as TLSSocket;
    if (!connection.authorized) return Promise.resolve(undefined);
    let user = this.#users.get(connection);
    if (!user) {
      const subject = connection.getPeerCertificate()?.subject;
      if (!subject?.CN) return Promise.resolve(undefined);
      const organizations = ([] as string[]).concat((subject.O as string | string[] | undefined) ?? []);
      user = { name: String(subject.CN), groups: [...organizations, AUTHENTICATED_GROUP] };
      this.#users.set(connection, user);
    }
    return Promise.resolve(user);
  }
}

const EXTRA = 'impersonate-extra-';

/**
 * The user that somebody acts as (`kubectl --as`), or the user itself (apiserver/pkg/endpoints/filters/impersonation.go).
 *
 * @throws StatusError Forbidden where he may not.
 */
export async function actingAs(user: UserInfo, headers: IncomingHttpHeaders, authorizer: Authorizer): Promise<UserInfo> {
  const name = headers['impersonate-user'];
  const others = Object.keys(headers).filter((header) => header === 'impersonate-group' || header === 'impersonate-uid' || header.startsWith(EXTRA));
  if (typeof name !== 'string') {
    if (others.length) throw internalError(`requested ${others.join(', ')} without impersonating a user: send Impersonate-User too`);
    return user;
  }
  // Node joins a header that was sent several times.
  const listOf = (header: string): string[] =>
    String(headers[header] ?? '')
      .split(', ')
      .filter((value) => value !== '');
  const groups = listOf('impersonate-group');
  const uid = listOf('impersonate-uid').join(', ');
  const extra = Object.fromEntries(
    others.filter((header) => header.startsWith(EXTRA)).map((header) => [decodeURIComponent(header.slice(EXTRA.length)), listOf(header)]),
  );
  const wanted: UserInfo = { name, groups, ...(uid ? { uid } : {}), ...(Object.keys(extra).length ? { extra } : {}) };
  for (const attributes of impersonations(user, wanted)) {
    const decision = await authorizer.authorize(attributes);
    if (!decision.allowed) throw refusal(attributes, decision);
  }
  return { ...wanted, groups: withImpliedGroups(wanted) };
}

const SERVICE_ACCOUNT = /^system:serviceaccount:([^:]+):(.+)$/;

/** What one must be allowed to impersonate, all of it. */
function* impersonations(user: UserInfo, { name, groups, uid, extra = {} }: UserInfo): Generator<Attributes> {
  const one = (group: string, resource: string, name: string, subresource = '', namespace = ''): Attributes => ({
    user,
    verb: 'impersonate',
    resource: { group, version: 'v1', resource, subresource, namespace, name },
  });
  const [, namespace, account] = SERVICE_ACCOUNT.exec(name) ?? [];
  yield account === undefined ? one('', 'users', name) : one('', 'serviceaccounts', account, '', namespace);
  for (const group of groups) yield one('', 'groups', group);
  for (const [key, values] of Object.entries(extra)) for (const value of values) yield one('authentication.k8s.io', 'userextras', value, key);
  if (uid) yield one('authentication.k8s.io', 'uids', uid);
}

function withImpliedGroups({ name, groups }: UserInfo): string[] {
  const [, namespace] = SERVICE_ACCOUNT.exec(name) ?? [];
  const ofAccount = namespace !== undefined && groups.length === 0 ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] : [];
  // Who says which of the two he is, is not also the other.
  const isSaid = groups.includes(AUTHENTICATED_GROUP) || groups.includes(UNAUTHENTICATED_GROUP);
  return [...new Set([...groups, ...ofAccount, ...(isSaid ? [] : [name === ANONYMOUS.name ? UNAUTHENTICATED_GROUP : AUTHENTICATED_GROUP])])];
}
