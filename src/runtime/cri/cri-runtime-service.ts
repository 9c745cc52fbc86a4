import { basename, join } from 'node:path';
import type { Clock } from '../../lib/clock.ts';
import { openCommand, openPort } from '../../lib/spdy/remote-streams.ts';
import type {
  ContainerConfig,
  ContainerEvent,
  ContainerFilter,
  ContainerState,
  ContainerStatus,
  ExecOutcome,
  LinuxResources,
  LogLine,
  LogOptions,
  PodSandbox,
  PodSandboxConfig,
  PodSandboxFilter,
  ResourceUsage,
  RuntimeCondition,
  RuntimeService,
  Streams,
} from '../runtime.ts';
import { RuntimeError } from '../runtime.ts';
import type { Channel } from './channel.ts';
import { readLog } from './log-file.ts';
import type { Message } from './messages.ts';
import { Relist } from './relist.ts';
import { containerConfigMessage, resourcesMessage, sandboxConfigMessage } from './to-cri.ts';

const CONTAINER_STATES = ['created', 'running', 'exited', 'unknown'] as const satisfies readonly ContainerState[];
const NANOSECONDS = 1e6;
/** A stop is answered when the container has gone: its grace period, and some time for the runtime. */
const STOP_MARGIN_MS = 120_000;
const EXEC_MARGIN_MS = 10_000;
const STATUS_DEADLINE_MS = 5_000;
const SETTLED_MS = 5_000;

type StoredStatus = ContainerStatus & { logPath: string };

/** Sandboxes and containers of a runtime that speaks CRI. */
export class CriRuntimeService implements RuntimeService {
  readonly #channel: Channel;
  readonly #clock: Clock;
  readonly #relist: Relist;
  /** What does not change any more: how runs ended, and addresses of sandboxes that are up. */
  readonly #ended = new Map<string, StoredStatus>();
  readonly #addresses = new Map<string, readonly string[]>();
  /** How much of the processor containers had used when they were last looked at. */
  readonly #cpuSeen = new Map<string, { at: number; nanoSeconds: number; nanoCores: number }>();

  constructor({ channel, clock, relistPeriodMs }: { channel: Channel; clock: Clock; relistPeriodMs: number }) {
    this.#channel = channel;
    this.#clock = clock;
    this.#relist = new Relist({ channel, clock, periodMs: relistPeriodMs });
  }

  async version(): Promise<{ runtimeName: string; runtimeVersion: string }> {
    const { runtimeName = '', runtimeVersion = '' } = await this.#channel.call('Version', {});
    return { runtimeName, runtimeVersion };
  }

  async status(): Promise<readonly RuntimeCondition[]> {
    const { status } = await this.#channel.call('Status', {}, { deadlineMs: STATUS_DEADLINE_MS });
    return (status?.conditions ?? []).map(({ type = '', status: holds = false, reason = '', message = '' }) => ({ type, status: holds, reason, message }));
  }

  async updateRuntimeConfig({ podCIDR }: { podCIDR: string }): Promise<void> {
    await this.#channel.call('UpdateRuntimeConfig', { runtimeConfig: { networkConfig: { podCidr: podCIDR } } });
  }

