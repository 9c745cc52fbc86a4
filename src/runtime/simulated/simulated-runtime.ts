import { type Clock, sleep } from '../../lib/clock.ts';
import type { Rng } from '../../lib/rng.ts';
import {
  type ContainerConfig,
  type ContainerEvent,
  type ContainerFilter,
  type ContainerStatus,
  type ExecOutcome,
  type Image,
  type ImageService,
  type LogLine,
  type LogOptions,
  type PodNetwork,
  type PodSandbox,
  type PodSandboxConfig,
  type ProbeOutcome,
  type ResourceUsage,
  type Runtime,
  RuntimeError,
  type RuntimeService,
  type Streams,
} from '../runtime.ts';
import { Addresses } from './addresses.ts';
import { behaviourFrom, type ImageRule, pullBehaviourFrom, settingsFor } from './behaviour.ts';
import { draw, imageIdOf, SimulatedContainer } from './simulated-container.ts';

export interface SimulatedRuntimeOptions {
  clock: Clock;
  rng: Rng;
  /** The first rule whose pattern matches an image tells what its containers do. */
  rules?: readonly ImageRule[];
  /** The addresses of pods until updateRuntimeConfig says otherwise. Default 10.244.0.0/24. */
  podCIDR?: string;
}

interface Sandbox {
  sandbox: PodSandbox;
  config: PodSandboxConfig;
  containers: SimulatedContainer[];
}

const IMAGE_SIZE = 10_000_000;
const encoder = new TextEncoder();

/**
 * A container runtime that runs nothing: containers are states that change with the clock, as annotations of their pods
 * and rules by image tell (docs/simulated-runtime.md). Untold, every image exists, every container is up and ready at
 * once, runs for ever, and leaves at once when asked to.
 */
export class SimulatedRuntime implements Runtime, RuntimeService, ImageService, PodNetwork {
  readonly runtimeService: RuntimeService = this;
  readonly imageService: ImageService = this;
  readonly podNetwork: PodNetwork = this;
  readonly #clock: Clock;
  readonly #rng: Rng;
  readonly #rules: readonly ImageRule[];
  readonly #sandboxes = new Map<string, Sandbox>();
  readonly #byUid = new Map<string, Set<string>>();
  readonly #containers = new Map<string, SimulatedContainer>();
  readonly #images = new Map<string, Image>();
  readonly #handlers = new Set<(event: ContainerEvent) => void>();
  #addresses: Addresses;

  constructor({ clock, rng, rules = [], podCIDR = '10.244.0.0/24' }: SimulatedRuntimeOptions) {
    this.#clock = clock;
    this.#rng = rng;
    this.#rules = rules;
    this.#addresses = new Addresses(podCIDR);
  }

  async version(): Promise<{ runtimeName: string; runtimeVersion: string }> {
    return { runtimeName: 'simulated', runtimeVersion: '0.1.0' };
  }

  async updateRuntimeConfig({ podCIDR }: { podCIDR: string }): Promise<void> {
    this.#addresses = new Addresses(podCIDR);
  }

