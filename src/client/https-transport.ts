import http from 'node:http';
import https from 'node:https';
import type { KubeList, KubeObject } from '../api/object.ts';
import type { ApiRequest, ApiResponse, Query, Transport, Verb, WatchEvent } from '../api/request.ts';
import { type Status, StatusError } from '../api/status.ts';

/** How to reach an API server and who to be there. */
export interface Connection {
  /** `https://host:port`, with a path where the API is not at the root. */
  server: string;
  /** PEM. */
  certificateAuthority?: string | Buffer;
  /** PEM. */
  clientCertificate?: string | Buffer;
  /** PEM. */
  clientKey?: string | Buffer;
  token?: string;
  insecureSkipTlsVerify?: boolean;
}

export interface RawRequest {
  method: string;
  /** With the query, as in a URL. */
  path: string;
  body?: unknown;
  contentType?: string;
  accept?: string;
  userAgent?: string;
  signal?: AbortSignal;
}

const METHODS: Record<Verb, string> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

/**
 * Requests over https (or http) to any API server. Who the user is follows from the connection, not from the request.
 * Errors without an answer are Node's own (ECONNREFUSED …).
 */
export class HttpsTransport implements Transport {
  readonly #connection: Connection;
  readonly #base: URL;
  readonly #agent: http.Agent;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#base = new URL(connection.server);
    const { certificateAuthority, clientCertificate, clientKey, insecureSkipTlsVerify } = connection;
    this.#agent =
      this.#base.protocol === 'http:'
        ? new http.Agent({ keepAlive: true })
        : new https.Agent({
            keepAlive: true,
            ...(certificateAuthority ? { ca: certificateAuthority } : {}),
            ...(clientCertificate ? { cert: clientCertificate } : {}),
            ...(clientKey ? { key: clientKey } : {}),
            rejectUnauthorized: !insecureSkipTlsVerify,
          });
  }

  async request(request: ApiRequest): Promise<ApiResponse> {
    const answer = await this.raw({
      method: METHODS[request.verb],
      path: pathOf(request),
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(request.contentType ? { contentType: request.contentType } : {}),
      ...(request.userAgent ? { userAgent: request.userAgent } : {}),
      ...(request.signal ? { signal: request.signal } : {}),
    });
    const code = answer.statusCode ?? 0;
    if (code >= 300) throw statusErrorFrom(code, await readText(answer));
    if (request.verb === 'watch') return { code, watch: watchEvents(answer, request.signal) };
    const text = await readText(answer);
    return { code, ...(text ? { object: JSON.parse(text) as KubeObject | KubeList } : {}) };
  }

  /** One exchange; resolves when the answer's headers are there. */
  raw({
    method,
    path,
    body,
    contentType = 'application/json',
    accept = 'application/json',
    userAgent = 'coracle',
    signal,
  }: RawRequest): Promise<http.IncomingMessage> {
    const payload =
      body === undefined ? undefined : body instanceof Uint8Array || typeof body === 'string' ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
    const { token } = this.#connection;
    const send = this.#base.protocol === 'http:' ? http.request : https.request;
    return new Promise((resolve, reject) => {
      const sent = send(
        {
          hostname: this.#base.hostname.replace(/^\[|\]$/g, ''),
          port: this.#base.port,
          method,
          path: this.#base.pathname.replace(/\/$/, '') + path,
          agent: this.#agent,
          headers: {
            accept,
            'user-agent': userAgent,
            ...(token ? { authorization: `Bearer ${token}` } : {}),
            ...(payload ? { 'content-type': contentType, 'content-length': payload.length } : {}),
          },
          ...(signal ? { signal } : {}),
        },
        resolve,
      );
      sent.on('error', reject);
      sent.end(payload);
    });
  }

  /** Closes idle connections. */
  close(): void {
    this.#agent.destroy();
  }
}

function pathOf({ verb, group, version, namespace, resource, name, subresource, path, query }: ApiRequest): string {
  const segments = [
    ...(group ? ['apis', group, version] : ['api', version]),
    ...(namespace ? ['namespaces', namespace] : []),
    resource,
    ...(name ? [name] : []),
    ...(subresource ? [subresource] : []),
  ];
  const rest = path ? `/${path.replace(/^\//, '')}` : '';
  return `/${segments.map(encodeURIComponent).join('/')}${rest}${queryText(verb === 'watch' ? { ...query, watch: 'true' } : query)}`;
}

function queryText(query: Query): string {
  const parameters = Object.entries(query).flatMap(([key, value]) => (value === undefined ? [] : [`${encodeURIComponent(key)}=${encodeURIComponent(value)}`]));
  return parameters.length ? `?${parameters.join('&')}` : '';
}

async function readText(answer: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function statusErrorFrom(code: number, text: string): StatusError {
  const status = parsedStatus(text);
  return status ? StatusError.from({ code, ...status }) : new StatusError(code, '', text.trim() || `the server answered ${code}`);
}

function parsedStatus(text: string): Status | undefined {
  try {
    const parsed = JSON.parse(text) as Status | null;
    return parsed?.kind === 'Status' ? parsed : undefined;
  } catch {
    // Not every server in the way answers with JSON; the caller keeps the text.
    return undefined;
  }
}

async function* watchEvents(answer: http.IncomingMessage, signal: AbortSignal | undefined): AsyncGenerator<WatchEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for await (const chunk of answer) {
      const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n');
      rest = lines.pop()!;
      for (const line of lines) if (line.trim()) yield JSON.parse(line) as WatchEvent;
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  } finally {
    answer.destroy();
  }
}
