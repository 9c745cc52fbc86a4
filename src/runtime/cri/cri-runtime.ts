import { mkdirSync } from 'node:fs';
import { type Clock, sleep } from '../../lib/clock.ts';
import type { Log } from '../../lib/log.ts';
import type { HostFiles, ImageService, Machine, PodCgroups, PodNetwork, Runtime, RuntimeService } from '../runtime.ts';
import { CgroupFiles } from './cgroups.ts';
import { Channel } from './channel.ts';
import { CriImages } from './cri-images.ts';
import { CriRuntimeService } from './cri-runtime-service.ts';
import { DiskFiles } from './disk-files.ts';
import { MAX_LOG_BYTES, MAX_LOG_FILES, rotateLogs } from './log-rotation.ts';
import { thisMachine } from './machine.ts';
import { NodeNetwork } from './node-network.ts';

/** Upstream: containerLogMonitorInterval. */
const ROTATION_MS = 10_000;

export interface CriRuntimeOptions {
  /** Path of the runtime's socket. */
  socket: string;
  /** Where the node keeps the files of its pods. */
  directory: string;
  /** Below which pods have their cgroups; no other kubelet may use it. */
  cgroupRoot: string;
  clock: Clock;
  log: Log;
  /** How often the runtime is looked through for changes. Default 1 s, as upstream's kubelet does. */
  relistPeriodMs?: number;
}

/** A real container runtime, by the Container Runtime Interface (v1) on its socket: containerd from 1.6 on, or CRI-O. */
export class CriRuntime implements Runtime {
  readonly machine: Machine;
  readonly files: HostFiles;
  readonly runtimeService: RuntimeService;
  readonly imageService: ImageService;
  readonly podNetwork: PodNetwork;
  readonly cgroups: PodCgroups;
  readonly #channel: Channel;
  readonly #stop = new AbortController();

  private constructor({ machine, channel, options }: { machine: Machine; channel: Channel; options: CriRuntimeOptions }) {
    const { clock, log, cgroupRoot, relistPeriodMs = 1000 } = options;
    this.machine = machine;
    this.#channel = channel;
    const runtimeService = new CriRuntimeService({ channel, clock, relistPeriodMs });
    this.runtimeService = runtimeService;
    this.imageService = new CriImages(channel);
    this.files = new DiskFiles(clock);
    this.podNetwork = new NodeNetwork({ runtime: runtimeService, clock });
    this.cgroups = new CgroupFiles({ root: cgroupRoot, pause: (ms) => sleep(clock, ms) });
    void this.#rotate(runtimeService, { clock, log });
  }

  /** How the runtime at a socket calls itself. @throws RuntimeError where nothing answers, or not in CRI v1 */
  static async ask(socket: string): Promise<{ runtimeName: string; runtimeVersion: string }> {
    const channel = new Channel(socket);
    try {
      const { runtimeName = '', runtimeVersion = '' } = await channel.call('Version', {}, { deadlineMs: 5_000 });
      return { runtimeName, runtimeVersion };
    } finally {
      channel.close();
    }
  }

  /** @throws RuntimeError as `ask` */
  static async open(options: CriRuntimeOptions): Promise<CriRuntime> {
    await CriRuntime.ask(options.socket);
    const channel = new Channel(options.socket);
    mkdirSync(options.directory, { recursive: true });
    return new CriRuntime({ machine: await thisMachine(options.directory), channel, options });
  }

  close(): void {
    this.#stop.abort();
    this.#channel.close();
  }

  /** Never rejects: a log that could not be moved is looked at again. */
  async #rotate(logs: CriRuntimeService, { clock, log }: { clock: Clock; log: Log }): Promise<void> {
    const { signal } = this.#stop;
    for (;;) {
      await sleep(clock, ROTATION_MS, signal);
      if (signal.aborted) return;
      try {
        await rotateLogs(logs, { clock, maxBytes: MAX_LOG_BYTES, maxFiles: MAX_LOG_FILES });
      } catch (error) {
        log.info('logs not rotated', { error });
      }
    }
  }
}
