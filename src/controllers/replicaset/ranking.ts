import type { Pod } from '../../api/generated/types/core.v1.ts';
import { parseTime } from '../../lib/clock.ts';
import { compareText } from '../ownership.ts';
import { isPodActive, isPodReady, readyCondition } from '../pod-state.ts';

const DELETION_COST = 'controller.kubernetes.io/pod-deletion-cost';
const PHASES = ['Pending', 'Unknown', 'Running'];

interface Ranked {
  pod: Pod;
  assigned: boolean;
  phase: number;
  ready: boolean;
  cost: number;
  /** Active related pods on the same node. */
  neighbours: number;
  readyAt: number | undefined;
  restarts: number;
  sidecarRestarts: number;
  createdAt: number | undefined;
}

/**
 * The `count` pods whose deletion hurts least: not on a node yet; earlier phase; not ready; lower deletion cost; more
 * related pods on the same node; ready for a shorter time; more restarts; younger. Times count on a logarithmic scale,
 * within one step of which the uid decides. Upstream: controller.ActivePodsWithRanks.
 * @param related the pods of all ReplicaSets of the same owner.
 */
export function podsToDelete(pods: readonly Pod[], related: readonly Pod[], { count, now }: { count: number; now: number }): Pod[] {
  if (count >= pods.length) return [...pods];
  const onNode = new Map<string, number>();
  for (const pod of related) {
    const node = pod.spec.nodeName ?? '';
    if (isPodActive(pod)) onNode.set(node, (onNode.get(node) ?? 0) + 1);
  }
  return pods
    .map((pod) => rank(pod, onNode))
    .sort((a, b) => compare(a, b, now))
    .slice(0, count)
    .map(({ pod }) => pod);
}

function rank(pod: Pod, onNode: ReadonlyMap<string, number>): Ranked {
  const { spec, status, metadata } = pod;
  const ready = isPodReady(pod);
  const restarts = restartCounts(pod);
  return {
    pod,
    assigned: Boolean(spec.nodeName),
    phase: PHASES.indexOf(status.phase ?? ''),
    ready,
    cost: deletionCost(metadata.annotations?.[DELETION_COST]),
    neighbours: onNode.get(spec.nodeName ?? '') ?? 0,
    readyAt: ready ? parseTime(readyCondition(pod)?.lastTransitionTime) : undefined,
    restarts: restarts.containers,
    sidecarRestarts: restarts.sidecars,
    createdAt: parseTime(metadata.creationTimestamp),
  };
}

function compare(a: Ranked, b: Ranked, now: number): number {
  if (a.assigned !== b.assigned) return a.assigned ? 1 : -1;
  if (a.phase !== b.phase) return a.phase - b.phase;
  if (a.ready !== b.ready) return a.ready ? 1 : -1;
  if (a.cost !== b.cost) return a.cost - b.cost;
  if (a.neighbours !== b.neighbours) return b.neighbours - a.neighbours;
  if (a.ready && a.readyAt !== b.readyAt) return compareAges(a, b, { times: [a.readyAt, b.readyAt], now });
  if (a.restarts !== b.restarts) return b.restarts - a.restarts;
  if (a.sidecarRestarts !== b.sidecarRestarts) return b.sidecarRestarts - a.sidecarRestarts;
  if (a.createdAt !== b.createdAt) return compareAges(a, b, { times: [a.createdAt, b.createdAt], now });
  return 0;
}

/** Unset before set, younger before older; within a power of two of nanoseconds, by uid. */
function compareAges(a: Ranked, b: Ranked, { times: [first, second], now }: { times: [number | undefined, number | undefined]; now: number }): number {
  if (first === undefined || second === undefined) return first === undefined ? -1 : 1;
  return logarithmicAge(first, now) - logarithmicAge(second, now) || compareText(a.pod.metadata.uid ?? '', b.pod.metadata.uid ?? '');
}

function logarithmicAge(time: number, now: number): number {
  const nanoseconds = (now - time) * 1e6;
  return nanoseconds > 0 ? Math.trunc(Math.log2(nanoseconds)) : -1;
}

/** Upstream reads an int32 and takes what it cannot read for 0. */
function deletionCost(text: string | undefined): number {
  if (text === undefined || !/^(0|-?[1-9]\d*)$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -(2 ** 31) && cost < 2 ** 31 ? cost : 0;
}

function restartCounts({ spec, status }: Pod): { containers: number; sidecars: number } {
  const sidecars = new Set((spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name));
  const most = (counts: number[]): number => Math.max(0, ...counts);
  return {
    containers: most((status.containerStatuses ?? []).map(({ restartCount }) => restartCount)),
    sidecars: most((status.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)).map(({ restartCount }) => restartCount)),
  };
}
