import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ApiResponse } from '../../api/request.ts';
import { badRequest } from '../../api/status.ts';
import type { EncodeOptions, Encoder } from './encode.ts';
import { PROTOBUF } from './negotiate.ts';

const BINARY = 'binary.k8s.io';
const BASE64 = 'base64.binary.k8s.io';
/** Nobody has anything to say here. */
const MAX_MESSAGE_BYTES = 1024;

export interface MessageOptions extends EncodeOptions {
  onEvent: () => void;
}

/** Where an answer goes that is sent in messages. */
export interface MessageConnection {
  request: IncomingMessage;
  socket: Duplex;
  head: Buffer;
}

/**
 * Sends a watch or a log over a WebSocket: an event a message, as text where it is JSON; a log in pieces, in binary or base64
 * as the client chose (upstream: endpoints/handlers/watch.go HandleWS, httpstream/wsstream Reader).
 */
export function sendMessages(connection: MessageConnection, answer: ApiResponse, encoder: Encoder, options: MessageOptions): void {
  const { request, socket, head } = connection;
  const { watch, stream } = answer;
  if (!watch && !stream) throw badRequest('only watches and logs are sent over a WebSocket');
  makeServer().handleUpgrade(request, socket, head, (webSocket) => {
    webSocket.on('error', () => webSocket.terminate());
    const messages = watch ? eventMessages(watch, encoder, options) : logMessages(stream!.chunks, webSocket.protocol === BASE64);
    void pump(webSocket, messages);
  });
}

function makeServer(): WebSocketServer {
  return new WebSocketServer({
    noServer: true,
    maxPayload: MAX_MESSAGE_BYTES,
    handleProtocols: (offered) => [BINARY, BASE64].find((protocol) => offered.has(protocol)) ?? false,
  });
}

type Message = string | Uint8Array;

async function* eventMessages(watch: NonNullable<ApiResponse['watch']>, encoder: Encoder, options: MessageOptions): AsyncGenerator<Message> {
  const isText = options.representation.type !== PROTOBUF;
  let first = true;
  for await (const { type, object } of watch) {
    const bytes = encoder.event(type, object, { ...options, first });
    first = false;
    options.onEvent();
    yield isText ? Buffer.from(bytes).toString('utf8') : bytes;
  }
}

async function* logMessages(chunks: AsyncIterable<Message>, asBase64: boolean): AsyncGenerator<Message> {
  for await (const chunk of chunks) {
    const bytes = Buffer.from(chunk as Uint8Array);
    yield asBase64 ? bytes.toString('base64') : bytes;
  }
}

/** One message at a time: a client that does not read holds the rest back. */
async function pump(webSocket: WebSocket, messages: AsyncIterable<Message>): Promise<void> {
  try {
    for await (const message of messages) {
      if (webSocket.readyState !== webSocket.OPEN) return;
      await new Promise<void>((resolve, reject) => {
        webSocket.send(message, (error) => (error ? reject(error) : resolve()));
      });
    }
    webSocket.close(1000);
  } catch {
    // The peer is gone, or the answer broke off: either way there is nobody to tell.
    webSocket.terminate();
  }
}
