import type { WebSocket } from 'ws';
import { SpdySession, type SpdyStream } from '../../lib/spdy/session.ts';
import type { PodConnection } from '../handlers/pod-connection.ts';

/**
 * Port-forward as kubectl speaks it since v1.31: SPDY/3.1 frames inside a WebSocket's messages. Each connection to the
 * local port is a pair of streams, one for errors and one for data, with the port and a request id in their headers.
 */
export function tunnelPorts(webSocket: WebSocket, connection: PodConnection): Promise<void> {
  const gone = new AbortController();
  const wire = {
    send: (bytes: Buffer): void => {
      if (webSocket.readyState === webSocket.OPEN) webSocket.send(bytes);
    },
    close: () => webSocket.close(1000),
    pause: () => webSocket.pause(),
    resume: () => webSocket.resume(),
  };
  const session = new SpdySession(wire, (stream) => {
    if (stream.headers['streamtype'] === 'data') void forward(session, stream, { connection, signal: gone.signal });
  });
  return new Promise((resolve) => {
    webSocket.on('message', (data: Buffer) => {
      session.receive(data).catch(() => webSocket.terminate());
    });
    webSocket.on('close', () => {
      gone.abort();
      void session.ended().then(resolve);
    });
  });
}

async function forward(session: SpdySession, data: SpdyStream, { connection, signal }: { connection: PodConnection; signal: AbortSignal }): Promise<void> {
  const errors = session.streams.find(({ headers }) => headers['streamtype'] === 'error' && headers['requestid'] === data.headers['requestid']);
  const { node, namespace, pod } = connection;
  const port = data.headers['port'];
  try {
    await node.portForward(namespace, pod, Number(port), { stdin: data.input, stdout: (chunk) => data.send(chunk), stderr: () => {}, signal });
  } catch (error) {
    errors?.send(Buffer.from(`error forwarding port ${port} to pod ${pod}: ${(error as Error).message}`));
  }
  for (const stream of [errors, data]) {
    if (!stream) continue;
    stream.end();
    session.forget(stream);
  }
}
