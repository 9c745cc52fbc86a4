import { addressOf, isInNetwork } from '../../api/core/v1/service-network.ts';
import type { Service } from '../../api/generated/types/core.v1.ts';
import type { IPAddress, ServiceCIDR } from '../../api/generated/types/networking.v1.ts';
import type { Draft } from '../../api/object.ts';
import { IPAddresses, ServiceCIDRs, Services } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { parseTime, timestamp } from '../../lib/clock.ts';
import { type Controller, watchRule } from '../runtime/controller.ts';
import { deletionOf, NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';

export interface AddressSnapshot {
  address: string;
  held: IPAddress | undefined;
  /** The Service that has the address, whoever holds it. */
  service: Service | undefined;
  /** Milliseconds since the epoch. */
  now: number;
}

/** An address is held before its Service is stored; one that is alone for longer than this has been left behind. */
const GRACE_MS = 60_000;

/**
 * Mends what the API server could not finish: an address that no Service has any more is given back, and one that nobody
 * holds is held. Upstream: registry/core/service/ipallocator/controller/repairip.go.
 */
export function serviceAddressRepair(informers: InformerFactory): Controller<AddressSnapshot> {
  const addresses = informers.lister(IPAddresses);
  const services = informers.lister(Services);
  const has = (service: Service, address: string): boolean => service.spec.clusterIPs?.includes(address) ?? false;
  return {
    name: 'service-ip-repair-controller',
    writesAs: 'kube-apiserver',
    watches: [
      watchRule(IPAddresses, ({ object }) => [object.metadata.name!]),
      watchRule(Services, ({ object, old }) => [...(object.spec.clusterIPs ?? []), ...(old?.spec.clusterIPs ?? [])].filter((address) => address !== 'None')),
    ],
    observe: async (address, { now }) => {
      const held = addresses.get('', address);
      const { namespace = '', name = '' } = held?.spec.parentRef ?? {};
      const parent = services.get(namespace, name);
      const service = parent && has(parent, address) ? parent : held ? undefined : services.list().find((one) => has(one, address));
      return { address, held, service, now };
    },
    plan: planAddress,
  };
}

export function planAddress({ address, held, service, now }: AddressSnapshot): Plan {
  if (!held) {
    if (!service || !isInNetwork(address)) return NOTHING_TO_DO;
    const { namespace = '', name = '' } = service.metadata;
    return { actions: [{ type: 'create', resource: IPAddresses, object: addressOf({ namespace, name }, address), ifExists: 'get' }] };
  }
  if (service || held.metadata.labels?.['ipaddress.kubernetes.io/managed-by'] !== 'ipallocator.k8s.io') return NOTHING_TO_DO;
  const graceLeft = parseTime(held.metadata.creationTimestamp ?? '') + GRACE_MS - now;
  return graceLeft > 0 ? { actions: [], requeueAfterMs: graceLeft } : { actions: [deletionOf(IPAddresses, held)] };
}

const FINALIZER = 'networking.k8s.io/service-cidr-finalizer';

export interface NetworkSnapshot {
  network: ServiceCIDR;
  /** Whether a Service has an address of it. */
  inUse: boolean;
  now: number;
}

/** Says that a network for Services can be used, and keeps it for as long as it is. Upstream: pkg/controller/servicecidrs. */
export function serviceCIDRController(informers: InformerFactory): Controller<NetworkSnapshot> {
  const networks = informers.lister(ServiceCIDRs);
  const addresses = informers.lister(IPAddresses);
  return {
    name: 'service-cidr-controller',
    writesAs: 'service-cidr-controller',
    watches: [
      watchRule(ServiceCIDRs, ({ type, object }) => (type === 'deleted' ? [] : [object.metadata.name!])),
      watchRule(IPAddresses, ({ type }) => (type === 'deleted' ? networks.list().map(({ metadata }) => metadata.name!) : [])),
    ],
    observe: async (key, { now }) => {
      const network = networks.get('', key);
      return network && { network, inUse: addresses.list().some(({ metadata }) => contains(network, metadata.name!)), now };
    },
    plan: planNetwork,
  };
}

function contains({ spec }: ServiceCIDR, address: string): boolean {
  return (spec?.cidrs ?? []).some((cidr) => {
    const [base = '', bits = '32'] = cidr.split('/');
    if (base.includes(':') || address.includes(':')) return false;
    const number = (text: string): number => text.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0);
    const size = 2 ** (32 - Number(bits));
    return Math.floor(number(base) / size) === Math.floor(number(address) / size);
  });
}

export function planNetwork({ network, inUse, now }: NetworkSnapshot): Plan {
  const { metadata, status } = network;
  const finalizers = metadata.finalizers ?? [];
  if (metadata.deletionTimestamp !== undefined) {
    if (inUse)
      return {
        actions: ready(
          network,
          {
            status: 'False',
            reason: 'Terminating',
            message: 'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
          },
          now,
        ),
      };
    const object: ServiceCIDR = { ...network, metadata: { ...metadata, finalizers: finalizers.filter((one) => one !== FINALIZER) } };
    return finalizers.includes(FINALIZER) ? { actions: [{ type: 'update', resource: ServiceCIDRs, object }] } : NOTHING_TO_DO;
  }
  if (!finalizers.includes(FINALIZER)) {
    const object: ServiceCIDR = { ...network, metadata: { ...metadata, finalizers: [...finalizers, FINALIZER] } };
    return { actions: [{ type: 'update', resource: ServiceCIDRs, object }] };
  }
  if (status?.conditions?.some(({ type }) => type === 'Ready')) return NOTHING_TO_DO;
  return { actions: ready(network, { status: 'True', reason: '', message: 'Kubernetes Service CIDR is ready' }, now) };
}

function ready({ metadata, status }: ServiceCIDR, condition: { status: string; reason: string; message: string }, now: number): Plan['actions'] {
  const current = status?.conditions?.find(({ type }) => type === 'Ready');
  if (current?.status === condition.status && current.reason === condition.reason) return [];
  const object = {
    metadata: { name: metadata.name },
    status: { conditions: [{ type: 'Ready', lastTransitionTime: timestamp(now), ...condition }] },
  } as Draft<ServiceCIDR>;
  return [{ type: 'apply', resource: ServiceCIDRs, subresource: 'status', object }];
}
