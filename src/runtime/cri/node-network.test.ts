import { createServer, type Server } from 'node:http';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { SystemClock } from '../../lib/clock.ts';
import { RuntimeError, type RuntimeService } from '../runtime.ts';
import { NodeNetwork } from './node-network.ts';

let server: Server;
let port: number;
let free: number;

beforeAll(async () => {
  server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://x');
    if (pathname === '/far') response.writeHead(302, { location: 'http://127.0.0.2/' }).end('far');
    else if (pathname === '/near') response.writeHead(302, { location: '/headers' }).end();
    else if (pathname === '/round') response.writeHead(302, { location: '/round' }).end();
    else if (pathname === '/headers') response.end(`${request.headers['user-agent']} ${request.headers['x-own']} ${request.headers.accept}`);
    else if (pathname === '/ill') response.writeHead(503).end();
    else if (pathname !== '/silent') response.end('ok');
  });
  port = await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve((server.address() as net.AddressInfo).port)));
  free = await new Promise((resolve) => {
    const other = net.createServer().listen(0, '127.0.0.1', () => {
      const { port: taken } = other.address() as net.AddressInfo;
      other.close(() => resolve(taken));
    });
  });
});
afterAll(() => void server.closeAllConnections());

const target = { containerId: 'c', kind: 'liveness', timeoutMs: 5000 } as const;
const network = (execSync: RuntimeService['execSync'] = () => Promise.reject(new Error('not asked'))): NodeNetwork =>
  new NodeNetwork({ runtime: { execSync } as RuntimeService, clock: new SystemClock() });
const http = (path: string, at = port) =>
  ({ type: 'httpGet', scheme: 'HTTP', host: '127.0.0.1', port: at, path, headers: [{ name: 'X-Own', value: 'mine' }] }) as const;

describe('by http', () => {
  test('an answer below 400 is well', async () => expect(await network().probe(http('/'), target)).toEqual({ ok: true, output: 'ok' }));

  test('another is not', async () => {
    expect(await network().probe(http('/ill'), target)).toEqual({ ok: false, output: 'HTTP probe failed with statuscode: 503' });
  });

  test('with its own headers, and a redirect is followed on the same host', async () => {
    expect(await network().probe(http('/near'), target)).toEqual({ ok: true, output: 'kube-probe/1.34 mine */*' });
  });

  test('a redirect to another host is as good as an answer', async () => {
    expect(await network().probe(http('/far'), target)).toEqual({ ok: true, output: 'far', warning: 'Probe terminated redirects, Response body: far' });
  });

  test('redirects end somewhere', async () => {
    expect(await network().probe(http('/round'), target)).toEqual({ ok: false, output: 'Get "/round": stopped after 10 redirects' });
  });

  test('nobody there, and nobody who answers in time, in Go’s words', async () => {
    const refused = `Get "http://127.0.0.1:${free}/": dial tcp 127.0.0.1:${free}: connect: connection refused`;
    expect(await network().probe(http('/', free), target)).toEqual({ ok: false, output: refused });
    const late = `Get "http://127.0.0.1:${port}/silent": context deadline exceeded (Client.Timeout exceeded while awaiting headers)`;
    expect(await network().probe(http('/silent'), { ...target, timeoutMs: 50 })).toEqual({ ok: false, output: late });
  });
});

test('by a connection', async () => {
  const tcp = (at: number) => ({ type: 'tcpSocket', host: '127.0.0.1', port: at }) as const;
  expect(await network().probe(tcp(port), target)).toEqual({ ok: true, output: '' });
  expect(await network().probe(tcp(free), target)).toEqual({ ok: false, output: `dial tcp 127.0.0.1:${free}: connect: connection refused` });
});

test('by gRPC, where nobody speaks it', async () => {
  const { ok, output } = await network().probe({ type: 'grpc', host: '127.0.0.1', port: free, service: '' }, { ...target, timeoutMs: 200 });
  expect([ok, output]).toEqual([false, `timeout: failed to connect service "127.0.0.1:${free}" within 0.2s: context deadline exceeded`]);
});

test.each<[string, RuntimeService['execSync'], object]>([
  ['it exits with 0', async () => ({ stdout: 'fine', stderr: '', exitCode: 0 }), { ok: true, output: 'fine' }],
  ['it exits otherwise', async () => ({ stdout: '', stderr: 'no', exitCode: 1 }), { ok: false, output: 'no' }],
  [
    'it takes too long',
    () => Promise.reject(new RuntimeError('DeadlineExceeded', 'late')),
    { ok: false, output: 'command timed out: "sh -c x" timed out after 5s' },
  ],
])('by a command: %s', async (_name, execSync, wanted) => {
  expect(await network(execSync).probe({ type: 'exec', command: ['sh', '-c', 'x'] }, target)).toEqual(wanted);
});
