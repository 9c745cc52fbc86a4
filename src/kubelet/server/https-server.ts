import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { StatusError } from '../../api/status.ts';
import { type Clock, parseTime } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { KubeletServer } from '../kubelet-server.ts';
import type { KubeletAccess } from './access.ts';
import { type Conversation, converse } from './command-streams.ts';
import { logText } from './log-text.ts';
import { resourceMetrics, statsSummary } from './usage.ts';

export interface KubeletHttpsOptions {
  server: KubeletServer;
  access: KubeletAccess;
  nodeName: string;
  /** PEM; `ca` is whose certificates clients may show. */
  tls: { cert: string; key: string; ca?: string | Buffer };
  clock: Clock;
  log: Log;
}

/** The kubelet's own port: logs, commands and figures of the node's pods (upstream: pkg/kubelet/server). */
export class KubeletHttpsServer {
  readonly #options: KubeletHttpsOptions;
  readonly #https: Server;

  constructor(options: KubeletHttpsOptions) {
    this.#options = options;
    this.#https = createServer({ ...options.tls, requestCert: true, rejectUnauthorized: false });
    this.#https.on('request', (request, response) => void this.#answer(request, response));
    this.#https.on('upgrade', (request, socket: Socket, head: Buffer) => void this.#upgrade(request, socket, head));
  }

  /** @returns the port: the one that was asked for, or a free one for 0. */
  listen(port: number, address: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#https.once('error', reject);
      this.#https.listen(port, address, () => resolve((this.#https.address() as { port: number }).port));
    });
  }

  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#https.close(() => resolve()));
    this.#https.closeAllConnections();
    await closed;
  }

  /** Never rejects. */
  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const refusal = await this.#options.access.refuse(request);
      if (refusal) response.writeHead(refusal.code, { 'content-type': 'text/plain' }).end(refusal.message);
      else await this.#page(request, response);
    } catch (error) {
      const code = error instanceof StatusError ? error.code : 500;
      if (!response.headersSent) response.writeHead(code, { 'content-type': 'text/plain; charset=utf-8' });
      response.end((error as Error).message);
    }
  }

  async #page(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { server, nodeName, clock } = this.#options;
    const { pathname, searchParams } = new URL(request.url ?? '/', 'https://kubelet');
    const [, first = '', namespace = '', pod = '', container = ''] = pathname.split('/').map(decodeURIComponent);
    const json = (value: unknown): void => void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const text = (content: string): void => void response.writeHead(200, { 'content-type': 'text/plain; charset=utf-8' }).end(content);
    if (first === 'healthz') text('ok');
    else if (first === 'pods' || first === 'runningpods') json({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items: server.pods() });
    else if (pathname === '/stats/summary') json(await statsSummary(server, { nodeName, now: clock.now() }));
    else if (pathname === '/metrics/resource' || pathname === '/metrics') text(await resourceMetrics(server, clock.now()));
    else if (first === 'containerLogs' && container) await this.#logs(response, { namespace, pod, container, query: searchParams });
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
  }

  async #logs(response: ServerResponse, { namespace, pod, container, query }: Omit<Conversation, 'kind'>): Promise<void> {
    const { server, clock } = this.#options;
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    const number = (name: string): number | undefined => (query.has(name) ? Number(query.get(name)) : undefined);
    const isSet = (name: string): boolean => query.get(name) === 'true';
    const [tailLines, sinceSeconds, sinceTime] = [number('tailLines'), number('sinceSeconds'), parseTime(query.get('sinceTime'))];
    const since = sinceSeconds === undefined ? sinceTime : clock.now() - sinceSeconds * 1000;
    const lines = await server.getLogs(namespace, pod, container, {
      previous: isSet('previous'),
      follow: isSet('follow'),
      ...(tailLines === undefined ? {} : { tailLines }),
      ...(since === undefined ? {} : { since }),
      signal: gone.signal,
    });
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    const content = Readable.from(logText(lines, { timestamps: isSet('timestamps'), limit: number('limitBytes') ?? Number.POSITIVE_INFINITY }));
    content.once('error', () => response.destroy());
    content.pipe(response);
  }

  /** Never rejects. */
  async #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    try {
      const { pathname, searchParams: query } = new URL(request.url ?? '/', 'https://kubelet');
      const [, kind = '', namespace = '', pod = '', ...rest] = pathname.split('/').map(decodeURIComponent);
      const refusal = await this.#options.access.refuse(request);
      if (refusal) socket.end(`HTTP/1.1 ${refusal.code} ${refusal.message}\r\nContent-Length: 0\r\n\r\n`);
      else if (!isConversation(kind)) socket.end('HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n');
      // A uid may stand before the container.
      else await converse(this.#options.server, { kind, namespace, pod, container: rest.at(-1) ?? '', query }, { request, socket, head });
    } catch (error) {
      this.#options.log.info('a conversation with a container broke off', { error });
      socket.destroy();
    }
  }
}

const isConversation = (kind: string): kind is Conversation['kind'] => kind === 'exec' || kind === 'attach' || kind === 'portForward';
