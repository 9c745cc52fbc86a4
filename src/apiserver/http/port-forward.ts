import type { WebSocket } from 'ws';
import { Pipe } from '../../lib/pipe.ts';
import type { PodConnection } from '../handlers/pod-connection.ts';

/**
 * Port-forward over channels: port i has data on channel 2i and errors on 2i+1; the first message of each names the port,
 * two bytes, low first (kubelet: portforward/websocket.go). The JavaScript client speaks it.
 */
export async function forwardPorts(webSocket: WebSocket, { node, namespace, pod }: PodConnection, ports: readonly number[]): Promise<void> {
  const gone = new AbortController();
  const inputs = ports.map(() => new Pipe(webSocket));
  webSocket.on('close', () => {
    gone.abort();
    for (const input of inputs) input.end();
  });
  webSocket.on('message', (data: Buffer) => {
    const channel = data[0]!;
    if (channel % 2 === 0) inputs[channel / 2]?.push(data.subarray(1));
  });
  const send = (channel: number, chunk: Uint8Array): void => {
    if (webSocket.readyState === webSocket.OPEN) webSocket.send(Buffer.concat([Buffer.from([channel]), chunk]));
  };
  ports.forEach((port, i) => {
    const name = Buffer.from([port & 0xff, port >> 8]);
    send(2 * i, name);
    send(2 * i + 1, name);
  });
  await Promise.all(
    ports.map(async (port, i) => {
      try {
        await node.portForward(namespace, pod, port, {
          stdin: inputs[i]!,
          stdout: (chunk) => send(2 * i, chunk),
          stderr: (chunk) => send(2 * i + 1, chunk),
          signal: gone.signal,
        });
      } catch (error) {
        send(2 * i + 1, Buffer.from((error as Error).message));
      }
    }),
  );
  webSocket.close(1000);
}
