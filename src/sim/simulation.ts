import { Namespaces, Nodes } from '../api/resources.ts';
import { eachController, run } from '../controllers/index.ts';
import { type Log, silent } from '../lib/log.ts';
import { Rng } from '../lib/rng.ts';
import type { Store } from '../store/store.ts';
import { BUGS, plant } from './bugs.ts';
import { Checkers, type Excuses, type Violation } from './checkers.ts';
import { ClusterModel, type WatchedResource, type Write } from './cluster-model.ts';
import { unsettled } from './convergence.ts';
import { whatIsLost } from './durability.ts';
import { EventLog } from './event-log.ts';
import { type Fault, FaultWindows, isWrite, staleUntilMs } from './faults.ts';
import { Disconnected, type Disturbance } from './faulty-transport.ts';
import { drawScenario, type Scenario } from './scenario.ts';
import { IMAGE_RULES, User } from './user.ts';
import { type Life, VirtualCluster } from './virtual-cluster.ts';

export interface SimulationOptions {
  /** A mistake to plant in the controllers, by its name in `bugs.ts`. */
  bug?: string;
  /** Keep the store in a journal that is slow, fails and is cut off, on top of the other faults. */
  journal?: boolean;
  /** Freeze all shared objects: slower, finds who writes to one. */
  freeze?: boolean;
  /** Where components report; for a run that is being looked into. */
  log?: Log;
}

export interface SimulationResult {
  scenario: Scenario;
  violation: Violation | undefined;
  /** What happened, a line each. */
  log: readonly string[];
  /** How long the cluster lived, in its own time. */
  virtualMs: number;
}

const NAMESPACE = 'sim';
/** After the end of the scenario, everything must have come to rest within this. Expectations are given up after five minutes. */
const CONVERGE_WITHIN_MS = 1_200_000;
const CONVERGE_STEP_MS = 5000;
/** At rest, nobody writes for so long; longer than the longest deadline and probe. */
const REST_MS = 60_000;
/** More than any change of one Deployment gives rise to. */
const WRITES_AT_ONCE = 1500;
/** What a write takes while there are two controllers of a kind. */
const OVERLAP_LATENCY_MS = 5;
const CONTROLLERS = 'kube-controller-manager';

/** After which one life may have made what another makes again, and after which requests come late. */
const TWICE: readonly Fault['type'][] = ['crash', 'overlap', 'lostAnswers', 'slow', 'lostRequests', 'slowJournal', 'journalFailure', 'powerCut'];
const LATE: readonly Fault['type'][] = ['slow', 'lostAnswers', 'lostRequests', 'slowJournal'];

const concernsControllers = (fault: Fault): boolean => !('component' in fault) || fault.component === CONTROLLERS;

/** Whether caches of these resources may be behind because of the fault. Controllers that start anew list what is there. */
function leavesBehind(fault: Fault, resources: readonly string[]): boolean {
  if (fault.type === 'crash' || fault.type === 'conflicts') return false;
  return !('resource' in fault) || fault.resource === '*' || resources.includes(fault.resource);
}

/** Plays the scenario of a seed. */
export function simulate(seed: number, options: SimulationOptions = {}): Promise<SimulationResult> {
  return play(drawScenario(seed, new Rng(seed), { journal: options.journal ?? false }), options);
}

/** Plays a scenario: the same one gives the same log. */
export async function play(scenario: Scenario, options: SimulationOptions = {}): Promise<SimulationResult> {
  const simulation = new Simulation(scenario, options);
  return simulation.run();
}

class Simulation implements Excuses {
  readonly #scenario: Scenario;
  readonly #options: SimulationOptions;
  readonly #model = new ClusterModel(NAMESPACE);
  readonly #checkers = new Checkers(this.#model, this);
  readonly #log = new EventLog();
  readonly #windows: FaultWindows;
  #controllers: Life[] = [];
  /** Counts down to the write before which the controllers die. */
  #crash: { writesLeft: number; downMs: number } | undefined;
  #cluster: VirtualCluster | undefined;
  /** While even the API server is. */
  #down = false;
  /** Undefined until the cluster is up: nothing fails before. */
  #startMs: number | undefined;
  #violation: Violation | undefined;
  #lastWriteMs = 0;
  #writesAtOnce = 0;

  constructor(scenario: Scenario, options: SimulationOptions) {
    this.#scenario = scenario;
    this.#options = options;
    this.#windows = new FaultWindows(scenario.faults, new Rng(scenario.seed).fork('windows'));
  }

