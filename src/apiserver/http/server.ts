import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { ApiRequest, ApiResponse, Query, UserInfo } from '../../api/request.ts';
import { badRequest, internalError, NoSuchPage, pathNotFound, StatusError } from '../../api/status.ts';
import { parseDuration } from '../../lib/duration.ts';
import type { Log } from '../../lib/log.ts';
import type { ApiServer } from '../api-server.ts';
import { ANONYMOUS, type Authenticator, actingAs } from '../chain/authentication.ts';
import { type Attributes, attributesOf } from '../chain/chain.ts';
import { mediaType } from '../decode/body.ts';
import { isFlagSet } from '../decode/query.ts';
import { flowClassifier } from '../flows/classify.ts';
import { Metrics } from '../metrics.ts';
import type { ProtobufDecoder } from '../protobuf/decoder.ts';
import { readBody } from './body.ts';
import { type Encoder, makeEncoder } from './encode.ts';
import { negotiate, PROTOBUF, type Representation } from './negotiate.ts';
import { Pages } from './pages.ts';
import type { PodStreamServer } from './pod-streams.ts';
import { passOn } from './proxy.ts';
import { isConnection, isLongRunning, type Routed, route } from './route.ts';
import { splitUrl } from './url.ts';
import { sendWatch } from './watch-response.ts';

export interface HttpServerOptions {
  apiServer: ApiServer;
  tls: { key: string; cert: string; ca: string };
  authenticator: Authenticator;
  log: Log;
}

/** The https face of an ApiServer: authentication, routing, encodings, watches. */
export class HttpServer {
  readonly #options: HttpServerOptions;
  readonly #server: Server;
  readonly #pages: Pages;
  readonly #metrics: Metrics;
  readonly #encoder: Encoder;
  readonly #flowOf: ReturnType<typeof flowClassifier>;
  readonly #sockets = new Set<Duplex>();
  #streams: PodStreamServer | undefined;
  #protobuf: ProtobufDecoder | undefined;

