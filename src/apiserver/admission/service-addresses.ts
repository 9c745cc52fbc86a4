import { alignClusterIPs, HEADLESS, keepAllocated, mayHaveNodePorts, needsHealthCheckPort, settleFamilies } from '../../api/core/v1/service-families.ts';
import { addresses, addressOf, DRY_RUN_ADDRESS, isInNetwork, isNodePort, NODE_PORTS, nodePorts, SERVICE_NETWORK } from '../../api/core/v1/service-network.ts';
import { at, invalid as invalidField } from '../../api/field-error.ts';
import type { Service, ServicePort } from '../../api/generated/types/core.v1.ts';
import { IPAddresses, Services } from '../../api/resources.ts';
import { hasReason, internalError, invalid, type StatusError } from '../../api/status.ts';
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin, Claim } from './admission.ts';

/**
 * Gives Services their cluster IPs and node ports, and refuses those that are taken or out of range (upstream:
 * pkg/registry/core/service/storage). A cluster IP is held by an IPAddress of its name, which only one can create; a node
 * port by the Service that has it, and by this plugin until that Service is stored.
 */
export function serviceAddresses(): AdmissionPlugin {
  /** Node ports of writes that are under way. */
  const underWay = new Set<number>();
  return {
    name: 'ServiceAddresses',
    async claim({ operation, resource, subresource, object, old, name, namespace, dryRun }, context) {
      if (resource.facts.kind !== 'Service' || resource.facts.group !== '' || subresource || operation === 'DELETE') return undefined;
      const [service, before] = [object as Service, old as Service | undefined];
      if (before) keepAllocated(service, before);
      alignClusterIPs(service, before);
      const faults = settleFamilies(service, before);
      if (faults.length) throw refusal(name, faults);
      const allocation = new Allocation({ service, before, at: { namespace, name }, context, underWay, dryRun });
      try {
        await allocation.takeClusterIP();
        await allocation.takePorts();
      } catch (error) {
        await allocation.undo();
        throw error;
      }
      return allocation;
    },
    removed({ facts }, object, context) {
      return facts.kind === 'Service' && facts.group === '' ? release(object as Service, context) : undefined;
    },
  };
}

async function release({ spec }: Service, context: AdmissionContext): Promise<void> {
  for (const name of spec.clusterIPs ?? []) if (name !== HEADLESS) await context.delete(IPAddresses, { namespace: '', name });
}

function refusal(name: string, faults: Parameters<typeof invalid>[2]): StatusError {
  return invalid({ group: '', kind: 'Service' }, name, faults);
}

interface AllocationParts extends Pick<AdmissionAttributes, 'dryRun'> {
  service: Service;
  before: Service | undefined;
  at: { namespace: string; name: string };
  context: AdmissionContext;
  underWay: Set<number>;
}

/** What one write takes; given back where nothing comes of it. */
class Allocation implements Claim {
  readonly #parts: AllocationParts;
  readonly #ports = new Set<number>();
  #address: string | undefined;

  constructor(parts: AllocationParts) {
    this.#parts = parts;
  }

