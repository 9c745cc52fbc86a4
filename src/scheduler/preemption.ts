import type { PodDisruptionBudget } from '../api/generated/types/policy.v1.ts';
import { selectorFrom } from '../api/labels.ts';
import type { Rejection } from './framework.ts';
import type { NodeInfo, PodInfo, Snapshot } from './node-info.ts';
import { defaultPlugins, type Plugins, wouldFit } from './schedule.ts';

/** Pods to remove from a node so that another fits. */
export interface Preemption {
  node: string;
  victims: readonly PodInfo[];
}

const priorityOf = ({ pod }: PodInfo): number => pod.spec.priority ?? 0;

const startOf = ({ pod }: PodInfo): string => pod.status.startTime ?? '';

/** More important first: by priority, then by age. */
const byImportance = (a: PodInfo, b: PodInfo): number => priorityOf(b) - priorityOf(a) || (startOf(a) < startOf(b) ? -1 : startOf(a) > startOf(b) ? 1 : 0);

/** The least important pods that must go from the node, those last whose budget can bear it least; undefined: no lower-priority pod that leaves would help. */
function victimsOn(node: NodeInfo, pod: PodInfo, snapshot: Snapshot, plugins: Plugins): Candidate | undefined {
  const pods = [...node.pods.values()];
  const lower = pods.filter((other) => priorityOf(other) < priorityOf(pod));
  if (lower.length === 0) return undefined;
  let kept = pods.filter((other) => !lower.includes(other));
  if (!wouldFit(pod, node, kept, snapshot, plugins)) return undefined;
  const overdrawing = overdrawn(lower.sort(byImportance), snapshot.budgets ?? []);
  const victims: PodInfo[] = [];
  let violations = 0;
  for (const candidate of [...lower.filter((one) => overdrawing.has(one)), ...lower.filter((one) => !overdrawing.has(one))]) {
    if (wouldFit(pod, node, [...kept, candidate], snapshot, plugins)) kept = [...kept, candidate];
    else {
      victims.push(candidate);
      if (overdrawing.has(candidate)) violations++;
    }
  }
  return { node: node.name, victims: victims.sort(byImportance), violations };
}

/** The pods whose going would overdraw a budget, if all went in this order (upstream: filterPodsWithPDBViolation). */
function overdrawn(pods: readonly PodInfo[], budgets: readonly PodDisruptionBudget[]): Set<PodInfo> {
  const left = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]));
  const result = new Set<PodInfo>();
  for (const info of pods) {
    const { namespace, labels, name = '' } = info.pod.metadata;
    if (!labels || Object.keys(labels).length === 0) continue;
    for (const [budget, allowed] of left) {
      const { selector } = budget.spec ?? {};
      // An empty selector means every pod here, none means no pod; pods that are on their way out count as disrupted already.
      if (budget.metadata.namespace !== namespace || !selector || !selectorFrom(selector).matches(labels)) continue;
      if (budget.status?.disruptedPods?.[name] !== undefined) continue;
      left.set(budget, allowed - 1);
      if (allowed <= 0) result.add(info);
    }
  }
  return result;
}

interface Candidate extends Preemption {
  /** Victims whose going overdraws a budget. */
  violations: number;
}

/** Fewer overdrawn budgets, then less important victims, then fewer are better; at last the node whose victims began last (upstream: pickOneNodeForPreemption). */
function isBetter(a: Candidate, b: Candidate): boolean {
  const highest = ({ victims }: Candidate): number => Math.max(...victims.map(priorityOf));
  const sum = ({ victims }: Candidate): number => victims.reduce((total, victim) => total + priorityOf(victim) + 2 ** 31, 0);
  const start = ({ victims }: Candidate): string =>
    victims
      .filter((victim) => priorityOf(victim) === priorityOf(victims[0]!))
      .map(startOf)
      .sort()[0] ?? '';
  if (a.violations !== b.violations) return a.violations < b.violations;
  if (highest(a) !== highest(b)) return highest(a) < highest(b);
  if (sum(a) !== sum(b)) return sum(a) < sum(b);
  if (a.victims.length !== b.victims.length) return a.victims.length < b.victims.length;
  return start(a) > start(b);
}

/**
 * Where a pod that fits nowhere could be put if less important pods gave way (upstream: DefaultPreemption). Pure.
 * @param rejections what `schedule` said of each node; those that no pod's leaving would change are not looked at
 */
export function preempt(
  snapshot: Snapshot,
  pod: PodInfo,
  rejections: ReadonlyMap<string, Rejection>,
  plugins: Plugins = defaultPlugins,
): Preemption | undefined {
  if (pod.pod.spec.preemptionPolicy === 'Never') return undefined;
  let best: Candidate | undefined;
  for (const node of snapshot.nodes) {
    if (rejections.get(node.name)?.unresolvable !== false) continue;
    const candidate = victimsOn(node, pod, snapshot, plugins);
    if (!candidate?.victims.length) continue;
    if (!best || isBetter(candidate, best)) best = candidate;
  }
  return best;
}
