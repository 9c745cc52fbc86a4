import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { UserInfo } from '../../api/request.ts';

const AUTHENTICATED_GROUP = 'system:authenticated';

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
