/** Hands out the IPv4 addresses of a range, each once until it comes back; the first two are the network's and the gateway's. */
export class Addresses {
  readonly #base: number;
  readonly #size: number;
  readonly #used = new Set<number>();
  #next = 2;

  /** @param cidr e.g. `10.244.1.0/24` */
  constructor(cidr: string) {
    const [address = '', bits = '24'] = cidr.split('/');
    this.#base = address.split('.').reduce((value, part) => value * 256 + Number(part), 0);
    this.#size = 2 ** (32 - Number(bits));
  }

  /** The next free address; undefined when all are taken. */
  take(): string | undefined {
    for (let tried = 2; tried < this.#size - 1; tried++) {
      const offset = this.#next;
      this.#next = this.#next + 1 >= this.#size - 1 ? 2 : this.#next + 1;
      if (this.#used.has(offset)) continue;
      this.#used.add(offset);
      return this.#text(this.#base + offset);
    }
    return undefined;
  }

  release(address: string): void {
    this.#used.delete(address.split('.').reduce((value, part) => value * 256 + Number(part), 0) - this.#base);
  }

  #text(value: number): string {
    return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');
  }
}
