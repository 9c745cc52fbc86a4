import type { Container, PodSpec } from '../../../generated/types/core.v1.ts';
import { asMilli, asNumber, isZeroQuantity } from '../../../quantity.ts';
import { addResources, maxResources, type ResourceList } from '../../../resource-list.ts';

/** Amounts by resource: cpu in thousandths, everything else in whole units. */
export type Amounts = Record<string, number>;

/** One quantity in the unit in which it is counted: thousandths for cpu, else whole units, both rounded up. */
export function amountOf(resource: string, quantity: string): number {
  return resource === 'cpu' ? asMilli(quantity) : asNumber(quantity);
}

export function amountsOf(resources: Readonly<Record<string, string>> | undefined): Amounts {
  const amounts: Amounts = {};
  for (const [name, quantity] of Object.entries(resources ?? {})) amounts[name] = amountOf(name, quantity);
  return amounts;
}

export function addInto(total: Amounts, amounts: Amounts): void {
  for (const [name, amount] of Object.entries(amounts)) total[name] = (total[name] ?? 0) + amount;
}

/** Resources that a pod may ask for as a whole (upstream: IsSupportedPodLevelResource). */
const isPodLevelResource = (name: string): boolean => name === 'cpu' || name === 'memory' || name.startsWith('hugepages-');

export interface PodResourcesOptions {
  /** Whether the pod's overhead counts. Default true. */
  overhead?: boolean;
  /** What containers that ask for nothing of a resource are taken to ask for. */
  missing?: ResourceList;
}

/**
 * What a pod claims: its containers and sidecars together, or the step of its initialization that needs most, with the
 * sidecars that run by then, where that is more. What the pod asks for as a whole replaces the sum. Overhead comes on
 * top of requests, and of those limits that there are. The one place where this is worked out: for scheduling,
 * admission by the kubelet, quotas and ranges (upstream: component-helpers/resource PodRequests, PodLimits).
 */
export function podResources(spec: PodSpec, which: 'requests' | 'limits', { overhead = true, missing = {} }: PodResourcesOptions = {}): ResourceList {
  const of = (container: Container): ResourceList => ({ ...missing, ...container.resources?.[which] });
  let total = (spec.containers ?? []).reduce<ResourceList>((sum, container) => addResources(sum, of(container)), {});
  let sidecars: ResourceList = {};
  let peak: ResourceList = {};
  for (const container of spec.initContainers ?? []) {
    if (container.restartPolicy === 'Always') {
      total = addResources(total, of(container));
      sidecars = addResources(sidecars, of(container));
      peak = maxResources(peak, sidecars);
    } else peak = maxResources(peak, addResources(of(container), sidecars));
  }
  const whole = Object.entries(spec.resources?.[which] ?? {}).filter(([name]) => isPodLevelResource(name));
  const claimed = { ...maxResources(total, peak), ...Object.fromEntries(whole) };
  return overhead ? addResources(claimed, overheadOf(spec, which, claimed)) : claimed;
}

function overheadOf({ overhead = {} }: PodSpec, which: 'requests' | 'limits', claimed: ResourceList): ResourceList {
  if (which === 'requests') return overhead;
  return Object.fromEntries(Object.entries(overhead).filter(([name]) => claimed[name] !== undefined && !isZeroQuantity(claimed[name])));
}

/** The pod's requests as amounts. */
export function podRequests(spec: PodSpec, options?: PodResourcesOptions): Amounts {
  return amountsOf(podResources(spec, 'requests', options));
}

/** Host ports that the pod's containers and sidecars take. */
export function hostPorts(spec: PodSpec): { hostIP: string; hostPort: number; protocol: string }[] {
  const sidecars = (spec.initContainers ?? []).filter((c) => c.restartPolicy === 'Always');
  return [...(spec.containers ?? []), ...sidecars].flatMap(({ ports }) =>
    (ports ?? [])
      .filter((port) => (port.hostPort ?? 0) > 0)
      .map((port) => ({ hostIP: port.hostIP || '0.0.0.0', hostPort: port.hostPort!, protocol: port.protocol || 'TCP' })),
  );
}
