import type { Container, PodSpec } from '../../api/generated/types/core.v1.ts';
import { goSeconds } from '../../lib/duration.ts';
import type { ContainerStatus } from '../../runtime/runtime.ts';
import { CONTAINER_HASH_ANNOTATION, RESOURCES_ANNOTATION } from '../labels.ts';
import { containerHash, containerNamed, fieldPathOf, isSidecar, resourcesText } from '../pod-containers.ts';
import type { Because, PodAction, StatusReport } from './action.ts';
import { deadlineOf, graceMsOf } from './life.ts';
import type { Cause } from './pod-life.ts';
import type { PodPlan } from './pod-plan.ts';
import { type PodState, runOf, sandboxOf } from './state.ts';
import { stopsOf } from './termination.ts';

/** A status that changes again within this time is written once. */
const STATUS_DELAY_MS = 50;

/** A plan in the making. */
interface Steps {
  actions: PodAction[];
  waiting: Map<string, Cause>;
  wakeAt: number | undefined;
}

/** What becomes of a container, and with it of its pod. */
type Outlook = 'lives' | 'done';

/** Keeps a pod up (upstream: kuberuntime computePodActions). @returns undefined: nothing of it is left to run (KUB-28). */
export function planRunning(state: PodState): PodPlan | undefined {
  const past = removePastRuns(state);
  if (past.length > 0) return { life: state.life, waiting: state.waiting, actions: past, wakeAt: undefined, again: true };
  const steps: Steps = { actions: [], waiting: new Map(), wakeAt: deadlineOf(state) };
  const outlook = sandboxOf(state)?.state === 'ready' ? planContainers(state, steps) : planSandbox(state, steps);
  if (outlook === 'done') return undefined;
  const actions = [...planProbes(state), ...steps.actions];
  const told = backOffEvents(state, steps.waiting);
  const plan = { life: state.life, waiting: steps.waiting };
  if (actions.length)
    return { ...plan, actions: [...told, ...(steps.actions.length ? firstReport(state) : []), ...actions], wakeAt: steps.wakeAt, again: true };
  if (state.reportRetryAt > state.now) return { ...plan, actions: told, wakeAt: earlier(steps.wakeAt, state.reportRetryAt), again: false };
  return { ...plan, actions: [...told, ...finalReport(state)], wakeAt: steps.wakeAt, again: false };
}

const earlier = (a: number | undefined, b: number): number => Math.min(a ?? b, b);

// -- the sandbox

/** KUB-10 to KUB-12: containers live in a sandbox; one that has died is made anew where something may run in it. */
function planSandbox(state: PodState, steps: Steps): Outlook {
  const { pod, runs, sandboxFailure, now } = state;
  if (runs.length > 0 && (initFailedForGood(state) || !(pod.spec.containers ?? []).some((container) => mayStart(state, container)))) return 'done';
  if (sandboxFailure && sandboxFailure.retryAt > now) {
    steps.wakeAt = earlier(steps.wakeAt, sandboxFailure.retryAt);
    return 'lives';
  }
  const dead = sandboxOf(state);
  if (dead) steps.actions.push(...clearDeadSandbox(state));
  steps.actions.push({ type: 'createSandbox', attempt: dead ? dead.metadata.attempt + 1 : 0, because: { rule: 'KUB-10', dead: dead?.id } });
  return 'lives';
}

function clearDeadSandbox(state: PodState): PodAction[] {
  const because: Because = { rule: 'KUB-11' };
  const running = state.runs.filter((run) => run.state === 'running');
  const message = 'Pod sandbox changed, it will be killed and re-created.';
  return [
    { type: 'tellEvent', note: { type: 'Normal', reason: 'SandboxChanged', message }, because },
    ...(running.length ? [{ type: 'stopTogether' as const, stops: stopsOf(state, running, { graceMs: graceMsOf(state.pod), restart: true }), because }] : []),
  ];
}

function initFailedForGood({ pod, runs }: PodState): boolean {
  if (pod.spec.restartPolicy !== 'Never') return false;
  return (pod.spec.initContainers ?? []).some((container) => {
    const run = runs.findLast(({ metadata }) => metadata.name === container.name);
    return !isSidecar(container) && run?.state === 'exited' && run.exitCode !== 0;
  });
}

// -- containers, in the order in which they may start

function planContainers(state: PodState, steps: Steps): Outlook {
  const { spec } = state.pod;
  const containers = spec.containers ?? [];
  const initialized = containers.some((container) => runOf(state, container));
  const initialization = initialized ? keepSidecars(state, steps) : planInitContainers(state, steps);
  if (initialization === 'failed') return 'done';
  if (initialization === 'done') {
    const outlooks = containers.map((container) => planContainer(state, container, steps));
    if (!outlooks.includes('lives')) return 'done';
  }
  // KUB-27: whoever looks for what keeps the pod from beginning must not wait for it.
  startEphemeralContainers(state, spec, steps);
  return 'lives';
}