  constructor(options: HttpServerOptions) {
    this.#options = options;
    this.#pages = new Pages(options.apiServer.registry, () => options.apiServer.health, options.apiServer.tokens);
    this.#encoder = makeEncoder(options.apiServer);
    this.#flowOf = flowClassifier(options.apiServer);
    this.#metrics = new Metrics(options.apiServer);
    // Nagle's algorithm would hold watch events back; idle connections are kept as long as clients like to keep them.
    this.#server = createServer(
      { ...options.tls, requestCert: true, rejectUnauthorized: false, noDelay: true, keepAliveTimeout: 120_000, ALPNProtocols: ['http/1.1'] },
      (request, response) => {
        this.#serve(request, response).catch((error: unknown) => this.#fail(response, error));
      },
    );
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket));
    });
    // A peer that breaks off is not our trouble.
    this.#server.on('tlsClientError', (_error, socket) => socket.destroy());
    this.#server.on('clientError', (_error, socket) => socket.destroy());
    this.#server.on('upgrade', (request, socket, head) => void this.#upgrade(request, socket as Socket, head));
  }

  /**
   * @param port 0 picks a free one.
   * @returns the port.
   * @throws the system's error, e.g. EADDRINUSE.
   */
  listen(port: number, host = '127.0.0.1'): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(port, host, () => resolve((this.#server.address() as AddressInfo).port));
    });
  }

  /** Stops listening and cuts every connection. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve());
      for (const socket of this.#sockets) socket.destroy();
    });
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { path, query, user, routed } = await this.#arrival(request);
    const attributes: Attributes = routed ? attributesOf({ ...routed, user }) : { user, verb: (request.method ?? 'GET').toLowerCase(), path };
    await this.#tellFlow(attributes, response);
    if (!routed) {
      return this.#options.apiServer.chain.run(attributes, () => this.#servePage(path, query, request, response));
    }
    checkTimeout(routed);
    this.#measure(routed, response);
    const accept = routed.subresource === 'proxy' ? undefined : request.headers.accept;
    const representation = negotiate(accept, { protobuf: this.#encoder.writesProtobuf(routed), tables: this.#showsTables(routed) });
    await this.#encoder.prepare(representation);
    const abort = new AbortController();
    response.on('close', () => abort.abort());
    const apiRequest: ApiRequest = {
      ...routed,
      user,
      signal: abort.signal,
      ...(request.headers['user-agent'] ? { userAgent: request.headers['user-agent'] } : {}),
    };
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      apiRequest.body = await readBody(request);
      apiRequest.contentType = request.headers['content-type'] ?? 'application/json';
      if (routed.subresource !== 'proxy' && mediaType(apiRequest.contentType) === PROTOBUF) await this.#readProtobuf(apiRequest);
    }
    const answer = await this.#options.apiServer.request(apiRequest);
    await this.#send(request, response, apiRequest, answer, representation);
  }

  /** What is asked and not kept, such as a review or a token, has no columns. */
  #showsTables(routed: Routed): boolean {
    const facts = this.#options.apiServer.registry.find(routed)?.facts;
    return routed.subresource ? routed.subresource !== 'token' : facts?.verbs.some((verb) => verb !== 'create') !== false;
  }

  /** Which flow the request is taken for (apiserver/pkg/server/filters/priority-and-fairness.go). */
  async #tellFlow(attributes: Attributes, response: ServerResponse): Promise<void> {
    const flow = await this.#flowOf(attributes);
    if (!flow) return;
    response.setHeader('X-Kubernetes-PF-FlowSchema-UID', flow.schema.metadata.uid ?? '');
    response.setHeader('X-Kubernetes-PF-PriorityLevel-UID', flow.level.metadata.uid ?? '');
  }

  /** Who sends the request, and what it names. @throws StatusError */
  async #arrival(request: IncomingMessage): Promise<Arrival> {
    const { apiServer, authenticator } = this.#options;
    const { path, query } = splitUrl(request.url ?? '/');
    const authenticated = (await authenticator.authenticate(request)) ?? ANONYMOUS;
    const user = await actingAs(authenticated, request.headers, apiServer.authorizer);
    return { path, query, user, routed: route(request.method ?? 'GET', path, query) };
  }

  async #servePage(path: string, query: Query, request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (path === '/metrics') return this.#sendMetrics(response);
    if (await this.#pages.serve({ path, query, accept: request.headers.accept, host: request.headers.host }, response)) return;
    const [, root, group = ''] = path.split('/');
    if (root === 'api' || (root === 'apis' && this.#options.apiServer.registry.isBuiltIn(group))) throw pathNotFound();
    throw new NoSuchPage();
  }

  /** Only what is served has figures: names that a client makes up would have no end. */
  #measure(routed: Routed, response: ServerResponse): void {
    const { group, version, resource, subresource = '', namespace, name } = routed;
    const served = this.#options.apiServer.registry.find(routed);
    if (!served || (subresource && !served.subresources.has(subresource))) return;
    const verb = isConnection(subresource) ? 'connect' : routed.verb;
    const scope = name !== undefined ? 'resource' : namespace !== undefined ? 'namespace' : 'cluster';
    const end = this.#metrics.begin({ verb, group, version, resource, subresource, scope }, { dryRun: routed.query['dryRun'] === 'All' });
    response.once('close', () => end(response.statusCode));
  }

  async #sendMetrics(response: ServerResponse): Promise<void> {
    const text = await this.#metrics.text();
    response.writeHead(200, { 'Content-Type': this.#metrics.contentType });
    response.end(text);
  }

  async #send(request: IncomingMessage, response: ServerResponse, apiRequest: ApiRequest, answer: ApiResponse, representation: Representation): Promise<void> {
    warn(response, answer.warnings);
    if (answer.proxy) return passOn(request, response, { target: answer.proxy, body: apiRequest.body as Uint8Array | undefined });
    if (answer.watch)
      return sendWatch(response, answer.watch, this.#encoder, { representation, apiRequest, onEvent: () => this.#metrics.countWatchEvent(apiRequest) });
    if (answer.stream) return sendStream(response, answer.stream);
    if (answer.code === 204) return void response.writeHead(204).end();
    const { bytes, type } = this.#encoder.body(answer.object!, { representation, apiRequest, pretty: wantsPretty(request, apiRequest.query) });
    await this.#encoder.send(response, answer.code, bytes, { type, acceptEncoding: request.headers['accept-encoding'] });
  }

  /** Replaces a binary body by the object in it. The decoder is loaded with the first one. */
  async #readProtobuf(apiRequest: ApiRequest): Promise<void> {
    const body = apiRequest.body as Uint8Array;
    if (body.length === 0) return;
    if (!this.#protobuf) {
      const [{ ProtobufDecoder }, { messages }] = await Promise.all([import('../protobuf/decoder.ts'), import('../../api/generated/protobuf.ts')]);
      this.#protobuf ??= new ProtobufDecoder(this.#options.apiServer.registry, messages);
    }
    apiRequest.body = this.#protobuf.decode(body);
  }

  /** Loaded with the first exec, attach or port-forward. */
  async #podStreams(): Promise<PodStreamServer> {
    if (!this.#streams) {
      const { PodStreamServer } = await import('./pod-streams.ts');
      this.#streams ??= new PodStreamServer(this.#options.apiServer.connector, this.#options.log);
    }
    return this.#streams;
  }

  /** The Status that an error is answered with. A fault of ours is told to the client that much, to the operator all of it. */
  #statusOf(error: unknown): StatusError {
    if (error instanceof StatusError) return error;
    this.#options.log.error('a request failed unexpectedly', { error });
    return internalError('see the log of the API server');
  }

  #fail(response: ServerResponse, error: unknown): void {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    if (error instanceof NoSuchPage) return void sendNotFound(response);
    const status = this.#statusOf(error);
    warn(response, status.warnings);
    if (status.status.details?.retryAfterSeconds) response.setHeader('Retry-After', String(status.status.details.retryAfterSeconds));
    const body = Buffer.from(JSON.stringify(status.status) + '\n');
    // The rest of a body that was not read must not be taken for the next request.
    response.writeHead(status.code, {
      'Content-Type': 'application/json',
      'Content-Length': body.length,
      ...(status.code === 413 ? { Connection: 'close' } : {}),
    });
    response.end(body);
  }

  /** A watch or a log over a WebSocket, as clients in browsers and on the JVM ask for it. */
  async #sendMessages({ user, routed }: Arrival, request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    const [{ sendMessages }, abort] = [await import('./message-response.ts'), new AbortController()];
    socket.on('close', () => abort.abort());
    const apiRequest: ApiRequest = { ...routed!, user, signal: abort.signal };
    const representation = negotiate(request.headers.accept, { protobuf: this.#encoder.writesProtobuf(routed!) });
    await this.#encoder.prepare(representation);
    const answer = await this.#options.apiServer.request(apiRequest);
    sendMessages({ request, socket, head }, answer, this.#encoder, { representation, apiRequest, onEvent: () => this.#metrics.countWatchEvent(apiRequest) });
  }

  /** A connection that is to leave http behind passes the same chain as a request. */
  async #upgrade(request: IncomingMessage, socket: Socket, head: Buffer): Promise<void> {
    socket.on('error', () => socket.destroy());
    try {
      const { path, query, user, routed } = await this.#arrival(request);
      if (routed && (routed.verb === 'watch' || routed.subresource === 'log'))
        return await this.#sendMessages({ path, query, user, routed }, request, socket, head);
      const attributes: Attributes = routed ? attributesOf({ ...routed, user }) : { user, verb: 'get', path };
      await this.#options.apiServer.chain.run(attributes, async () => {
        const parameters = new URLSearchParams(request.url?.split('?')[1]);
        if (routed) await this.#options.apiServer.admitConnection({ ...routed, user, parameters });
        await (await this.#podStreams()).upgrade({ request, socket, head, routed });
      });
    } catch (error) {
      refuseUpgrade(socket, this.#statusOf(error));
    }
  }
}

