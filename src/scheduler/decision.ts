import type { Rng } from '../lib/rng.ts';
import { unschedulableMessage } from './diagnosis.ts';
import type { NodeInfo, PodInfo, Snapshot } from './node-info.ts';
import { type Preemption, preempt } from './preemption.ts';
import { defaultPlugins, type Plugins, schedule } from './schedule.ts';

/** The rule of SPEC.md that a decision follows, and the facts that it was applied to. */
export interface Because {
  rule: `SCH-${number}`;
  [fact: string]: string | number;
}

/** What is to be done with one pod that has no node. */
export type Decision =
  | { type: 'bind'; node: string; looked: number; because: Because }
  /** It fits nowhere for now; `preemption` makes room for it. */
  | { type: 'wait'; message: string; preemption: Preemption | undefined; because: Because };

export interface DecisionOptions {
  rng: Rng;
  /** The node to look at first. */
  startAt: number;
  plugins?: Plugins;
}

/** One scheduling cycle. Pure but for the draws of `rng`. Throws what a plugin throws. */
export function decide(snapshot: Snapshot, pod: PodInfo, { rng, startAt, plugins = defaultPlugins }: DecisionOptions): Decision {
  const { nodes } = snapshot;
  for (const plugin of nodes.length > 0 ? plugins.filters : []) {
    const fault = plugin.preFilter?.(pod, snapshot);
    if (fault !== undefined) return refuseAll(fault, nodes.length);
  }
  const placement = schedule(snapshot, pod, { rng, startAt, plugins });
  if ('node' in placement) {
    const { node, looked } = placement;
    return { type: 'bind', node, looked, because: { rule: 'SCH-1', node, looked, nodes: nodes.length } };
  }
  const { rejections } = placement;
  const preemption = isWaitingForVictims(pod, nodes) ? undefined : preempt(snapshot, pod, rejections, plugins);
  const mayPreempt = pod.pod.spec.preemptionPolicy !== 'Never';
  const message = unschedulableMessage({ nodes: nodes.length, rejections, mayPreempt, preempting: preemption !== undefined });
  const because: Because = preemption ? { rule: 'SCH-20', node: preemption.node, victims: preemption.victims.length } : { rule: 'SCH-3', nodes: nodes.length };
  return { type: 'wait', message, preemption, because };
}

/** SCH-25: with no node to look at, nothing is said of preemption but that upstream has found nothing about it. */
function refuseAll(fault: string, nodes: number): Decision {
  const message = `0/${nodes} nodes are available: ${fault}. not found`;
  return { type: 'wait', message, preemption: undefined, because: { rule: 'SCH-25', nodes } };
}

/** SCH-22: pods that have been asked to make room for this one are still leaving. */
function isWaitingForVictims({ pod }: PodInfo, nodes: readonly NodeInfo[]): boolean {
  const { nominatedNodeName } = pod.status;
  const node = nominatedNodeName === undefined ? undefined : nodes.find(({ name }) => name === nominatedNodeName);
  if (!node) return false;
  return [...node.pods.values()].some((other) => other.pod.metadata.deletionTimestamp && (other.pod.spec.priority ?? 0) < (pod.spec.priority ?? 0));
}
