import type { Container, PersistentVolumeClaim, Pod, ResourceQuota, Service } from '../../api/generated/types/core.v1.ts';
import type { LabelSelectorRequirement } from '../../api/generated/types/meta.v1.ts';
import { type KubeObject, qualifiedResource, type Resource } from '../../api/object.ts';
import { addQuantities, compareQuantities } from '../../api/quantity.ts';

/** Amounts by the names that quotas use, e.g. `pods`, `requests.cpu`, `count/deployments.apps`. */
export type Usage = Record<string, string>;

const SHORT_NAMES = new Set(['cpu', 'memory', 'ephemeral-storage']);
const COUNTED = new Set(['configmaps', 'secrets', 'services', 'persistentvolumeclaims', 'replicationcontrollers', 'resourcequotas']);

export function add(a: Usage, b: Usage): Usage {
  const sum = { ...a };
  for (const [name, amount] of Object.entries(b)) sum[name] = sum[name] === undefined ? amount : addQuantities(sum[name], amount);
  return sum;
}

/** What one object uses. Upstream: pkg/quota/v1/evaluator/core. */
export function usageOf(resource: Resource, object: KubeObject, now: number): Usage {
  const counted: Usage = { [`count/${qualifiedResource(resource)}`]: '1' };
  if (resource.group !== '') return counted;
  if (resource.resource === 'pods') return isCharged(object as Pod, now) ? { ...counted, ...podUsage(object as Pod) } : counted;
  if (!COUNTED.has(resource.resource)) return counted;
  const named: Usage = { ...counted, [resource.resource]: '1' };
  if (resource.resource === 'services') return { ...named, ...serviceUsage(object as Service) };
  if (resource.resource === 'persistentvolumeclaims') return { ...named, ...claimUsage(object as PersistentVolumeClaim) };
  return named;
}

/** A finished pod uses nothing, nor does one whose time to terminate is over. */
function isCharged({ metadata, status }: Pod, now: number): boolean {
  if (status?.phase === 'Failed' || status?.phase === 'Succeeded') return false;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return true;
  return now <= Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function podUsage(pod: Pod): Usage {
  const requests = podResources(pod, 'requests');
  const limits = podResources(pod, 'limits');
  const usage: Usage = { pods: '1' };
  for (const [name, amount] of Object.entries(requests)) {
    if (SHORT_NAMES.has(name)) usage[name] = amount;
    if (SHORT_NAMES.has(name) || name.includes('/') || name.startsWith('hugepages-')) usage[`requests.${name}`] = amount;
    if (name.startsWith('hugepages-')) usage[name] = amount;
  }
  for (const [name, amount] of Object.entries(limits)) if (SHORT_NAMES.has(name)) usage[`limits.${name}`] = amount;
  return usage;
}

/** All containers together, or the largest init container with the sidecars before it, whichever is more; plus overhead. */
export function podResources({ spec }: Pod, part: 'requests' | 'limits'): Usage {
  const own = ({ resources }: Container): Usage => (resources?.[part] ?? {}) as Usage;
  let running = (spec.containers ?? []).map(own).reduce(add, {});
  let sidecars: Usage = {};
  let peak: Usage = {};
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      sidecars = add(sidecars, own(container));
      peak = larger(peak, sidecars);
    } else peak = larger(peak, add(sidecars, own(container)));
  }
  running = larger(add(running, sidecars), peak);
  const overhead = (spec.overhead ?? {}) as Usage;
  const counted = part === 'requests' ? overhead : Object.fromEntries(Object.entries(overhead).filter(([name]) => running[name] !== undefined));
  return add(running, counted);
}

function larger(a: Usage, b: Usage): Usage {
  const most = { ...a };
  for (const [name, amount] of Object.entries(b)) if (most[name] === undefined || compareQuantities(most[name], amount) < 0) most[name] = amount;
  return most;
}

function serviceUsage({ spec }: Service): Usage {
  const ports = spec.ports?.length ?? 0;
  if (spec.type === 'NodePort') return { 'services.nodeports': String(ports) };
  if (spec.type !== 'LoadBalancer') return {};
  const allocated = spec.allocateLoadBalancerNodePorts === false ? (spec.ports ?? []).filter(({ nodePort }) => nodePort).length : ports;
  return { 'services.loadbalancers': '1', 'services.nodeports': String(allocated) };
}

function claimUsage({ spec, metadata }: PersistentVolumeClaim): Usage {
  const storage = (spec.resources?.requests as Usage | undefined)?.['storage'];
  const storageClass = spec.storageClassName ?? metadata.annotations?.['volume.beta.kubernetes.io/storage-class'];
  const usage: Usage = storage ? { 'requests.storage': storage } : {};
  if (!storageClass) return usage;
  const prefix = `${storageClass}.storageclass.storage.k8s.io`;
  return { ...usage, [`${prefix}/persistentvolumeclaims`]: '1', ...(storage ? { [`${prefix}/requests.storage`]: storage } : {}) };
}

/** Whether the quota's scopes let it count the object. Quotas with scopes count pods only. */
export function isInScope({ spec }: ResourceQuota, resource: Resource, object: KubeObject): boolean {
  const expressions: LabelSelectorRequirement[] = [
    ...(spec.scopes ?? []).map((scope) => ({ key: scope, operator: 'Exists' })),
    ...(spec.scopeSelector?.matchExpressions ?? []).map(({ scopeName, operator, values }) => ({ key: scopeName, operator, ...(values ? { values } : {}) })),
  ];
  if (expressions.length === 0) return true;
  if (resource.group !== '' || resource.resource !== 'pods') return false;
  return expressions.every((expression) => matchesScope(object as Pod, expression));
}

function matchesScope(pod: Pod, { key, operator, values = [] }: LabelSelectorRequirement): boolean {
  const { spec } = pod;
  switch (key) {
    case 'Terminating':
      return (spec.activeDeadlineSeconds ?? -1) >= 0;
    case 'NotTerminating':
      return (spec.activeDeadlineSeconds ?? -1) < 0;
    case 'BestEffort':
      return isBestEffort(pod);
    case 'NotBestEffort':
      return !isBestEffort(pod);
    case 'PriorityClass':
      return matchesValue(spec.priorityClassName ?? '', operator, values);
    case 'CrossNamespacePodAffinity':
      return usesOtherNamespaces(pod);
    default:
      return false;
  }
}

function matchesValue(value: string, operator: string, values: readonly string[]): boolean {
  switch (operator) {
    case 'Exists':
      return value !== '';
    case 'DoesNotExist':
      return value === '';
    case 'In':
      return value !== '' && values.includes(value);
    default:
      return !values.includes(value);
  }
}

function isBestEffort({ spec }: Pod): boolean {
  const named = (amounts: object | undefined): boolean => Object.keys(amounts ?? {}).some((name) => name === 'cpu' || name === 'memory');
  return [...(spec.containers ?? []), ...(spec.initContainers ?? [])].every(({ resources }) => !named(resources?.requests) && !named(resources?.limits));
}

function usesOtherNamespaces({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  return [podAffinity, podAntiAffinity].some((affinity) =>
    [
      ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
    ].some(({ namespaces, namespaceSelector }) => (namespaces ?? []).length > 0 || namespaceSelector !== undefined),
  );
}
