import type { Lease } from '../../api/generated/types/coordination.v1.ts';
import type { Node, NodeCondition, Pod } from '../../api/generated/types/core.v1.ts';
import { Nodes, Pods } from '../../api/resources.ts';
import { parseTime, timestamp } from '../../lib/clock.ts';
import { readyCondition } from '../pod-state.ts';
import { type Action, type Because, inParallel, type Outcome, type Plan } from '../runtime/plan.ts';
import { conditionOf, hasTaint, NOT_READY, nodeUpdate, noExecuteKey, UNREACHABLE, withTaints } from './taints.ts';
import { type Evictions, NO_ZONES, planEvictions, refunded, zoneOf } from './zones.ts';

/** Upstream's flags of these names. */
export interface NodeLifecycleOptions {
  /** How long a node may say nothing until it is Unknown. Default 50 s. */
  nodeMonitorGracePeriodMs?: number;
  /** The same for one that never said anything. Default 60 s. */
  nodeStartupGracePeriodMs?: number;
  /** How often nodes are looked at. Default 5 s. */
  nodeMonitorPeriodMs?: number;
  /** Nodes a second, of a zone, whose pods are driven away. Default 0.1. */
  nodeEvictionRate?: number;
  /** The same in a large zone of which much is ill. Default 0.01. */
  secondaryNodeEvictionRate?: number;
  /** The share of ill nodes, more than two of them, from which a zone is. Default 0.55. */
  unhealthyZoneThreshold?: number;
  /** A zone with more nodes is large. Default 50. */
  largeClusterSizeThreshold?: number;
}

/** What is known of a node's signs of life. */
export interface Health {
  uid: string;
  /** The heartbeat of its Ready condition that was seen last; undefined: it has no such condition. */
  heartbeat: string | undefined;
  hasReady: boolean;
  renewTime: string | undefined;
  /** When the last sign was seen. */
  seenAt: number;
}

export interface NodeMemory {
  nodes: ReadonlyMap<string, Health>;
  zones: Evictions;
}

export const NOTHING_KNOWN: NodeMemory = { nodes: new Map(), zones: NO_ZONES };

export interface NodesSnapshot {
  now: number;
  nodes: readonly Node[];
  /** By the node's name. */
  leases: ReadonlyMap<string, Lease>;
  podsOn: (nodeName: string) => readonly Pod[];
  memory: NodeMemory;
  options: Required<NodeLifecycleOptions>;
}

const CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** One look at all nodes. Upstream: node_lifecycle_controller.go (monitorNodeHealth). */
export function planNodes(snapshot: NodesSnapshot): Plan {
  const { nodes, options } = snapshot;
  const health = new Map<string, Health>();
  const actions: Action[] = [...registrations(snapshot)];
  const looked = nodes.map((node) => {
    const known = lookAt(node, snapshot);
    health.set(node.metadata.name!, known);
    return judged(node, known, snapshot);
  });
  const silent = looked.filter(({ isSilenced }) => isSilenced);
  const writes = inParallel(silent.map(({ node, because }) => ({ type: 'update', resource: Nodes, subresource: 'status', object: node, because })));
  return {
    actions: [...actions, ...writes],
    requeueAfterMs: options.nodeMonitorPeriodMs,
    next: (outcomes) => planTainting(snapshot, looked.map(withWritten(silent, outcomes.at(-1))), health),
  };
}

/** The nodes as the API server has them after their statuses were written. */
function withWritten(written: readonly Judged[], outcome: Outcome | undefined): (judged: Judged) => Judged {
  const parts = outcome?.parts ?? [];
  return (judged) => {
    const part = parts[written.indexOf(judged)];
    return part?.ok && part.object ? { ...judged, node: part.object as Node } : judged;
  };
}

function planTainting({ now, memory, options, podsOn }: NodesSnapshot, looked: readonly Judged[], health: ReadonlyMap<string, Health>): Plan {
  const inZones = looked.map(({ node, ready }) => ({ node, ready, zone: zoneOf(node) }));
  const { evictions, zones } = planEvictions(inZones, { now, memory: memory.zones, options });
  const swaps = looked.flatMap(({ node, ready }) => swap(node, ready, now));
  const fallen = looked.filter(({ fell }) => fell);
  return {
    actions: [...fallen.flatMap(({ node }) => notReadyEvents(node, podsOn(node.metadata.name!), now)), ...inParallel(swaps)],
    remember: { nodes: health, zones: memory.zones },
    next: () => ({
      actions: inParallel(evictions.map(({ action }) => action)),
      next: ([outcome]) => {
        const failed = evictions.filter((_, index) => !outcome?.parts?.[index]?.ok).map(({ zone }) => zone);
        return { actions: [], remember: { nodes: health, zones: refunded(zones, failed) } };
      },
    }),
  };
}

