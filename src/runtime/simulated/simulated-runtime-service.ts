import { type Clock, sleep } from '../../lib/clock.ts';
import type { Rng } from '../../lib/rng.ts';
import {
  type ContainerConfig,
  type ContainerEvent,
  type ContainerFilter,
  type ContainerStatus,
  type ExecOutcome,
  type LogLine,
  type LogOptions,
  type PodSandbox,
  type PodSandboxConfig,
  type PodSandboxFilter,
  type ResourceUsage,
  type RuntimeCondition,
  RuntimeError,
  type RuntimeService,
  type Streams,
} from '../runtime.ts';
import { Addresses } from './addresses.ts';
import { behaviourFrom, draw, type ImageRule, settingsFor } from './behaviour.ts';
import { LabelIndex } from './label-index.ts';
import type { PodDirectory } from './pod-directory.ts';
import { SimulatedContainer } from './simulated-container.ts';
import type { SimulatedHostFiles } from './simulated-host-files.ts';
import { SimulatedSandbox } from './simulated-sandbox.ts';
import { answerHttp, attach, execute } from './streams.ts';

interface SimulatedServiceOptions {
  clock: Clock;
  rng: Rng;
  rules: readonly ImageRule[];
  podCIDR: string;
  files: SimulatedHostFiles;
  pods: PodDirectory;
}

/** Sandboxes and containers that are states which change with the clock. */
export class SimulatedRuntimeService implements RuntimeService {
  readonly #clock: Clock;
  readonly #rng: Rng;
  readonly #rules: readonly ImageRule[];
  readonly #files: SimulatedHostFiles;
  readonly #pods: PodDirectory;
  readonly #sandboxes = new Map<string, SimulatedSandbox>();
  readonly #sandboxesByLabel = new LabelIndex<SimulatedSandbox>();
  readonly #containers = new Map<string, SimulatedContainer>();
  readonly #containersByLabel = new LabelIndex<SimulatedContainer>();
  readonly #handlers = new Set<(event: ContainerEvent) => void>();
  #podCIDR: string;
  #addresses: Addresses;

  constructor({ clock, rng, rules, podCIDR, files, pods }: SimulatedServiceOptions) {
    this.#pods = pods;
    this.#files = files;
    this.#clock = clock;
    this.#rng = rng;
    this.#rules = rules;
    this.#podCIDR = podCIDR;
    this.#addresses = new Addresses(podCIDR);
  }

  async version(): Promise<{ runtimeName: string; runtimeVersion: string }> {
    return { runtimeName: 'simulated', runtimeVersion: '0.1.0' };
  }

  async status(): Promise<readonly RuntimeCondition[]> {
    return ['RuntimeReady', 'NetworkReady'].map((type) => ({ type, status: true, reason: '', message: '' }));
  }

