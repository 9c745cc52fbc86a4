import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ProxyTarget } from '../../api/request.ts';
import { StatusError } from '../../api/status.ts';

/** Headers that belong to one connection, not to what is passed on (RFC 9110, 7.6.1). */
const HOP_BY_HOP = ['connection', 'keep-alive', 'proxy-connection', 'te', 'trailer', 'transfer-encoding', 'upgrade'];
/** What the client shows this server alone. */
const CREDENTIALS = ['authorization', 'impersonate-user', 'impersonate-group', 'impersonate-uid'];

/**
 * Passes a request on and its answer back, as they come (apimachinery/pkg/util/proxy.UpgradeAwareHandler).
 *
 * @param body what has been read of the request already.
 * @throws StatusError ServiceUnavailable where nobody answers.
 */
export async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  { target, body }: { target: ProxyTarget; body: Uint8Array | undefined },
): Promise<void> {
  const [ownPath = '', query] = (request.url ?? '').split('?');
  const suffix = query === undefined ? '' : `?${query}`;
  if (target.path === undefined && (request.method === 'GET' || request.method === 'HEAD')) {
    response.writeHead(301, { Location: `${ownPath}/${suffix}` });
    response.end();
    return;
  }
  const answer = await ask(target, request, `${target.path ?? '/'}${suffix}`, body);
  const { headers } = answer;
  for (const name of HOP_BY_HOP) delete headers[name];
  if (headers.location?.startsWith('/')) headers.location = ownPath.slice(0, ownPath.length - (target.path ?? '').length) + headers.location;
  response.writeHead(answer.statusCode ?? 502, headers);
  await pipeline(answer, response);
}

function ask(target: ProxyTarget, request: IncomingMessage, path: string, body: Uint8Array | undefined): Promise<IncomingMessage> {
  const headers = {
    ...request.headers,
    host: target.host,
    'x-forwarded-uri': request.url,
    'x-forwarded-host': request.headers.host,
    'x-forwarded-proto': 'https',
  };
  for (const name of [...HOP_BY_HOP, ...CREDENTIALS]) delete (headers as Record<string, unknown>)[name];
  return new Promise((resolve, reject) => {
    const socket = new PortSocket(target);
    const options = { method: request.method ?? 'GET', path, headers, createConnection: () => socket as unknown as Socket };
    const outgoing = target.scheme === 'https' ? httpsRequest({ ...options, rejectUnauthorized: false }) : httpRequest(options);
    outgoing.on('response', resolve);
    outgoing.on('error', (error) => reject(new StatusError(503, 'ServiceUnavailable', `error trying to reach service: ${error.message}`)));
    request.on('close', () => {
      if (!request.complete) outgoing.destroy();
    });
    outgoing.end(body);
  });
}

/** A pod's port, as a socket. */
class PortSocket extends Duplex {
  readonly #gone = new AbortController();
  #input: ((chunk: Uint8Array | undefined) => void) | undefined;
  readonly #waiting: { chunk: Uint8Array; taken: () => void }[] = [];
  #ended = false;

  constructor(target: ProxyTarget) {
    super();
    target.connect({ stdin: this.#chunks(), stdout: (chunk) => void this.push(chunk), stderr: () => {}, signal: this.#gone.signal }).then(
      () => this.push(null),
      (error: Error) => this.destroy(error),
    );
  }

  override _read(): void {}

  override _write(chunk: Uint8Array, _encoding: BufferEncoding, taken: () => void): void {
    this.#waiting.push({ chunk, taken });
    this.#input?.(undefined);
  }

  override _final(done: () => void): void {
    this.#ended = true;
    this.#input?.(undefined);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#ended = true;
    this.#gone.abort();
    this.#input?.(undefined);
    done(error);
  }

  /** http asks these of its sockets. */
  setTimeout(): this {
    return this;
  }
  setNoDelay(): this {
    return this;
  }
  setKeepAlive(): this {
    return this;
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }

  async *#chunks(): AsyncGenerator<Uint8Array> {
    for (;;) {
      for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
        yield next.chunk;
        next.taken();
      }
      if (this.#ended) return;
      await new Promise<void>((resolve) => {
        this.#input = () => resolve();
      });
    }
  }
}
