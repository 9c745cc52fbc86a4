import type { ContainerState, ContainerStatus, PodSpec } from '../api/generated/types/core.v1.ts';

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

interface Counts {
  pendingInit: number;
  failedInit: number;
  unknown: number;
  running: number;
  waiting: number;
  stopped: number;
  succeeded: number;
}

const exitedBefore = (status: ContainerStatus): boolean => status.lastState?.terminated !== undefined;

function countInit(counts: Counts, spec: PodSpec, statuses: ReadonlyMap<string, ContainerStatus>): void {
  for (const container of spec.initContainers ?? []) {
    const status = statuses.get(container.name);
    const state: ContainerState = status?.state ?? {};
    if (container.restartPolicy === 'Always') {
      if (!status) counts.unknown++;
      else if (state.running) {
        if (!status.started) counts.pendingInit++;
        counts.running++;
      } else if (state.waiting && !exitedBefore(status)) {
        counts.pendingInit++;
        counts.waiting++;
      }
    } else if (state.terminated) {
      if (state.terminated.exitCode !== 0) counts.failedInit++;
    } else if (status && state.waiting && exitedBefore(status)) {
      if (status.lastState.terminated!.exitCode !== 0) counts.failedInit++;
    } else counts.pendingInit++;
  }
}

function countContainers(counts: Counts, spec: PodSpec, statuses: ReadonlyMap<string, ContainerStatus>): void {
  for (const container of spec.containers ?? []) {
    const status = statuses.get(container.name);
    const state: ContainerState = status?.state ?? {};
    if (!status) counts.unknown++;
    else if (state.running) counts.running++;
    else if (state.terminated) {
      counts.stopped++;
      if (state.terminated.exitCode === 0) counts.succeeded++;
    } else if (exitedBefore(status)) counts.stopped++;
    else counts.waiting++;
  }
}

/**
 * The phase that the statuses of containers add up to (upstream: kubelet getPhase).
 * @param options.over all containers have been stopped for good
 */
export function podPhase(spec: PodSpec, statuses: readonly ContainerStatus[], { over }: { over: boolean }): PodPhase {
  const byName = new Map(statuses.map((status) => [status.name, status]));
  const counts: Counts = { pendingInit: 0, failedInit: 0, unknown: 0, running: 0, waiting: 0, stopped: 0, succeeded: 0 };
  countInit(counts, spec, byName);
  countContainers(counts, spec, byName);
  if (counts.failedInit > 0 && spec.restartPolicy === 'Never') return 'Failed';
  if (over)
    return counts.stopped > 0 && counts.stopped === counts.succeeded && counts.pendingInit + counts.waiting + counts.unknown === 0 ? 'Succeeded' : 'Failed';
  if (counts.pendingInit > 0 || counts.waiting > 0) return 'Pending';
  if (counts.running > 0 && counts.unknown === 0) return 'Running';
  if (counts.running === 0 && counts.stopped > 0 && counts.unknown === 0) {
    if (spec.restartPolicy === 'Always') return 'Running';
    if (counts.stopped === counts.succeeded) return 'Succeeded';
    return spec.restartPolicy === 'Never' ? 'Failed' : 'Running';
  }
  return 'Pending';
}
