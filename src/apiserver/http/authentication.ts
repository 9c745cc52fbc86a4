import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { UserInfo } from '../../api/request.ts';
import { forbidden, internalError } from '../../api/status.ts';
import { AUTHENTICATED_GROUP, MASTERS_GROUP } from '../authorization.ts';

/** Says who sends a request, or undefined when nobody known does. */
export interface Authenticator {
  authenticate(request: IncomingMessage): UserInfo | undefined;
}

/** By client certificate: the common name is the user, the organizations are the groups (authentication/request/x509). */
export class CertificateAuthenticator implements Authenticator {
  /** A connection's certificate does not change. */
  readonly #users = new WeakMap<TLSSocket, UserInfo>();

  authenticate({ socket }: IncomingMessage): UserInfo | undefined {
    const connection = socket as TLSSocket;
    if (!connection.authorized) return undefined;
    let user = this.#users.get(connection);
    if (!user) {
      const subject = connection.getPeerCertificate()?.subject;
      if (!subject?.CN) return undefined;
      const organizations = ([] as string[]).concat((subject.O as string | string[] | undefined) ?? []);
      user = { name: String(subject.CN), groups: [...organizations, AUTHENTICATED_GROUP] };
      this.#users.set(connection, user);
    }
    return user;
  }
}

const IMPERSONATION = /^impersonate-(group|uid|extra-.*)$/;

/**
 * The user that an administrator acts as (`kubectl --as`), or the user itself (apiserver/pkg/endpoints/filters/impersonation.go).
 *
 * @throws StatusError Forbidden for anybody else who tries.
 */
export function actingAs(user: UserInfo, headers: IncomingHttpHeaders): UserInfo {
  const name = headers['impersonate-user'];
  const others = Object.keys(headers).filter((header) => IMPERSONATION.test(header));
  if (typeof name !== 'string') {
    if (others.length) throw internalError(`requested ${others.join(', ')} without impersonating a user: send Impersonate-User too`);
    return user;
  }
  if (!user.groups.includes(MASTERS_GROUP)) {
    const why = `User ${JSON.stringify(user.name)} cannot impersonate resource "users" in API group "" at the cluster scope`;
    throw forbidden({ group: '', resource: 'users' }, name, why);
  }
  // Node joins a header that was sent several times.
  const groups = String(headers['impersonate-group'] ?? '')
    .split(', ')
    .filter((group) => group !== '');
  const [, account, namespace] = /^(system:serviceaccount):([^:]+):/.exec(name) ?? [];
  const ofAccount = account && groups.length === 0 ? ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] : [];
  return { name, groups: [...new Set([...groups, ...ofAccount, name === 'system:anonymous' ? 'system:unauthenticated' : AUTHENTICATED_GROUP])] };
}
