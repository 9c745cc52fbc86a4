import type { Container, Pod, Probe } from '../api/generated/types/core.v1.ts';
import type { Clock, Timer } from '../lib/clock.ts';
import type { NetworkAction, PodNetwork, ProbeKind, ProbeOutcome } from '../runtime/runtime.ts';
import type { ProbeFindings } from './plan/state.ts';

/** A probed run of a container. */
export interface ProbedContainer {
  id: string;
  pod: Pod;
  podIP: string;
  container: Container;
  startedAt: number;
}

export interface ProbeEvents {
  /** The findings have changed. */
  changed(target: ProbedContainer): void;
  failed(target: ProbedContainer, kind: ProbeKind, output: string): void;
  /** It went well, but not quite. */
  warned(target: ProbedContainer, kind: ProbeKind, warning: string): void;
}

interface Run {
  kind: ProbeKind;
  probe: Probe;
  successes: number;
  failures: number;
  timer: Timer | undefined;
}

interface Entry {
  target: ProbedContainer;
  findings: ProbeFindings;
  runs: Run[];
  gone: boolean;
}

const KINDS = ['startup', 'readiness', 'liveness'] as const;

function probeOf(container: Container, kind: ProbeKind): Probe | undefined {
  return kind === 'startup' ? container.startupProbe : kind === 'readiness' ? container.readinessProbe : container.livenessProbe;
}

/** The number of a port given by number or by the name that it has in the container. */
export function portNumber(port: number | string, container: Container): number {
  if (typeof port === 'number') return port;
  return container.ports?.find((p) => p.name === port)?.containerPort ?? Number(port);
}

type Handler = Pick<Probe, 'exec' | 'httpGet' | 'tcpSocket' | 'grpc'>;

/** What a probe or hook does, with its port and host worked out. */
export function actionOf(handler: Handler, container: Container, podIP: string): NetworkAction | { type: 'exec'; command: readonly string[] } | undefined {
  const { exec, httpGet, tcpSocket, grpc } = handler;
  if (exec) return { type: 'exec', command: exec.command ?? [] };
  if (httpGet) {
    const headers = httpGet.httpHeaders ?? [];
    return {
      type: 'httpGet',
      scheme: httpGet.scheme ?? 'HTTP',
      host: httpGet.host || podIP,
      port: portNumber(httpGet.port, container),
      path: httpGet.path ?? '/',
      headers,
    };
  }
  if (tcpSocket) return { type: 'tcpSocket', host: tcpSocket.host || podIP, port: portNumber(tcpSocket.port, container) };
  if (grpc) return { type: 'grpc', host: podIP, port: grpc.port, service: grpc.service ?? '' };
  return undefined;
}

export interface ProbesOptions {
  clock: Clock;
  network: PodNetwork;
  events: ProbeEvents;
  /** In how many milliseconds the kubelet next sees what its containers do: none is probed before. 0: it sees it at once. */
  nextLookMs: () => number;
}

/**
 * Runs the probes of containers: the first after initialDelaySeconds, then one every periodSeconds; readiness and
 * liveness wait for the startup probe of the same run (upstream: pkg/kubelet/prober).
 */
export class Probes {
  readonly #clock: Clock;
  readonly #network: PodNetwork;
  readonly #events: ProbeEvents;
  readonly #entries = new Map<string, Entry>();

  readonly #nextLookMs: () => number;

  constructor({ clock, network, events, nextLookMs }: ProbesOptions) {
    this.#nextLookMs = nextLookMs;
    this.#clock = clock;
    this.#network = network;
    this.#events = events;
  }

  findings(id: string): ProbeFindings | undefined {
    return this.#entries.get(id)?.findings;
  }

  /** Begins to probe a run, whoever has started it. Resolves when the probes that are due at once have answered. */
  async add(target: ProbedContainer): Promise<void> {
    if (this.#entries.has(target.id)) return;
    const { container } = target;
    const findings: ProbeFindings = { started: container.startupProbe ? undefined : true, ready: !container.readinessProbe, failed: undefined };
    const runs = KINDS.flatMap((kind): Run[] => {
      const probe = probeOf(container, kind);
      return probe ? [{ kind, probe, successes: 0, failures: 0, timer: undefined }] : [];
    });
    const entry: Entry = { target, findings, runs, gone: false };
    this.#entries.set(target.id, entry);
    for (const run of runs) {
      const dueIn = Math.max(target.startedAt + (run.probe.initialDelaySeconds ?? 0) * 1000 - this.#clock.now(), this.#nextLookMs());
      if (dueIn <= 0) await this.#tick(entry, run);
      else this.#later(entry, run, dueIn);
    }
  }

  /** Ends all probing. */
  stop(): void {
    for (const id of [...this.#entries.keys()]) this.remove(id);
  }

  remove(id: string): void {
    const entry = this.#entries.get(id);
    if (!entry) return;
    entry.gone = true;
    for (const run of entry.runs) run.timer?.cancel();
    this.#entries.delete(id);
  }

  #later(entry: Entry, run: Run, ms: number): void {
    run.timer = this.#clock.schedule(ms, () => void this.#tick(entry, run));
  }

  async #tick(entry: Entry, run: Run): Promise<void> {
    if (entry.gone || entry.findings.failed) return;
    if (run.kind === 'startup' && entry.findings.started) return;
    this.#later(entry, run, (run.probe.periodSeconds ?? 10) * 1000);
    if (run.kind !== 'startup' && !entry.findings.started) return;
    const outcome = await this.#probe(entry, run);
    if (!entry.gone) this.#record(entry, run, outcome);
  }

  async #probe({ target }: Entry, { kind, probe }: Run): Promise<ProbeOutcome> {
    const action = actionOf(probe, target.container, target.podIP);
    if (!action) return { ok: true, output: '' };
    return this.#network.probe(action, { containerId: target.id, kind, timeoutMs: (probe.timeoutSeconds ?? 1) * 1000 });
  }

  #record(entry: Entry, run: Run, { ok, output, warning }: ProbeOutcome): void {
    if (warning !== undefined) this.#events.warned(entry.target, run.kind, warning);
    if (ok) {
      run.successes++;
      run.failures = 0;
      if (run.successes >= (run.probe.successThreshold ?? 1)) this.#passed(entry, run);
      return;
    }
    run.failures++;
    run.successes = 0;
    this.#events.failed(entry.target, run.kind, output);
    if (run.failures >= (run.probe.failureThreshold ?? 3)) this.#lost(entry, run);
  }

  #passed(entry: Entry, run: Run): void {
    const { findings } = entry;
    if (run.kind === 'readiness' && !findings.ready) this.#set(entry, { ...findings, ready: true });
    if (run.kind === 'startup' && !findings.started) {
      run.timer?.cancel();
      this.#set(entry, { ...findings, started: true });
      for (const other of entry.runs) if (other.kind !== 'startup') this.#soon(entry, other);
    }
  }

  /** Probes that the startup probe has held back run as soon as their own delay is over. */
  #soon(entry: Entry, run: Run): void {
    run.timer?.cancel();
    this.#later(entry, run, Math.max(0, entry.target.startedAt + (run.probe.initialDelaySeconds ?? 0) * 1000 - this.#clock.now()));
  }

  #lost(entry: Entry, run: Run): void {
    const { findings } = entry;
    if (run.kind === 'readiness') {
      if (findings.ready) this.#set(entry, { ...findings, ready: false });
    } else this.#set(entry, { ...findings, failed: run.kind });
  }

  #set(entry: Entry, findings: ProbeFindings): void {
    entry.findings = findings;
    this.#events.changed(entry.target);
  }
}
