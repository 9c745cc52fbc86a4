import type { Pod } from '../api/generated/types/core.v1.ts';
import type { Timer } from '../lib/clock.ts';
import type { ContainerStatus, PodSandbox } from '../runtime/runtime.ts';
import { crashKey } from './container-starter.ts';
import { POD_UID_LABEL } from './labels.ts';
import type { NodeServices } from './node-services.ts';
import type { PodAction } from './plan/action.ts';
import { isOver } from './plan/life.ts';
import { begun, done } from './plan/memory.ts';
import { type PodPlan, planPod } from './plan/plan.ts';
import { newborn, type PodMemory, type PodState, type ProbeFindings } from './plan/state.ts';
import { perform } from './pod-actions.ts';
import { StatusReporter } from './status-reporter.ts';

const RETRY_MS = 1_000;

interface Observation {
  sandboxes: readonly PodSandbox[];
  runs: readonly ContainerStatus[];
}

/**
 * Carries one pod from its binding to its end: observes the runtime, plans, acts, remembers. Never two plans at a time,
 * but for what cannot wait for the one that is being carried out (upstream: pod workers).
 */
export class PodWorker {
  readonly #services: NodeServices;
  readonly #reporter: StatusReporter;
  readonly #seenAt: number;
  #pod: Pod;
  #removed = false;
  #memory: PodMemory = newborn;
  #observed: Observation = { sandboxes: [], runs: [] };
  #busy = false;
  #kicked = false;
  #stopped = false;
  /** Aborts when what is being carried out is overtaken. */
  #interruption = new AbortController();
  #wakeUp: Timer | undefined;

