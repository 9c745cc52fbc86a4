import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib';
import { type Pausable, Pipe } from '../pipe.ts';
import { SPDY_DICTIONARY } from './dictionary.ts';

/** Control frames of SPDY/3.1, as far as streams of containers use them. */
const SYN_STREAM = 1;
const SYN_REPLY = 2;
const RST_STREAM = 3;
const PING = 6;
const GOAWAY = 7;
const CONTROL = 0x80;
const FIN = 1;
const MAX_FRAME_BYTES = 1 << 20;
/** A chunk that is longer goes in several frames. */
const MAX_DATA_BYTES = 64 * 1024;

/** What carries the frames: a socket, or the messages of a WebSocket. */
export interface SpdyWire extends Pausable {
  send(bytes: Buffer): void;
  /** Ends it, after what was sent. */
  close(): void;
}

/** One stream of a session. */
export interface SpdyStream {
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** What the other side sends, until it ends the stream. */
  readonly input: Pipe;
  send(chunk: Uint8Array): void;
  /** Nothing more will be sent. */
  end(): void;
}

/**
 * Streams over one connection (SPDY/3.1), as Kubernetes carries exec, attach and port-forward. Either side opens streams:
 * `opened` is told of those of the other side.
 */
export class SpdySession {
  readonly #wire: SpdyWire;
  readonly #opened: (stream: SpdyStream) => void;
  readonly #streams = new Map<number, SpdyStream>();
  // One compression context for the headers of the whole session, each way.
  readonly #inflate: Inflate = createInflate({ dictionary: SPDY_DICTIONARY, finishFlush: constants.Z_SYNC_FLUSH });
  readonly #deflate: Deflate = createDeflate({ dictionary: SPDY_DICTIONARY });
  #nextId = 1;
  #buffer: Buffer = Buffer.alloc(0);
  #received: Promise<void> = Promise.resolve();
  #opening: Promise<unknown> = Promise.resolve();

  constructor(wire: SpdyWire, opened: (stream: SpdyStream) => void = () => {}) {
    this.#wire = wire;
    this.#opened = opened;
  }

  /** The streams that have not been forgotten, in the order in which they were opened. */
  get streams(): SpdyStream[] {
    return [...this.#streams.values()];
  }

  /** Bytes have come, in whatever pieces. Rejects for what is no SPDY. */
  receive(data: Buffer): Promise<void> {
    // Frames are handled one after another: the header compression depends on their order.
    this.#received = this.#received.then(() => this.#take(data));
    return this.#received;
  }

  /** Opens a stream to the other side. */
  open(headers: Readonly<Record<string, string>>): Promise<SpdyStream> {
    const opening = this.#opening.then(() => this.#open(headers));
    this.#opening = opening;
    return opening;
  }

  /** The connection has ended: nothing comes any more. Resolves when all that has come is with its streams. */
  async ended(): Promise<void> {
    // Bytes that are no SPDY have been told to whoever brought them.
    await this.#received.catch(() => undefined);
    for (const { input } of this.#streams.values()) input.end();
  }

  forget(stream: SpdyStream): void {
    for (const [id, known] of this.#streams) if (known === stream) this.#streams.delete(id);
  }

  async #open(headers: Readonly<Record<string, string>>): Promise<SpdyStream> {
    const id = this.#nextId;
    this.#nextId += 2;
    const stream = this.#stream(id, headers);
    const block = await through(this.#deflate, headerBlock(headers), constants.Z_SYNC_FLUSH);
    const head = Buffer.alloc(10);
    head.writeUInt32BE(id);
    this.#sendControl(SYN_STREAM, Buffer.concat([head, block]));
    return stream;
  }

  #stream(id: number, headers: Readonly<Record<string, string>>): SpdyStream {
    const stream: SpdyStream = {
      headers,
      input: new Pipe(this.#wire),
      send: (chunk) => {
        for (let at = 0; at < chunk.length; at += MAX_DATA_BYTES) this.#sendData(id, chunk.subarray(at, at + MAX_DATA_BYTES), 0);
      },
      end: () => this.#sendData(id, Buffer.alloc(0), FIN),
    };
    this.#streams.set(id, stream);
    return stream;
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
    const id = (): number => payload.readUInt32BE(0) & 0x7fffffff;
    if (type === SYN_STREAM) await this.#accept(id(), flags, payload.subarray(10));
    else if (type === SYN_REPLY) await this.#replied(id(), flags, payload.subarray(4));
    else if (type === PING && this.#isOfOther(payload.readUInt32BE(0))) this.#sendControl(PING, payload);
    else if (type === RST_STREAM) this.#streams.get(id())?.input.end();
    else if (type === GOAWAY) this.#wire.close();
  }

  /** Who opened the session has odd numbers. */
  #isOfOther(id: number): boolean {
    return this.#nextId === 1 || id % 2 === 0;
  }

  #data(id: number, flags: number, payload: Buffer): void {
    const stream = this.#streams.get(id);
    if (payload.length > 0) stream?.input.push(payload);
    if (flags & FIN) stream?.input.end();
  }

  async #accept(id: number, flags: number, block: Buffer): Promise<void> {
    const headers = parseHeaders(await through(this.#inflate, block, constants.Z_SYNC_FLUSH));
    const stream = this.#stream(id, headers);
    if (flags & FIN) stream.input.end();
    const reply = Buffer.alloc(4);
    reply.writeUInt32BE(id);
    this.#sendControl(SYN_REPLY, Buffer.concat([reply, await through(this.#deflate, Buffer.alloc(4), constants.Z_SYNC_FLUSH)]));
    this.#opened(stream);
  }

  /** What a reply says does not matter, but the compression must see it. */
  async #replied(id: number, flags: number, block: Buffer): Promise<void> {
    await through(this.#inflate, block, constants.Z_SYNC_FLUSH);
    if (flags & FIN) this.#streams.get(id)?.input.end();
  }

  #sendData(id: number, chunk: Uint8Array, flags: number): void {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(id);
    head[4] = flags;
    head.writeUIntBE(chunk.length, 5, 3);
    this.#wire.send(Buffer.concat([head, chunk]));
  }

  #sendControl(type: number, payload: Buffer): void {
    const head = Buffer.alloc(8);
    head.writeUInt16BE(0x8003, 0);
    head.writeUInt16BE(type, 2);
    head.writeUIntBE(payload.length, 5, 3);
    this.#wire.send(Buffer.concat([head, payload]));
  }
}

function headerBlock(headers: Readonly<Record<string, string>>): Buffer {
  const text = (value: string): Buffer => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(value.length);
    return Buffer.concat([length, Buffer.from(value, 'latin1')]);
  };
  const count = Buffer.alloc(4);
  count.writeUInt32BE(Object.keys(headers).length);
  return Buffer.concat([count, ...Object.entries(headers).flatMap(([name, value]) => [text(name.toLowerCase()), text(value)])]);
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