/** KUB-20 to KUB-22: one init container after the other. */
function planInitContainers(state: PodState, steps: Steps): 'under way' | 'done' | 'failed' {
  for (const container of state.pod.spec.initContainers ?? []) {
    const run = runOf(state, container);
    if (isSidecar(container)) {
      if (run?.state !== 'running') start(state, container, steps, 'KUB-21');
      else if (stopUnhealthy(state, container, run, steps) === 'kept' && state.probes.get(run.id)?.started) continue;
    } else if (run?.state === 'running') stopUnhealthy(state, container, run, steps);
    else if (run?.state === 'exited' && run.exitCode === 0) continue;
    else if (run?.state === 'exited' && state.pod.spec.restartPolicy === 'Never') return 'failed';
    else start(state, container, steps, 'KUB-20');
    return 'under way';
  }
  return 'done';
}

/** KUB-23: once the pod has been initialized, sidecars alone are kept up, until all containers are done. */
function keepSidecars(state: PodState, steps: Steps): 'done' {
  const containers = state.pod.spec.containers ?? [];
  const allDone = containers.every((container) => runOf(state, container)?.state === 'exited' && !mayStart(state, container));
  for (const container of (state.pod.spec.initContainers ?? []).filter(isSidecar)) {
    const run = runOf(state, container);
    if (run?.state === 'running') stopUnhealthy(state, container, run, steps);
    else if (!allDone) start(state, container, steps, 'KUB-23');
  }
  return 'done';
}

/** Whether the pod lives for this container. */
function planContainer(state: PodState, container: Container, steps: Steps): Outlook {
  const run = runOf(state, container);
  if (run?.state === 'running') return stopUnhealthy(state, container, run, steps) === 'stopped' ? 'done' : 'lives';
  if (!mayStart(state, container)) return 'done';
  start(state, container, steps, 'KUB-24');
  return 'lives';
}

/** KUB-27: ephemeral containers run once, whatever becomes of them. */
function startEphemeralContainers(state: PodState, { ephemeralContainers }: PodSpec, steps: Steps): void {
  for (const { name } of ephemeralContainers ?? []) {
    const container = containerNamed(state.pod, name);
    if (!runOf(state, container)) start(state, container, steps, 'KUB-27');
  }
}

/** KUB-24: whether the restart policy lets the container run (again), its present run set aside. */
function mayStart(state: PodState, container: Container): boolean {
  const { restartPolicy } = state.pod.spec;
  const run = runOf(state, container);
  if (run?.state !== 'exited' || state.restarting.has(run.id)) return true;
  if (restartPolicy === 'Never') return false;
  return restartPolicy !== 'OnFailure' || run.exitCode !== 0;
}

/** KUB-29: of the runs of a container that have ended only the last stays. */
function removePastRuns({ runs }: PodState): PodAction[] {
  const ended = runs.filter((run) => run.state === 'exited');
  const isPast = ({ metadata: { name, attempt } }: ContainerStatus): boolean =>
    ended.some(({ metadata }) => metadata.name === name && metadata.attempt > attempt);
  return ended.filter(isPast).map(({ id, metadata }) => ({ type: 'removeContainer', id, because: { rule: 'KUB-29', attempt: metadata.attempt } }));
}

/** Starts the container, unless a delay has to pass first. */
function start(state: PodState, container: Container, steps: Steps, rule: Because['rule']): void {
  const delay = delayOf(state, container);
  if (delay && delay.retryAt > state.now) {
    steps.waiting.set(container.name, { reason: delay.reason, message: delay.message });
    steps.wakeAt = earlier(steps.wakeAt, delay.retryAt);
    return;
  }
  const run = runOf(state, container);
  const attempt = run ? run.metadata.attempt + 1 : 0;
  const finishedAt = run?.state === 'exited' ? run.finishedAt : undefined;
  const because: Because = { rule, container: container.name, exitCode: run?.exitCode };
  steps.actions.push({ type: 'startContainer', container, attempt, finishedAt, because });
}

/** KUB-25, KUB-26: what could not be started, or has crashed, is not started again at once. */
function delayOf(state: PodState, container: Container): (Cause & { retryAt: number }) | undefined {
  const failure = state.startFailures.get(container.name);
  if (failure && failure.retryAt > state.now) return failure;
  const run = runOf(state, container);
  const delayMs = run?.state === 'exited' ? state.crashDelay(container.name, run.finishedAt) : undefined;
  if (!run || delayMs === undefined) return undefined;
  const { name, namespace, uid } = state.pod.metadata;
  const message = `back-off ${goSeconds(delayMs)} restarting failed container=${container.name} pod=${name}_${namespace}(${uid})`;
  return { reason: 'CrashLoopBackOff', message, retryAt: run.finishedAt + delayMs };
}

// -- health

