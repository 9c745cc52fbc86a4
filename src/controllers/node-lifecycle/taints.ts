import type { Node, NodeCondition, Taint } from '../../api/generated/types/core.v1.ts';
import { Nodes } from '../../api/resources.ts';
import { timestamp } from '../../lib/clock.ts';
import type { Action, Because } from '../runtime/plan.ts';

export const NOT_READY = 'node.kubernetes.io/not-ready';
export const UNREACHABLE = 'node.kubernetes.io/unreachable';
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

/** Which taint a condition brings, by its status. */
const BY_CONDITION: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Ready: { False: NOT_READY, Unknown: UNREACHABLE },
  MemoryPressure: { True: 'node.kubernetes.io/memory-pressure' },
  DiskPressure: { True: 'node.kubernetes.io/disk-pressure' },
  NetworkUnavailable: { True: 'node.kubernetes.io/network-unavailable' },
  PIDPressure: { True: 'node.kubernetes.io/pid-pressure' },
};
const OWN_KEYS = new Set([UNSCHEDULABLE, ...Object.values(BY_CONDITION).flatMap((keys) => Object.values(keys))]);

export function conditionOf({ status }: Node, type: string): NodeCondition | undefined {
  return status?.conditions?.find((condition) => condition.type === type);
}

export function hasTaint({ spec }: Node, key: string, effect: string): boolean {
  return spec.taints?.some((taint) => taint.key === key && taint.effect === effect) ?? false;
}

/** The taint that keeps pods off the node, and drives away those that do not tolerate it. */
export function noExecuteKey(ready: NodeCondition | undefined): string | undefined {
  return BY_CONDITION['Ready']?.[ready?.status ?? ''];
}

/** Upstream: doNoScheduleTaintingPass. */
export function noScheduleKeys(node: Node): string[] {
  const byConditions = (node.status?.conditions ?? []).flatMap(({ type, status }) => BY_CONDITION[type]?.[status] ?? []);
  return node.spec.unschedulable ? [...byConditions, UNSCHEDULABLE] : byConditions;
}

interface TaintChange {
  effect: 'NoSchedule' | 'NoExecute';
  add: readonly string[];
  /** Whether a taint of this effect goes, by its key. */
  remove: (key: string) => boolean;
}

/** The node with its taints changed; undefined where they are right. */
export function withTaints(node: Node, { effect, add, remove }: TaintChange, now: number): Node | undefined {
  const old = node.spec.taints ?? [];
  const kept = old.filter((taint) => taint.effect !== effect || !remove(taint.key) || add.includes(taint.key));
  const missing = add.filter((key) => !hasTaint(node, key, effect));
  if (kept.length === old.length && missing.length === 0) return undefined;
  const taints: Taint[] = [...kept, ...missing.map((key) => ({ key, effect, timeAdded: timestamp(now) }))];
  const { taints: _, ...spec } = node.spec;
  return { ...node, spec: { ...spec, ...(taints.length > 0 ? { taints } : {}) } };
}

export function isOwnNoScheduleKey(key: string): boolean {
  return OWN_KEYS.has(key);
}

export function nodeUpdate(object: Node, because: Because): Action {
  return { type: 'update', resource: Nodes, object, because };
}
