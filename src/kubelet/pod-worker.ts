import type { Pod } from '../api/generated/types/core.v1.ts';
import { keyOf } from '../api/object.ts';
import { assert } from '../lib/assert.ts';
import { microTimestamp, type Timer } from '../lib/clock.ts';
import type { ContainerStatus, PodSandbox } from '../runtime/runtime.ts';
import type { NodeServices } from './node-services.ts';
import type { PodAction } from './plan/action.ts';
import { isOver } from './plan/life.ts';
import { begun, done, failed } from './plan/memory.ts';
import { planPod } from './plan/plan.ts';
import type { Cause } from './plan/pod-life.ts';
import type { PodPlan } from './plan/pod-plan.ts';
import { newborn, type PodMemory, type PodState } from './plan/state.ts';
import { perform } from './pod-actions.ts';
import { findingsOf, observePod, type PodObservation, surroundings } from './pod-observation.ts';
import { StatusReporter } from './status-reporter.ts';

const RETRY_MS = 1_000;

/**
 * Carries one pod from its binding to its end: observes the runtime, plans, acts, remembers. Never two plans at a time,
 * but for what cannot wait for the one that is being carried out (upstream: pod workers).
 */
export class PodWorker {
  readonly #services: NodeServices;
  readonly #reporter: StatusReporter;
  readonly #uid: string;
  readonly #seenAt: number;
  #pod: Pod;
  #removed = false;
  #eviction: Cause | undefined;
  #memory: PodMemory = newborn;
  #observed: PodObservation = { sandboxes: [], runs: [] };
  #busy = false;
  #kicked = false;
  #stopped = false;
  /** Aborts when what is being carried out is overtaken. */
  #interruption = new AbortController();
  #wakeUp: Timer | undefined;

  constructor(services: NodeServices, pod: Pod) {
    assert(pod.metadata.uid, 'a pod that is bound has a uid');
    this.#services = services;
    this.#pod = pod;
    this.#uid = pod.metadata.uid;
    this.#seenAt = services.clock.now();
    this.#reporter = new StatusReporter(services, {
      pod: () => this.#pod,
      findings: () => findingsOf(services.probes, this.runs),
      waiting: () => this.#memory.waiting,
      written: (written) => this.#take(written),
      seenAt: this.#seenAt,
    });
  }

  get pod(): Pod {
    return this.#pod;
  }

  /** When the pod was first seen, in RFC 3339. */
  get seenAt(): string {
    return microTimestamp(this.#seenAt);
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

  /** The node cannot keep the pod any longer. */
  evict(cause: Cause): void {
    this.#eviction ??= cause;
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
    this.#interrupt();
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

  /** Returns whether there is more to do at once. Never rejects. */
  async #step(): Promise<boolean> {
    try {
      this.#observed = await observePod(this.#services, this.#uid);
      const state = this.#state({ underWay: false });
      const plan = planPod(state);
      this.#memory = { ...this.#memory, waiting: plan.waiting };
      this.#wakeAt(plan.wakeAt);
      return (await this.#carryOut(plan, state)) ? plan.again : true;
    } catch (error) {
      this.#failed('plan', error);
      this.#wakeAt(this.#memory.retryAt);
      return false;
    }
  }

  /** Returns whether all has been done. */
  async #carryOut({ actions, life }: PodPlan, state: PodState): Promise<boolean> {
    this.#interruption = new AbortController();
    const { signal } = this.#interruption;
    for (const action of actions) {
      if (signal.aborted || !(await this.#perform(action, state, signal))) return false;
    }
    // A shorter grace period may have come in between.
    if (this.#memory.life === state.life) this.#memory = { ...this.#memory, life };
    return true;
  }

  /** What cannot wait for the plan that is being carried out. */
  #actBeside(): void {
    const state = this.#state({ underWay: true });
    const { life, actions } = planPod(state);
    this.#memory = { ...this.#memory, life };
    for (const action of actions) void this.#perform(action, state, this.#interruption.signal);
  }

  /** Never rejects. Returns whether the action has been carried out. */
  async #perform(action: PodAction, state: PodState, signal: AbortSignal): Promise<boolean> {
    const services = this.#services;
    services.log.debug?.('pod action', { pod: keyOf(this.#pod), action: action.type, because: action.because });
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

  /** What is under way is given up. */
  #interrupt(): void {
    this.#interruption.abort();
    this.#reporter.cancel();
  }

  #failed(what: PodAction['type'] | 'plan', error: unknown): void {
    const { log, clock } = this.#services;
    const fields = { pod: keyOf(this.#pod), what, error };
    if (what === 'reportStatus') log.info('status not written', fields);
    else log.error('pod sync failed', fields);
    this.#memory = failed(this.#memory, what, clock.now() + RETRY_MS);
  }

  #state({ underWay }: { underWay: boolean }): PodState {
    const pod = this.#pod;
    const around = surroundings(this.#services, pod, this.#observed);
    return { ...this.#memory, ...this.#observed, ...around, pod, removed: this.#removed, eviction: this.#eviction, seenAt: this.#seenAt, underWay };
  }

  #wakeAt(at: number | undefined): void {
    const { clock } = this.#services;
    this.#wakeUp?.cancel();
    if (at !== undefined) this.#wakeUp = clock.schedule(Math.max(at - clock.now(), 0), () => this.kick());
  }
}
