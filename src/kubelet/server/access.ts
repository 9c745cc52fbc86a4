import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { UserInfo } from '../../api/request.ts';
import { SubjectAccessReviews, TokenReviews } from '../../api/resources.ts';
import type { Client } from '../../client/client.ts';

export interface AccessOptions {
  client: Client;
  nodeName: string;
  /** Everybody may do everything, also whom nobody knows. */
  open: boolean;
}

/** What a request is about: a part of the node (upstream: pkg/kubelet/server/auth.go). */
const PARTS: readonly [RegExp, string][] = [
  [/^\/stats\b/, 'stats'],
  [/^\/metrics\b/, 'metrics'],
  [/^\/(logs|containerLogs)\b/, 'log'],
  [/^\/(pods|runningpods)\b/, 'pods'],
  [/^\/healthz\b/, 'healthz'],
  [/^\/configz\b/, 'configz'],
];

const VERBS: Readonly<Record<string, string>> = { GET: 'get', HEAD: 'get', POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** Who asks a kubelet, and whether they may: by the cluster's certificates, or by what the API server says of a token. */
export class KubeletAccess {
  readonly #options: AccessOptions;

  constructor(options: AccessOptions) {
    this.#options = options;
  }

  /** @returns undefined where the request may be answered, or else with what code it may not. */
  async refuse(request: IncomingMessage): Promise<{ code: 401 | 403; message: string } | undefined> {
    const { open, client, nodeName } = this.#options;
    if (open) return undefined;
    const user = certifiedUser(request.socket as TLSSocket) ?? (await this.#tokenUser(request));
    if (!user) return { code: 401, message: 'Unauthorized' };
    const path = (request.url ?? '/').split('?')[0]!;
    const subresource = PARTS.find(([pattern]) => pattern.test(path))?.[1] ?? 'proxy';
    const verb = VERBS[request.method ?? 'GET'] ?? 'get';
    const resourceAttributes = { verb, group: '', version: 'v1', resource: 'nodes', subresource, name: nodeName };
    const { status } = await client.resource(SubjectAccessReviews).create({
      metadata: {},
      spec: { user: user.name, groups: [...user.groups], resourceAttributes },
    });
    if (status?.allowed) return undefined;
    return { code: 403, message: `Forbidden (user=${user.name}, verb=${verb}, resource=nodes, subresource(s)=[${subresource}])` };
  }

  async #tokenUser({ headers }: IncomingMessage): Promise<UserInfo | undefined> {
    const token = /^Bearer (\S+)$/i.exec(headers.authorization ?? '')?.[1];
    if (!token) return undefined;
    const { status } = await this.#options.client.resource(TokenReviews).create({ metadata: {}, spec: { token } });
    const { authenticated, user } = status ?? {};
    return authenticated && user?.username ? { name: user.username, groups: user.groups ?? [] } : undefined;
  }
}

/** Whom a certificate of the cluster's own authority names. */
function certifiedUser(socket: TLSSocket): UserInfo | undefined {
  if (!socket.authorized) return undefined;
  const { subject } = socket.getPeerCertificate();
  if (!subject?.CN) return undefined;
  const groups = Array.isArray(subject.O) ? subject.O : subject.O ? [subject.O] : [];
  return { name: String(subject.CN), groups: [...groups.map(String), 'system:authenticated'] };
}
