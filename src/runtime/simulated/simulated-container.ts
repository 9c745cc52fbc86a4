import type { Clock, Timer } from '../../lib/clock.ts';
import type { Rng } from '../../lib/rng.ts';
import type { ContainerConfig, ContainerStatus, ExecOutcome, ResourceUsage } from '../runtime.ts';
import { type Behaviour, courseAt, draw, type Settings } from './behaviour.ts';
import { ContainerLog } from './container-log.ts';
import { type CommandOutcome, runCommand, type ShellContext } from './shell.ts';
import { imageIdOf } from './simulated-images.ts';

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

interface Options {
  id: string;
  podSandboxId: string;
  config: ContainerConfig;
  hostname: string;
  settings: Settings;
  behaviour: Behaviour;
  clock: Clock;
  rng: Rng;
  exited: () => void;
}

/** One run of one simulated container. */
export class SimulatedContainer {
  readonly id: string;
  readonly podSandboxId: string;
  readonly config: ContainerConfig;
  readonly settings: Settings;
  readonly behaviour: Behaviour;
  readonly log = new ContainerLog();
  readonly #options: Options;
  readonly #createdAt: number;
  #state: 'created' | 'running' | 'exited' = 'created';
  #startedAt = 0;
  #finishedAt = 0;
  #exitCode = 0;
  #reason = '';
  #message = '';
  readonly #timers: Timer[] = [];
  readonly #onExit: (() => void)[] = [];

  constructor(options: Options) {
    this.#options = options;
    this.id = options.id;
    this.podSandboxId = options.podSandboxId;
    this.config = options.config;
    this.settings = options.settings;
    this.behaviour = options.behaviour;
    this.#createdAt = options.clock.now();
  }

  get running(): boolean {
    return this.#state === 'running';
  }

  get labels(): Readonly<Record<string, string>> {
    return this.config.labels;
  }

  status(): ContainerStatus {
    const { metadata, image, labels, annotations } = this.config;
    return {
      id: this.id,
      podSandboxId: this.podSandboxId,
      metadata,
      image,
      imageId: imageIdOf(image),
      state: this.#state,
      createdAt: this.#createdAt,
      startedAt: this.#startedAt,
      finishedAt: this.#finishedAt,
      exitCode: this.#exitCode,
      reason: this.#reason,
      message: this.#message,
      labels,
      annotations,
    };
  }

  start(): void {
    const { clock, rng } = this.#options;
    this.#state = 'running';
    this.#startedAt = clock.now();
    const command = this.#command();
    for (const text of lines(command?.stdout ?? '')) this.#write('stdout', text);
    for (const text of lines(command?.stderr ?? '')) this.#write('stderr', text);
    for (const text of lines(this.behaviour.log ?? '')) this.#write('stdout', text.endsWith('\n') ? text : `${text}\n`);
    if (this.behaviour.logEvery) this.#logAgain();
    const { exitAfter, exitCode, exitReason } = this.behaviour;
    if (exitAfter) this.#in(draw(exitAfter, rng), () => this.exit(exitCode, exitReason));
    else if (this.settings['exit-code'] !== undefined && this.settings['exit-after'] === undefined) this.#in(0, () => this.exit(exitCode, exitReason));
    else if (!command && this.config.labels['io.kubernetes.container.type'] === 'INIT') this.#in(0, () => this.exit(0));
    else if (command && command.durationMs < Number.POSITIVE_INFINITY) this.#in(command.durationMs, () => this.exit(command.exitCode));
  }

  /** It could not be started at all. */
  failToStart(message: string): void {
    this.exit(128, 'StartError', message);
  }