  async updateRuntimeConfig({ podCIDR }: { podCIDR: string }): Promise<void> {
    if (podCIDR === this.#podCIDR) return;
    this.#podCIDR = podCIDR;
    this.#addresses = new Addresses(podCIDR);
  }

  async runPodSandbox(config: PodSandboxConfig): Promise<string> {
    const ofTheMachine = config.securityContext.namespaces.network === 'node';
    const ip = ofTheMachine ? undefined : this.#addresses.take();
    if (!ofTheMachine && ip === undefined) throw new RuntimeError('Unavailable', 'no free addresses in the range of this node');
    const sandbox = new SimulatedSandbox({ id: this.#id(), config, createdAt: this.#clock.now(), ips: ip ? [ip] : [] });
    this.#sandboxes.set(sandbox.id, sandbox);
    this.#sandboxesByLabel.add(sandbox);
    if (ip) this.#pods.add(ip, sandbox);
    return sandbox.id;
  }

  async stopPodSandbox(id: string): Promise<void> {
    for (const ip of this.#sandboxes.get(id)?.stop() ?? []) {
      this.#addresses.release(ip);
      this.#pods.remove(ip);
    }
  }

  async removePodSandbox(id: string): Promise<void> {
    const sandbox = this.#sandboxes.get(id);
    if (!sandbox) return;
    await this.stopPodSandbox(id);
    for (const container of sandbox.containers) this.#drop(container);
    this.#sandboxes.delete(id);
    this.#sandboxesByLabel.remove(sandbox);
  }

  async listPodSandbox({ id, state, labelSelector }: PodSandboxFilter): Promise<PodSandbox[]> {
    return this.#sandboxesByLabel
      .select(labelSelector)
      .map((sandbox) => sandbox.status())
      .filter((sandbox) => (id === undefined || sandbox.id === id) && (state === undefined || sandbox.state === state));
  }

  async createContainer(podSandboxId: string, config: ContainerConfig): Promise<string> {
    const sandbox = this.#sandbox(podSandboxId);
    const settings = settingsFor(config.image, config.metadata.name, sandbox.config.annotations, this.#rules);
    const id = this.#id();
    const container = new SimulatedContainer({
      id,
      podSandboxId,
      config,
      hostname: sandbox.config.hostname,
      files: this.#files,
      settings,
      behaviour: behaviourFrom(settings, config.metadata.attempt, (span) => draw(span, this.#rng)),
      clock: this.#clock,
      rng: this.#rng,
      exited: () => this.#tell({ type: 'stopped', containerId: id, podUid: sandbox.config.metadata.uid }),
    });
    sandbox.containers.add(container);
    this.#containers.set(id, container);
    this.#containersByLabel.add(container);
    return id;
  }

  async startContainer(id: string): Promise<void> {
    const container = this.#container(id);
    const takes = draw(container.behaviour.startTime, this.#rng);
    if (takes > 0) await sleep(this.#clock, takes);
    const { startError } = container.behaviour;
    if (startError !== undefined) {
      container.failToStart(startError);
      throw new RuntimeError('Unknown', startError);
    }
    if (container.status().state !== 'created') return;
    container.start();
    this.#tell({ type: 'started', containerId: id, podUid: this.#sandboxes.get(container.podSandboxId)?.config.metadata.uid ?? '' });
  }

  async stopContainer(id: string, timeoutMs: number): Promise<void> {
    await this.#containers.get(id)?.stop(timeoutMs);
  }

  /** Nothing simulated takes more than it may. */
  async updateContainerResources(id: string): Promise<void> {
    this.#running(id);
  }

  async removeContainer(id: string): Promise<void> {
    const container = this.#containers.get(id);
    if (!container) return;
    container.exit(137);
    this.#drop(container);
    this.#sandboxes.get(container.podSandboxId)?.containers.delete(container);
  }

  async listContainers({ id, state, podSandboxId, labelSelector }: ContainerFilter): Promise<ContainerStatus[]> {
    return this.#containersByLabel
      .select(labelSelector)
      .map((container) => container.status())
      .filter((container) => id === undefined || container.id === id)
      .filter((container) => state === undefined || container.state === state)
      .filter((container) => podSandboxId === undefined || container.podSandboxId === podSandboxId);
  }

  async containerStatus(id: string): Promise<ContainerStatus> {
    return this.#container(id).status();
  }

  async execSync(id: string, command: readonly string[], timeoutMs: number): Promise<ExecOutcome> {
    const { stdout, stderr, exitCode, durationMs } = this.#running(id).execute(command);
    if (durationMs > timeoutMs) {
      await sleep(this.#clock, timeoutMs);
      throw new RuntimeError('DeadlineExceeded', `command ${JSON.stringify(command.join(' '))} timed out`);
    }
    if (durationMs > 0) await sleep(this.#clock, durationMs);
    return { stdout, stderr, exitCode };
  }

  async exec(id: string, { command }: { command: readonly string[]; tty: boolean }, streams: Streams): Promise<{ exitCode: number }> {
    return { exitCode: await execute(this.#running(id), command, streams, this.#clock) };
  }

  async attach(id: string, _options: { tty: boolean }, streams: Streams): Promise<void> {
    await attach(this.#running(id), streams);
  }

  /** Answers HTTP at every port: with what a simulated program serves there, or a line that names the pod. */
  async portForward(podSandboxId: string, port: number, streams: Streams): Promise<void> {
    const { containers, config } = this.#sandbox(podSandboxId);
    const server = [...containers].map((container) => container.server(port)).find((answer) => answer !== undefined);
    await answerHttp(server ?? (() => ({ body: `${config.metadata.name}:${port}\n` })), streams);
  }

  logs(id: string, options: LogOptions): AsyncIterable<LogLine> {
    return this.#container(id).log.read(options);
  }

  async containerStats(id: string): Promise<ResourceUsage | undefined> {
    return this.#containers.get(id)?.usage();
  }

  containerEvents(handler: (event: ContainerEvent) => void): { cancel(): void } {
    this.#handlers.add(handler);
    return { cancel: () => this.#handlers.delete(handler) };
  }

  /** The container of this id, in whatever state. */
  find(id: string): SimulatedContainer | undefined {
    return this.#containers.get(id);
  }

  #drop(container: SimulatedContainer): void {
    this.#containers.delete(container.id);
    this.#containersByLabel.remove(container);
  }

  #sandbox(id: string): SimulatedSandbox {
    const sandbox = this.#sandboxes.get(id);
    if (!sandbox) throw new RuntimeError('NotFound', `pod sandbox ${id} not found`);
    return sandbox;
  }

  #container(id: string): SimulatedContainer {
    const container = this.#containers.get(id);
    if (!container) throw new RuntimeError('NotFound', `container ${id} not found`);
    return container;
  }

  #running(id: string): SimulatedContainer {
    const container = this.#container(id);
    if (!container.running) throw new RuntimeError('Unknown', `container ${id} is not running`);
    return container;
  }

  #tell(event: ContainerEvent): void {
    for (const handler of [...this.#handlers]) handler(event);
  }

  /** 64 hexadecimal digits, as container engines give. */
  #id(): string {
    return Array.from({ length: 2 }, () => this.#rng.uuid().replaceAll('-', '')).join('');
  }
}
