import { parseTime } from '../../../../lib/clock.ts';
import { age } from '../../../duration.ts';
import type { ContainerState, ContainerStatus, Pod } from '../../../generated/types/core.v1.ts';
import type { Cell, RowCondition } from '../../../kind.ts';

/** What the loop over the statuses of containers gathers. */
interface Tally {
  reason: string;
  ready: number;
  restarts: number;
  /** When the latest of the counted restarts' terminations happened. */
  restartedAt: string | undefined;
}

function countRestarts(tally: Tally, status: ContainerStatus): void {
  tally.restarts += status.restartCount ?? 0;
  const finishedAt = status.lastState?.terminated?.finishedAt;
  if (finishedAt && (tally.restartedAt === undefined || parseTime(finishedAt) > parseTime(tally.restartedAt))) tally.restartedAt = finishedAt;
}

function terminationReason({ terminated }: ContainerState): string {
  if (!terminated) return '';
  if (terminated.reason) return terminated.reason;
  return terminated.signal ? `Signal:${terminated.signal}` : `ExitCode:${terminated.exitCode ?? 0}`;
}

const conditionIsTrue = (pod: Pod, type: string): boolean => (pod.status.conditions ?? []).some((c) => c.type === type && c.status === 'True');

/** Init containers in order, up to the first that still holds up the pod. Returns whether one does. */
function tallyInitContainers(pod: Pod, tally: Tally, sidecars: Tally): boolean {
  const sidecarNames = new Set((pod.spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').map((c) => c.name));
  for (const [index, status] of (pod.status.initContainerStatuses ?? []).entries()) {
    const state = status.state ?? {};
    countRestarts(tally, status);
    const sidecar = sidecarNames.has(status.name);
    if (sidecar) countRestarts(sidecars, status);
    if (state.terminated && (state.terminated.exitCode ?? 0) === 0) continue;
    if (sidecar && status.started) {
      if (status.ready) tally.ready++;
      continue;
    }
    if (state.terminated) tally.reason = `Init:${terminationReason(state)}`;
    else if (state.waiting?.reason && state.waiting.reason !== 'PodInitializing') tally.reason = `Init:${state.waiting.reason}`;
    else tally.reason = `Init:${index}/${pod.spec.initContainers?.length ?? 0}`;
    return true;
  }
  return false;
}

function tallyContainers(pod: Pod, tally: Tally): void {
  let running = false;
  for (const status of [...(pod.status.containerStatuses ?? [])].reverse()) {
    countRestarts(tally, status);
    const state = status.state ?? {};
    if (state.waiting?.reason) tally.reason = state.waiting.reason;
    else if (state.terminated) tally.reason = terminationReason(state);
    else if (status.ready && state.running) {
      running = true;
      tally.ready++;
    }
  }
  if (tally.reason === 'Completed' && running) tally.reason = conditionIsTrue(pod, 'Ready') ? 'Running' : 'NotReady';
}

function statusOf(pod: Pod): Tally {
  const { phase, reason } = pod.status;
  const tally: Tally = { reason: reason || phase || '', ready: 0, restarts: 0, restartedAt: undefined };
  const sidecars: Tally = { ...tally };
  if ((pod.status.conditions ?? []).some((c) => c.type === 'PodScheduled' && c.reason === 'SchedulingGated')) tally.reason = 'SchedulingGated';
  const initializing = tallyInitContainers(pod, tally, sidecars);
  if (!initializing || conditionIsTrue(pod, 'Initialized')) {
    tally.restarts = sidecars.restarts;
    tally.restartedAt = sidecars.restartedAt;
    tallyContainers(pod, tally);
  }
  if (pod.metadata.deletionTimestamp && reason === 'NodeLost') tally.reason = 'Unknown';
  else if (pod.metadata.deletionTimestamp && phase !== 'Succeeded' && phase !== 'Failed') tally.reason = 'Terminating';
  return tally;
}

/** The cells of `kubectl get pods` (upstream: pkg/printers/internalversion, printPod). */
export function podRow(pod: Pod, nowMs: number): Cell[] {
  const tally = statusOf(pod);
  const sidecars = (pod.spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always').length;
  const total = (pod.spec.containers ?? []).length + sidecars;
  const restarts = tally.restarts !== 0 && tally.restartedAt ? `${tally.restarts} (${age(tally.restartedAt, nowMs)} ago)` : String(tally.restarts);
  const gates = pod.spec.readinessGates ?? [];
  const open = gates.filter((gate) => conditionIsTrue(pod, gate.conditionType)).length;
  return [
    pod.metadata.name ?? '',
    `${tally.ready}/${total}`,
    tally.reason,
    restarts,
    age(pod.metadata.creationTimestamp, nowMs),
    pod.status.podIPs?.[0]?.ip || '<none>',
    pod.spec.nodeName || '<none>',
    pod.status.nominatedNodeName || '<none>',
    gates.length ? `${open}/${gates.length}` : '<none>',
  ];
}

/** Pods that have come to their end are marked, so that clients can hide them (printers/internalversion: podSuccessConditions). */
export function podRowConditions({ status }: Pod): RowCondition[] {
  if (status.phase === 'Succeeded') return [{ type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' }];
  if (status.phase === 'Failed') return [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }];
  return [];
}
