import http from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import { SpdySession, type SpdyStream } from './session.ts';

/** Who the client is, and whom it trusts, over https; PEM. */
export interface SpdyTls {
  cert?: string | Buffer;
  key?: string | Buffer;
  ca?: string | Buffer;
  rejectUnauthorized?: boolean;
}

export interface SpdyTarget {
  url: string;
  /** Of the streams: what is carried in them. */
  protocol: string;
  headers?: Readonly<Record<string, string>>;
  tls?: SpdyTls;
}

/** A session and the socket that carries it. */
export interface SpdyConnection {
  session: SpdySession;
  socket: Socket;
  closed: Promise<void>;
}

/** The server has answered with something else than SPDY. */
export class SpdyRefusal extends Error {
  readonly code: number;
  /** The body of the answer. */
  readonly text: string;

  constructor(code: number, text: string) {
    super(`${code} ${text}`.trim());
    this.name = 'SpdyRefusal';
    this.code = code;
    this.text = text;
  }
}

/** Opens a session to a server. @throws SpdyRefusal; the system's errors where there is no server */
export function connectSpdy({ url, protocol, headers = {}, tls = {} }: SpdyTarget): Promise<SpdyConnection> {
  return new Promise((resolve, reject) => {
    const upgrade = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': protocol };
    const options = { method: 'POST', headers: { ...headers, ...upgrade }, agent: false as const };
    const asked = url.startsWith('https:') ? https.request(url, { ...options, ...tls }) : http.request(url, options);
    asked.once('error', reject);
    asked.once('response', (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('end', () => reject(new SpdyRefusal(answer.statusCode ?? 0, Buffer.concat(chunks).toString())));
      answer.once('error', reject);
    });
    asked.once('upgrade', (_answer, socket: Socket, head: Buffer) => resolve(spdyOver(socket, head)));
    asked.end();
  });
}

/** A session over a socket on which both sides have agreed to speak SPDY. @param opened is told of streams that the other side opens */
export function spdyOver(socket: Socket, head: Buffer, opened?: (stream: SpdyStream) => void): SpdyConnection {
  socket.setNoDelay(true);
  const wire = {
    send: (bytes: Buffer): void => {
      if (socket.writable) socket.write(bytes);
    },
    close: () => socket.end(),
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  };
  const session = new SpdySession(wire, opened);
  const closed = new Promise<void>((resolve) => {
    socket.once('close', () => void session.ended().then(resolve));
  });
  const take = (data: Buffer): void => void session.receive(data).catch(() => socket.destroy());
  socket.on('data', take);
  // What breaks shows as the end.
  socket.on('error', () => socket.destroy());
  if (head.length) take(head);
  return { session, socket, closed };
}
