import type { PodSandbox, PodSandboxConfig } from '../runtime.ts';
import type { SimulatedContainer } from './simulated-container.ts';

/** One pod sandbox, with the containers in it. */
export class SimulatedSandbox {
  readonly id: string;
  readonly config: PodSandboxConfig;
  /** Oldest first. */
  readonly containers = new Set<SimulatedContainer>();
  readonly #createdAt: number;
  #ips: readonly string[];
  #state: PodSandbox['state'] = 'ready';

  constructor({ id, config, createdAt, ips }: { id: string; config: PodSandboxConfig; createdAt: number; ips: readonly string[] }) {
    this.id = id;
    this.config = config;
    this.#createdAt = createdAt;
    this.#ips = ips;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.config.labels;
  }

  get ready(): boolean {
    return this.#state === 'ready';
  }

  /** Ends its containers. Returns the addresses that are free again. */
  stop(): readonly string[] {
    for (const container of this.containers) container.exit(137);
    const freed = this.#ips;
    this.#ips = [];
    this.#state = 'notReady';
    return freed;
  }

  status(): PodSandbox {
    const { metadata, labels, annotations } = this.config;
    return { id: this.id, metadata, state: this.#state, createdAt: this.#createdAt, ips: this.#ips, labels, annotations };
  }
}
