import { checkClusterIPs } from '../../api/core/v1/service-validation.ts';
import { invalid as invalidField } from '../../api/field-error.ts';
import type { Service, ServicePort } from '../../api/generated/types/core.v1.ts';
import { Services } from '../../api/resources.ts';
import { invalid } from '../../api/status.ts';
import type { Rng } from '../../lib/rng.ts';
import type { AdmissionContext, AdmissionPlugin } from './admission.ts';

/** kubeadm's default service network. */
const NETWORK = '10.96.0.0/16';
const NETWORK_PREFIX = '10.96.';
export const API_SERVER_CLUSTER_IP = '10.96.0.1';
const HOST_ADDRESSES = 65_534;
const NODE_PORTS = { first: 30_000, last: 32_767 };
const NONE = 'None';

/**
 * Gives Services their cluster IPs and node ports, and refuses those that are taken or out of range (upstream:
 * pkg/registry/core/service). What is taken is read from the stored Services; nothing else is kept.
 */
export const serviceAddresses: AdmissionPlugin = {
  name: 'ServiceAddresses',

  async admit({ operation, resource, subresource, name, object, old }, context) {
    if (resource.facts.kind !== 'Service' || resource.facts.group !== '' || subresource || (operation !== 'CREATE' && operation !== 'UPDATE')) return object;
    const service = object as Service;
    const taken = await takenBy(context, service);
    keepAddresses(service, old as Service | undefined);
    assignClusterIP(service, taken.addresses, name, context.rng);
    assignNodePorts(service, taken.ports, name, context.rng);
    return service;
  },
};

interface Taken {
  addresses: Set<string>;
  ports: Set<string>;
}

async function takenBy(context: AdmissionContext, service: Service): Promise<Taken> {
  const addresses = new Set<string>();
  const ports = new Set<string>();
  for (const other of await context.all(Services)) {
    if (other.metadata.name === service.metadata.name && other.metadata.namespace === service.metadata.namespace) continue;
    for (const ip of other.spec.clusterIPs ?? []) addresses.add(ip);
    for (const port of other.spec.ports ?? []) if (port.nodePort) ports.add(portKey(port, port.nodePort));
  }
  return { addresses, ports };
}

function portKey({ protocol = 'TCP' }: ServicePort, number: number): string {
  return `${protocol}/${number}`;
}

/** A client that leaves the addresses out of an update keeps them. */
function keepAddresses({ spec }: Service, old: Service | undefined): void {
  if (!old || spec.type === 'ExternalName' || old.spec.type === 'ExternalName') return;
  if (!spec.clusterIP && old.spec.clusterIP) spec.clusterIP = old.spec.clusterIP;
  if (!spec.clusterIPs?.length && old.spec.clusterIPs && spec.clusterIP === old.spec.clusterIP) spec.clusterIPs = [...old.spec.clusterIPs];
  if (!wantsNodePorts(spec)) return;
  for (const port of spec.ports ?? []) {
    if (port.nodePort) continue;
    const before = old.spec.ports?.find((p) => p.port === port.port && p.protocol === port.protocol);
    if (before?.nodePort && !spec.ports?.some((p) => p.nodePort === before.nodePort)) port.nodePort = before.nodePort;
  }
}

function assignClusterIP(service: Service, taken: ReadonlySet<string>, name: string, rng: Rng): void {
  const { spec } = service;
  if (spec.type === 'ExternalName') {
    for (const field of ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy', 'internalTrafficPolicy'] as const) delete spec[field];
    return;
  }
  spec.ipFamilyPolicy ??= 'SingleStack';
  if (spec.clusterIP) spec.clusterIPs ??= [spec.clusterIP];
  const faults = checkClusterIPs(spec);
  if (faults.length) throw invalid({ group: '', kind: 'Service' }, name, faults);
  spec.ipFamilies ??= ['IPv4'];
  if (spec.clusterIP === NONE) return;
  const wanted = spec.clusterIP || spec.clusterIPs?.[0];
  if (wanted) {
    const refuse = (why: string): Error =>
      invalid({ group: '', kind: 'Service' }, name, [invalidField('spec.clusterIPs', [wanted], `failed to allocate IP ${wanted}: ${why}`)]);
    if (!wanted.startsWith(NETWORK_PREFIX)) throw refuse(`the provided IP (${wanted}) is not in the valid range. The range of valid IPs is ${NETWORK}`);
    if (taken.has(wanted)) throw refuse('provided IP is already allocated');
  }
  spec.clusterIP = wanted || freeAddress(taken, rng);
  spec.clusterIPs = [spec.clusterIP];
}

function freeAddress(taken: ReadonlySet<string>, rng: Rng): string {
  const start = rng.integer(HOST_ADDRESSES);
  for (let i = 0; i < HOST_ADDRESSES; i++) {
    const host = 1 + ((start + i) % HOST_ADDRESSES);
    const ip = `${NETWORK_PREFIX}${host >> 8}.${host & 255}`;
    if (ip !== API_SERVER_CLUSTER_IP && !taken.has(ip)) return ip;
  }
  throw invalid({ group: '', kind: 'Service' }, '', [invalidField('spec.clusterIPs', [], 'failed to allocate a serviceIP: range is full')]);
}

function wantsNodePorts(spec: Service['spec']): boolean {
  return spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
}

function assignNodePorts({ spec }: Service, taken: Set<string>, name: string, rng: Rng): void {
  if (!wantsNodePorts(spec)) return;
  (spec.ports ?? []).forEach((port, i) => {
    const field = `spec.ports[${i}].nodePort`;
    if (port.nodePort) {
      if (port.nodePort < NODE_PORTS.first || port.nodePort > NODE_PORTS.last)
        throw invalid({ group: '', kind: 'Service' }, name, [
          invalidField(field, port.nodePort, `provided port is not in the valid range. The range of valid ports is ${NODE_PORTS.first}-${NODE_PORTS.last}`),
        ]);
      if (taken.has(portKey(port, port.nodePort)))
        throw invalid({ group: '', kind: 'Service' }, name, [invalidField(field, port.nodePort, 'provided port is already allocated')]);
    } else port.nodePort = freePort(port, taken, rng);
    taken.add(portKey(port, port.nodePort));
  });
}

function freePort(port: ServicePort, taken: ReadonlySet<string>, rng: Rng): number {
  const count = NODE_PORTS.last - NODE_PORTS.first + 1;
  const start = rng.integer(count);
  for (let i = 0; i < count; i++) {
    const number = NODE_PORTS.first + ((start + i) % count);
    if (!taken.has(portKey(port, number))) return number;
  }
  throw invalid({ group: '', kind: 'Service' }, '', [invalidField('spec.ports', [], 'failed to allocate a nodePort: range is full')]);
}
