import type { Container, Pod } from '../api/generated/types/core.v1.ts';
import type { ContainerStatus, PodSandbox } from '../runtime/runtime.ts';
import { goSeconds } from './back-off.ts';

/** What probes have found of one run of a container. */
export interface ProbeFindings {
  /** Undefined: not known yet. Without a startup probe: true. */
  started: boolean | undefined;
  ready: boolean;
  /** The probe that has failed for good, if any. */
  failed: 'liveness' | 'startup' | undefined;
}

/** Why a container could not be started, and until when that is not tried again. */
export interface StartFailure {
  reason: string;
  message: string;
  retryAt: number;
}

export interface PodState {
  pod: Pod;
  sandbox: PodSandbox | undefined;
  /** The latest run of each container, by its name. */
  containers: ReadonlyMap<string, ContainerStatus>;
  /** By container id. */
  probes: ReadonlyMap<string, ProbeFindings>;
  startFailures: ReadonlyMap<string, StartFailure>;
  /** Ids of containers that were stopped in order to be started again, whatever the restart policy says. */
  restarting: ReadonlySet<string>;
  /** The crash-loop delay of a container that finished at the time given. */
  crashDelay(container: string, finishedAt: number): number | undefined;
  now: number;
}

/** Which list of the pod's spec a container stands in. */
export type ContainerPart = 'containers' | 'initContainers' | 'ephemeralContainers';

export type PodAction =
  | { type: 'createSandbox'; attempt: number }
  | { type: 'startContainer'; container: Container; part: ContainerPart; attempt: number; finishedAt: number | undefined }
  | { type: 'stopContainer'; id: string; container: Container; message: string; because: 'liveness' | 'startup' | 'changed'; restart: boolean }
  /** Nothing is left to run: stop what still does, and the sandbox. */
  | { type: 'stopPod' };

export interface Waiting {
  reason: string;
  message: string;
}

export interface PodPlan {
  actions: PodAction[];
  /** Containers that wait for a delay to pass. */
  waiting: Map<string, Waiting>;
  /** When to plan again even if nothing happens. */
  resyncAt: number | undefined;
}

const isSidecar = (container: Container): boolean => container.restartPolicy === 'Always';

/**
 * What to do next for a pod that shall run (upstream: kuberuntime computePodActions). Pure.
 */
export function planPod(state: PodState): PodPlan {
  const plan: PodPlan = { actions: [], waiting: new Map(), resyncAt: undefined };
  const { spec } = state.pod;
  const containers = spec.containers ?? [];
  if (state.sandbox?.state !== 'ready') {
    const again = state.containers.size === 0 || (!initFailedForGood(state) && containers.some((container) => mayStart(state, container)));
    if (again) plan.actions.push({ type: 'createSandbox', attempt: state.sandbox ? state.sandbox.metadata.attempt + 1 : 0 });
    return plan;
  }
  const initialized = containers.some((container) => state.containers.has(container.name));
  const readyForContainers = initialized ? keepSidecars(state, plan) : planInitContainers(state, plan);
  if (!readyForContainers) {
    // Whoever looks for what keeps the pod from beginning must not wait for it.
    if (!plan.actions.some(({ type }) => type === 'stopPod')) startEphemeral(state, plan);
    return plan;
  }
  let kept = 0;
  for (const container of containers) if (planContainer(state, container, plan)) kept++;
  if (kept === 0) plan.actions = [{ type: 'stopPod' }];
  else startEphemeral(state, plan);
  return plan;
}

function initFailedForGood({ pod, containers }: PodState): boolean {
  if (pod.spec.restartPolicy !== 'Never') return false;
  return (pod.spec.initContainers ?? []).some((container) => {
    const status = containers.get(container.name);
    return !isSidecar(container) && status?.state === 'exited' && status.exitCode !== 0;
  });
}

/** Whether the restart policy lets the container run (again), its present run set aside. */
function mayStart({ pod, containers, restarting }: PodState, container: Container): boolean {
  const status = containers.get(container.name);
  if (status?.state !== 'exited' || restarting.has(status.id)) return true;
  if (pod.spec.restartPolicy === 'Never') return false;
  return pod.spec.restartPolicy !== 'OnFailure' || status.exitCode !== 0;
}

