import { allowsNode } from '../../api/core/v1/node/selector.ts';
import { untolerated } from '../../api/core/v1/pod/tolerations.ts';
import type { DaemonSet } from '../../api/generated/types/apps.v1.ts';
import type { Affinity, Node, Pod, PodSpec, PodTemplateSpec, Toleration } from '../../api/generated/types/core.v1.ts';

const NAME_FIELD = 'metadata.name';

/** What every pod of a DaemonSet tolerates: troubles of its node do not drive it away. Upstream: AddOrUpdateDaemonPodTolerations. */
const TOLERATIONS: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];
const HOST_NETWORK_TOLERATION: Toleration = { key: 'node.kubernetes.io/network-unavailable', operator: 'Exists', effect: 'NoSchedule' };

/** The template's tolerations with a daemon's own; one for the same taint gives way to the daemon's. */
export function daemonTolerations(spec: PodSpec): Toleration[] {
  const tolerations = [...(spec.tolerations ?? [])];
  for (const own of spec.hostNetwork ? [...TOLERATIONS, HOST_NETWORK_TOLERATION] : TOLERATIONS) {
    const at = tolerations.findIndex(({ key, operator, value, effect }) => key === own.key && operator === own.operator && !value && effect === own.effect);
    if (at < 0) tolerations.push(own);
    else tolerations[at] = own;
  }
  return tolerations;
}

/** The pod's affinity with the node's name in the place of all that was required of nodes. Upstream: ReplaceDaemonSetPodNodeNameNodeAffinity. */
export function affinityForNode(affinity: Affinity | undefined, nodeName: string): Affinity {
  const nodeSelectorTerms = [{ matchFields: [{ key: NAME_FIELD, operator: 'In', values: [nodeName] }] }];
  return { ...affinity, nodeAffinity: { ...affinity?.nodeAffinity, requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } };
}

/** The node that a pod is on or is made for; undefined where it names none. Upstream: GetTargetNodeName. */
export function targetNode({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  for (const { matchFields } of terms) {
    const named = matchFields?.find(({ key, operator }) => key === NAME_FIELD && operator === 'In');
    if (named) return named.values?.length === 1 ? named.values[0] : undefined;
  }
  return undefined;
}

/** Whether a pod should be made on a node, and whether one that is there may stay. */
export interface Fit {
  run: boolean;
  stay: boolean;
}

/** Upstream: NodeShouldRunDaemonPod. */
export function fitOf(template: PodTemplateSpec, node: Node): Fit {
  const { spec } = template;
  if (spec.nodeName && spec.nodeName !== node.metadata.name) return { run: false, stay: false };
  if (!allowsNode(spec, node)) return { run: false, stay: false };
  const tolerations = daemonTolerations(spec);
  if (!untolerated(node.spec.taints, tolerations, ['NoExecute', 'NoSchedule'])) return { run: true, stay: true };
  return { run: false, stay: !untolerated(node.spec.taints, tolerations, ['NoExecute']) };
}

type IntOrPercent = number | string;

/** How many nodes may be without an available pod, and how many may have a second one, of `wanted` nodes; both rounded up. */
export function updateLimits({ spec }: DaemonSet, wanted: number): { maxUnavailable: number; maxSurge: number } {
  if (spec.updateStrategy?.type !== 'RollingUpdate') return { maxUnavailable: 0, maxSurge: 0 };
  const { maxUnavailable, maxSurge } = spec.updateStrategy.rollingUpdate ?? {};
  return { maxUnavailable: resolve(maxUnavailable ?? 0, wanted), maxSurge: resolve(maxSurge ?? 0, wanted) };
}

function resolve(value: IntOrPercent, total: number): number {
  return typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * total) / 100);
}

/** Whether a node may have an old and a new pod at a time. */
export function allowsSurge(daemonSet: DaemonSet): boolean {
  return updateLimits(daemonSet, 1).maxSurge > 0;
}
