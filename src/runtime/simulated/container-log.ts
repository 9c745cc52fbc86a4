import type { LogLine, LogOptions } from '../runtime.ts';

/** Lines kept of one container. */
const LIMIT = 2000;

/** The bounded log of one run of a container; followers wake on every line. */
export class ContainerLog {
  readonly #lines: LogLine[] = [];
  readonly #waiting = new Set<() => void>();
  /** Lines that have been dropped from the front. */
  #dropped = 0;
  #closed = false;

  append(line: LogLine): void {
    this.#lines.push(line);
    if (this.#lines.length > LIMIT) {
      this.#lines.shift();
      this.#dropped++;
    }
    this.#wake();
  }

  /** No more lines will come; followers end. */
  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *read({ tailLines, since = 0, follow = false, signal }: LogOptions): AsyncGenerator<LogLine> {
    const recent = this.#lines.filter((line) => line.at >= since);
    const first = tailLines === undefined ? recent : tailLines === 0 ? [] : recent.slice(-tailLines);
    let next = this.#dropped + this.#lines.length;
    yield* first;
    while (follow && !signal?.aborted) {
      const index = Math.max(next - this.#dropped, 0);
      const line = this.#lines[index];
      if (line) {
        next = this.#dropped + index + 1;
        yield line;
      } else if (this.#closed) return;
      else await this.#change(signal);
    }
  }

  #change(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal?.addEventListener('abort', wake, { once: true });
    });
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }
}