  async runPodSandbox(config: PodSandboxConfig): Promise<string> {
    const { runtimeHandler = '' } = config;
    // Images of the sandbox may have to be fetched first.
    const { podSandboxId = '' } = await this.#channel.call(
      'RunPodSandbox',
      { config: sandboxConfigMessage(config), runtimeHandler },
      { deadlineMs: 2 * STOP_MARGIN_MS },
    );
    return podSandboxId;
  }

  async stopPodSandbox(id: string): Promise<void> {
    await orNotFound(this.#channel.call('StopPodSandbox', { podSandboxId: id }));
    this.#addresses.delete(id);
    this.#relist.soon();
  }

  async removePodSandbox(id: string): Promise<void> {
    await orNotFound(this.#channel.call('RemovePodSandbox', { podSandboxId: id }));
    this.#addresses.delete(id);
  }

  async listPodSandbox({ id = '', state, labelSelector = {} }: PodSandboxFilter): Promise<PodSandbox[]> {
    const { items = [] } = await this.#channel.call('ListPodSandbox', {
      filter: { id, labelSelector, ...(state ? { state: { state: state === 'ready' ? 0 : 1 } } : {}) },
    });
    const sandboxes = await Promise.all(items.map((item) => this.#sandbox(item)));
    return sandboxes.filter((sandbox) => sandbox !== undefined).sort((a, b) => a.createdAt - b.createdAt);
  }

  async createContainer(podSandboxId: string, config: ContainerConfig, sandboxConfig: PodSandboxConfig): Promise<string> {
    const { containerId = '' } = await this.#channel.call('CreateContainer', {
      podSandboxId,
      config: { ...containerConfigMessage(config), logPath: config.logPath },
      sandboxConfig: sandboxConfigMessage(sandboxConfig),
    });
    return containerId;
  }

  async startContainer(id: string): Promise<void> {
    await this.#channel.call('StartContainer', { containerId: id });
    this.#relist.soon();
  }

  async stopContainer(id: string, timeoutMs: number): Promise<void> {
    const timeout = Math.max(0, Math.ceil(timeoutMs / 1000));
    await orNotFound(this.#channel.call('StopContainer', { containerId: id, timeout }, { deadlineMs: timeout * 1000 + STOP_MARGIN_MS }));
    this.#relist.soon();
  }

  async updateContainerResources(id: string, resources: LinuxResources): Promise<void> {
    await this.#channel.call('UpdateContainerResources', { containerId: id, linux: resourcesMessage(resources) });
  }

  async removeContainer(id: string): Promise<void> {
    const logPath = await this.#logPath(id);
    await orNotFound(this.#channel.call('RemoveContainer', { containerId: id }));
    this.#ended.delete(id);
    this.#cpuSeen.delete(id);
    if (logPath) await removeLog(logPath);
  }

  async listContainers({ id = '', state, podSandboxId = '', labelSelector = {} }: ContainerFilter): Promise<ContainerStatus[]> {
    const { containers = [] } = await this.#channel.call('ListContainers', {
      filter: { id, podSandboxId, labelSelector, ...(state ? { state: { state: CONTAINER_STATES.indexOf(state) } } : {}) },
    });
    const runs = await Promise.all(
      containers.map((container) => this.#ended.get(container.id ?? '') ?? orNotFound(this.#status(container.id ?? '', container.podSandboxId ?? ''))),
    );
    return runs.filter((run) => run !== undefined).sort((a, b) => a.createdAt - b.createdAt);
  }

  async containerStatus(id: string): Promise<ContainerStatus> {
    return this.#ended.get(id) ?? this.#status(id, await this.#sandboxOf(id));
  }

  async execSync(id: string, command: readonly string[], timeoutMs: number): Promise<ExecOutcome> {
    const timeout = Math.ceil(timeoutMs / 1000);
    const request = { containerId: id, cmd: command, timeout };
    const answer = await this.#channel.call('ExecSync', request, { deadlineMs: timeout > 0 ? timeout * 1000 + EXEC_MARGIN_MS : 0 });
    const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();
    return { stdout: text(answer.stdout), stderr: text(answer.stderr), exitCode: answer.exitCode ?? 0 };
  }

  async exec(id: string, { command, tty }: { command: readonly string[]; tty: boolean }, streams: Streams): Promise<{ exitCode: number }> {
    const { url = '' } = await this.#channel.call('Exec', {
      containerId: id,
      cmd: command,
      tty,
      stdin: streams.stdin !== undefined,
      stdout: true,
      stderr: !tty,
    });
    return { exitCode: await streamed(openCommand({ url }, streams, { tty })) };
  }

  async attach(id: string, { tty }: { tty: boolean }, streams: Streams): Promise<void> {
    const { url = '' } = await this.#channel.call('Attach', { containerId: id, stdin: streams.stdin !== undefined, tty, stdout: true, stderr: !tty });
    await streamed(openCommand({ url }, streams, { tty }));
  }

  async portForward(podSandboxId: string, port: number, streams: Streams): Promise<void> {
    const { url = '' } = await this.#channel.call('PortForward', { podSandboxId, port: [port] });
    await streamed(openPort({ url }, port, streams));
  }

  async *logs(id: string, options: LogOptions): AsyncGenerator<LogLine> {
    const path = await this.#logPath(id);
    if (!path) throw new RuntimeError('NotFound', `container ${JSON.stringify(id)} has no log`);
    const running = async (): Promise<boolean> => (await orNotFound(this.containerStatus(id)))?.state === 'running';
    yield* readLog(path, { ...options, clock: this.#clock, running });
  }

  async containerStats(id: string): Promise<ResourceUsage | undefined> {
    const { stats } = (await orNotFound(this.#channel.call('ContainerStats', { containerId: id }))) ?? {};
    const nanoSeconds = stats?.cpu?.usageCoreNanoSeconds?.value;
    if (nanoSeconds === undefined) return undefined;
    const at = stats?.cpu?.timestamp ?? 0;
    const before = this.#cpuSeen.get(id);
    const nanoCores = before && at > before.at ? ((nanoSeconds - before.nanoSeconds) / (at - before.at)) * 1e9 : (before?.nanoCores ?? 0);
    this.#cpuSeen.set(id, { at, nanoSeconds, nanoCores });
    const writtenBytes = stats?.writableLayer?.usedBytes?.value;
    const usage = { cpuNanoCores: Math.round(nanoCores), memoryBytes: stats?.memory?.workingSetBytes?.value ?? 0 };
    return { ...usage, ...(writtenBytes === undefined ? {} : { writtenBytes }) };
  }

  containerEvents(handler: (event: ContainerEvent) => void): { cancel(): void } {
    return this.#relist.watch(handler);
  }

  /** The log files of what runs, for whoever keeps them small. */
  async runningLogs(): Promise<{ id: string; path: string }[]> {
    const { containers = [] } = await this.#channel.call('ListContainers', { filter: { state: { state: CONTAINER_STATES.indexOf('running') } } });
    const logs = await Promise.all(containers.map(async ({ id = '' }) => ({ id, path: (await this.#logPath(id)) ?? '' })));
    return logs.filter(({ path }) => path !== '');
  }

  /** The log is written to a new file, after the old one has been moved. */
  async reopenLog(id: string): Promise<void> {
    await orNotFound(this.#channel.call('ReopenContainerLog', { containerId: id }));
  }

  async #sandbox({ id = '', metadata = {}, state = 0, createdAt = 0, labels = {}, annotations = {} }: Message<'PodSandbox'>): Promise<PodSandbox | undefined> {
    const { name = '', namespace = '', uid = '', attempt = 0 } = metadata;
    const ready = state === 0;
    const ips = ready ? await this.#ipsOf(id) : [];
    if (!ips) return undefined;
    return {
      id,
      metadata: { name, namespace, uid, attempt },
      state: ready ? 'ready' : 'notReady',
      createdAt: createdAt / NANOSECONDS,
      ips,
      labels,
      annotations,
    };
  }

  /** Undefined where the sandbox has just gone. */
  async #ipsOf(id: string): Promise<readonly string[] | undefined> {
    const known = this.#addresses.get(id);
    if (known) return known;
    const answer = await orNotFound(this.#channel.call('PodSandboxStatus', { podSandboxId: id }));
    if (!answer) return undefined;
    const { ip = '', additionalIps = [] } = answer.status?.network ?? {};
    const ips = [ip, ...additionalIps.map((more) => more.ip ?? '')].filter(Boolean);
    if (ips.length) this.#addresses.set(id, ips);
    return ips;
  }

  async #sandboxOf(id: string): Promise<string> {
    const { containers = [] } = await this.#channel.call('ListContainers', { filter: { id } });
    return containers[0]?.podSandboxId ?? '';
  }

  async #status(id: string, podSandboxId: string): Promise<StoredStatus> {
    const { status = {} } = await this.#channel.call('ContainerStatus', { containerId: id });
    const run: StoredStatus = {
      id,
      podSandboxId,
      metadata: { name: status.metadata?.name ?? '', attempt: status.metadata?.attempt ?? 0 },
      image: status.image?.image ?? '',
      imageId: status.imageRef ?? '',
      state: CONTAINER_STATES[status.state ?? 0] ?? 'unknown',
      createdAt: (status.createdAt ?? 0) / NANOSECONDS,
      startedAt: (status.startedAt ?? 0) / NANOSECONDS,
      finishedAt: (status.finishedAt ?? 0) / NANOSECONDS,
      exitCode: status.exitCode ?? 0,
      reason: status.reason ?? '',
      message: status.message ?? '',
      labels: status.labels ?? {},
      annotations: status.annotations ?? {},
      logPath: status.logPath ?? '',
    };
    // That memory was the reason may be known a moment after the end.
    if (run.state === 'exited' && this.#clock.now() - run.finishedAt > SETTLED_MS) this.#ended.set(id, run);
    return run;
  }

  async #logPath(id: string): Promise<string | undefined> {
    return (this.#ended.get(id) ?? (await orNotFound(this.#status(id, ''))))?.logPath;
  }
}

/** What breaks on the way to the runtime's streaming server, or is said there, is the runtime's word. */
async function streamed<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw new RuntimeError('Unknown', error instanceof Error ? error.message : String(error));
  }
}

/** What the runtime does not know (any more) is undefined. */
async function orNotFound<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof RuntimeError && error.code === 'NotFound') return undefined;
    throw error;
  }
}

/** The log of a run, and what has been moved aside of it. */
async function removeLog(path: string): Promise<void> {
  const { readdir, rm } = await import('node:fs/promises');
  const folder = join(path, '..');
  const names = await readdir(folder).catch(() => []);
  await Promise.all(names.filter((name) => name.startsWith(basename(path))).map((name) => rm(join(folder, name), { force: true })));
}