/** Nodes that have come, and gone. */
function registrations({ nodes, memory }: NodesSnapshot): Action[] {
  const names = new Set(nodes.map(({ metadata }) => metadata.name!));
  const told = (node: Node, reason: string, what: string): Action => {
    const message = `Node ${node.metadata.name} event: ${what}`;
    return { type: 'event', about: node, note: { type: 'Normal', reason, message }, because: { rule: 'NODE-1' } };
  };
  const added = nodes.filter(({ metadata }) => !memory.nodes.has(metadata.name!));
  const removed = [...memory.nodes].filter(([name]) => !names.has(name));
  return [
    ...added.map((node) => told(node, 'RegisteredNode', `Registered Node ${node.metadata.name} in Controller`)),
    ...removed.map(([name, { uid }]) =>
      told({ apiVersion: 'v1', kind: 'Node', metadata: { name, uid } } as Node, 'RemovingNode', `Removing Node ${name} from Controller`),
    ),
  ];
}

/** What is known of the node now: a heartbeat or a lease that has changed is a sign of life. Upstream: tryUpdateNodeHealth. */
function lookAt(node: Node, { now, memory, leases }: NodesSnapshot): Health {
  const { name = '', uid = '', creationTimestamp } = node.metadata;
  const ready = conditionOf(node, 'Ready');
  const before = memory.nodes.get(name);
  const heartbeat = ready?.lastHeartbeatTime ?? undefined;
  const renewTime = leases.get(name)?.spec?.renewTime ?? undefined;
  const current = { uid, heartbeat, hasReady: ready !== undefined, renewTime };
  if (!before) return { ...current, seenAt: ready ? now : (parseTime(creationTimestamp ?? undefined) ?? now) };
  const isRenewed = renewTime !== undefined && (before.renewTime === undefined || parseTime(before.renewTime) < parseTime(renewTime));
  const isHeard = before.hasReady !== (ready !== undefined) || (ready !== undefined && before.heartbeat !== heartbeat);
  return { ...current, renewTime: renewTime ?? before.renewTime, seenAt: isRenewed || isHeard ? now : before.seenAt };
}

interface Judged {
  node: Node;
  /** As it is after this look. */
  ready: NodeCondition | undefined;
  /** It has said nothing for too long, and its status is to say so. */
  isSilenced: boolean;
  /** It was ready until now. */
  fell: boolean;
  because: Because;
}

function judged(node: Node, { seenAt }: Health, { now, options }: NodesSnapshot): Judged {
  const ready = conditionOf(node, 'Ready');
  const grace = ready ? options.nodeMonitorGracePeriodMs : options.nodeStartupGracePeriodMs;
  const isSilenced = now > seenAt + grace && ready?.status !== 'Unknown';
  const current = isSilenced ? silenced(node, now) : node;
  const because = { rule: 'NODE-2', facts: { silentMs: now - seenAt } };
  return { node: current, ready: conditionOf(current, 'Ready'), isSilenced, fell: isSilenced && ready?.status === 'True', because };
}

/** Nothing is known any more of what the kubelet tells. */
function silenced(node: Node, now: number): Node {
  const conditions = [...(node.status?.conditions ?? [])];
  for (const type of CONDITIONS) {
    const at = conditions.findIndex((condition) => condition.type === type);
    const facts = { type, status: 'Unknown', lastTransitionTime: timestamp(now) };
    const { creationTimestamp } = node.metadata;
    if (at < 0) {
      const never = { ...facts, reason: 'NodeStatusNeverUpdated', message: 'Kubelet never posted node status.' };
      conditions.push({ ...never, ...(creationTimestamp ? { lastHeartbeatTime: creationTimestamp } : {}) });
    } else if (conditions[at]!.status !== 'Unknown') {
      conditions[at] = { ...conditions[at]!, ...facts, reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' };
    }
  }
  return { ...node, status: { ...node.status, conditions } };
}

/** A taint that drives away gives way to the other at once, and goes when the node is ready. */
function swap(node: Node, ready: NodeCondition | undefined, now: number): Action[] {
  const key = noExecuteKey(ready);
  const other = key === NOT_READY ? UNREACHABLE : NOT_READY;
  const isOwn = (one: string): boolean => one === NOT_READY || one === UNREACHABLE;
  if (ready?.status === 'True') {
    const healed = withTaints(node, { effect: 'NoExecute', add: [], remove: isOwn }, now);
    return healed ? [nodeUpdate(healed, { rule: 'NODE-4' })] : [];
  }
  if (key === undefined || !hasTaint(node, other, 'NoExecute')) return [];
  const swapped = withTaints(node, { effect: 'NoExecute', add: [key], remove: isOwn }, now);
  return swapped ? [nodeUpdate(swapped, { rule: 'NODE-4' })] : [];
}

/** Upstream: RecordNodeStatusChange, MarkPodsNotReady. */
function notReadyEvents(node: Node, pods: readonly Pod[], now: number): Action[] {
  const because = { rule: 'NODE-3' };
  const message = `Node ${node.metadata.name} status is now: NodeNotReady`;
  const told: Action = { type: 'event', about: node, note: { type: 'Normal', reason: 'NodeNotReady', message }, because };
  const marks = pods.flatMap((pod): Action[] => {
    if (readyCondition(pod)?.status !== 'True') return [];
    const conditions = pod.status.conditions!.map((one) => (one.type === 'Ready' ? { ...one, status: 'False', lastTransitionTime: timestamp(now) } : one));
    return [
      { type: 'update', resource: Pods, subresource: 'status', object: { ...pod, status: { ...pod.status, conditions } } as Pod, because },
      { type: 'event', about: pod, note: { type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' }, because },
    ];
  });
  return [told, ...inParallel(marks)];
}
