import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { type WebSocket, WebSocketServer } from 'ws';
import { statusOfCommand } from '../../api/command-status.ts';
import { badRequest } from '../../api/status.ts';
import type { Log } from '../../lib/log.ts';
import { CHANNEL_PROTOCOLS, OLDER_CHANNEL_PROTOCOLS, overWebSocket } from '../../lib/web-socket-streams.ts';
import { isFlagSet } from '../decode/query.ts';
import type { PodConnection, PodConnector } from '../handlers/pod-connection.ts';
import { forwardPorts } from './port-forward.ts';
import type { Routed } from './route.ts';
import { tunnelPorts } from './spdy-tunnel.ts';

const SPDY_TUNNEL = 'SPDY/3.1+portforward.k8s.io';
/** The same for our WebSocket library, which rightly finds that a slash is not allowed in a protocol's name. */
const SPDY_TUNNEL_TOKEN = 'spdy-3.1-portforward.k8s.io';
const MAX_MESSAGE_BYTES = 1 << 20;

/** Subresources of a pod that are conversations. */
const STREAMED = new Set(['exec', 'attach', 'portforward']);

/** A connection that asks to leave http behind. */
export interface Upgrade {
  request: IncomingMessage;
  socket: Socket;
  head: Buffer;
  routed: Routed | undefined;
}

/** exec, attach and port-forward over WebSocket: the connections that leave http behind. */
export class PodStreamServer {
  readonly #connector: PodConnector;
  readonly #log: Log;
  readonly #sockets: WebSocketServer;

  constructor(connector: PodConnector, log: Log) {
    this.#connector = connector;
    this.#log = log;
    this.#sockets = new WebSocketServer({
      noServer: true,
      maxPayload: MAX_MESSAGE_BYTES,
      handleProtocols: (offered) => [...CHANNEL_PROTOCOLS, ...OLDER_CHANNEL_PROTOCOLS, SPDY_TUNNEL_TOKEN].find((protocol) => offered.has(protocol)) ?? false,
    });
    this.#sockets.on('headers', (headers) => {
      headers.forEach((line, i) => {
        headers[i] = line.replace(SPDY_TUNNEL_TOKEN, SPDY_TUNNEL);
      });
    });
  }

  /** Takes over a connection that may. @throws StatusError for one that cannot be switched. */
  async upgrade({ request, socket, head, routed }: Upgrade): Promise<void> {
    const { subresource } = routed ?? {};
    if (routed?.resource !== 'pods' || !subresource || !STREAMED.has(subresource)) throw badRequest('this path does not take an Upgrade');
    const isPortForward = subresource === 'portforward';
    const connection = await this.#connector.connect(routed, routed.query['container'], { containerNeeded: !isPortForward });
    const offered = (request.headers['sec-websocket-protocol'] ?? '')
      .split(',')
      .map((p) => p.trim())
      .filter((p) => p !== '');
    const served = isPortForward ? [...CHANNEL_PROTOCOLS, SPDY_TUNNEL] : [...CHANNEL_PROTOCOLS, ...OLDER_CHANNEL_PROTOCOLS];
    if ((offered.length > 0 || isPortForward) && !offered.some((p) => served.includes(p)))
      throw badRequest(`unable to upgrade: none of the protocols ${JSON.stringify(offered)} is served`);
    if (offered.length) request.headers['sec-websocket-protocol'] = offered.map((p) => (p === SPDY_TUNNEL ? SPDY_TUNNEL_TOKEN : p)).join(', ');
    const parameters = new URLSearchParams((request.url ?? '').split('?')[1] ?? '');
    this.#sockets.handleUpgrade(request, socket, head, (webSocket) => {
      webSocket.on('error', () => webSocket.terminate());
      this.#talk(webSocket, subresource, connection, parameters).catch((error: unknown) => {
        this.#log.info('a connection into a pod broke off', { pod: connection.pod, error });
        webSocket.terminate();
      });
    });
  }

  async #talk(webSocket: WebSocket, subresource: string, connection: PodConnection, parameters: URLSearchParams): Promise<void> {
    if (subresource !== 'portforward') return runCommand(webSocket, subresource, connection, parameters);
    if (webSocket.protocol === SPDY_TUNNEL_TOKEN) return tunnelPorts(webSocket, connection);
    return forwardPorts(
      webSocket,
      connection,
      parameters
        .getAll('ports')
        .flatMap((p) => p.split(','))
        .map(Number),
    );
  }
}

function runCommand(webSocket: WebSocket, subresource: string, { node, namespace, pod, container }: PodConnection, parameters: URLSearchParams): Promise<void> {
  const wants = (name: string): boolean => isFlagSet(parameters.get(name) ?? undefined);
  const tty = wants('tty');
  return overWebSocket(webSocket, { stdin: wants('stdin'), stdout: wants('stdout'), stderr: wants('stderr'), tty }, (streams) =>
    statusOfCommand(async () => {
      if (subresource !== 'exec') return node.attach(namespace, pod, container, streams).then(() => 0);
      return (await node.exec(namespace, pod, container, { command: parameters.getAll('command'), tty }, streams)).exitCode;
    }),
  );
}
