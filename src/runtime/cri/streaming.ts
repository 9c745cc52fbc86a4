import { request } from 'node:http';
import type { Socket } from 'node:net';
import { SpdySession, type SpdyStream } from '../../lib/spdy/session.ts';
import { RuntimeError, type Streams } from '../runtime.ts';

/** How the streams of a command are told apart, and its end is told (k8s.io/apimachinery: util/remotecommand). */
const COMMAND_PROTOCOL = 'v4.channel.k8s.io';
const PORTS_PROTOCOL = 'portforward.k8s.io';

/** The end of a command, as it is told in the stream of errors. */
interface ExecStatus {
  status?: string;
  message?: string;
  reason?: string;
  details?: { causes?: readonly { reason?: string; message?: string }[] };
}

interface Connection {
  session: SpdySession;
  socket: Socket;
  closed: Promise<void>;
}

/**
 * Carries the streams of exec or attach to the runtime's streaming server. SPDY, for only there can the end of stdin be
 * told. Resolves with the exit code.
 *
 * @throws RuntimeError what the runtime says, where there is no exit code
 */
export async function openExec(url: string, streams: Streams, { tty }: { tty: boolean }): Promise<number> {
  const { session, socket, closed } = await connect(url, COMMAND_PROTOCOL);
  const release = whenGone(streams.signal, socket);
  try {
    const open = (streamType: string): Promise<SpdyStream> => session.open({ streamtype: streamType });
    const errors = await open('error');
    const stdin = streams.stdin ? await open('stdin') : undefined;
    const stdout = await open('stdout');
    const stderr = tty ? undefined : await open('stderr');
    const sizes = tty ? await open('resize') : undefined;
    if (stdin && streams.stdin) void pour(streams.stdin, stdin, socket);
    if (sizes && streams.resize) void sendSizes(streams.resize, sizes);
    const told = textOf(errors);
    await Promise.all([drain(stdout, streams.stdout), stderr ? drain(stderr, streams.stderr) : undefined, told]);
    return exitCodeOf(await told);
  } finally {
    release();
    socket.destroy();
    await closed;
  }
}

/** Nothing in the stream of errors, and a Status of success, both say 0. */
function exitCodeOf(text: string): number {
  const { status, reason, message = '', details } = text === '' ? ({ status: 'Success' } as ExecStatus) : parsed(text);
  if (status === 'Success') return 0;
  const code = details?.causes?.find((cause) => cause.reason === 'ExitCode')?.message;
  if (reason === 'NonZeroExitCode' && code !== undefined) return Number(code);
  throw new RuntimeError('Unknown', message);
}

function parsed(text: string): ExecStatus {
  try {
    return JSON.parse(text) as ExecStatus;
  } catch {
    return { status: 'Failure', message: text };
  }
}

/** Carries one connection to a port of a pod. Resolves when it is over. @throws RuntimeError where the port cannot be reached */
export async function openPortForward(url: string, port: number, streams: Streams): Promise<void> {
  const { session, socket, closed } = await connect(url, PORTS_PROTOCOL);
  const release = whenGone(streams.signal, socket);
  try {
    const headers = { port: String(port), requestid: '0' };
    const errors = await session.open({ ...headers, streamtype: 'error' });
    errors.end();
    const data = await session.open({ ...headers, streamtype: 'data' });
    if (streams.stdin) void pour(streams.stdin, data, socket);
    const fault = textOf(errors);
    await Promise.race([drain(data, streams.stdout), fault.then((text) => (text ? undefined : new Promise<void>(() => {})))]);
    const text = await Promise.race([fault, Promise.resolve('')]);
    if (text) throw new RuntimeError('Unknown', text);
  } finally {
    release();
    socket.destroy();
    await closed;
  }
}

function connect(url: string, protocol: string): Promise<Connection> {
  const { host } = new URL(url);
  return new Promise((resolve, reject) => {
    const fail = (message: string): void => reject(new RuntimeError('Unavailable', `the runtime's streaming server at ${host}: ${message}`));
    const headers = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': protocol };
    const asked = request(url, { method: 'POST', headers, agent: false });
    asked.once('error', (error) => fail(error.message));
    asked.once('response', (answer) => {
      fail(`${answer.statusCode} ${answer.statusMessage}`);
      answer.resume();
    });
    asked.once('upgrade', (_answer, socket: Socket, head: Buffer) => resolve(sessionOver(socket, head)));
    asked.end();
  });
}

function sessionOver(socket: Socket, head: Buffer): Connection {
  socket.setNoDelay(true);
  const session = new SpdySession({
    send: (bytes) => socket.writable && socket.write(bytes),
    close: () => socket.end(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  });
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => {
      session.ended();
      resolve();
    });
  });
  const take = (data: Buffer): void => void session.receive(data).catch(() => socket.destroy());
  socket.on('data', take);
  // What breaks shows as the end.
  socket.on('error', () => socket.destroy());
  if (head.length) take(head);
  return { session, socket, closed };
}

/** @returns what takes the wait back */
function whenGone(signal: AbortSignal, socket: Socket): () => void {
  const gone = (): void => void socket.destroy();
  signal.addEventListener('abort', gone, { once: true });
  if (signal.aborted) gone();
  return () => signal.removeEventListener('abort', gone);
}

async function drain({ input }: SpdyStream, take: (chunk: Uint8Array) => void): Promise<void> {
  for await (const chunk of input) take(chunk);
}

async function textOf({ input }: SpdyStream): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of input) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** Never rejects: a client that breaks off has ended. */
async function pour(chunks: AsyncIterable<Uint8Array>, stream: SpdyStream, socket: Socket): Promise<void> {
  try {
    for await (const chunk of chunks) {
      stream.send(chunk);
      if (socket.writableNeedDrain) await new Promise<void>((resolve) => socket.once('drain', resolve).once('close', resolve));
    }
    stream.end();
  } catch {
    socket.destroy();
  }
}

async function sendSizes(sizes: AsyncIterable<{ width: number; height: number }>, stream: SpdyStream): Promise<void> {
  for await (const { width, height } of sizes) stream.send(Buffer.from(`${JSON.stringify({ Width: width, Height: height })}\n`));
}
