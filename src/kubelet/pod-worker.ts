import type { Container, Pod } from '../api/generated/types/core.v1.ts';
import { hasReason } from '../api/status.ts';
import type { Timer } from '../lib/clock.ts';
import { parseTime, timestamp } from '../lib/clock.ts';
import type { ContainerStatus, PodSandbox } from '../runtime/runtime.ts';
import { refusal } from './admit.ts';
import { crashKey, fieldPathOf, partOf, startContainer } from './container-starter.ts';
import type { NodeServices } from './node-services.ts';
import { type PodAction, type PodState, type ProbeFindings, planPod, type StartFailure, type Waiting } from './plan.ts';
import { podStatus } from './pod-status.ts';
import { stopContainer, stopPod } from './pod-terminator.ts';
import { writeStatus } from './status-writer.ts';
import { missingVolume } from './volumes.ts';

/** A status that changes again within this time is written once. */
const STATUS_DELAY_MS = 50;
const RETRY_MS = 1_000;
/** A claim that is not there is looked for again after this long. */
const CLAIM_RETRY_MS = 12_000;
const DEADLINE_EXCEEDED: Waiting = { reason: 'DeadlineExceeded', message: 'Pod was active on the node longer than the specified deadline' };

interface Observation {
  sandbox: PodSandbox | undefined;
  runs: ContainerStatus[];
}

/**
 * Carries one pod from its binding to its end: observes the runtime, plans, acts, tells the API server. Never two steps
 * at a time (upstream: pod workers and syncPod).
 */
