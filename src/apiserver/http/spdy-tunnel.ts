import type { WebSocket } from 'ws';
import { forwardPort } from '../../lib/spdy/forward-port.ts';
import { SpdySession } from '../../lib/spdy/session.ts';
import type { PodConnection } from '../handlers/pod-connection.ts';

/**
 * Port-forward as kubectl speaks it since v1.31: SPDY/3.1 frames inside a WebSocket's messages. Each connection to the
 * local port is a pair of streams, one for errors and one for data, with the port and a request id in their headers.
 */
export function tunnelPorts(webSocket: WebSocket, { node, namespace, pod }: PodConnection): Promise<void> {
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
    if (stream.headers['streamtype'] !== 'data') return;
    void forwardPort(session, stream, pod, (port, data) => node.portForward(namespace, pod, port, { ...data, signal: gone.signal }));
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
