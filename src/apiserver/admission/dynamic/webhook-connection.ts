import { X509Certificate } from 'node:crypto';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:tls';
import type { WebhookClientConfig } from '../../../api/generated/types/admissionregistration.v1.ts';
import { EndpointSlices, Services } from '../../../api/resources.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Registry } from '../../registry.ts';
import type { Storage } from '../../storage/storage.ts';

/** A webhook answers with objects; more than this is no answer. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

type Service = NonNullable<WebhookClientConfig['service']>;

/** Where a webhook answers, and what it is called in messages. */
interface Address {
  url: URL;
  /** Of a Service: where one of its pods listens. */
  endpoint?: { host: string; port: number };
}

/** Calls webhooks over https (upstream: apiserver/pkg/util/webhook). */
export class WebhookConnection {
  readonly #registry: Registry;
  readonly #storage: Storage;

  constructor({ registry, storage }: { registry: Registry; storage: Storage }) {
    this.#registry = registry;
    this.#storage = storage;
  }

  /**
   * Sends a review.
   *
   * @returns the text of the answer.
   * @throws Error in the words of Go's http client, when nothing good comes back within the time.
   */
  async post(config: WebhookClientConfig, review: unknown, { timeoutSeconds, clock }: { timeoutSeconds: number; clock: Clock }): Promise<string> {
    const address = `${config.url ?? urlOfService(config.service ?? {})}?timeout=${timeoutSeconds}s`;
    const url = new URL(address);
    const limit = new AbortController();
    const timer = clock.schedule(timeoutSeconds * 1000, () => limit.abort());
    const shown = `Post ${JSON.stringify(address)}: `;
    try {
      const endpoint = config.service ? await this.#endpointOf(config.service) : undefined;
      return await send({ url, ...(endpoint ? { endpoint } : {}) }, config.caBundle, JSON.stringify(review), limit.signal);
    } catch (error) {
      if (error instanceof AnswerError) throw error;
      throw new Error(shown + (error as Error).message);
    } finally {
      timer.cancel();
    }
  }

  async #endpointOf({ name = '', namespace = '', port = 443 }: Service): Promise<NonNullable<Address['endpoint']>> {
    const found = await this.#storage.get(this.#registry.get(Services), { namespace, name });
    if (!found) throw new Error(`service ${JSON.stringify(name)} not found`);
    const { spec = {} } = found.object as { spec?: { type?: string; externalName?: string; ports?: { name?: string; port: number }[] } };
    if (spec.type === 'ExternalName' && spec.externalName) return { host: spec.externalName, port };
    const wanted = spec.ports?.find((one) => one.port === port);
    if (!wanted) throw new Error(`no service port ${port} found for service ${JSON.stringify(name)}`);
    for (const slice of await this.#storage.all(this.#registry.get(EndpointSlices), namespace)) {
      if (slice.metadata.labels?.['kubernetes.io/service-name'] !== name) continue;
      const { endpoints, ports } = slice as {
        endpoints?: { addresses: string[]; conditions?: { ready?: boolean } }[];
        ports?: { name?: string; port?: number }[];
      };
      const listening = ports?.find((one) => (one.name ?? '') === (wanted.name ?? ''))?.port;
      const ready = endpoints?.find(({ conditions }) => conditions?.ready !== false);
      if (listening !== undefined && ready?.addresses[0]) return { host: ready.addresses[0], port: listening };
    }
    throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
  }
}

function urlOfService({ name = '', namespace = '', path = '', port = 443 }: Partial<Service>): string {
  return `https://${name}.${namespace}.svc:${port}${path.startsWith('/') ? path : `/${path}`}`;
}

/** The webhook did answer, but not well. */
class AnswerError extends Error {}

