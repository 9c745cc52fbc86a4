import type { Clock, Timer } from '../../lib/clock.ts';
import type { Rng } from '../../lib/rng.ts';
import type { ContainerConfig, ContainerStatus, ExecOutcome, ResourceUsage } from '../runtime.ts';
import { type Behaviour, courseAt, draw, type Settings } from './behaviour.ts';
import { ContainerLog } from './container-log.ts';
import { type Directory, MemoryFiles } from './memory-files.ts';
import { type CommandOutcome, type HttpAnswer, instantly, type Process, type Program, play, runAtOnce } from './process.ts';
import { entrypointOf, programsWith } from './programs/programs.ts';
import type { SimulatedHostFiles } from './simulated-host-files.ts';
import { imageIdOf } from './simulated-images.ts';

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** It runs until it is stopped. */
const forEver: Program = function* () {
  for (;;) yield Number.POSITIVE_INFINITY;
};

/** It has nothing more to do. */
const succeed = instantly(() => 0);

interface Options {
  id: string;
  podSandboxId: string;
  config: ContainerConfig;
  hostname: string;
  settings: Settings;
  behaviour: Behaviour;
  clock: Clock;
  rng: Rng;
  /** Those of the node, for what is mounted. */
  files: SimulatedHostFiles;
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
  readonly #servers = new Map<number, HttpAnswer>();
  #files: MemoryFiles | undefined;

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
    const known = this.#startProcess();
    for (const text of lines(this.behaviour.log ?? '')) this.#write('stdout', text.endsWith('\n') ? text : `${text}\n`);
    if (this.behaviour.logEvery) this.#logAgain();
    const { exitAfter, exitCode, exitReason } = this.behaviour;
    if (exitAfter) this.#in(draw(exitAfter, rng), () => this.exit(exitCode, exitReason));
    else if (this.settings['exit-code'] !== undefined && this.settings['exit-after'] === undefined) this.#in(0, () => this.exit(exitCode, exitReason));
    else if (!known && this.#isInit()) this.#in(0, () => this.exit(0));
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

  /** Whether a command is one of the simulated programs. */
  knows([path = '']: readonly string[]): boolean {
    return programsWith(forEver).find(path) !== undefined;
  }

  /** Plays a command in the container. `known`: whether all that it starts are simulated programs. */
  execute(argv: readonly string[]): CommandOutcome & { known: boolean } {
    let known = true;
    const programs = programsWith(
      instantly(({ argv: [name], stderr }) => {
        known = false;
        stderr(`sh: ${name}: not found\n`);
        return 127;
      }),
    );
    const outcome = runAtOnce(programs.find(argv[0] ?? '') ?? programs.otherwise, this.#process(argv));
    return { ...outcome, known };
  }

  /** Whether a simulated program answers HTTP at some port. */
  get serves(): boolean {
    return this.#servers.size > 0;
  }

  /** What answers HTTP at a port of the container. */
  server(port: number): HttpAnswer | undefined {
    return this.running ? this.#servers.get(port) : undefined;
  }

  /** Whether its settings say how probes of a kind go, whatever its programs would answer. */
  isScripted(kind: 'startup' | 'readiness' | 'liveness'): boolean {
    return this.settings[kind] !== undefined || (kind === 'readiness' && this.settings['ready-after'] !== undefined);
  }

  /** Whether a probe of this kind would pass now. A course that is set decides; else the command, where it is one of ours. */
  probe(kind: 'startup' | 'readiness' | 'liveness', command: readonly string[] | undefined): ExecOutcome {
    if (!this.isScripted(kind) && command) {
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

  /** Starts the container's own command, where it is one of the simulated programs. */
  #startProcess(): boolean {
    const image = entrypointOf(this.config.image);
    const { command, args } = this.config;
    const argv = [...(command.length ? command : (image?.entrypoint ?? [])), ...(command.length || args.length ? args : (image?.command ?? []))];
    const programs = programsWith(this.#isInit() ? succeed : forEver);
    const program = programs.find(argv[0] ?? '');
    if (!program) return false;
    const process: Process = {
      ...this.#process(argv),
      stdout: (text) => this.#print('stdout', text),
      stderr: (text) => this.#print('stderr', text),
      listen: (port, answer) => this.#servers.set(port, answer),
    };
    this.#step(play(program, process));
    return true;
  }

  /** As far as the process goes without waiting. */
  #step(steps: Generator<number, number>): void {
    const step = steps.next();
    if (!step.done) {
      if (step.value < Number.POSITIVE_INFINITY) this.#in(step.value, () => this.#step(steps));
    } else if (!this.behaviour.exitAfter && this.settings['exit-code'] === undefined) {
      this.#in(0, () => this.exit(step.value));
    }
  }

  #process(argv: readonly string[]): Omit<Process, 'stdout' | 'stderr'> {
    const { hostname, clock } = this.#options;
    const env = new Map([['PATH', PATH], ['HOSTNAME', hostname], ...this.config.env.map(({ name, value }): [string, string] => [name, value])]);
    if (!env.has('HOME')) env.set('HOME', '/root');
    return { argv, env, hostname, directory: this.config.workingDir || '/', files: this.#root(), stdin: '', now: () => clock.now() };
  }

  /** The container's own files, and over them what is mounted. Made when something looks. */
  #root(): MemoryFiles {
    if (this.#files) return this.#files;
    const { hostname, clock, files } = this.#options;
    const now = clock.now();
    this.#files = new MemoryFiles();
    for (const path of ['/bin', '/dev/shm', '/etc', '/home', '/proc/1', '/root', '/tmp', '/usr/bin', '/var/log', '/var/run']) {
      this.#files.makeDirectory(path, { parents: true, now, ...(path === '/tmp' ? { mode: 0o777 } : {}) });
    }
    const own = {
      '/etc/hostname': `${hostname}\n`,
      '/etc/os-release': 'NAME="Coracle"\nID=coracle\n',
      '/etc/hosts': '127.0.0.1\tlocalhost\n',
      '/dev/null': '',
      '/proc/1/cmdline': [...this.config.command, ...this.config.args].join('\0'),
    };
    for (const [path, content] of Object.entries(own)) this.#files.write(path, content, { now });
    for (const { containerPath, hostPath, readOnly } of this.config.mounts) {
      const entry = files.entry(hostPath);
      this.#files.mount(containerPath, entry.type === 'directory' ? { ...entry, readOnly } : entry);
      // A file is what the node has, not a copy of it: it can be written to wherever it stands.
      if (entry.type === 'file') entry.readOnly = readOnly;
    }
    if (this.config.securityContext.readOnlyRootFilesystem) makeReadOnly(this.#files.root);
    return this.#files;
  }

  #isInit(): boolean {
    return this.config.labels['io.kubernetes.container.type'] === 'INIT';
  }

  #logAgain(): void {
    const { logEvery, log } = this.behaviour;
    this.#in(draw(logEvery!, this.#options.rng), () => {
      this.#write('stdout', `${log ?? 'tick'}\n`);
      this.#logAgain();
    });
  }

  #print(stream: 'stdout' | 'stderr', text: string): void {
    for (const line of lines(text)) this.#write(stream, line);
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

/** All but devices, which live in memory, and what is mounted. */
function makeReadOnly(root: Directory): void {
  root.readOnly = true;
  const devices = root.entries.get('dev');
  if (devices) devices.readOnly = false;
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
