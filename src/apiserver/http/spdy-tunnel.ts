import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib';
import type { WebSocket } from 'ws';
import type { PodConnection } from '../handlers/pod-connection.ts';
import { Pipe } from './pipe.ts';
import { SPDY_DICTIONARY } from './spdy-dictionary.ts';

/** Control frames of SPDY/3.1 that port-forward uses. */
const SYN_STREAM = 1;
const SYN_REPLY = 2;
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;
const CONTROL = 0x80;
const FIN = 1;
const MAX_FRAME_BYTES = 1 << 20;

interface Stream {
  id: number;
  headers: Record<string, string>;
  input: Pipe;
}

/**
 * Port-forward as kubectl speaks it since v1.31: SPDY/3.1 frames inside a WebSocket's messages. Each connection to the
 * local port is a pair of streams, one for errors and one for data, with the port and a request id in their headers.
 */
export function tunnelPorts(webSocket: WebSocket, connection: PodConnection): Promise<void> {
  return new SpdySession(webSocket, connection).run();
}

class SpdySession {
  readonly #webSocket: WebSocket;
  readonly #connection: PodConnection;
  readonly #streams = new Map<number, Stream>();
  readonly #gone = new AbortController();
  // One compression context for the headers of the whole session, each way.
  readonly #inflate: Inflate = createInflate({ dictionary: SPDY_DICTIONARY, finishFlush: constants.Z_SYNC_FLUSH });
  readonly #deflate: Deflate = createDeflate({ dictionary: SPDY_DICTIONARY });
  #buffer: Buffer = Buffer.alloc(0);
  #work: Promise<void> = Promise.resolve();

  constructor(webSocket: WebSocket, connection: PodConnection) {
    this.#webSocket = webSocket;
    this.#connection = connection;
  }

  run(): Promise<void> {
    return new Promise((resolve) => {
      this.#webSocket.on('message', (data: Buffer) => {
        // Frames are handled one after another: the header compression depends on their order.
        this.#work = this.#work.then(() => this.#take(data)).catch(() => this.#webSocket.terminate());
      });
      this.#webSocket.on('close', () => {
        this.#gone.abort();
        for (const stream of this.#streams.values()) stream.input.end();
        resolve();
      });
    });
  }

  async #take(data: Buffer): Promise<void> {
    this.#buffer = Buffer.concat([this.#buffer, data]);
    while (this.#buffer.length >= 8) {
      const length = this.#buffer.readUIntBE(5, 3);
      if (length > MAX_FRAME_BYTES) throw new Error('frame too large');
      if (this.#buffer.length < 8 + length) return;
      const frame = this.#buffer.subarray(0, 8 + length);
      this.#buffer = this.#buffer.subarray(8 + length);
      if (frame[0]! & CONTROL) await this.#control(frame.readUInt16BE(2), frame[4]!, frame.subarray(8));
      else this.#data(frame.readUInt32BE(0), frame[4]!, frame.subarray(8));
    }
  }

  async #control(type: number, flags: number, payload: Buffer): Promise<void> {
    if (type === SYN_STREAM) return this.#open(payload.readUInt32BE(0) & 0x7fffffff, flags, payload.subarray(10));
    if (type === PING) this.#sendControl(PING, payload);
    else if (type === RST_STREAM) this.#streams.get(payload.readUInt32BE(0) & 0x7fffffff)?.input.end();
    else if (type === GOAWAY) this.#webSocket.close(1000);
  }

  #data(id: number, flags: number, payload: Buffer): void {
    const stream = this.#streams.get(id);
    if (payload.length > 0) stream?.input.push(payload);
    if (flags & FIN) stream?.input.end();
  }

  async #open(id: number, flags: number, block: Buffer): Promise<void> {
    const headers = parseHeaders(await through(this.#inflate, block, constants.Z_SYNC_FLUSH));
    const stream: Stream = { id, headers, input: new Pipe(this.#webSocket) };
    this.#streams.set(id, stream);
    if (flags & FIN) stream.input.end();
    const reply = Buffer.alloc(4);
    reply.writeUInt32BE(id);
    this.#sendControl(SYN_REPLY, Buffer.concat([reply, await through(this.#deflate, Buffer.alloc(4), constants.Z_SYNC_FLUSH)]));
    if (headers['streamtype'] === 'data') void this.#forward(stream);
  }

  async #forward(data: Stream): Promise<void> {
    const errors = [...this.#streams.values()].find((s) => s.headers['streamtype'] === 'error' && s.headers['requestid'] === data.headers['requestid']);
    const { node, namespace, pod } = this.#connection;
    try {
      await node.portForward(namespace, pod, Number(data.headers['port']), {
        stdin: data.input,
        stdout: (chunk) => this.#sendData(data.id, chunk),
        stderr: () => {},
        signal: this.#gone.signal,
      });
    } catch (error) {
      if (errors) this.#sendData(errors.id, Buffer.from(`error forwarding port ${data.headers['port']} to pod ${pod}: ${(error as Error).message}`));
    }
    for (const stream of [errors, data]) {
      if (!stream) continue;
      this.#sendData(stream.id, Buffer.alloc(0), FIN);
      this.#streams.delete(stream.id);
    }
  }

  #sendData(id: number, chunk: Uint8Array, flags = 0): void {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(id);
    head[4] = flags;
    head.writeUIntBE(chunk.length, 5, 3);
    this.#send(Buffer.concat([head, chunk]));
  }

  #sendControl(type: number, payload: Buffer): void {
    const head = Buffer.alloc(8);
    head.writeUInt16BE(0x8003, 0);
    head.writeUInt16BE(type, 2);
    head.writeUIntBE(payload.length, 5, 3);
    this.#send(Buffer.concat([head, payload]));
  }

  #send(bytes: Buffer): void {
    if (this.#webSocket.readyState === this.#webSocket.OPEN) this.#webSocket.send(bytes);
  }
}

function parseHeaders(block: Buffer): Record<string, string> {
  const headers: Record<string, string> = {};
  let at = 4;
  const text = (): string => {
    const length = block.readUInt32BE(at);
    const value = block.toString('latin1', at + 4, at + 4 + length);
    at += 4 + length;
    return value;
  };
  const count = block.readUInt32BE(0);
  for (let i = 0; i < count; i++) {
    const name = text();
    const value = text();
    headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** Puts bytes through a compression context and takes what comes out of it so far. */
function through(transform: Inflate | Deflate, input: Buffer, flush: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const out: Buffer[] = [];
    const onData = (chunk: Buffer): void => void out.push(chunk);
    transform.on('data', onData);
    transform.once('error', reject);
    transform.write(input, () => {
      transform.flush(flush, () => {
        transform.off('data', onData);
        transform.off('error', reject);
        resolve(Buffer.concat(out));
      });
    });
  });
}
