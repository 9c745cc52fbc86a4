import { deepEqual } from '../../api/equality.ts';
import type { EndpointAddress, EndpointSubset, Endpoints, Service } from '../../api/generated/types/core.v1.ts';
import type { Draft } from '../../api/object.ts';
import { EndpointsResource } from '../../api/resources.ts';
import { deletionOf, NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';
import type { ServiceSnapshot } from './backends.ts';
import { type Backend, backendsOf, byPorts, hostnameOf, isSelfManaged, labelsFor, referenceTo } from './backends.ts';
import { withTriggerTime } from './trigger-times.ts';

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const MANAGER = 'endpoint-controller';

/** The older view of a Service's pods, one object of the Service's name (upstream: pkg/controller/endpoint). */
export function planEndpoints({ key, service, pods, endpoints, triggerTime }: ServiceSnapshot): Plan {
  if (!service) {
    if (endpoints?.metadata.labels?.[MANAGED_BY] !== MANAGER) return NOTHING_TO_DO;
    return { actions: [{ ...deletionOf(EndpointsResource, endpoints), because: { rule: 'EP-12' } }] };
  }
  if (service.metadata.deletionTimestamp || isSelfManaged(service)) return NOTHING_TO_DO;
  const subsets = subsetsOf(service, pods);
  const labels = labelsFor(service, { [MANAGED_BY]: MANAGER });
  const because = { rule: 'EP-10', facts: { subsets: subsets.length } };
  if (!endpoints) {
    const object: Draft<Endpoints> = {
      metadata: { name: key.name, namespace: key.namespace, labels, ...withTriggerTime(undefined, triggerTime) },
      ...(subsets.length ? { subsets } : {}),
    };
    return { actions: [{ type: 'create', resource: EndpointsResource, object, ignoreTerminatingNamespace: true, because }] };
  }
  if (deepEqual(endpoints.subsets ?? [], subsets) && deepEqual(endpoints.metadata.labels ?? {}, labels)) return NOTHING_TO_DO;
  const { subsets: _subsets, ...rest } = endpoints;
  const { annotations, ...metadata } = endpoints.metadata;
  return {
    actions: [
      {
        type: 'update',
        resource: EndpointsResource,
        object: {
          ...rest,
          metadata: { ...metadata, labels, ...withTriggerTime(annotations, triggerTime) },
          ...(subsets.length ? { subsets } : {}),
        } as Endpoints,
        because,
      },
    ],
  };
}

function subsetsOf(service: Service, pods: ServiceSnapshot['pods']): EndpointSubset[] {
  const { publishNotReadyAddresses = false } = service.spec;
  const backends = backendsOf(service, pods).filter(({ terminating }) => !terminating || publishNotReadyAddresses);
  return [...byPorts(backends).values()].map(({ ports, backends: group }) => {
    const addresses = (ready: boolean): EndpointAddress[] =>
      group
        .filter((backend) => backend.ready === ready)
        .map((backend) => addressOf(service, backend))
        .sort((a, b) => (a.ip < b.ip ? -1 : 1));
    const [up, down] = [addresses(true), addresses(false)];
    const named = ports.map(({ name, ...port }) => ({ ...(name ? { name } : {}), ...port }));
    return { ...(up.length ? { addresses: up } : {}), ...(down.length ? { notReadyAddresses: down } : {}), ...(named.length ? { ports: named } : {}) };
  });
}

function addressOf(service: Service, { pod, ip }: Backend): EndpointAddress {
  const hostname = hostnameOf(pod, service);
  return {
    ip,
    ...(hostname ? { hostname } : {}),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    targetRef: referenceTo(pod),
  };
}
