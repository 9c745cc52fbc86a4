import { deepEqual } from '../../api/equality.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import type { Condition } from '../../api/generated/types/meta.v1.ts';
import type { PodDisruptionBudget, PodDisruptionBudgetStatus } from '../../api/generated/types/policy.v1.ts';
import { PodDisruptionBudgets } from '../../api/resources.ts';
import { parseTime, timestamp } from '../../lib/clock.ts';
import { isPodReady } from '../pod-state.ts';
import type { Action, Plan } from '../runtime/plan.ts';

/** What is known of a budget when it is looked at. */
export interface DisruptionSnapshot {
  now: number;
  budget: PodDisruptionBudget;
  /** The pods that it selects. */
  pods: readonly Pod[];
  scale: Scale;
}

/** How many pods those who control them want. */
export interface Scale {
  expected: number;
  /** Pods that nobody controls. */
  unmanaged: readonly Pod[];
  /** A pod whose controller cannot be found, or has no size: the budget cannot be reckoned. */
  uncontrolled: Pod | undefined;
}

/** An eviction that has not become a deletion by then is forgotten. */
const DELETION_TIMEOUT_MS = 120_000;

/** Upstream: pkg/controller/disruption/disruption.go (trySync, failSafe, updatePdbStatus). */
export function planDisruption(snapshot: DisruptionSnapshot): Plan {
  const { budget, pods, scale } = snapshot;
  const notes = pods.length === 0 ? [note(budget, 'Normal', 'NoPods', 'No matching pods found')] : [];
  if (needsScale(budget) && scale.uncontrolled) return planFailure(snapshot, notes, `found no controllers for pod "${scale.uncontrolled.metadata.name}"`);
  if (needsScale(budget) && scale.unmanaged.length > 0) notes.push(note(budget, 'Warning', 'UnmanagedPods', unmanagedMessage(budget)));
  const disrupted = disruptedPods(snapshot);
  const status = nextStatus(snapshot, disrupted.awaited);
  const late = disrupted.late.map((pod): Action => note(pod, 'Warning', 'NotDeleted', `Pod was expected by PDB ${nameOf(budget)} to be deleted but it wasn't`));
  const changed = !deepEqual(status, budget.status);
  return {
    actions: [...notes, ...late, ...(changed ? [updateStatus(budget, status)] : [])],
    ...(disrupted.recheckAfterMs === undefined ? {} : { requeueAfterMs: disrupted.recheckAfterMs }),
  };
}

/** Nobody may disturb pods of which it is not known how many there should be. */
function planFailure({ now, budget }: DisruptionSnapshot, notes: Action[], failure: string): Plan {
  const told = note(budget, 'Warning', 'CalculateExpectedPodCountFailed', `Failed to calculate the number of expected pods: ${failure}`);
  const facts = { status: 'False', reason: 'SyncFailed', message: failure };
  const status = {
    ...budget.status,
    disruptionsAllowed: 0,
    conditions: withCondition(budget, facts, { now, observedGeneration: budget.status?.observedGeneration }),
  };
  const update = deepEqual(status, budget.status) ? [] : [updateStatus(budget, status)];
  return { actions: [...notes, told, ...update], failure };
}

function nextStatus({ now, budget, pods, scale }: DisruptionSnapshot, awaited: Record<string, string>): PodDisruptionBudgetStatus {
  const healthy = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined && awaited[pod.metadata.name!] === undefined && isPodReady(pod));
  const { expectedPods, desiredHealthy } = expectations(budget, pods.length, scale.expected);
  const allowed = expectedPods <= 0 ? 0 : Math.max(healthy.length - desiredHealthy, 0);
  const observedGeneration = budget.metadata.generation ?? 0;
  const facts = allowed > 0 ? { status: 'True', reason: 'SufficientPods', message: '' } : { status: 'False', reason: 'InsufficientPods', message: '' };
  return {
    conditions: withCondition(budget, facts, { now, observedGeneration }),
    currentHealthy: healthy.length,
    desiredHealthy,
    ...(Object.keys(awaited).length > 0 ? { disruptedPods: awaited } : {}),
    disruptionsAllowed: allowed,
    expectedPods,
    observedGeneration,
  };
}

