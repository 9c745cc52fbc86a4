import { parseTime } from '../lib/clock.ts';
import { podResources } from './core/v1/pod/requests.ts';
import type { PersistentVolumeClaim, Pod, PodAffinityTerm, Service } from './generated/types/core.v1.ts';
import type { KubeObject } from './object.ts';
import { compareQuantities, isZeroQuantity } from './quantity.ts';

export { addResources as add } from './resource-list.ts';

/** Amounts by quota resource name, e.g. `requests.cpu`. */
export type Usage = Record<string, string>;

const COMPUTE = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** Kinds that quotas count under their plain plural as well as under count/<resource>.<group>. */
const PLAIN_COUNTS = new Set(['configmaps', 'persistentvolumeclaims', 'replicationcontrollers', 'resourcequotas', 'secrets', 'services']);

/**
 * What one object uses of a namespace's quotas (upstream: pkg/quota/v1/evaluator/core). Pods that have come to their end use nothing.
 * @param nowMs without it, no pod counts as past its grace period.
 */
export function usageOf({ group, resource }: { group: string; resource: string }, object: KubeObject, nowMs?: number): Usage {
  const usage: Usage = { [`count/${resource}${group ? `.${group}` : ''}`]: '1', ...(group === '' && PLAIN_COUNTS.has(resource) ? { [resource]: '1' } : {}) };
  if (group !== '') return usage;
  if (resource === 'pods') return { ...usage, ...(podCounts(object as Pod, nowMs) ? podUsage(object as Pod) : {}) };
  if (resource === 'services') return { ...usage, ...serviceUsage(object as Service) };
  if (resource === 'persistentvolumeclaims') return { ...usage, ...claimUsage(object as PersistentVolumeClaim) };
  return usage;
}

/** Upstream: QuotaV1Pod. A pod that should be gone, as on a lost node, is not charged; the grace period is added to its end once more. */
function podCounts({ metadata, status }: Pod, nowMs = Number.NEGATIVE_INFINITY): boolean {
  if (status?.phase === 'Succeeded' || status?.phase === 'Failed') return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return nowMs <= parseTime(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function podUsage(pod: Pod): Usage {
  const requests = podResources(pod.spec, 'requests');
  const limits = podResources(pod.spec, 'limits');
  const usage: Usage = { pods: '1' };
  for (const [name, value] of Object.entries(requests)) {
    if (COMPUTE.has(name) || name.startsWith('hugepages-')) usage[name] = value;
    usage[`requests.${name}`] = value;
  }
  for (const [name, value] of Object.entries(limits)) if (COMPUTE.has(name)) usage[`limits.${name}`] = value;
  return usage;
}

function serviceUsage({ spec }: Service): Usage {
  const ports = String(spec.ports?.length ?? 0);
  if (spec.type === 'NodePort') return { 'services.nodeports': ports };
  if (spec.type === 'LoadBalancer')
    return { 'services.loadbalancers': '1', ...(spec.allocateLoadBalancerNodePorts === false ? {} : { 'services.nodeports': ports }) };
  return {};
}

const BETA_STORAGE_CLASS = 'volume.beta.kubernetes.io/storage-class';

/** Upstream: pvcEvaluator.Usage. The beta annotation, even an empty one, goes before the field (GetPersistentVolumeClaimClass). */
function claimUsage({ metadata, spec, status }: PersistentVolumeClaim): Usage {
  const storageClass = metadata.annotations?.[BETA_STORAGE_CLASS] ?? spec.storageClassName;
  const [requested, allocated] = [spec.resources?.requests?.['storage'], status?.allocatedResources?.['storage']];
  const storage = requested !== undefined && allocated !== undefined && compareQuantities(allocated, requested) > 0 ? allocated : requested;
  const usage: Usage = storage === undefined ? {} : { 'requests.storage': storage };
  const byClass = { persistentvolumeclaims: '1', ...usage };
  return storageClass
    ? { ...usage, ...Object.fromEntries(Object.entries(byClass).map(([name, value]) => [`${storageClass}.storageclass.storage.k8s.io/${name}`, value])) }
    : usage;
}

/** Whether a quota with these scopes counts this pod (pkg/quota/v1/evaluator/core: podMatchesScopeFunc). */
export function podMatchesScope(pod: Pod, scope: string, { operator, values = [] }: { operator?: string; values?: readonly string[] } = {}): boolean {
  const terminating = pod.spec.activeDeadlineSeconds !== undefined;
  switch (scope) {
    case 'Terminating':
      return terminating;
    case 'NotTerminating':
      return !terminating;
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass': {
      const name = pod.spec.priorityClassName ?? '';
      if (operator === 'In') return values.includes(name);
      if (operator === 'NotIn') return !values.includes(name);
      return operator === 'DoesNotExist' ? name === '' : name !== '';
    }
    case 'CrossNamespacePodAffinity':
      return reachesOtherNamespaces(pod);
    default:
      return false;
  }
}

/** Amounts of 0 are as none (upstream: component-helpers, ComputePodQOS). */
function isBestEffort({ spec }: Pod): boolean {
  return [...spec.containers, ...(spec.initContainers ?? [])].every(({ resources }) =>
    [...Object.entries(resources?.requests ?? {}), ...Object.entries(resources?.limits ?? {})].every(
      ([name, value]) => (name !== 'cpu' && name !== 'memory') || isZeroQuantity(value),
    ),
  );
}

/** Upstream: usesCrossNamespacePodAffinity. An empty namespaceSelector selects all namespaces. */
function reachesOtherNamespaces({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const terms = [podAffinity, podAntiAffinity].flatMap((affinity): PodAffinityTerm[] => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some(({ namespaces, namespaceSelector }) => (namespaces?.length ?? 0) > 0 || namespaceSelector !== undefined);
}