  async runPodSandbox(config: PodSandboxConfig): Promise<string> {
    const ip = config.hostNetwork ? undefined : this.#addresses.take();
    if (!config.hostNetwork && ip === undefined) throw new RuntimeError('Unavailable', 'no free addresses in the range of this node');
    const id = this.#id();
    const sandbox: PodSandbox = { id, metadata: config.metadata, state: 'ready', createdAt: this.#clock.now(), ips: ip ? [ip] : [] };
    this.#sandboxes.set(id, { sandbox, config, containers: [] });
    const { uid } = config.metadata;
    this.#byUid.set(uid, (this.#byUid.get(uid) ?? new Set()).add(id));
    return id;
  }

  async stopPodSandbox(id: string): Promise<void> {
    const found = this.#sandboxes.get(id);
    if (!found || found.sandbox.state === 'notReady') return;
    for (const container of found.containers) container.exit(137);
    for (const ip of found.sandbox.ips) this.#addresses.release(ip);
    found.sandbox = { ...found.sandbox, state: 'notReady', ips: [] };
  }

  async removePodSandbox(id: string): Promise<void> {
    const found = this.#sandboxes.get(id);
    if (!found) return;
    await this.stopPodSandbox(id);
    for (const container of found.containers) this.#containers.delete(container.id);
    this.#sandboxes.delete(id);
    const { uid } = found.config.metadata;
    this.#byUid.get(uid)?.delete(id);
    if (this.#byUid.get(uid)?.size === 0) this.#byUid.delete(uid);
  }

  async listPodSandbox({ podUid }: { podUid?: string }): Promise<PodSandbox[]> {
    return this.#select(podUid).map(({ sandbox }) => sandbox);
  }

  async createContainer(podSandboxId: string, config: ContainerConfig): Promise<string> {
    const found = this.#sandboxes.get(podSandboxId);
    if (!found) throw new RuntimeError('NotFound', `pod sandbox ${podSandboxId} not found`);
    const settings = settingsFor(config.image, config.metadata.name, found.config.annotations, this.#rules);
    const id = this.#id();
    const container = new SimulatedContainer({
      id,
      podSandboxId,
      config,
      hostname: found.config.hostname,
      settings,
      behaviour: behaviourFrom(settings, config.metadata.attempt, (span) => draw(span, this.#rng)),
      clock: this.#clock,
      rng: this.#rng,
      exited: () => this.#tell({ type: 'stopped', containerId: id, podUid: found.config.metadata.uid }),
    });
    found.containers.push(container);
    this.#containers.set(id, container);
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

  async removeContainer(id: string): Promise<void> {
    const container = this.#containers.get(id);
    if (!container) return;
    container.exit(137);
    this.#containers.delete(id);
    const found = this.#sandboxes.get(container.podSandboxId);
    if (found) found.containers = found.containers.filter((c) => c !== container);
  }

  async listContainers({ podSandboxId, podUid }: ContainerFilter): Promise<ContainerStatus[]> {
    const sandboxes = podSandboxId === undefined ? this.#select(podUid) : [this.#sandboxes.get(podSandboxId)].filter((s) => s !== undefined);
    return sandboxes.flatMap(({ containers }) => containers.map((container) => container.status()));
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
    const container = this.#running(id);
    if (isInteractive(command)) return { exitCode: await this.#interpret(container, streams) };
    if (readsInput(command)) return { exitCode: await echo(streams) };
    const outcome = container.execute(command);
    if (!outcome.known && outcome.exitCode === 127) {
      throw new RuntimeError(
        'Unknown',
        `OCI runtime exec failed: exec failed: unable to start container process: exec: "${command[0]}": executable file not found in $PATH`,
      );
    }
    if (outcome.durationMs > 0) await sleep(this.#clock, outcome.durationMs, streams.signal);
    if (outcome.stdout) streams.stdout(encoder.encode(outcome.stdout));
    if (outcome.stderr) streams.stderr(encoder.encode(outcome.stderr));
    return { exitCode: outcome.exitCode };
  }

  /** Writes the log from its beginning, and on: nobody attaches in time to see the first line of a container that is quick. */
  async attach(id: string, streams: Streams): Promise<void> {
    const container = this.#running(id);
    for await (const line of container.log.read({ follow: true, signal: streams.signal })) {
      const write = line.stream === 'stdout' ? streams.stdout : streams.stderr;
      write.call(streams, encoder.encode(line.text));
    }
  }

  /** Answers every HTTP request, on any port, with a line that names the pod. */
  async portForward(podSandboxId: string, port: number, { stdin, stdout }: Streams): Promise<void> {
    const found = this.#sandboxes.get(podSandboxId);
    if (!found) throw new RuntimeError('NotFound', `pod sandbox ${podSandboxId} not found`);
    if (!stdin) return;
    let text = '';
    const decoder = new TextDecoder();
    for await (const chunk of stdin) {
      text += decoder.decode(chunk, { stream: true });
      if (!text.includes('\r\n\r\n')) continue;
      const body = `${found.config.metadata.name}:${port}\n`;
      stdout(encoder.encode(`HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`));
      return;
    }
  }

  logs(id: string, options: LogOptions): AsyncIterable<LogLine> {
    return this.#container(id).log.read(options);
  }

  async containerStats(id: string): Promise<ResourceUsage | undefined> {
    const container = this.#containers.get(id);
    if (!container?.running) return undefined;
    const { cpu = '1m', memory = '10Mi' } = container.behaviour;
    return { cpuNanoCores: amount(cpu) * 1e9, memoryBytes: amount(memory) };
  }

  containerEvents(handler: (event: ContainerEvent) => void): { cancel(): void } {
    this.#handlers.add(handler);
    return { cancel: () => this.#handlers.delete(handler) };
  }

  async imageStatus(image: string): Promise<Image | undefined> {
    const known = this.#images.get(image);
    if (known) return known;
    return pullBehaviourFrom(settingsFor(image, undefined, {}, this.#rules)).present ? imageOf(image) : undefined;
  }

  async pullImage(image: string, { annotations }: { annotations: Readonly<Record<string, string>> }, signal: AbortSignal): Promise<Image> {
    const { pullTime, pullError } = pullBehaviourFrom(settingsFor(image, undefined, annotations, this.#rules));
    const takes = draw(pullTime, this.#rng);
    if (takes > 0) await sleep(this.#clock, takes, signal);
    if (signal.aborted) throw new RuntimeError('Unknown', 'pull cancelled');
    if (pullError !== undefined) throw new RuntimeError('NotFound', pullErrorText(image, pullError));
    const pulled = imageOf(image);
    this.#images.set(image, pulled);
    return pulled;
  }

  async listImages(): Promise<Image[]> {
    return [...this.#images.values()];
  }

  async removeImage(image: string): Promise<void> {
    this.#images.delete(image);
  }

  async probe(action: Parameters<PodNetwork['probe']>[0], { containerId, kind, timeoutMs }: Parameters<PodNetwork['probe']>[1]): Promise<ProbeOutcome> {
    const container = this.#containers.get(containerId);
    if (!container?.running) return { ok: false, output: 'container is not running' };
    const command = action.type === 'exec' ? action.command : undefined;
    if (kind === 'postStart' || kind === 'preStop') return this.#hook(container, command, timeoutMs);
    const { exitCode, stdout, stderr } = container.probe(kind, command);
    if (exitCode === 0) return { ok: true, output: stdout };
    return { ok: false, output: failureOf(action, stdout + stderr) };
  }

  async #hook(container: SimulatedContainer, command: readonly string[] | undefined, timeoutMs: number): Promise<ProbeOutcome> {
    const outcome = command ? container.execute(command) : undefined;
    if (!outcome?.known) return { ok: true, output: '' };
    await Promise.race([sleep(this.#clock, Math.min(outcome.durationMs, timeoutMs)), container.whenExited()]);
    return { ok: outcome.exitCode === 0 && outcome.durationMs <= timeoutMs, output: outcome.stdout + outcome.stderr };
  }

  async #interpret(container: SimulatedContainer, { stdin, stdout, stderr }: Streams): Promise<number> {
    const decoder = new TextDecoder();
    let rest = '';
    let code = 0;
    for await (const chunk of stdin ?? []) {
      const parts = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n|\r/);
      rest = parts.pop() ?? '';
      for (const line of parts) {
        const outcome = container.execute(['sh', '-c', line]);
        if (outcome.stdout) stdout(encoder.encode(outcome.stdout));
        if (outcome.stderr) stderr(encoder.encode(outcome.stderr));
        code = outcome.exitCode;
        if (/^\s*exit\b/.test(line)) return code;
      }
    }
    return code;
  }

  #select(podUid: string | undefined): Sandbox[] {
    if (podUid === undefined) return [...this.#sandboxes.values()];
    return [...(this.#byUid.get(podUid) ?? [])].map((id) => this.#sandboxes.get(id)!);
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

const isInteractive = (command: readonly string[]): boolean => command.length === 1 && /(^|\/)(ba|a)?sh$/.test(command[0]!);

const readsInput = (command: readonly string[]): boolean =>
  /^(\/(usr\/)?bin\/)?cat$/.test(command[0] ?? '') && command.slice(1).every((argument) => argument === '-');

/** Gives back what comes in, until the client closes it. */
async function echo({ stdin, stdout }: Streams): Promise<number> {
  for await (const chunk of stdin ?? []) stdout(chunk);
  return 0;
}

function imageOf(image: string): Image {
  return { id: imageIdOf(image), repoTags: [image], size: IMAGE_SIZE };
}

function pullErrorText(image: string, setting: string): string {
  if (setting !== 'true' && setting !== 'not-found') return setting;
  return `rpc error: code = NotFound desc = failed to pull and unpack image "${image}": failed to resolve reference "${image}": ${image}: not found`;
}

function failureOf(action: Parameters<PodNetwork['probe']>[0], output: string): string {
  switch (action.type) {
    case 'httpGet':
      return 'HTTP probe failed with statuscode: 503';
    case 'tcpSocket':
      return `dial tcp ${action.host}:${action.port}: connect: connection refused`;
    case 'grpc':
      return 'service unhealthy (responded with "NOT_SERVING")';
    default:
      return output;
  }
}

const SUFFIXES: Readonly<Record<string, number>> = { m: 1e-3, k: 1e3, M: 1e6, G: 1e9, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/** A quantity as a number; this folder knows nothing of the API's own quantities. */
function amount(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(\w*)$/.exec(text);
  return match ? Number(match[1]) * (SUFFIXES[match[2]!] ?? 1) : 0;
}
