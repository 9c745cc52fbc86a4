import { assert } from '../lib/assert.ts';
import type { Rng } from '../lib/rng.ts';
import type { FilterPlugin, NodeFilter, Rejection, ScorePlugin } from './framework.ts';
import { NodeInfo, type PodInfo, type Snapshot } from './node-info.ts';
import { interPodAffinity } from './plugins/inter-pod-affinity/inter-pod-affinity.ts';
import { nodeAffinity } from './plugins/node-affinity/node-affinity.ts';
import { nodeName } from './plugins/node-name/node-name.ts';
import { nodePorts } from './plugins/node-ports/node-ports.ts';
import { nodeResourcesBalancedAllocation, nodeResourcesFit } from './plugins/node-resources/node-resources.ts';
import { nodeUnschedulable } from './plugins/node-unschedulable/node-unschedulable.ts';
import { podTopologySpread } from './plugins/pod-topology-spread/pod-topology-spread.ts';
import { selectorSpread } from './plugins/selector-spread/selector-spread.ts';
import { taintToleration } from './plugins/taint-toleration/taint-toleration.ts';
import { volumeBinding } from './plugins/volume-binding/volume-binding.ts';
import { volumeRestrictions } from './plugins/volume-restrictions/volume-restrictions.ts';

export interface Plugins {
  /** In order: a node's first rejection is the one that counts. */
  filters: readonly FilterPlugin[];
  scores: readonly ScorePlugin[];
}

/** Upstream's default plugins, in its order. */
export const defaultPlugins: Plugins = {
  filters: [
    nodeUnschedulable,
    nodeName,
    taintToleration,
    nodeAffinity,
    nodePorts,
    nodeResourcesFit,
    volumeRestrictions,
    volumeBinding,
    podTopologySpread,
    interPodAffinity,
  ],
  scores: [taintToleration, nodeAffinity, nodeResourcesFit, nodeResourcesBalancedAllocation, podTopologySpread, interPodAffinity, selectorSpread],
};

/** Nodes below this number are all looked at. */
const MIN_FEASIBLE = 100;

/** How many nodes that would do are enough to choose from (upstream: numFeasibleNodesToFind). */
export function feasibleEnough(nodes: number): number {
  if (nodes < MIN_FEASIBLE) return nodes;
  const percent = Math.max(50 - Math.floor(nodes / 125), 5);
  return Math.max(Math.floor((nodes * percent) / 100), MIN_FEASIBLE);
}

export type Placement = { node: string; looked: number } | { rejections: ReadonlyMap<string, Rejection> };

/**
 * Chooses a node for a pod, or tells why each node cannot take it. Pure but for the draws of `rng`, which decide between
 * nodes of equal score.
 * @param options.startAt the node to look at first; with many nodes not all are looked at
 */
export function schedule(
  snapshot: Snapshot,
  pod: PodInfo,
  { rng, plugins = defaultPlugins, startAt = 0 }: { rng: Rng; plugins?: Plugins; startAt?: number },
): Placement {
  const { nodes } = snapshot;
  const filters = filtersFor(pod, snapshot, plugins);
  const rejectionOf = (node: NodeInfo): Rejection | undefined =>
    beside(nominatedOn(node, pod, snapshot), node, pod, snapshot, plugins) ?? firstRejection(filters, node);
  // SCH-24: the room was made for this pod.
  const nominated = nodes.find(({ name }) => name === pod.pod.status.nominatedNodeName);
  if (nominated && !rejectionOf(nominated)) return { node: nominated.name, looked: 1 };
  const rejections = new Map<string, Rejection>();
  const feasible: NodeInfo[] = [];
  const enough = feasibleEnough(nodes.length);
  let looked = 0;
  for (; looked < nodes.length && feasible.length < enough; looked++) {
    const node = nodes[(startAt + looked) % nodes.length]!;
    const rejection = rejectionOf(node);
    if (rejection) rejections.set(node.name, rejection);
    else feasible.push(node);
  }
  if (feasible.length === 0) return { rejections };
  return { node: best(snapshot, pod, feasible, { rng, scores: plugins.scores }).name, looked };
}

/** Whether the pod would fit on the node if only `pods` were there, beside those that are nominated to it. */
export function wouldFit(pod: PodInfo, node: NodeInfo, pods: readonly PodInfo[], snapshot: Snapshot, plugins: Plugins): boolean {
  return [[...pods, ...nominatedOn(node, pod, snapshot)], pods].every((all) => !rejectionWith(all, node, pod, snapshot, plugins));
}

function filtersFor(pod: PodInfo, snapshot: Snapshot, plugins: Plugins): NodeFilter[] {
  return plugins.filters.flatMap((plugin) => plugin.filter(pod, snapshot) ?? []);
}

function firstRejection(filters: readonly NodeFilter[], node: NodeInfo): Rejection | undefined {
  for (const filter of filters) {
    const rejection = filter(node);
    if (rejection) return rejection;
  }
  return undefined;
}

/** SCH-24: the pods for which room is being made on the node, as far as this one must not take it from them. */
function nominatedOn(node: NodeInfo, { pod }: PodInfo, { nominated }: Snapshot): readonly PodInfo[] {
  const others = nominated?.get(node.name) ?? [];
  return others.filter((other) => other.pod.metadata.uid !== pod.metadata.uid && (other.pod.spec.priority ?? 0) >= (pod.spec.priority ?? 0));
}

function beside(others: readonly PodInfo[], node: NodeInfo, pod: PodInfo, snapshot: Snapshot, plugins: Plugins): Rejection | undefined {
  return others.length === 0 ? undefined : rejectionWith([...node.pods.values(), ...others], node, pod, snapshot, plugins);
}

/** What the filters would say of the node if it had these pods. */
function rejectionWith(pods: readonly PodInfo[], node: NodeInfo, pod: PodInfo, snapshot: Snapshot, plugins: Plugins): Rejection | undefined {
  const changed = new NodeInfo(node.node, pods);
  const nodes = snapshot.nodes.map((other) => (other === node ? changed : other));
  return firstRejection(filtersFor(pod, { ...snapshot, nodes }, plugins), changed);
}

function best(snapshot: Snapshot, pod: PodInfo, nodes: readonly NodeInfo[], { rng, scores }: { rng: Rng; scores: readonly ScorePlugin[] }): NodeInfo {
  const [only, ...others] = nodes;
  if (only && others.length === 0) return only;
  const weighted = scores.flatMap((plugin) => {
    const values = plugin.score(pod, nodes, snapshot);
    assert(!values || values.length === nodes.length, `${plugin.name} scores each node once`);
    return values ? [{ weight: plugin.weight, values }] : [];
  });
  const totals = nodes.map((_, index) => weighted.reduce((total, { weight, values }) => total + weight * (values[index] ?? 0), 0));
  const top = Math.max(...totals);
  return rng.pick(nodes.filter((_, index) => totals[index] === top));
}
