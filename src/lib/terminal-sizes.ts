export interface TerminalSize {
  width: number;
  height: number;
}

/** The sizes that a terminal takes. Who is slow to look sees the latest alone. */
export class TerminalSizes implements AsyncIterable<TerminalSize> {
  #latest: TerminalSize | undefined;
  #ended = false;
  #wake: (() => void) | undefined;

  set(size: TerminalSize): void {
    this.#latest = size;
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TerminalSize> {
    while (!this.#ended) {
      const size = this.#latest;
      this.#latest = undefined;
      if (size) yield size;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
