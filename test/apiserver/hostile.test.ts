import https from 'node:https';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Cluster } from '../../src/cluster/cluster.ts';
import { type Log, silent } from '../../src/lib/log.ts';
import { Rng } from '../../src/lib/rng.ts';
import { type HostileRequest, hostileRequest } from './hostile-requests.ts';

/** `HOSTILE_REQUESTS=100000 npx vitest run test/apiserver/hostile.test.ts` for the longer run. */
const REQUESTS = Number(process.env['HOSTILE_REQUESTS'] ?? 2000);
const SEED = Number(process.env['HOSTILE_SEED'] ?? 1);
const WIDTH = 16;

describe('hostile requests', () => {
  let cluster: Cluster;
  let agent: https.Agent;
  const surprises: string[] = [];
  const log: Log = { ...silent, error: (message, fields) => surprises.push(`${message} ${(fields?.['error'] as Error | undefined)?.stack ?? ''}`) };

  beforeAll(async () => {
    cluster = await Cluster.start({ nodes: 1, log, freeze: true });
    const { users } = parse(cluster.kubeconfig) as { users: { user: Record<string, string> }[] };
    const pem = (name: string): Buffer => Buffer.from(users[0]!.user[name]!, 'base64');
    agent = new https.Agent({
      keepAlive: true,
      maxSockets: WIDTH,
      rejectUnauthorized: false,
      cert: pem('client-certificate-data'),
      key: pem('client-key-data'),
    });
  });
  afterAll(async () => {
    agent.destroy();
    await cluster.stop();
  });

  function send({ method, path, headers, body }: HostileRequest): Promise<{ code: number; text: string }> {
    return new Promise((resolve) => {
      const { hostname, port } = new URL(cluster.server);
      const failed = (): void => resolve({ code: 0, text: '' });
      let request: ReturnType<typeof https.request>;
      try {
        request = https.request({ hostname, port, method, path, headers, agent, timeout: 20_000 }, (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => {
            if (text.length < 2000) text += chunk.toString();
          });
          response.on('end', () => resolve({ code: response.statusCode ?? 0, text }));
          response.on('error', failed);
        });
      } catch {
        // Node's own client refuses to send some of them.
        return failed();
      }
      request.on('error', failed);
      request.end(body);
    });
  }

  it(`leave the server alive, without an internal error, and as it was (${REQUESTS} of them)`, { timeout: 60_000 + REQUESTS * 20 }, async () => {
    const rng = new Rng(SEED);
    const codes = new Map<number, number>();
    const internal: string[] = [];
    // The history of the store fills up first; it is bounded, and what comes after it must leave nothing behind.
    const warmUp = Math.min(REQUESTS / 2, 40_000);
    const sendMany = (count: number) =>
      Promise.all(
        Array.from({ length: WIDTH }, async (_, worker) => {
          for (let i = worker; i < count; i += WIDTH) {
            const request = hostileRequest(rng);
            const { code, text } = await send(request);
            codes.set(code, (codes.get(code) ?? 0) + 1);
            if (code >= 500 && text.includes('"InternalError"'))
              internal.push(
                `${request.method} ${request.path} ${request.headers['content-type']} ${request.body?.toString().slice(0, 300)} → ${text.slice(0, 300)}`,
              );
          }
        }),
      );
    await sendMany(warmUp);
    const before = heapUsed();
    await sendMany(REQUESTS - warmUp);
    expect(surprises).toEqual([]);
    expect(internal).toEqual([]);
    // The corpus is of some use only while it gets past the door as well.
    for (const code of [200, 201, 400, 404, 406, 409, 415, 422]) expect([...codes.keys()], `no answer with ${code}`).toContain(code);
    expect((await send({ method: 'GET', path: '/readyz', headers: {} })).code).toBe(200);
    expect(heapUsed() - before).toBeLessThan(25_000_000);
  });
});

function heapUsed(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}