/** KUB-30: probes belong to containers that run, whoever has started them. */
function planProbes(state: PodState): PodAction[] {
  const actions: PodAction[] = [];
  for (const { id, metadata, state: runState, startedAt } of state.runs) {
    const because: Because = { rule: 'KUB-30', container: metadata.name, state: runState };
    const probed = state.probes.has(id);
    if (runState === 'exited' && probed) actions.push({ type: 'stopProbes', id, because });
    if (runState === 'running' && !probed) actions.push({ type: 'startProbes', container: containerNamed(state.pod, metadata.name), id, startedAt, because });
  }
  return actions;
}

/** KUB-31, KUB-32: stops a running container whose probe has failed, or that is not what the spec asks for any more. */
function stopUnhealthy(state: PodState, container: Container, run: ContainerStatus, steps: Steps): 'kept' | 'stopped' | 'restarts' {
  const failed = state.probes.get(run.id)?.failed;
  if (!failed && resize(state, container, run, steps) === 'restarts') return 'restarts';
  const changed = run.annotations[CONTAINER_HASH_ANNOTATION] !== containerHash(container);
  if (!failed && !changed) return 'kept';
  const restart = changed || state.pod.spec.restartPolicy !== 'Never' || isSidecar(container);
  const what = changed ? `Container ${container.name} definition changed` : `Container ${container.name} failed ${failed} probe`;
  const message = restart ? `${what}, will be restarted` : what;
  const probe = changed ? undefined : failed === 'liveness' ? container.livenessProbe : container.startupProbe;
  const own = probe?.terminationGracePeriodSeconds;
  const graceMs = own === undefined ? graceMsOf(state.pod) : own * 1000;
  const because: Because = changed ? { rule: 'KUB-32', image: container.image, was: run.image } : { rule: 'KUB-31', probe: failed };
  steps.actions.push({ type: 'stopContainer', id: run.id, container, message, graceMs, restart, because });
  return restart ? 'restarts' : 'stopped';
}

/** KUB-33: gives a running container what its spec says now, or restarts it where it wants that. */
function resize(state: PodState, container: Container, run: ContainerStatus, steps: Steps): 'kept' | 'restarts' {
  const has = state.resized.get(run.id) ?? run.annotations[RESOURCES_ANNOTATION];
  const wanted = resourcesText(container);
  if (has === undefined || has === wanted) return 'kept';
  const because: Because = { rule: 'KUB-33', was: has, wanted };
  const changed = changedResources(has, wanted);
  if ((container.resizePolicy ?? []).some(({ resourceName, restartPolicy }) => restartPolicy === 'RestartContainer' && changed.has(resourceName))) {
    const message = `Container ${container.name} resize requires restart`;
    steps.actions.push({ type: 'stopContainer', id: run.id, container, message, graceMs: graceMsOf(state.pod), restart: true, because });
    return 'restarts';
  }
  steps.actions.push({ type: 'resizeContainer', id: run.id, container, because });
  return 'kept';
}

/** Which of processor and memory differ in two texts of resources: each is requests and limits, each of them both. */
function changedResources(before: string, after: string): Set<string> {
  const [old, now] = [before, after].map((text) => text.split(/[;,]/));
  return new Set(['cpu', 'memory', 'cpu', 'memory'].filter((_, index) => old![index] !== now![index]));
}

// -- what is told

/** KUB-50: what was found before the first step, should the steps take long. */
function firstReport(state: PodState): PodAction[] {
  if (!state.unreported) return [];
  return [{ type: 'reportStatus', report: reportOf(state), afterMs: STATUS_DELAY_MS, because: { rule: 'KUB-50' } }];
}

/** KUB-51: what all steps have come to; what has started is told with the next look. */
function finalReport(state: PodState): PodAction[] {
  const because: Because = { rule: 'KUB-51' };
  const look: PodAction[] = state.unseenStart ? [{ type: 'awaitRelist', because }] : [];
  return [...look, { type: 'reportStatus', report: reportOf(state), afterMs: 0, because }];
}

function reportOf(state: PodState): StatusReport {
  return { of: 'containers', sandbox: sandboxOf(state), runs: state.runs, over: false, failure: undefined };
}

/** KUB-52: tells of containers that begin to wait for their next start. */
function backOffEvents({ pod, waiting: before }: PodState, waiting: ReadonlyMap<string, Cause>): PodAction[] {
  const { name, namespace, uid } = pod.metadata;
  return [...waiting].flatMap(([container, { reason, message }]): PodAction[] => {
    if (reason !== 'CrashLoopBackOff' || before.get(container)?.message === message) return [];
    const note = {
      type: 'Warning' as const,
      reason: 'BackOff',
      message: `Back-off restarting failed container ${container} in pod ${name}_${namespace}(${uid})`,
      fieldPath: fieldPathOf(pod, container),
    };
    return [{ type: 'tellEvent', note, because: { rule: 'KUB-52', waiting: message } }];
  });
}
