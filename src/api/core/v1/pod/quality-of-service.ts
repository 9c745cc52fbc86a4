import type { PodSpec } from '../../../generated/types/core.v1.ts';
import { addQuantities, compareQuantities, isZeroQuantity } from '../../../quantity.ts';

const COUNTED = ['cpu', 'memory'] as const;

/** Guaranteed, Burstable or BestEffort (upstream: pkg/apis/core/v1/helper/qos.ComputePodQOS). */
export function qosClass(spec: PodSpec): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const requests = new Map<string, string>();
  const limits = new Map<string, string>();
  const containers = spec.resources ? [{ resources: spec.resources }] : [...(spec.containers ?? []), ...(spec.initContainers ?? [])];
  let guaranteed = true;
  for (const { resources } of containers) {
    let limited = 0;
    for (const name of COUNTED) {
      sum(requests, name, resources?.requests?.[name]);
      if (sum(limits, name, resources?.limits?.[name])) limited++;
    }
    if (limited < COUNTED.length) guaranteed = false;
  }
  if (requests.size === 0 && limits.size === 0) return 'BestEffort';
  const equal = [...requests].every(([name, request]) => limits.has(name) && compareQuantities(limits.get(name)!, request) === 0);
  return guaranteed && equal && requests.size === limits.size ? 'Guaranteed' : 'Burstable';
}

function sum(into: Map<string, string>, name: string, quantity: string | undefined): boolean {
  if (quantity === undefined || isZeroQuantity(quantity)) return false;
  into.set(name, addQuantities(into.get(name) ?? '0', quantity));
  return true;
}