export class PodWorker {
  readonly #services: NodeServices;
  readonly #seenAt: number;
  #pod: Pod;
  /** The pod has gone from the API server. */
  #gone = false;
  #admitted = false;
  #failure: Waiting | undefined;
  /** Everything has been stopped for good. */
  #over = false;
  #deleteSent = false;
  #observed: Observation = { sandbox: undefined, runs: [] };
  #waiting: ReadonlyMap<string, Waiting> = new Map();
  readonly #startFailures = new Map<string, StartFailure>();
  readonly #restarting = new Set<string>();
  #volumeRetries = 0;
  #running = false;
  #dirty = false;
  readonly #abort = new AbortController();
  #resync: Timer | undefined;
  #deadline: Timer | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(services: NodeServices, pod: Pod) {
    this.#services = services;
    this.#pod = pod;
    this.#seenAt = services.clock.now();
    // A pod that was over before this kubelet saw it stays over.
    this.#over = isOver(pod);
  }

  get pod(): Pod {
    return this.#pod;
  }

  /** Whether the pod takes up room on the node. */
  get active(): boolean {
    return this.#admitted && !this.#over && !isOver(this.#pod);
  }

  get sandbox(): PodSandbox | undefined {
    return this.#observed.sandbox;
  }

  /** All known runs, oldest first. */
  get runs(): readonly ContainerStatus[] {
    return this.#observed.runs;
  }

  /** A newer version of the pod has arrived. */
  update(pod: Pod): void {
    if (Number(pod.metadata.resourceVersion) < Number(this.#pod.metadata.resourceVersion)) return;
    const before = graceMsOf(this.#pod);
    this.#pod = pod;
    if (pod.metadata.deletionTimestamp) {
      this.#abort.abort();
      if (this.#running && graceMsOf(pod) < before) void this.#hurry();
    }
    this.kick();
  }

  /** The pod has been removed from the API server: what still runs of it is stopped. */
  remove(): void {
    this.#gone = true;
    this.#abort.abort();
    this.kick();
  }

  /** Looks again, soon. */
  kick(): void {
    if (this.#running) {
      this.#dirty = true;
      return;
    }
    this.#running = true;
    void this.#loop();
  }

  async #loop(): Promise<void> {
    const { log, clock } = this.#services;
    do {
      this.#dirty = false;
      try {
        await this.#sync();
      } catch (error) {
        log.error('pod sync failed', { pod: this.#pod.metadata.name, error });
        this.#wakeAt(clock.now() + RETRY_MS);
      }
    } while (this.#dirty);
    this.#running = false;
  }

  get #ending(): boolean {
    return this.#gone || this.#pod.metadata.deletionTimestamp !== undefined || this.#failure !== undefined || (!this.#over && isOver(this.#pod));
  }

  async #sync(): Promise<void> {
    this.#resync?.cancel();
    if (!this.#admitted && !this.#ending && !this.#over && !(await this.#admit())) return;
    if (!this.#ending && !this.#over) await this.#run();
    if (this.#ending && !this.#over) await this.#terminate();
    else if (this.#admitted && this.#over && !this.#gone && !isOver(this.#pod)) await this.#write(this.#observed);
    if (this.#gone || this.#pod.metadata.deletionTimestamp) await this.#cleanUp();
  }

  async #admit(): Promise<boolean> {
    const { recorder, pods } = this.#services;
    const others = this.#services.others(this.#pod.metadata.uid ?? '');
    let reason = refusal(this.#pod, this.#services.node(), others);
    if (reason) reason = refusal(this.#pod, await this.#services.refreshNode(), others);
    this.#admitted = reason === undefined;
    if (!reason) return true;
    this.#over = true;
    recorder.event(this.#pod, { type: 'Warning', reason: reason.reason, message: reason.message });
    const message = `Pod was rejected: ${reason.message}`;
    const status = { ...this.#pod.status, phase: 'Failed', reason: reason.reason, message, startTime: timestamp(this.#seenAt) };
    this.#pod = (await writeStatus(pods, this.#pod, status)) ?? this.#pod;
    return false;
  }

  async #run(): Promise<void> {
    const { clock } = this.#services;
    this.#watchDeadline();
    let observation = await this.#observe();
    let started = false;
    const early = clock.schedule(STATUS_DELAY_MS, () => this.#write(observation));
    try {
      while (!this.#ending) {
        const plan = planPod(this.#state());
        this.#noteWaiting(plan.waiting);
        if (plan.actions.length === 0) {
          if (plan.resyncAt !== undefined) this.#wakeAt(plan.resyncAt);
          break;
        }
        for (const action of plan.actions) {
          if (this.#ending) break;
          if (!(await this.#apply(action))) return;
          started ||= action.type === 'startContainer';
        }
        await this.#observe();
        if (this.#over) break;
      }
      if (started && !this.#ending) await this.#services.relisted(this.#abort.signal);
    } finally {
      early.cancel();
      observation = this.#observed;
      if (!this.#ending) await this.#write(observation);
    }
  }

  #state(): PodState {
    const { clock, crashes } = this.#services;
    const { sandbox, runs } = this.#observed;
    return {
      pod: this.#pod,
      sandbox,
      containers: new Map(runs.map((run) => [run.metadata.name, run])),
      probes: this.#findings(),
      startFailures: this.#startFailures,
      restarting: this.#restarting,
      crashDelay: (container, finishedAt) => crashes.delayFor(crashKey(this.#pod, container), finishedAt),
      now: clock.now(),
    };
  }

  #findings(): ReadonlyMap<string, ProbeFindings> {
    const found = new Map<string, ProbeFindings>();
    for (const run of this.#observed.runs) {
      const findings = this.#services.probes.findings(run.id);
      if (findings) found.set(run.id, findings);
    }
    return found;
  }

  async #observe(): Promise<Observation> {
    const { runtimeService } = this.#services.runtime;
    const podUid = this.#pod.metadata.uid ?? '';
    const [sandboxes, runs] = await Promise.all([runtimeService.listPodSandbox({ podUid }), runtimeService.listContainers({ podUid })]);
    this.#observed = { sandbox: sandboxes.at(-1), runs };
    return this.#observed;
  }

  /** Returns false where nothing more can be done for now. */
  async #apply(action: PodAction): Promise<boolean> {
    switch (action.type) {
      case 'createSandbox':
        return this.#createSandbox(action.attempt);
      case 'startContainer':
        await this.#start(action);
        return true;
      case 'stopContainer':
        await this.#stop(action);
        return true;
      case 'stopPod': {
        const { sandbox, runs } = this.#observed;
        await stopPod(this.#services, { pod: this.#pod, sandbox, containers: runs, graceMs: graceMsOf(this.#pod) });
        this.#over = true;
        return true;
      }
    }
  }

  async #createSandbox(attempt: number): Promise<boolean> {
    const { runtime, recorder, clock, config } = this.#services;
    const { name = '', namespace = '', uid = '', labels = {}, annotations = {} } = this.#pod.metadata;
    const missing = await missingVolume(this.#pod, config);
    if (missing) {
      recorder.event(this.#pod, { type: 'Warning', reason: 'FailedMount', message: missing.message });
      this.#wakeAt(clock.now() + (missing.claim ? CLAIM_RETRY_MS : Math.min(500 * 2 ** this.#volumeRetries++, 122_000)));
      return false;
    }
    try {
      await runtime.runtimeService.runPodSandbox({
        metadata: { name, namespace, uid, attempt },
        hostname: this.#pod.spec.hostname || name,
        hostNetwork: this.#pod.spec.hostNetwork ?? false,
        labels,
        annotations,
        logDirectory: `/var/log/pods/${namespace}_${name}_${uid}`,
      });
      return true;
    } catch (error) {
      const message = `Failed to create pod sandbox: ${error instanceof Error ? error.message : String(error)}`;
      recorder.event(this.#pod, { type: 'Warning', reason: 'FailedCreatePodSandBox', message });
      this.#wakeAt(clock.now() + 10 * RETRY_MS);
      return false;
    }
  }

  async #start({ container, part, attempt, finishedAt }: Extract<PodAction, { type: 'startContainer' }>): Promise<void> {
    const { runtimeService } = this.#services.runtime;
    const sandbox = this.#observed.sandbox;
    if (!sandbox) return;
    for (const run of this.#observed.runs.filter((r) => r.metadata.name === container.name)) {
      this.#services.probes.remove(run.id);
      this.#restarting.delete(run.id);
      if (run.metadata.attempt < attempt - 1) await runtimeService.removeContainer(run.id);
    }
    const failure = await startContainer(this.#services, { pod: this.#pod, sandbox, container, part, attempt, finishedAt, signal: this.#abort.signal });
    if (failure) this.#startFailures.set(container.name, failure);
    else this.#startFailures.delete(container.name);
  }

  async #stop({ id, container, message, because, restart }: Extract<PodAction, { type: 'stopContainer' }>): Promise<void> {
    if (restart) this.#restarting.add(id);
    const podIP = this.#observed.sandbox?.ips[0] ?? this.#services.hostIP;
    await stopContainer(this.#services, { pod: this.#pod, container, id, podIP, message, graceMs: probeGraceMs(this.#pod, container, because) });
  }

  async #terminate(): Promise<void> {
    const { recorder } = this.#services;
    if (this.#failure) recorder.event(this.#pod, { type: 'Normal', reason: this.#failure.reason, message: this.#failure.message });
    this.#deadline?.cancel();
    this.#startFailures.clear();
    this.#waiting = new Map();
    const { sandbox, runs } = await this.#observe();
    const graceMs = this.#gone && !this.#pod.metadata.deletionTimestamp ? RETRY_MS : Math.max(graceMsOf(this.#pod), RETRY_MS);
    await stopPod(this.#services, { pod: this.#pod, sandbox, containers: runs, graceMs });
    this.#over = true;
    await this.#observe();
    if (!this.#gone) await this.#write(this.#observed);
  }

  /** The grace period has been cut short while containers are being stopped. */
  async #hurry(): Promise<void> {
    const { runtimeService } = this.#services.runtime;
    const running = this.#observed.runs.filter((run) => run.state === 'running');
    await Promise.all(running.map((run) => runtimeService.stopContainer(run.id, graceMsOf(this.#pod))));
  }

  /** Once nothing runs any more, the last traces go: here, and in the API server. */
  async #cleanUp(): Promise<void> {
    const { runtime, pods, probes, images } = this.#services;
    const { uid = '', namespace = '', name = '' } = this.#pod.metadata;
    if (!this.#deleteSent && !this.#gone) {
      this.#deleteSent = true;
      try {
        await pods.delete(namespace, name, { uid, gracePeriodSeconds: 0 });
      } catch (error) {
        if (!hasReason(error, 'NotFound') && !hasReason(error, 'Conflict')) {
          this.#deleteSent = false;
          throw error;
        }
      }
    }
    for (const run of this.#observed.runs) probes.remove(run.id);
    for (const container of allContainers(this.#pod)) this.#services.crashes.forget(crashKey(this.#pod, container.name));
    images.forget(this.#pod);
    if (!this.#gone) return;
    for (const sandbox of await runtime.runtimeService.listPodSandbox({ podUid: uid })) await runtime.runtimeService.removePodSandbox(sandbox.id);
    this.#resync?.cancel();
    this.#services.finished(uid);
  }

  /** Tells of containers that begin to wait for their next start. */
  #noteWaiting(waiting: ReadonlyMap<string, Waiting>): void {
    const { recorder } = this.#services;
    const { name, namespace, uid } = this.#pod.metadata;
    for (const [container, { reason, message }] of waiting) {
      if (reason !== 'CrashLoopBackOff' || this.#waiting.get(container)?.message === message) continue;
      recorder.event(this.#pod, {
        type: 'Warning',
        reason: 'BackOff',
        message: `Back-off restarting failed container ${container} in pod ${name}_${namespace}(${uid})`,
        fieldPath: fieldPathOf({ name: container }, partOf(this.#pod, container)),
      });
    }
    this.#waiting = waiting;
  }

  /** One write after the other; each takes the latest version of the pod. */
  #write(observation: Observation): Promise<void> {
    this.#writing = this.#writing.then(async () => {
      if (this.#gone) return;
      const { pods, clock, hostIP, runtimeName } = this.#services;
      const pod = this.#pod;
      const status = podStatus({
        pod,
        sandbox: observation.sandbox,
        runs: observation.runs,
        probes: this.#findings(),
        waiting: this.#waiting,
        over: this.#over && this.#observed === observation,
        failure: this.#over ? this.#failure : undefined,
        runtimeName,
        hostIP,
        startedAt: this.#seenAt,
        now: clock.now(),
      });
      try {
        const written = await writeStatus(pods, pod, status);
        if (written && Number(written.metadata.resourceVersion) > Number(this.#pod.metadata.resourceVersion)) this.#pod = written;
      } catch (error) {
        this.#services.log.info('status not written', { pod: pod.metadata.name, error: error instanceof Error ? error.message : String(error) });
        this.#wakeAt(clock.now() + RETRY_MS);
      }
    });
    return this.#writing;
  }

  #watchDeadline(): void {
    const seconds = this.#pod.spec.activeDeadlineSeconds;
    this.#deadline?.cancel();
    if (seconds === undefined) return;
    const { clock } = this.#services;
    const startedAt = parseTime(this.#pod.status.startTime) ?? this.#seenAt;
    this.#deadline = clock.schedule(startedAt + seconds * 1000 - clock.now(), () => {
      this.#failure ??= DEADLINE_EXCEEDED;
      this.#abort.abort();
      this.kick();
    });
  }

  #wakeAt(at: number): void {
    const { clock } = this.#services;
    this.#resync?.cancel();
    this.#resync = clock.schedule(Math.max(at - clock.now(), 0), () => this.kick());
  }
}

const isOver = ({ status }: Pod): boolean => status.phase === 'Succeeded' || status.phase === 'Failed';

const allContainers = ({ spec }: Pod): Container[] => [...(spec.initContainers ?? []), ...(spec.containers ?? [])];

function graceMsOf({ metadata, spec }: Pod): number {
  return (metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30) * 1000;
}

function probeGraceMs(pod: Pod, container: Container, because: 'liveness' | 'startup' | 'changed'): number {
  const probe = because === 'liveness' ? container.livenessProbe : because === 'startup' ? container.startupProbe : undefined;
  return probe?.terminationGracePeriodSeconds === undefined ? graceMsOf(pod) : probe.terminationGracePeriodSeconds * 1000;
}