function warn(response: ServerResponse, warnings: readonly string[] = []): void {
  for (const warning of warnings) response.appendHeader('Warning', `299 - ${quoteWarning(warning)}`);
}

/** A request whose sender is known. */
interface Arrival {
  path: string;
  query: Query;
  user: UserInfo;
  /** The resource that it names, if it does; otherwise it is for a page. */
  routed: Routed | undefined;
}

function refuseUpgrade(socket: Socket, { status, code }: StatusError): void {
  const body = JSON.stringify(status);
  socket.end(
    `HTTP/1.1 ${code} ${status.reason}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
}

/** A client may say how long its request may take; what lasts for its own reasons is not measured by that. @throws StatusError */
function checkTimeout({ verb, subresource, query: { timeout } }: Routed): void {
  if (timeout === undefined || verb === 'watch' || isLongRunning(subresource)) return;
  try {
    parseDuration(timeout);
  } catch (error) {
    throw badRequest(`invalid timeout specified in the request URL - ${(error as Error).message}`);
  }
}

function sendNotFound(response: ServerResponse): void {
  response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8', 'X-Content-Type-Options': 'nosniff' });
  response.end('404 page not found\n');
}

async function sendStream(response: ServerResponse, { contentType, chunks }: NonNullable<ApiResponse['stream']>): Promise<void> {
  response.writeHead(200, { 'Content-Type': contentType });
  response.flushHeaders();
  for await (const chunk of chunks) {
    if (response.destroyed) return;
    if (!response.write(chunk))
      await new Promise((resolve) => {
        response.once('drain', resolve);
        response.once('close', resolve);
      });
  }
  response.end();
}

/** As RFC 7234 quotes a warning's text. */
function quoteWarning(text: string): string {
  return `"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll(/[\r\n]+/g, ' ')}"`;
}

function wantsPretty(request: IncomingMessage, query: Query): boolean {
  if (query['pretty'] !== undefined) return isFlagSet(query['pretty']);
  return /^(curl|Wget|Mozilla)/.test(request.headers['user-agent'] ?? '');
}
