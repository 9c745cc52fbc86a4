import http from 'node:http';
import https from 'node:https';
import net from 'node:net';
import { type Clock, sleep } from '../../lib/clock.ts';
import { type NetworkAction, type PodNetwork, type ProbeOutcome, RuntimeError, type RuntimeService } from '../runtime.ts';
import { probeGrpc } from './grpc-health.ts';

type Action = Parameters<PodNetwork['probe']>[0];
type Target = Parameters<PodNetwork['probe']>[1];
type HttpAction = Extract<NetworkAction, { type: 'httpGet' }>;
type Asked = HttpAction & { kind: Target['kind']; timeoutMs: number };

/** How much of a body is looked at (upstream: pkg/probe/http maxRespBodyLength, pkg/probe/exec maxReadLength). */
const MAX_BODY_BYTES = 10 * 1024;
const MAX_REDIRECTS = 10;
/** A hook without end is waited for as long as a timer can. */
const LONGEST_MS = 2_147_483_647;

/** Reaches the pods over the machine's own network, and runs commands in their containers (upstream: pkg/probe). */
export class NodeNetwork implements PodNetwork {
  readonly #runtime: RuntimeService;
  readonly #clock: Clock;

  constructor({ runtime, clock }: { runtime: RuntimeService; clock: Clock }) {
    this.#runtime = runtime;
    this.#clock = clock;
  }

  async probe(action: Action, { containerId, kind, timeoutMs: wanted }: Target): Promise<ProbeOutcome> {
    const timeoutMs = Math.min(wanted, LONGEST_MS);
    switch (action.type) {
      case 'exec':
        return this.#execute(containerId, action.command, { timeoutMs, hook: kind === 'postStart' || kind === 'preStop' });
      case 'httpGet':
        return askHttp({ ...action, kind, timeoutMs }, MAX_REDIRECTS);
      case 'tcpSocket':
        return this.#connect(action, timeoutMs);
      case 'grpc':
        return probeGrpc(action, timeoutMs);
    }
  }

  async #execute(containerId: string, command: readonly string[], { timeoutMs, hook }: { timeoutMs: number; hook: boolean }): Promise<ProbeOutcome> {
    try {
      const { exitCode, stdout, stderr } = await this.#runtime.execSync(containerId, command, timeoutMs >= LONGEST_MS ? 0 : timeoutMs);
      return { ok: exitCode === 0, output: (stdout + stderr).slice(0, MAX_BODY_BYTES) };
    } catch (error) {
      if (!(error instanceof RuntimeError)) throw error;
      const seconds = `${timeoutMs / 1000}s`;
      if (error.code === 'DeadlineExceeded' && !hook) return { ok: false, output: `command timed out: ${quoted(command)} timed out after ${seconds}` };
      return { ok: false, output: error.message };
    }
  }

  async #connect({ host, port }: { host: string; port: number }, timeoutMs: number): Promise<ProbeOutcome> {
    const late = new AbortController();
    const socket = net.connect({ host, port });
    try {
      return await Promise.race([
        new Promise<ProbeOutcome>((resolve) => {
          socket.once('connect', () => resolve({ ok: true, output: '' }));
          socket.once('error', (error) => resolve({ ok: false, output: `dial tcp ${address(host, port)}: ${spoken(error)}` }));
        }),
        sleep(this.#clock, timeoutMs, late.signal).then(() => ({ ok: false, output: `dial tcp ${address(host, port)}: i/o timeout` })),
      ]);
    } finally {
      late.abort();
      socket.destroy();
    }
  }
}

const quoted = (command: readonly string[]): string => JSON.stringify(command.join(' '));
const address = (host: string, port: number): string => `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** One GET; a redirect is followed as long as it stays on the host. Certificates are not looked at. */
async function askHttp(asked: Asked, redirects: number): Promise<ProbeOutcome> {
  const { scheme, host, port, path } = asked;
  const url = `${scheme.toLowerCase()}://${address(host, port)}${path.startsWith('/') ? '' : '/'}${path}`;
  try {
    const { status, location, body } = await get(url, asked);
    if (status >= 300 && status < 400 && location !== undefined) {
      const next = new URL(location, url);
      if (next.hostname !== new URL(url).hostname) return { ok: true, output: body, warning: `Probe terminated redirects, Response body: ${body}` };
      if (redirects === 0) return { ok: false, output: `Get "${location}": stopped after ${MAX_REDIRECTS} redirects` };
      const onto = {
        scheme: next.protocol.slice(0, -1),
        host: next.hostname.replace(/^\[|\]$/g, ''),
        port: Number(next.port) || (next.protocol === 'https:' ? 443 : 80),
      };
      return askHttp({ ...asked, ...onto, path: next.pathname + next.search }, redirects - 1);
    }
    if (status >= 200 && status < 400) return { ok: true, output: body };
    return { ok: false, output: `HTTP probe failed with statuscode: ${status}` };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const cause =
      code === 'ABORT_ERR' || (error as Error).name === 'TimeoutError'
        ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
        : code === 'ECONNRESET'
          ? 'EOF'
          : `dial tcp ${address(host, port)}: ${spoken(error as NodeJS.ErrnoException)}`;
    return { ok: false, output: `Get "${url}": ${cause}` };
  }
}

function get(url: string, { kind, headers, timeoutMs }: Asked): Promise<{ status: number; location: string | undefined; body: string }> {
  const agent = kind === 'postStart' || kind === 'preStop' ? 'kube-lifecycle/1.34' : 'kube-probe/1.34';
  const own: Record<string, string | string[]> = { 'user-agent': agent, accept: '*/*', connection: 'close' };
  for (const { name, value } of headers) {
    const key = name.toLowerCase();
    const before = headers.filter((other) => other.name.toLowerCase() === key).map((other) => other.value);
    own[key] = before.length > 1 ? before : value;
  }
  // An empty value keeps the header from being sent.
  for (const key of ['user-agent', 'accept']) if (own[key] === '') delete own[key];
  const { request } = url.startsWith('https:') ? https : http;
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: 'GET', headers: own, rejectUnauthorized: false, agent: false, signal: AbortSignal.timeout(timeoutMs) }, (answer) => {
      let body = '';
      answer.on('data', (chunk: Buffer) => {
        if (body.length < MAX_BODY_BYTES) body += chunk.toString('latin1');
      });
      answer.once('end', () => resolve({ status: answer.statusCode ?? 0, location: answer.headers.location, body: body.slice(0, MAX_BODY_BYTES) }));
      answer.once('error', reject);
    });
    sent.once('error', reject);
    sent.end();
  });
}

const FAULTS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'i/o timeout',
};

/** The fault of a connection in Go's words. */
function spoken({ code = '', message, ...error }: NodeJS.ErrnoException): string {
  if (code === 'ENOTFOUND') return `lookup ${(error as { hostname?: string }).hostname ?? ''}: no such host`;
  return FAULTS[code] ?? message;
}