  constructor(services: NodeServices, pod: Pod) {
    this.#services = services;
    this.#pod = pod;
    this.#seenAt = services.clock.now();
    this.#reporter = new StatusReporter(services, {
      pod: () => this.#pod,
      findings: () => this.#findings(),
      waiting: () => this.#memory.waiting,
      written: (written) => this.#take(written),
      seenAt: this.#seenAt,
    });
  }

  get pod(): Pod {
    return this.#pod;
  }

  /** Whether the pod takes up room on the node. */
  get active(): boolean {
    const { life } = this.#memory;
    return (life.phase === 'running' || (life.phase === 'terminating' && life.reason !== 'refused')) && !isOver(this.#pod);
  }

  get sandbox(): PodSandbox | undefined {
    return this.#observed.sandboxes.at(-1);
  }

  /** All known runs, oldest first. */
  get runs(): readonly ContainerStatus[] {
    return this.#observed.runs;
  }

  /** A newer version of the pod has arrived. */
  update(pod: Pod): void {
    if (this.#take(pod)) this.kick();
  }

  /** The pod has been removed from the API server: what still runs of it is stopped. */
  remove(): void {
    this.#removed = true;
    this.kick();
  }

  /** Looks again, soon. */
  kick(): void {
    if (this.#stopped) return;
    if (!this.#busy) void this.#work();
    else {
      this.#kicked = true;
      this.#actBeside();
    }
  }

  /** Leaves the pod as it is, and does no more for it. */
  stop(): void {
    this.#stopped = true;
    this.#interruption.abort();
    this.#reporter.cancel();
    this.#wakeUp?.cancel();
  }

  /** Returns whether `pod` is not older than the version that is known. */
  #take(pod: Pod): boolean {
    if (Number(pod.metadata.resourceVersion) < Number(this.#pod.metadata.resourceVersion)) return false;
    this.#pod = pod;
    return true;
  }

  /** Never rejects: what fails is tried again later. */
  async #work(): Promise<void> {
    this.#busy = true;
    do {
      this.#kicked = false;
      this.#memory = { ...this.#memory, unreported: true };
      for (let again = true; again && !this.#stopped; ) again = await this.#step();
    } while (this.#kicked && !this.#stopped);
    this.#busy = false;
  }

  /** Returns whether there is more to do at once. */
  async #step(): Promise<boolean> {
    try {
      await this.#observe();
    } catch (error) {
      this.#failed('observe', error);
    }
    const state = this.#state({ underWay: false });
    const plan = planPod(state);
    this.#memory = { ...this.#memory, waiting: plan.waiting };
    this.#wakeAt(plan.wakeAt);
    const { life } = this.#memory;
    const complete = await this.#carryOut(plan, state);
    // A shorter grace period may have come in between.
    if (complete && this.#memory.life === life) this.#memory = { ...this.#memory, life: plan.life };
    return plan.again || !complete;
  }

  /** Returns whether all has been done. */
  async #carryOut({ actions }: PodPlan, state: PodState): Promise<boolean> {
    this.#interruption = new AbortController();
    const { signal } = this.#interruption;
    for (const action of actions) {
      if (signal.aborted || !(await this.#perform(action, state, signal))) return false;
    }
    return true;
  }

  /** What cannot wait for the plan that is being carried out. */
  #actBeside(): void {
    const state = this.#state({ underWay: true });
    const plan = planPod(state);
    this.#memory = { ...this.#memory, life: plan.life };
    for (const action of plan.actions) void this.#perform(action, state, this.#interruption.signal);
  }

  /** Never rejects. Returns whether the action has been carried out. */
  async #perform(action: PodAction, state: PodState, signal: AbortSignal): Promise<boolean> {
    const services = this.#services;
    const { namespace, name } = this.#pod.metadata;
    services.log.debug?.('pod action', { pod: `${namespace}/${name}`, action: action.type, because: action.because });
    this.#memory = begun(this.#memory, action);
    try {
      const context = { services, reporter: this.#reporter, state: { ...state, pod: this.#pod }, signal, interrupt: () => this.#interrupt() };
      const outcome = await perform(action, context);
      this.#memory = done(this.#memory, action, outcome);
      if (action.type === 'forgetPod') this.stop();
      return true;
    } catch (error) {
      this.#failed(action.type, error);
      return false;
    }
  }

  #interrupt(): void {
    this.#interruption.abort();
    this.#reporter.cancel();
  }

  #failed(what: PodAction['type'] | 'observe', error: unknown): void {
    const { log, clock } = this.#services;
    const retryAt = clock.now() + RETRY_MS;
    const { namespace, name } = this.#pod.metadata;
    const fields = { pod: `${namespace}/${name}`, action: what, error };
    if (what === 'reportStatus') {
      log.info('status not written', fields);
      this.#memory = { ...this.#memory, reportRetryAt: retryAt };
    } else {
      log.error('pod action failed', fields);
      this.#memory = { ...this.#memory, retryAt };
    }
  }

  async #observe(): Promise<void> {
    const { runtimeService } = this.#services.runtime;
    const labelSelector = { [POD_UID_LABEL]: this.#pod.metadata.uid ?? '' };
    const [sandboxes, runs] = await Promise.all([runtimeService.listPodSandbox({ labelSelector }), runtimeService.listContainers({ labelSelector })]);
    this.#observed = { sandboxes, runs };
  }

  #state({ underWay }: { underWay: boolean }): PodState {
    const { clock, crashes, node, others } = this.#services;
    const uid = this.#pod.metadata.uid ?? '';
    return {
      ...this.#memory,
      ...this.#observed,
      pod: this.#pod,
      removed: this.#removed,
      seenAt: this.#seenAt,
      now: clock.now(),
      underWay,
      node: node(),
      others: () => others(uid),
      probes: this.#findings(),
      crashDelay: (container, finishedAt) => crashes.delayFor(crashKey(this.#pod, container), finishedAt),
    };
  }

  #findings(): ReadonlyMap<string, ProbeFindings> {
    const found = this.#observed.runs.map(({ id }) => [id, this.#services.probes.findings(id)] as const);
    return new Map(found.filter((entry): entry is readonly [string, ProbeFindings] => entry[1] !== undefined));
  }

  #wakeAt(at: number | undefined): void {
    this.#wakeUp?.cancel();
    if (at === undefined) return;
    const { clock } = this.#services;
    this.#wakeUp = clock.schedule(Math.max(at - clock.now(), 0), () => this.kick());
  }
}
