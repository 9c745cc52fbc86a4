import type { NodeInfo, PodInfo, Snapshot } from './node-info.ts';

/** Why a node cannot take a pod; each reason counts once for the node. */
export interface Rejection {
  reasons: readonly string[];
  /** No pod that leaves would change it. */
  unresolvable: boolean;
}

/** Decides for one pod, node by node; undefined: the node will do. */
export type NodeFilter = (node: NodeInfo) => Rejection | undefined;

export interface FilterPlugin {
  readonly name: string;
  /** Why no node at all can take the pod; undefined: that is for the filter to say, node by node. */
  preFilter?(pod: PodInfo, snapshot: Snapshot): string | undefined;
  /** Prepares the decision for one pod; undefined: the plugin has nothing to say about this pod. */
  filter(pod: PodInfo, snapshot: Snapshot): NodeFilter | undefined;
}

export interface ScorePlugin {
  readonly name: string;
  readonly weight: number;
  /** Scores of the nodes given, in their order, from 0 (worst) to 100; undefined: no preference. */
  score(pod: PodInfo, nodes: readonly NodeInfo[], snapshot: Snapshot): readonly number[] | undefined;
}

export const MAX_SCORE = 100;

/** Scales raw values to 0..100; `reverse`: the least is the best. */
export function normalize(values: readonly number[], { reverse }: { reverse: boolean }): number[] {
  const max = Math.max(0, ...values);
  if (max === 0) return values.map(() => (reverse ? MAX_SCORE : 0));
  return values.map((value) => {
    const scaled = Math.floor((value * MAX_SCORE) / max);
    return reverse ? MAX_SCORE - scaled : scaled;
  });
}