  exit(code: number, reason: string = code === 0 ? 'Completed' : 'Error', message = ''): void {
    if (this.#state === 'exited') return;
    for (const timer of this.#timers) timer.cancel();
    this.#state = 'exited';
    this.#finishedAt = this.#options.clock.now();
    this.#exitCode = code;
    this.#reason = reason;
    this.#message = message;
    this.log.close();
    for (const resolve of this.#onExit.splice(0)) resolve();
    this.#options.exited();
  }

  /** SIGTERM now, SIGKILL after `timeoutMs`. */
  stop(timeoutMs: number): Promise<void> {
    if (this.#state !== 'running') {
      if (this.#state === 'created') this.exit(137);
      return Promise.resolve();
    }
    const { stopTime, stopCode } = this.behaviour;
    const takes = stopTime ? draw(stopTime, this.#options.rng) : Number.POSITIVE_INFINITY;
    if (takes === 0) {
      this.exit(stopCode);
      return Promise.resolve();
    }
    if (takes <= timeoutMs) this.#in(takes, () => this.exit(stopCode));
    else this.#in(timeoutMs, () => this.exit(137));
    return this.whenExited();
  }

  whenExited(): Promise<void> {
    return this.#state === 'exited' ? Promise.resolve() : new Promise((resolve) => this.#onExit.push(resolve));
  }

  shell(): ShellContext {
    const { hostname, clock } = this.#options;
    return {
      hostname,
      env: [{ name: 'PATH', value: PATH }, { name: 'HOSTNAME', value: hostname }, ...this.config.env, { name: 'HOME', value: '/root' }],
      now: clock.now(),
      files: {
        '/etc/hostname': `${hostname}\n`,
        '/etc/os-release': 'NAME="Coracle"\nID=coracle\n',
        '/etc/hosts': `127.0.0.1\tlocalhost\n`,
        '/proc/1/cmdline': [...this.config.command, ...this.config.args].join('\0'),
      },
    };
  }

  execute(command: readonly string[]): CommandOutcome {
    return runCommand(command, this.shell());
  }

  /** Whether a probe of this kind would pass now. A course that is set decides; else the command, where it is one of ours. */
  probe(kind: 'startup' | 'readiness' | 'liveness', command: readonly string[] | undefined): ExecOutcome {
    const scripted = this.settings[kind] !== undefined || (kind === 'readiness' && this.settings['ready-after'] !== undefined);
    if (!scripted && command) {
      const outcome = this.execute(command);
      if (outcome.known) return outcome;
    }
    const ok = courseAt(this.behaviour.probes[kind], this.#options.clock.now() - this.#startedAt);
    return { stdout: '', stderr: '', exitCode: ok ? 0 : 1 };
  }

  /** Undefined where it does not run. */
  usage(): ResourceUsage | undefined {
    if (!this.running) return undefined;
    const { cpu = '1m', memory = '10Mi' } = this.behaviour;
    return { cpuNanoCores: amount(cpu) * 1e9, memoryBytes: amount(memory) };
  }

  /** What the container's own command does, where it is one of the simulated ones. */
  #command(): CommandOutcome | undefined {
    const argv = [...this.config.command, ...this.config.args];
    if (argv.length === 0) return undefined;
    const outcome = runCommand(argv, this.shell());
    return outcome.known ? outcome : undefined;
  }

  #logAgain(): void {
    const { logEvery, log } = this.behaviour;
    this.#in(draw(logEvery!, this.#options.rng), () => {
      this.#write('stdout', `${log ?? 'tick'}\n`);
      this.#logAgain();
    });
  }

  #write(stream: 'stdout' | 'stderr', text: string): void {
    this.log.append({ at: this.#options.clock.now(), stream, text });
  }

  #in(ms: number, fire: () => void): void {
    this.#timers.push(
      this.#options.clock.schedule(ms, () => {
        if (this.#state === 'running') fire();
      }),
    );
  }
}

function lines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

const SUFFIXES: Readonly<Record<string, number>> = { m: 1e-3, k: 1e3, M: 1e6, G: 1e9, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 };

/** A quantity as a number; this folder knows nothing of the API's own quantities. */
function amount(text: string): number {
  const [, digits, suffix = ''] = /^(\d+(?:\.\d+)?)(\w*)$/.exec(text) ?? [];
  return digits === undefined ? 0 : Number(digits) * (SUFFIXES[suffix] ?? 1);
}