/** Starts the container, or notes what it waits for. */
function start(state: PodState, plan: PodPlan, container: Container, part: ContainerPart): void {
  const { pod, now } = state;
  const status = state.containers.get(container.name);
  const failure = state.startFailures.get(container.name);
  if (failure && failure.retryAt > now) {
    wait(plan, container, failure, failure.retryAt);
    return;
  }
  if (status?.state === 'exited') {
    const delay = state.crashDelay(container.name, status.finishedAt);
    if (delay !== undefined && now - status.finishedAt < delay) {
      const { name, namespace, uid } = pod.metadata;
      const message = `back-off ${goSeconds(delay)} restarting failed container=${container.name} pod=${name}_${namespace}(${uid})`;
      wait(plan, container, { reason: 'CrashLoopBackOff', message }, status.finishedAt + delay);
      return;
    }
  }
  const finishedAt = status?.state === 'exited' ? status.finishedAt : undefined;
  plan.actions.push({ type: 'startContainer', container, part, attempt: status ? status.metadata.attempt + 1 : 0, finishedAt });
}

function wait(plan: PodPlan, container: Container, { reason, message }: Waiting, until: number): void {
  plan.waiting.set(container.name, { reason, message });
  plan.resyncAt = Math.min(plan.resyncAt ?? until, until);
}

/** One init container after the other. Returns whether all have done their part. */
function planInitContainers(state: PodState, plan: PodPlan): boolean {
  for (const container of state.pod.spec.initContainers ?? []) {
    const status = state.containers.get(container.name);
    if (isSidecar(container)) {
      if (status?.state !== 'running') {
        start(state, plan, container, 'initContainers');
        return false;
      }
      if (stopUnhealthy(state, plan, container, status) !== 'keep') return false;
      if (!state.probes.get(status.id)?.started) return false;
      continue;
    }
    if (status?.state === 'exited' && status.exitCode === 0) continue;
    if (status?.state === 'running') {
      stopUnhealthy(state, plan, container, status);
      return false;
    }
    if (status?.state === 'exited' && state.pod.spec.restartPolicy === 'Never') plan.actions.push({ type: 'stopPod' });
    else start(state, plan, container, 'initContainers');
    return false;
  }
  return true;
}

/** Once the pod has been initialized, sidecars alone are kept up. */
function keepSidecars(state: PodState, plan: PodPlan): boolean {
  for (const container of state.pod.spec.initContainers ?? []) {
    if (!isSidecar(container)) continue;
    const status = state.containers.get(container.name);
    if (status?.state === 'running') stopUnhealthy(state, plan, container, status);
    else if (!everyContainerIsDone(state)) start(state, plan, container, 'initContainers');
  }
  return true;
}

const everyContainerIsDone = (state: PodState): boolean =>
  (state.pod.spec.containers ?? []).every((container) => state.containers.get(container.name)?.state === 'exited' && !mayStart(state, container));

/** Ephemeral containers run once, whatever becomes of them. */
function startEphemeral(state: PodState, plan: PodPlan): void {
  for (const container of state.pod.spec.ephemeralContainers ?? []) {
    const failure = state.startFailures.get(container.name);
    if (state.containers.has(container.name)) continue;
    if (failure && failure.retryAt > state.now) wait(plan, container, failure, failure.retryAt);
    else plan.actions.push({ type: 'startContainer', container, part: 'ephemeralContainers', attempt: 0, finishedAt: undefined });
  }
}

/** Returns whether the container counts as one that the pod lives for. */
function planContainer(state: PodState, container: Container, plan: PodPlan): boolean {
  const status = state.containers.get(container.name);
  if (status?.state === 'running') return stopUnhealthy(state, plan, container, status) !== 'stop';
  if (!mayStart(state, container)) return false;
  start(state, plan, container, 'containers');
  return true;
}

/** Stops a running container whose probe has failed or whose image has changed. */
function stopUnhealthy(state: PodState, plan: PodPlan, container: Container, status: ContainerStatus): 'keep' | 'stop' | 'restart' {
  const failed = state.probes.get(status.id)?.failed;
  const changed = status.image !== container.image;
  if (!failed && !changed) return 'keep';
  const restart = changed || state.pod.spec.restartPolicy !== 'Never' || isSidecar(container);
  const what = changed ? `Container ${container.name} definition changed` : `Container ${container.name} failed ${failed} probe`;
  plan.actions.push({
    type: 'stopContainer',
    id: status.id,
    container,
    message: restart ? `${what}, will be restarted` : what,
    because: changed ? 'changed' : failed!,
    restart,
  });
  return restart ? 'restart' : 'stop';
}
