/** What can be told to wait: a socket. */
export interface Pausable {
  pause(): void;
  resume(): void;
}

/** Bytes that may wait in a pipe before its source is told to wait. */
const HIGH_WATER_BYTES = 1 << 20;

/** Bytes that one side pushes and the other iterates over, in order. Where they are not taken, their source is paused. */
export class Pipe implements AsyncIterable<Uint8Array> {
  readonly #source: Pausable;
  readonly #chunks: Uint8Array[] = [];
  #bytes = 0;
  #paused = false;
  #ended = false;
  #wake: (() => void) | undefined;

  constructor(source: Pausable) {
    this.#source = source;
  }

  push(chunk: Uint8Array): void {
    if (this.#ended) return;
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > HIGH_WATER_BYTES && !this.#paused) {
      this.#paused = true;
      this.#source.pause();
    }
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        for (let chunk = this.#chunks.shift(); chunk; chunk = this.#chunks.shift()) {
          this.#taken(chunk.length);
          yield chunk;
        }
        if (this.#ended) return;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      // Nobody reads any more: what still comes is dropped.
      this.end();
      this.#taken(this.#bytes);
    }
  }

  #taken(bytes: number): void {
    this.#bytes -= bytes;
    if (!this.#paused || this.#bytes > HIGH_WATER_BYTES / 2) return;
    this.#paused = false;
    this.#source.resume();
  }
}
