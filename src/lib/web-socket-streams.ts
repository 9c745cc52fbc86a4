import type { WebSocket } from 'ws';
import { Pipe } from './pipe.ts';
import type { ByteStreams } from './spdy/remote-streams.ts';
import { TerminalSizes } from './terminal-sizes.ts';

/** First byte of each message: which stream it belongs to (remotecommand: v4 and v5 channel protocols). */
const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;
/** v5: the rest of the message names the stream that the client closes. */
const CLOSE = 255;

export const CHANNEL_PROTOCOLS: readonly string[] = ['v5.channel.k8s.io', 'v4.channel.k8s.io'];
/** The same with base64 for the bytes, and the first versions, which tell the end of a command as a sentence. */
export const OLDER_CHANNEL_PROTOCOLS: readonly string[] = ['v4.base64.channel.k8s.io', 'channel.k8s.io', 'base64.channel.k8s.io'];

/** Which streams the client asks for. */
export interface WantedStreams {
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

/** The end of a command as a Status. */
export interface CommandEnd {
  status?: string;
  message?: string;
}

/** Carries the streams of exec or attach over a WebSocket, to the end of `work`, and tells it. */
export async function overWebSocket<T extends CommandEnd>(
  webSocket: WebSocket,
  wanted: WantedStreams,
  work: (streams: ByteStreams) => Promise<T>,
): Promise<void> {
  const isBase64 = webSocket.protocol.includes('base64');
  const isFirstVersion = !/^v\d/.test(webSocket.protocol);
  const gone = new AbortController();
  const stdin = wanted.stdin ? new Pipe(webSocket) : undefined;
  const resize = wanted.tty ? new TerminalSizes() : undefined;
  const send = (channel: number, chunk: Uint8Array): void => {
    if (webSocket.readyState !== webSocket.OPEN) return;
    if (isBase64) webSocket.send(`${channel}${Buffer.from(chunk).toString('base64')}`);
    else webSocket.send(Buffer.concat([Buffer.from([channel]), chunk]));
  };
  webSocket.on('close', () => {
    gone.abort();
    stdin?.end();
    resize?.end();
  });
  webSocket.on('message', (data: Buffer) => {
    const [channel, rest] = isBase64 ? [Number(data.toString('latin1', 0, 1)), Buffer.from(data.toString('latin1', 1), 'base64')] : [data[0], data.subarray(1)];
    if (channel === STDIN) stdin?.push(rest);
    else if (channel === RESIZE) resize?.set(terminalSize(rest));
    else if (channel === CLOSE && rest[0] === STDIN) stdin?.end();
  });
  // Tells the client that the connection stands (remotecommand/websocket.go: createWebSocketStreams).
  if (isFirstVersion) send(wanted.stdout ? STDOUT : wanted.stderr ? STDERR : ERROR, Buffer.alloc(0));
  const outcome = await work({
    ...(stdin ? { stdin } : {}),
    ...(resize ? { resize } : {}),
    stdout: (chunk) => wanted.stdout && send(STDOUT, chunk),
    stderr: (chunk) => wanted.stderr && send(STDERR, chunk),
    signal: gone.signal,
  });
  if (!isFirstVersion) send(ERROR, Buffer.from(JSON.stringify(outcome)));
  else if (outcome.status !== 'Success') send(ERROR, Buffer.from(outcome.message ?? ''));
  webSocket.close(1000);
}

function terminalSize(bytes: Buffer): { width: number; height: number } {
  try {
    const { Width = 0, Height = 0 } = JSON.parse(bytes.toString()) as { Width?: number; Height?: number };
    return { width: Width, height: Height };
  } catch {
    return { width: 0, height: 0 };
  }
}
