import type { Container, PersistentVolumeClaim, Pod, Service } from './generated/types/core.v1.ts';
import type { KubeObject } from './object.ts';
import { addQuantities, compareQuantities } from './quantity.ts';

/** Amounts by quota resource name, e.g. `requests.cpu`. */
export type Usage = Record<string, string>;

const COMPUTE = new Set(['cpu', 'memory', 'ephemeral-storage']);
/** Kinds that quotas count under their plain plural as well as under count/<resource>.<group>. */
const PLAIN_COUNTS = new Set(['configmaps', 'persistentvolumeclaims', 'replicationcontrollers', 'resourcequotas', 'secrets', 'services']);

/** What one object uses of a namespace's quotas (upstream: pkg/quota/v1/evaluator/core). Pods that have come to their end use nothing. */
export function usageOf({ group, resource }: { group: string; resource: string }, object: KubeObject): Usage {
  const usage: Usage = { [`count/${resource}${group ? `.${group}` : ''}`]: '1', ...(group === '' && PLAIN_COUNTS.has(resource) ? { [resource]: '1' } : {}) };
  if (group !== '') return usage;
  if (resource === 'pods') return { ...usage, ...(podCounts(object as Pod) ? podUsage(object as Pod) : {}) };
  if (resource === 'services') return { ...usage, ...serviceUsage(object as Service) };
  if (resource === 'persistentvolumeclaims') return { ...usage, ...claimUsage(object as PersistentVolumeClaim) };
  return usage;
}

function podCounts(pod: Pod): boolean {
  return pod.status?.phase !== 'Succeeded' && pod.status?.phase !== 'Failed';
}

function podUsage(pod: Pod): Usage {
  const requests = podResources(pod, 'requests');
  const limits = podResources(pod, 'limits');
  const usage: Usage = { pods: '1' };
  for (const [name, value] of Object.entries(requests)) {
    if (COMPUTE.has(name)) usage[name] = value;
    usage[`requests.${name}`] = value;
  }
  for (const [name, value] of Object.entries(limits)) if (COMPUTE.has(name)) usage[`limits.${name}`] = value;
  return usage;
}

/** The larger of all containers together and of each step of initialization; sidecars count throughout (component-helpers/resource). */
export function podResources({ spec }: Pod, which: 'requests' | 'limits'): Usage {
  const of = (container: Container): Usage => container.resources?.[which] ?? {};
  let running = spec.containers.reduce((sum, container) => add(sum, of(container)), {} as Usage);
  let sidecars: Usage = {};
  let peak: Usage = {};
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      running = add(running, of(container));
      sidecars = add(sidecars, of(container));
      peak = max(peak, sidecars);
    } else peak = max(peak, add(of(container), sidecars));
  }
  return add(max(running, peak), which === 'requests' || Object.keys(running).length ? (spec.overhead ?? {}) : {});
}

function serviceUsage({ spec }: Service): Usage {
  const ports = String(spec.ports?.length ?? 0);
  if (spec.type === 'NodePort') return { 'services.nodeports': ports };
  if (spec.type === 'LoadBalancer')
    return { 'services.loadbalancers': '1', ...(spec.allocateLoadBalancerNodePorts === false ? {} : { 'services.nodeports': ports }) };
  return {};
}

function claimUsage({ spec }: PersistentVolumeClaim): Usage {
  const storage = spec.resources?.requests?.['storage'];
  if (storage === undefined) return {};
  const name = spec.storageClassName;
  return {
    'requests.storage': storage,
    ...(name ? { [`${name}.storageclass.storage.k8s.io/requests.storage`]: storage, [`${name}.storageclass.storage.k8s.io/persistentvolumeclaims`]: '1' } : {}),
  };
}

export function add(a: Usage, b: Usage): Usage {
  const sum = { ...a };
  for (const [name, value] of Object.entries(b)) sum[name] = sum[name] === undefined ? value : addQuantities(sum[name], value);
  return sum;
}

function max(a: Usage, b: Usage): Usage {
  const out = { ...a };
  for (const [name, value] of Object.entries(b)) if (out[name] === undefined || compareQuantities(value, out[name]) > 0) out[name] = value;
  return out;
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
    default:
      return false;
  }
}

function isBestEffort({ spec }: Pod): boolean {
  return [...spec.containers, ...(spec.initContainers ?? [])].every(
    (c) => !Object.keys({ ...c.resources?.requests, ...c.resources?.limits }).some((name) => name === 'cpu' || name === 'memory'),
  );
}
