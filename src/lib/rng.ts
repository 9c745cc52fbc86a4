import { randomBytes } from 'node:crypto';

/** Upstream's alphabet for generated names: no vowels, no look-alikes (apimachinery/pkg/util/rand). */
const NAME_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** The one source of randomness: the same seed gives the same sequence. */
export class Rng {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** @param seed any integer; only its low 32 bits count. */
  constructor(seed: number) {
    this.#a = seed >>> 0;
    this.#b = 0x9e3779b9;
    this.#c = 0x85ebca6b;
    for (let i = 0; i < 12; i++) this.#next();
  }

  /** A generator seeded from the operating system. */
  static system(): Rng {
    return new Rng(randomBytes(4).readUInt32LE());
  }

  /** Uniform in [0, 1). */
  float(): number {
    return this.#next() / 2 ** 32;
  }

  /** A whole number, uniform in [0, bound). */
  integer(bound: number): number {
    return Math.floor(this.float() * bound);
  }

  /** One of the items. */
  pick<T>(items: readonly T[]): T {
    return items[this.integer(items.length)]!;
  }

  /** True with the probability given. */
  chance(probability: number): boolean {
    return this.float() < probability;
  }

  /** `length` characters that are safe in a generated name. */
  suffix(length: number): string {
    let text = '';
    for (let i = 0; i < length; i++) text += NAME_ALPHABET[this.integer(NAME_ALPHABET.length)];
    return text;
  }

  /** A version 4 UUID. */
  uuid(): string {
    const hex = (words: number): string => {
      let text = '';
      for (let i = 0; i < words; i++) text += (this.#next() >>> 16).toString(16).padStart(4, '0');
      return text;
    };
    const variant = (0x8000 | (this.#next() & 0x3fff)).toString(16);
    return `${hex(2)}-${hex(1)}-4${hex(1).slice(1)}-${variant}-${hex(3)}`;
  }

  /** A generator of its own for `name`, so that one part's draws do not shift another's. */
  fork(name: string): Rng {
    let hash = this.#a ^ this.#b;
    for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
    return new Rng(hash);
  }

  // sfc32, a small fast counting generator that passes PractRand.
  #next(): number {
    const t = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (this.#c << 21) | (this.#c >>> 11);
    this.#c = (this.#c + t) | 0;
    return t >>> 0;
  }
}