function send({ url, endpoint }: Address, caBundle: string | undefined, body: string, signal: AbortSignal): Promise<string> {
  const ca = caBundle ? Buffer.from(caBundle, 'base64').toString() : undefined;
  const { hostname } = url;
  const host = endpoint?.host ?? hostname.replace(/^\[|\]$/g, '');
  const port = endpoint?.port ?? Number(url.port || 443);
  return new Promise((resolve, reject) => {
    const request = httpsRequest(
      {
        host,
        port,
        method: 'POST',
        path: `${url.pathname}${url.search}`,
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, */*', 'Content-Length': Buffer.byteLength(body), Host: url.host },
        agent: false,
        signal,
        ...(endpoint ? { servername: hostname } : {}),
        ...(ca ? { ca } : {}),
      },
      (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_ANSWER_BYTES) request.destroy(new Error(`the response is longer than ${MAX_ANSWER_BYTES} bytes`));
          else chunks.push(chunk);
        });
        response.on('error', fail);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          const { statusCode = 0 } = response;
          if (statusCode >= 200 && statusCode < 300) resolve(text);
          else reject(new AnswerError(wordsOfStatus(statusCode, text)));
        });
      },
    );
    const fail = (error: Error): void =>
      void inGoWords(error, { host, port, servername: endpoint ? hostname : undefined, ca }).then((words) => reject(new Error(words)));
    request.on('error', fail);
    request.end(body);
  });
}

/** Upstream: client-go/rest transformResponse. */
function wordsOfStatus(code: number, text: string): string {
  if (code === 404) return 'the server could not find the requested resource';
  if (code === 401) return 'the server has asked for the client to provide credentials';
  if (code >= 500) return `an error on the server (${JSON.stringify(text.trim() || 'unknown')}) has prevented the request from succeeding`;
  return 'the server rejected our request for an unknown reason';
}

interface Circumstances {
  host: string;
  port: number;
  servername: string | undefined;
  ca: string | undefined;
}

const UNKNOWN_AUTHORITY = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_SIGNATURE_FAILURE',
]);

async function inGoWords(error: Error & { code?: string; cert?: { subjectaltname?: string } }, circumstances: Circumstances): Promise<string> {
  const { host, port, servername } = circumstances;
  const { code = '', name, message } = error;
  if (name === 'AbortError') return 'context deadline exceeded';
  if (code === 'ECONNREFUSED') return `dial tcp ${host}:${port}: connect: connection refused`;
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${host}: no such host`;
  if (code === 'EHOSTUNREACH') return `dial tcp ${host}:${port}: connect: no route to host`;
  if (code === 'ECONNRESET') return 'EOF';
  if (UNKNOWN_AUTHORITY.has(code)) return `tls: failed to verify certificate: x509: certificate signed by unknown authority${await almost(circumstances)}`;
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `tls: failed to verify certificate: x509: certificate is valid for ${namesOf(error.cert?.subjectaltname)}, not ${servername ?? host}`;
  return message;
}

/** An authority of the right name that is not the right one is worth a word. */
async function almost({ ca, ...circumstances }: Circumstances): Promise<string> {
  const peer = ca ? await certificateOf(circumstances) : undefined;
  if (!peer || !ca) return '';
  const authority = new X509Certificate(ca);
  if (authority.subject !== peer.issuer) return '';
  const isRsa = authority.publicKey.asymmetricKeyType === 'rsa';
  const why = isRsa ? 'crypto/rsa: verification error' : 'x509: ECDSA verification failure';
  const name = /CN=(.*)/.exec(authority.subject)?.[1] ?? '';
  return ` (possibly because of ${JSON.stringify(why)} while trying to verify candidate authority certificate ${JSON.stringify(name)})`;
}

/** A connection that is refused for its certificate forgets it, so this asks once more, and says nothing. */
function certificateOf({ host, port, servername }: Omit<Circumstances, 'ca'>): Promise<X509Certificate | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, rejectUnauthorized: false, timeout: 1000, ...(servername ? { servername } : {}) }, () => {
      resolve(socket.getPeerX509Certificate());
      socket.destroy();
    });
    for (const event of ['error', 'timeout', 'close']) socket.on(event, () => resolve(undefined));
  });
}

const namesOf = (subjectAltName = ''): string => subjectAltName.replaceAll(/(DNS|IP Address):/g, '');
