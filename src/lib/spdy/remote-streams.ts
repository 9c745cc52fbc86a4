import type { Socket } from 'node:net';
import { connectSpdy, type SpdyTarget } from './connection.ts';
import type { SpdyStream } from './session.ts';

/** How the streams of a command are told apart, and its end is told (k8s.io/apimachinery: util/remotecommand). */
export const COMMAND_PROTOCOL = 'v4.channel.k8s.io';
export const PORTS_PROTOCOL = 'portforward.k8s.io';

/** The three streams of a command, or the two of a connection; `stdin` ends when whoever writes it closes it. */
export interface ByteStreams {
  stdin?: AsyncIterable<Uint8Array>;
  stdout(chunk: Uint8Array): void;
  stderr(chunk: Uint8Array): void;
  resize?: AsyncIterable<{ width: number; height: number }>;
  /** The client has gone. */
  signal: AbortSignal;
}

type Server = Omit<SpdyTarget, 'protocol'>;

/** The end of a command, as it is told in the stream of errors. */
interface CommandStatus {
  status?: string;
  message?: string;
  reason?: string;
  details?: { causes?: readonly { reason?: string; message?: string }[] };
}

/** What the other side says in place of an exit code, or of a connection. */
export class RemoteStreamError extends Error {}

/**
 * Carries the streams of exec or attach to a server. SPDY, for only there can the end of stdin be told to all servers.
 * Resolves with the exit code.
 *
 * @throws RemoteStreamError, SpdyRefusal; the system's errors where there is no server
 */
export async function openCommand(server: Server, streams: ByteStreams, { tty }: { tty: boolean }): Promise<number> {
  const { session, socket, closed } = await connectSpdy({ ...server, protocol: COMMAND_PROTOCOL });
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
  const { status, reason, message = '', details } = text === '' ? ({ status: 'Success' } as CommandStatus) : parsed(text);
  if (status === 'Success') return 0;
  const code = details?.causes?.find((cause) => cause.reason === 'ExitCode')?.message;
  if (reason === 'NonZeroExitCode' && code !== undefined) return Number(code);
  throw new RemoteStreamError(message);
}

function parsed(text: string): CommandStatus {
  try {
    return JSON.parse(text) as CommandStatus;
  } catch {
    return { status: 'Failure', message: text };
  }
}

/** Carries one connection to a port of a pod. Resolves when it is over. @throws as `openCommand` */
export async function openPort(server: Server, port: number, streams: ByteStreams): Promise<void> {
  const { session, socket, closed } = await connectSpdy({ ...server, protocol: PORTS_PROTOCOL });
  const release = whenGone(streams.signal, socket);
  try {
    const headers = { port: String(port), requestid: '0' };
    const errors = await session.open({ ...headers, streamtype: 'error' });
    errors.end();
    const data = await session.open({ ...headers, streamtype: 'data' });
    if (streams.stdin) void pour(streams.stdin, data, socket);
    const fault = textOf(errors);
    const never = new Promise<void>(() => {});
    await Promise.race([drain(data, streams.stdout), fault.then((text) => (text ? undefined : never))]);
    const text = await Promise.race([fault, Promise.resolve('')]);
    if (text) throw new RemoteStreamError(text);
  } finally {
    release();
    socket.destroy();
    await closed;
  }
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
