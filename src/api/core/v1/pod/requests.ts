import type { Container, PodSpec } from '../../../generated/types/core.v1.ts';
import { asMilli, asNumber } from '../../../quantity.ts';

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

function maxInto(total: Amounts, amounts: Amounts): void {
  for (const [name, amount] of Object.entries(amounts)) total[name] = Math.max(total[name] ?? 0, amount);
}

/**
 * What a pod claims of its node: containers and sidecars together, or an init container with the sidecars before it
 * where that is more, plus overhead; requests of the pod as a whole replace the sum (upstream: component-helpers/resource.PodRequests).
 */
export function podRequests(spec: PodSpec): Amounts {
  return aggregate(spec, (container) => container.resources?.requests, spec.resources?.requests);
}

/** The same sum over limits. */
export function podLimits(spec: PodSpec): Amounts {
  return aggregate(spec, (container) => container.resources?.limits, spec.resources?.limits);
}

function aggregate(
  spec: PodSpec,
  read: (container: Container) => Readonly<Record<string, string>> | undefined,
  whole: Readonly<Record<string, string>> | undefined,
): Amounts {
  const total: Amounts = {};
  for (const container of spec.containers ?? []) addInto(total, amountsOf(read(container)));
  const sidecars: Amounts = {};
  const peak: Amounts = {};
  for (const container of spec.initContainers ?? []) {
    const amounts = amountsOf(read(container));
    if (container.restartPolicy === 'Always') {
      addInto(total, amounts);
      addInto(sidecars, amounts);
      maxInto(peak, sidecars);
    } else {
      const during = { ...sidecars };
      addInto(during, amounts);
      maxInto(peak, during);
    }
  }
  maxInto(total, peak);
  Object.assign(total, amountsOf(whole));
  addInto(total, amountsOf(spec.overhead));
  return total;
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