  async run(): Promise<SimulationResult> {
    const cluster = await this.#boot();
    const { scenario, violation } = { scenario: this.#scenario, violation: this.#violation };
    this.#schedule(cluster);
    if (!violation) await this.#until(scenario.endMs);
    if (!this.#violation) await this.#converge(cluster);
    cluster.abandon();
    return { scenario, violation: this.#violation, log: this.#log.lines, virtualMs: this.#now() };
  }

  stale(): boolean {
    return this.#during(() => true);
  }

  behind(...resources: WatchedResource[]): boolean {
    return this.#during((fault) => leavesBehind(fault, resources));
  }

  twice(): boolean {
    return this.#during(({ type }) => TWICE.includes(type));
  }

  late(): boolean {
    return this.#during(({ type }) => LATE.includes(type));
  }

  /** Whether a fault of this kind has befallen the controllers and may still show. */
  #during(concerns: (fault: Fault) => boolean): boolean {
    const now = this.#now();
    return this.#scenario.faults.some((fault) => concernsControllers(fault) && fault.atMs <= now && now < staleUntilMs(fault) && concerns(fault));
  }

  async #boot(): Promise<VirtualCluster> {
    const { seed, nodes, refreshStaleAnnotations } = this.#scenario;
    const bug = this.#options.bug === undefined ? undefined : BUGS[this.#options.bug];
    const cluster = await VirtualCluster.create({
      seed,
      nodes,
      simulate: IMAGE_RULES,
      freeze: this.#options.freeze ?? false,
      journal: this.#options.journal ?? false,
      log: this.#options.log ?? silent,
      observer: this.#model,
      disturb: (request, component) => this.#disturb(request, component),
      deployment: { refreshStaleAnnotations },
      ...(bug ? { controllers: (options) => eachController(options, (controller) => run(plant(bug, controller), options)) } : {}),
    });
    this.#cluster = cluster;
    this.#model.follow(cluster, (write) => this.#take(write));
    await cluster.run(['scheduler', 'kubelets']);
    this.#controllers.push(await cluster.run(['controllers']));
    await cluster.client.resource(Namespaces).create({ metadata: { name: NAMESPACE } });
    await cluster.clock.advance(100);
    this.#startMs = cluster.clock.now();
    return cluster;
  }

  #take(write: Write): void {
    if (this.#violation) return;
    const now = this.#now();
    this.#writesAtOnce = now === this.#lastWriteMs ? this.#writesAtOnce + 1 : 0;
    this.#lastWriteMs = now;
    this.#log.write(now, write);
    this.#fail(this.#checkers.check(write));
    if (this.#writesAtOnce < WRITES_AT_ONCE) return;
    this.#fail({ rule: 'nobody writes without end', message: `${this.#writesAtOnce} writes at one moment`, atMs: now });
    // Time stands still until they stop.
    this.#cluster?.abandon();
  }

  /** Milliseconds since the scenario began. */
  #now(): number {
    return this.#cluster && this.#startMs !== undefined ? this.#cluster.clock.now() - this.#startMs : 0;
  }

  #fail(violation: Violation | undefined): void {
    if (!violation) return;
    this.#violation = { ...violation, atMs: this.#now() };
    this.#log.note(this.#now(), `VIOLATION ${violation.rule}: ${violation.message}`);
  }

