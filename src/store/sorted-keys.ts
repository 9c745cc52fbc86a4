import { partitionPoint } from '../lib/partition-point.ts';

/** A chunk that grows beyond this is halved: small enough to shift at little cost, large enough that there are few. */
const MAX_CHUNK = 512;

/**
 * A set of keys in byte order. They lie in chunks, so that one more or less shifts a few hundred neighbours instead of all.
 * Keys are ASCII: comparing code units is comparing bytes.
 */
export class SortedKeys {
  /** In order; none is empty. */
  readonly #chunks: string[][] = [];

  constructor(keys: Iterable<string> = []) {
    const sorted = [...keys].sort(byteOrder);
    for (let at = 0; at < sorted.length; at += MAX_CHUNK / 2) this.#chunks.push(sorted.slice(at, at + MAX_CHUNK / 2));
  }

  /** Adds a key that is not there yet. */
  add(key: string): void {
    const at = Math.max(this.#chunkOf(key), 0);
    const chunk = this.#chunks[at];
    if (!chunk) {
      this.#chunks.push([key]);
      return;
    }
    chunk.splice(indexOf(chunk, key), 0, key);
    if (chunk.length > MAX_CHUNK) this.#chunks.splice(at + 1, 0, chunk.splice(MAX_CHUNK / 2));
  }

  /** Removes a key that is there. */
  remove(key: string): void {
    const at = this.#chunkOf(key);
    const chunk = this.#chunks[at]!;
    chunk.splice(indexOf(chunk, key), 1);
    if (chunk.length === 0) this.#chunks.splice(at, 1);
  }

  /** The keys that begin with `prefix` and come after `after`, in order. */
  under(prefix: string, after = ''): string[] {
    const found: string[] = [];
    const from = after > prefix ? after : prefix;
    for (let at = Math.max(this.#chunkOf(from), 0); at < this.#chunks.length; at++) {
      const chunk = this.#chunks[at]!;
      for (let i = indexOf(chunk, from); i < chunk.length; i++) {
        const key = chunk[i]!;
        if (!key.startsWith(prefix)) return found;
        if (key !== after) found.push(key);
      }
    }
    return found;
  }

  /** The last chunk that does not begin after the key: where it is, if it is anywhere; −1 before all of them. */
  #chunkOf(key: string): number {
    return partitionPoint(this.#chunks, (chunk) => chunk[0]! <= key) - 1;
  }
}

/** Where the key is, or belongs. */
function indexOf(chunk: readonly string[], key: string): number {
  return partitionPoint(chunk, (other) => other < key);
}

function byteOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
