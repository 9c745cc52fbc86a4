import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { statusOfCommand } from '../../api/command-status.ts';
import type { Status } from '../../api/generated/types/meta.v1.ts';
import { type SpdyConnection, spdyOver } from '../../lib/spdy/connection.ts';
import { forwardPort } from '../../lib/spdy/forward-port.ts';
import { COMMAND_PROTOCOL, PORTS_PROTOCOL } from '../../lib/spdy/remote-streams.ts';
import type { SpdyStream } from '../../lib/spdy/session.ts';
import { TerminalSizes } from '../../lib/terminal-sizes.ts';
import { CHANNEL_PROTOCOLS, OLDER_CHANNEL_PROTOCOLS, overWebSocket } from '../../lib/web-socket-streams.ts';
import type { Streams } from '../../runtime/runtime.ts';
import type { KubeletServer } from '../kubelet-server.ts';

/** Where a conversation leads: `/exec/<namespace>/<pod>/<container>` and its like. */
export interface Conversation {
  kind: 'exec' | 'attach' | 'portForward';
  namespace: string;
  pod: string;
  container: string;
  query: URLSearchParams;
}

/** A connection that asks to leave http behind. */
export interface UpgradedConnection {
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
}

/** Takes a connection over that asks for SPDY or a WebSocket, and carries the conversation to its end (upstream: pkg/kubelet/server, cri-streaming). */
export async function converse(server: KubeletServer, conversation: Conversation, connection: UpgradedConnection): Promise<void> {
  const { request, socket, head } = connection;
  if (request.headers.upgrade?.toLowerCase() === 'websocket') return converseOverWebSocket(server, conversation, connection);
  const protocol = conversation.kind === 'portForward' ? PORTS_PROTOCOL : COMMAND_PROTOCOL;
  const offered = String(request.headers['x-stream-protocol-version'] ?? '').split(/\s*,\s*/);
  if (request.headers.upgrade?.toLowerCase() !== 'spdy/3.1' || !offered.includes(protocol)) {
    socket.end(`HTTP/1.1 403 Forbidden\r\nX-Accepted-Stream-Protocol-Versions: ${protocol}\r\nContent-Length: 0\r\n\r\n`);
    return;
  }
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`);
  const gone = new AbortController();
  if (conversation.kind === 'portForward') {
    const spdy: SpdyConnection = spdyOver(socket, head, (stream) => {
      if (stream.headers['streamtype'] !== 'data') return;
      const { namespace, pod } = conversation;
      void forwardPort(spdy.session, stream, pod, (port, data) => server.portForward(namespace, pod, port, { ...data, signal: gone.signal }));
    });
    await spdy.closed;
    gone.abort();
    return;
  }
  const wanted = streamsOf(conversation.query);
  const opened = new Map<string, SpdyStream>();
  await new Promise<void>((resolve) => {
    const { closed } = spdyOver(socket, head, (stream) => {
      opened.set(stream.headers['streamtype'] ?? '', stream);
      if (wanted.every((type) => opened.has(type))) resolve();
    });
    void closed.then(() => {
      gone.abort();
      resolve();
    });
  });
  if (!gone.signal.aborted) await command(server, conversation, { opened, signal: gone.signal });
  socket.end();
}

const isSet = (query: URLSearchParams, name: string): boolean => ['1', 'true'].includes(query.get(name) ?? '');

function streamsOf(query: URLSearchParams): string[] {
  const tty = isSet(query, 'tty');
  return [
    'error',
    ...(isSet(query, 'input') ? ['stdin'] : []),
    ...(isSet(query, 'output') ? ['stdout'] : []),
    ...(isSet(query, 'error') && !tty ? ['stderr'] : []),
    ...(tty ? ['resize'] : []),
  ];
}

function command(
  server: KubeletServer,
  conversation: Conversation,
  { opened, signal }: { opened: ReadonlyMap<string, SpdyStream>; signal: AbortSignal },
): Promise<void> {
  const stdin = opened.get('stdin')?.input;
  const sizes = opened.get('resize');
  const resize = sizes && terminalSizes(sizes);
  return run(server, conversation, {
    ...(stdin ? { stdin } : {}),
    ...(resize ? { resize } : {}),
    stdout: (chunk) => opened.get('stdout')?.send(chunk),
    stderr: (chunk) => opened.get('stderr')?.send(chunk),
    signal,
  }).then((outcome) => {
    opened.get('error')?.send(Buffer.from(JSON.stringify(outcome)));
    for (const stream of opened.values()) stream.end();
  });
}

/** As API servers hand it on that do not translate it: older clients' protocols. */
async function converseOverWebSocket(server: KubeletServer, conversation: Conversation, { request, socket, head }: UpgradedConnection): Promise<void> {
  const { WebSocketServer } = await import('ws');
  const served = [...CHANNEL_PROTOCOLS, ...OLDER_CHANNEL_PROTOCOLS];
  const sockets = new WebSocketServer({ noServer: true, handleProtocols: (offered) => served.find((protocol) => offered.has(protocol)) ?? false });
  const { query } = conversation;
  const wanted = { stdin: isSet(query, 'input'), stdout: isSet(query, 'output'), stderr: isSet(query, 'error'), tty: isSet(query, 'tty') };
  await new Promise<void>((resolve, reject) => {
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => webSocket.terminate());
      overWebSocket(webSocket, wanted, (streams) => run(server, conversation, streams)).then(resolve, reject);
    });
  });
}

/** To its end, and how that is told. */
function run(server: KubeletServer, { kind, namespace, pod, container, query }: Conversation, streams: Streams): Promise<Status> {
  return statusOfCommand(async () => {
    if (kind === 'attach') await server.attach(namespace, pod, container, streams);
    if (kind !== 'exec') return 0;
    return (await server.exec(namespace, pod, container, { command: query.getAll('command'), tty: isSet(query, 'tty') }, streams)).exitCode;
  });
}

/** Sizes come as JSON values one after the other. */
function terminalSizes({ input }: SpdyStream): TerminalSizes {
  const sizes = new TerminalSizes();
  void (async () => {
    let rest = '';
    for await (const chunk of input) {
      const values = (rest + Buffer.from(chunk).toString()).split(/(?<=\})\s*/);
      rest = values.at(-1)?.endsWith('}') ? '' : (values.pop() ?? '');
      for (const value of values) {
        const [, width, height] = /"Width":(\d+),"Height":(\d+)/.exec(value) ?? [];
        if (width && height) sizes.set({ width: Number(width), height: Number(height) });
      }
    }
    sizes.end();
  })();
  return sizes;
}