  /** @returns whether all went well until then. */
  async #until(atMs: number): Promise<boolean> {
    const { clock } = this.#cluster!;
    await clock.runUntil(() => this.#violation !== undefined, atMs - this.#now());
    if (this.#violation) return false;
    await clock.advance(Math.max(atMs - this.#now(), 0));
    return true;
  }

  #schedule({ clock, client }: VirtualCluster): void {
    const user = new User(client, NAMESPACE);
    for (const { atMs, ...act } of this.#scenario.steps) {
      clock.schedule(atMs, () => {
        this.#log.note(this.#now(), `user ${JSON.stringify(act)}`);
        void user.perform(act).then((refusal) => {
          if (refusal !== undefined) this.#log.note(this.#now(), `user was refused: ${refusal}`);
        });
      });
    }
    for (const fault of this.#scenario.faults) {
      clock.schedule(fault.atMs, () => {
        this.#log.note(this.#now(), `fault ${JSON.stringify(fault)}`);
        this.#begin(fault);
      });
    }
  }

  #begin(fault: Fault): void {
    const cluster = this.#cluster!;
    if (this.#down && !('chance' in fault)) return;
    switch (fault.type) {
      case 'cut':
        if (fault.compact) void cluster.store.compact(cluster.store.revision);
        for (const transport of cluster.transports(fault.component)) transport.cutWatches(fault.resource === '*' ? undefined : fault.resource);
        return;
      case 'stall':
        cluster.transports(fault.component)[fault.nth]?.stall(fault.resource, fault.forMs);
        return;
      case 'lag':
        for (const transport of cluster.transports(fault.component)) transport.lag(fault.resource, fault);
        return;
      case 'crash':
        this.#crash ??= { writesLeft: fault.afterWrites, downMs: fault.downMs };
        return;
      case 'overlap':
        this.#controllers.push(cluster.launch(['controllers']));
        cluster.clock.schedule(fault.forMs, () => {
          if (this.#controllers.length > 1) this.#controllers.shift()!.kill();
        });
        return;
      case 'slowJournal':
        cluster.medium?.slow(fault);
        return;
      case 'journalFailure':
        if (this.#down) return;
        cluster.medium?.fail();
        void cluster.store.failed.then(() => this.#goDown('the journal fails', fault.downMs));
        return;
      case 'powerCut':
        this.#goDown('the power is cut', fault.downMs);
        return;
      default: // Windows are asked about each request.
    }
  }

  #disturb(request: Parameters<FaultWindows['disturb']>[0], component: string): Disturbance | undefined {
    if (this.#startMs === undefined) return undefined;
    if (this.#crash && component === CONTROLLERS && isWrite(request) && request.resource !== 'events') {
      if (this.#crash.writesLeft-- <= 0) return this.#die(this.#crash.downMs);
    }
    const disturbance = this.#windows.disturb(request, component, this.#now());
    if (disturbance && request.resource !== 'leases') {
      const { verb, resource, name = '' } = request;
      this.#log.note(
        this.#now(),
        `${component} ${verb} ${resource}/${name}: ${disturbance.type}${'error' in disturbance ? ` (${disturbance.error.message})` : ''}`,
      );
    }
    // Without it, two that believe different things could contradict each other for ever in no time.
    if (!disturbance && component === CONTROLLERS && this.#controllers.length > 1 && isWrite(request)) return { type: 'delay', ms: OVERLAP_LATENCY_MS };
    return disturbance;
  }

  #die(downMs: number): Disturbance {
    this.#crash = undefined;
    this.#log.note(this.#now(), 'the controllers are killed');
    for (const life of this.#controllers.splice(0)) life.kill();
    const cluster = this.#cluster!;
    const { store } = cluster;
    cluster.clock.schedule(downMs, () => {
      // Everything may have gone down, and come back, in the meantime.
      if (this.#down || cluster.store !== store) return;
      this.#log.note(this.#now(), 'the controllers are started again');
      this.#controllers.push(cluster.launch(['controllers']));
    });
    return { type: 'refuse', error: new Disconnected() };
  }

  /** Everything ends, and begins again upon what was kept. */
  #goDown(what: string, downMs: number): void {
    if (this.#down) return;
    const cluster = this.#cluster!;
    this.#down = true;
    this.#crash = undefined;
    this.#controllers = [];
    this.#log.note(this.#now(), what);
    const before = cluster.store;
    cluster.powerCut();
    cluster.clock.schedule(downMs, () => void this.#comeBack(before));
  }

  async #comeBack(before: Store): Promise<void> {
    const cluster = this.#cluster!;
    const unanswered = cluster.medium?.unanswered;
    cluster.powerUp();
    const lost = await whatIsLost(before, cluster.store, unanswered);
    this.#log.note(this.#now(), `everything is started again upon revision ${cluster.store.revision}`);
    if (lost !== undefined) this.#fail({ rule: 'what was answered is kept, and what was not is kept whole or not at all', message: lost, atMs: this.#now() });
    await this.#model.resume(cluster, (write) => this.#take(write));
    cluster.launch(['scheduler', 'kubelets']);
    this.#controllers.push(cluster.launch(['controllers']));
    this.#down = false;
  }

  /** The faults are over: all nodes take pods again, and everything must come to what the Deployments say, and stay there. */
  async #converge(cluster: VirtualCluster): Promise<void> {
    this.#crash = undefined;
    this.#log.note(this.#now(), 'the faults are over');
    const nodes = cluster.client.resource(Nodes);
    for (const { metadata } of (await nodes.list()).items)
      await nodes.patch('', metadata.name!, { spec: { unschedulable: null } }, 'application/merge-patch+json');
    const end = this.#now() + CONVERGE_WITHIN_MS;
    const { faults, refreshStaleAnnotations } = this.#scenario;
    const behind = faults.some((fault) => concernsControllers(fault) && leavesBehind(fault, ['replicasets']));
    let left: string[] = [];
    for (;;) {
      if (!(await this.#until(this.#now() + CONVERGE_STEP_MS))) return;
      left = unsettled(this.#model, { now: cluster.clock.now(), behind, refreshStaleAnnotations });
      const restMs = this.#now() - this.#lastWriteMs;
      if (left.length === 0 && restMs >= REST_MS) return;
      if (this.#now() >= end) break;
    }
    const what = left.length > 0 ? left.slice(0, 6).join('; ') : 'there are writes again and again';
    this.#fail({ rule: 'after the faults everything converges', message: `after ${CONVERGE_WITHIN_MS / 60_000} minutes: ${what}`, atMs: this.#now() });
  }
}