/** A number of pods to keep counts the pods that there are; everything else is reckoned from what their controllers want. */
export function needsScale({ spec }: PodDisruptionBudget): boolean {
  return spec.maxUnavailable !== undefined || typeof spec.minAvailable === 'string';
}

function expectations({ spec }: PodDisruptionBudget, count: number, scale: number): { expectedPods: number; desiredHealthy: number } {
  const { minAvailable, maxUnavailable } = spec;
  if (maxUnavailable !== undefined) return { expectedPods: scale, desiredHealthy: Math.max(scale - resolve(maxUnavailable, scale), 0) };
  if (minAvailable === undefined) return { expectedPods: 0, desiredHealthy: 0 };
  return typeof minAvailable === 'number'
    ? { expectedPods: count, desiredHealthy: minAvailable }
    : { expectedPods: scale, desiredHealthy: resolve(minAvailable, scale) };
}

/** Percentages are rounded up, on both sides. */
function resolve(value: number | string, total: number): number {
  return typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * total) / 100);
}

interface DisruptedPods {
  /** Evicted pods whose deletion is still to be seen, with the times of their evictions. */
  awaited: Record<string, string>;
  /** Evicted, and yet they live. */
  late: Pod[];
  recheckAfterMs: number | undefined;
}

function disruptedPods({ now, budget, pods }: DisruptionSnapshot): DisruptedPods {
  const known = budget.status?.disruptedPods ?? {};
  const result: DisruptedPods = { awaited: {}, late: [], recheckAfterMs: undefined };
  for (const pod of pods) {
    const name = pod.metadata.name!;
    const evictedAt = parseTime(known[name]);
    if (evictedAt === undefined || pod.metadata.deletionTimestamp !== undefined) continue;
    const leftMs = evictedAt + DELETION_TIMEOUT_MS - now;
    if (leftMs < 0) result.late.push(pod);
    else {
      result.awaited[name] = known[name]!;
      result.recheckAfterMs = Math.min(result.recheckAfterMs ?? Number.POSITIVE_INFINITY, leftMs + 1);
    }
  }
  return result;
}

type ConditionFacts = Pick<Condition, 'status' | 'reason' | 'message'>;

function withCondition({ status }: PodDisruptionBudget, facts: ConditionFacts, at: { now: number; observedGeneration: number | undefined }): Condition[] {
  const type = 'DisruptionAllowed';
  const conditions = status?.conditions ?? [];
  const current = conditions.find((condition) => condition.type === type);
  const lastTransitionTime = current?.status === facts.status ? current.lastTransitionTime : timestamp(at.now);
  const next: Condition = { lastTransitionTime, ...facts, ...(at.observedGeneration ? { observedGeneration: at.observedGeneration } : {}), type };
  return current ? conditions.map((condition) => (condition === current ? next : condition)) : [...conditions, next];
}

function updateStatus(budget: PodDisruptionBudget, status: PodDisruptionBudgetStatus): Action {
  const object: PodDisruptionBudget = { ...budget, status };
  return { type: 'update', resource: PodDisruptionBudgets, subresource: 'status', object };
}

function note(about: PodDisruptionBudget | Pod, type: 'Normal' | 'Warning', reason: string, message: string): Action {
  return { type: 'event', about, note: { type, reason, message } };
}

function nameOf({ metadata }: PodDisruptionBudget): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function unmanagedMessage({ spec }: PodDisruptionBudget): string {
  const labels = Object.entries(spec.selector?.matchLabels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  const selector = `&LabelSelector{MatchLabels:map[string]string{${labels.map(([key, value]) => `${key}: ${value},`).join('')}},MatchExpressions:[]LabelSelectorRequirement{},}`;
  return `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" field of the PDB to an integer value.`;
}
