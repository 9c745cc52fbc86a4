import type { Node } from '../../api/generated/types/core.v1.ts';
import { keyOf } from '../../api/object.ts';
import { Leases, Nodes, Pods } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { byKey, type Controller, watchRule } from '../runtime/controller.ts';
import { NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';
import { NOTHING_KNOWN, type NodeLifecycleOptions, type NodeMemory, type NodesSnapshot, planNodes } from './monitor.ts';
import { isOwnNoScheduleKey, nodeUpdate, noScheduleKeys, withTaints } from './taints.ts';

const BY_NODE = 'node';
const KEY = 'nodes';
const LEASES = 'kube-node-lease';

/** Upstream's. */
const DEFAULTS: Required<NodeLifecycleOptions> = {
  nodeMonitorGracePeriodMs: 50_000,
  nodeStartupGracePeriodMs: 60_000,
  nodeMonitorPeriodMs: 5000,
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  unhealthyZoneThreshold: 0.55,
  largeClusterSizeThreshold: 50,
};

/** Watches over nodes: those that say nothing are Unknown, and their pods are driven away. Upstream: pkg/controller/nodelifecycle. */
export function nodeLifecycleController(informers: InformerFactory, options: NodeLifecycleOptions = {}): Controller<NodesSnapshot> {
  const nodes = informers.lister(Nodes);
  const leases = informers.lister(Leases);
  const pods = informers.informer(Pods);
  pods.addIndex(BY_NODE, ({ spec }) => (spec.nodeName ? [spec.nodeName] : []));
  return {
    name: 'node-controller',
    watches: [watchRule(Nodes, () => []), watchRule(Leases, () => []), watchRule(Pods, () => [])],
    initialKeys: [KEY],
    observe: async (_, { now, memory }) => ({
      now,
      nodes: nodes.list(),
      leases: new Map(leases.list({ namespace: LEASES }).map((lease) => [lease.metadata.name!, lease])),
      podsOn: (name) => pods.lister.by(BY_NODE, name),
      memory: (memory as NodeMemory | undefined) ?? NOTHING_KNOWN,
      options: { ...DEFAULTS, ...options },
    }),
    plan: planNodes,
  };
}

export interface NodeSnapshot {
  now: number;
  node: Node;
}

/** Conditions of nodes become taints that keep new pods away. Upstream: doNoScheduleTaintingPass, reconcileNodeLabels. */
export function nodeTaintController(informers: InformerFactory): Controller<NodeSnapshot> {
  const nodes = informers.lister(Nodes);
  return {
    name: 'node-controller',
    watches: [watchRule(Nodes, ({ type, object }) => (type === 'deleted' ? [] : [keyOf(object)]))],
    observe: async (key, { now }) => {
      const node = byKey(nodes, key);
      return node && { now, node };
    },
    plan: planTaints,
  };
}

/** Labels of long ago that follow those of today. */
const OLD_LABELS = [
  ['kubernetes.io/os', 'beta.kubernetes.io/os'],
  ['kubernetes.io/arch', 'beta.kubernetes.io/arch'],
] as const;
const TTL = 'node.alpha.kubernetes.io/ttl';

export function planTaints({ now, node }: NodeSnapshot): Plan {
  const wanted = noScheduleKeys(node);
  const tainted = withTaints(node, { effect: 'NoSchedule', add: wanted, remove: isOwnNoScheduleKey }, now) ?? node;
  const { labels = {}, annotations = {} } = node.metadata;
  const old = Object.fromEntries(
    OLD_LABELS.flatMap(([now_, before]) => (labels[now_] !== undefined && labels[before] !== labels[now_] ? [[before, labels[now_]]] : [])),
  );
  const isLabelled = Object.keys(old).length === 0;
  // Upstream's ttl-controller: for so long kubelets may keep what they have read; nothing below a hundred nodes.
  const hasTtl = annotations[TTL] !== undefined;
  if (tainted === node && isLabelled && hasTtl) return NOTHING_TO_DO;
  const metadata = {
    ...node.metadata,
    ...(isLabelled ? {} : { labels: { ...labels, ...old } }),
    ...(hasTtl ? {} : { annotations: { ...annotations, [TTL]: '0' } }),
  };
  return { actions: [nodeUpdate({ ...tainted, metadata }, { rule: 'NODE-7', facts: { taints: wanted.length } })] };
}