  async undo(): Promise<void> {
    this.#freePorts();
    if (this.#address !== undefined) await this.#parts.context.delete(IPAddresses, { namespace: '', name: this.#address });
  }

  /** A Service that has come to be a name outside needs its address no more. */
  async settled(): Promise<void> {
    const { service, before, dryRun, context } = this.#parts;
    this.#freePorts();
    if (!dryRun && before && before.spec.type !== 'ExternalName' && service.spec.type === 'ExternalName') await release(before, context);
  }

  /** The ports are the Service's now, or nobody's. */
  #freePorts(): void {
    for (const port of this.#ports) this.#parts.underWay.delete(port);
  }

  async takeClusterIP(): Promise<void> {
    const { service, before, dryRun, at } = this.#parts;
    const { spec } = service;
    if (spec.type === 'ExternalName' || spec.clusterIP === HEADLESS || (before && before.spec.type !== 'ExternalName')) return;
    const wanted = spec.clusterIP || spec.clusterIPs?.[0];
    const address = wanted ? await this.#takeAddress(wanted) : dryRun ? DRY_RUN_ADDRESS : await this.#freeAddress();
    if (!address) throw internalError(`failed to allocate a serviceIP: range is full (Service ${at.namespace}/${at.name})`);
    spec.clusterIP = address;
    spec.clusterIPs = [address];
  }

  async #takeAddress(address: string): Promise<string> {
    const { service, dryRun, at } = this.#parts;
    const refuse = (why: string): StatusError =>
      refusal(at.name, [invalidField('spec.clusterIPs', service.spec.clusterIPs ?? [address], `failed to allocate IP ${address}: ${why}`)]);
    if (!isInNetwork(address)) throw refuse(`the provided IP (${address}) is not in the valid range. The range of valid IPs is ${SERVICE_NETWORK}`);
    if (!dryRun && !(await this.#hold(address))) throw refuse('provided IP is already allocated');
    return address;
  }

  async #freeAddress(): Promise<string | undefined> {
    const { rng } = this.#parts.context;
    for (const address of addresses((below) => rng.integer(below))) if (await this.#hold(address)) return address;
    return undefined;
  }

  /** @returns whether the Service has it now; false where it is another's. */
  async #hold(address: string): Promise<boolean> {
    const { context, at } = this.#parts;
    try {
      await context.create(IPAddresses, addressOf(at, address));
    } catch (error) {
      if (!hasReason(error, 'AlreadyExists')) throw error;
      const holder = (await context.get(IPAddresses, { namespace: '', name: address }))?.spec.parentRef;
      return holder?.resource === 'services' && holder.namespace === at.namespace && holder.name === at.name;
    }
    this.#address = address;
    return true;
  }

  async takePorts(): Promise<void> {
    const { service, before } = this.#parts;
    const { spec } = service;
    const isOld = (port: number): boolean =>
      before !== undefined && mayHaveNodePorts(before) && (before.spec.ports ?? []).some(({ nodePort }) => nodePort === port);
    if (mayHaveNodePorts(service)) {
      for (const [index, port] of (spec.ports ?? []).entries()) {
        if (port.nodePort) {
          if (isOld(port.nodePort) || this.#ports.has(port.nodePort)) continue;
          const why = await this.#takePort(port.nodePort);
          if (why) throw refusal(this.#parts.at.name, [invalidField(`${at('spec.ports', index)}.nodePort`, port.nodePort, why)]);
        } else if (spec.type === 'NodePort' || spec.allocateLoadBalancerNodePorts !== false) {
          port.nodePort = sharedPort(port, spec.ports ?? []) ?? (await this.#freePort());
        }
      }
    }
    if (!needsHealthCheckPort(service) || (before && needsHealthCheckPort(before))) return;
    if (!spec.healthCheckNodePort) spec.healthCheckNodePort = await this.#freePort();
    else {
      const why = await this.#takePort(spec.healthCheckNodePort);
      if (why) throw internalError(`failed to allocate requested HealthCheck NodePort ${spec.healthCheckNodePort}: ${why}`);
    }
  }

  /** @returns why not. */
  async #takePort(port: number): Promise<string | undefined> {
    const { context, dryRun, underWay } = this.#parts;
    // A dry run does not ask for the range, as upstream's does not.
    if (!dryRun && !isNodePort(port))
      return `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.first}-${NODE_PORTS.first + NODE_PORTS.size - 1}`;
    const stored = await context.all(Services);
    if (this.#takenPorts(stored).has(port)) return 'provided port is already allocated';
    this.#ports.add(port);
    if (!dryRun) underWay.add(port);
    return undefined;
  }

  async #freePort(): Promise<number> {
    const { context, dryRun } = this.#parts;
    const { first, size } = NODE_PORTS;
    if (dryRun) {
      const shown = first + size + 1 + this.#ports.size;
      this.#ports.add(shown);
      return shown;
    }
    const stored = await context.all(Services);
    const taken = this.#takenPorts(stored);
    for (const port of nodePorts((below) => context.rng.integer(below))) {
      if (taken.has(port)) continue;
      this.#ports.add(port);
      this.#parts.underWay.add(port);
      return port;
    }
    throw internalError('failed to allocate a nodePort: range is full');
  }

  /** The ports of all Services but this one, and of those that are being written. Whoever takes one does so before anybody else asks. */
  #takenPorts(stored: readonly Service[]): ReadonlySet<number> {
    const { underWay, at } = this.#parts;
    const taken = new Set([...underWay, ...this.#ports]);
    for (const { metadata, spec } of stored) {
      if (metadata.name === at.name && metadata.namespace === at.namespace) continue;
      for (const { nodePort } of spec.ports ?? []) if (nodePort) taken.add(nodePort);
      if (spec.healthCheckNodePort) taken.add(spec.healthCheckNodePort);
    }
    return taken;
  }
}

/** One number serves a port in all its protocols. */
function sharedPort({ port, protocol }: ServicePort, ports: readonly ServicePort[]): number | undefined {
  return ports.find((other) => other.port === port && other.protocol !== protocol && other.nodePort)?.nodePort;
}
