import { type Clock, sleep } from '../../lib/clock.ts';
import type { ContainerEvent } from '../runtime.ts';
import type { Channel } from './channel.ts';

/** The label that says whose a container is (k8s.io/kubelet: types.KubernetesPodUIDLabel). */
const POD_UID = 'io.kubernetes.pod.uid';
const RUNNING = 1;
const EXITED = 2;

/**
 * Finds changes by looking through the runtime again and again, for containerd before 2.0 does not tell of them
 * (upstream: pkg/kubelet/pleg).
 */
export class Relist {
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #periodMs: number;
  readonly #handlers = new Set<(event: ContainerEvent) => void>();
  /** By id of container or sandbox: its state, and whose it is. */
  #seen = new Map<string, { state: number; podUid: string }>();
  /** What had just ended at the last look: what is known of it may have grown since. */
  #justEnded: readonly string[] = [];
  #looking: AbortController | undefined;
  #nap = new AbortController();

  constructor({ channel, clock, periodMs }: { channel: Channel; clock: Clock; periodMs: number }) {
    this.#channel = channel;
    this.#clock = clock;
    this.#periodMs = periodMs;
  }

  /** Calls `handler` for each change from now on. */
  watch(handler: (event: ContainerEvent) => void): { cancel(): void } {
    this.#handlers.add(handler);
    if (!this.#looking) {
      this.#looking = new AbortController();
      void this.#look(this.#looking.signal);
    }
    return {
      cancel: () => {
        this.#handlers.delete(handler);
        if (this.#handlers.size > 0) return;
        this.#looking?.abort();
        this.#looking = undefined;
      },
    };
  }

  /** Something is known to have changed. */
  soon(): void {
    this.#nap.abort();
  }

  /** Never rejects: a runtime that does not answer is asked again. */
  async #look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#nap = new AbortController();
      const { containers = [] } = await this.#channel.call('ListContainers', {}).catch(() => ({ containers: undefined }));
      const { items = [] } = await this.#channel.call('ListPodSandbox', {}).catch(() => ({ items: undefined }));
      if (signal.aborted) return;
      if (containers.length + items.length > 0 || this.#seen.size > 0) this.#compare([...containers, ...items]);
      await sleep(this.#clock, this.#periodMs, AbortSignal.any([signal, this.#nap.signal]));
    }
  }

  #compare(present: readonly { id?: string; state?: number; labels?: Readonly<Record<string, string>> }[]): void {
    const before = this.#seen;
    this.#seen = new Map(present.map(({ id = '', state = 0, labels = {} }) => [id, { state, podUid: labels[POD_UID] ?? '' }]));
    for (const [containerId, { state, podUid }] of this.#seen) {
      if (before.get(containerId)?.state !== state) this.#tell({ type: state === RUNNING ? 'started' : 'stopped', containerId, podUid });
    }
    for (const containerId of this.#justEnded) this.#tell({ type: 'stopped', containerId, podUid: this.#seen.get(containerId)?.podUid ?? '' });
    this.#justEnded = [...this.#seen].filter(([id, { state }]) => state === EXITED && before.get(id)?.state === RUNNING).map(([id]) => id);
    for (const [containerId, { podUid }] of before) if (!this.#seen.has(containerId)) this.#tell({ type: 'stopped', containerId, podUid });
  }

  #tell(event: ContainerEvent): void {
    for (const handler of [...this.#handlers]) handler(event);
  }
}
