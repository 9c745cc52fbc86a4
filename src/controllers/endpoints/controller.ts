import type { Pod, Service } from '../../api/generated/types/core.v1.ts';
import type { EndpointSlice } from '../../api/generated/types/discovery.v1.ts';
import { selectorFromMap } from '../../api/labels.ts';
import { keyOf, splitKey } from '../../api/object.ts';
import { EndpointSlices, EndpointsResource, Nodes, Pods, Services } from '../../api/resources.ts';
import type { InformerFactory, Lister } from '../../client/informer.ts';
import { byKey, type Change, type Controller, type WatchRule, watchRule } from '../runtime/controller.ts';
import { isSelfManaged, type ServiceSnapshot } from './backends.ts';
import { isSliceOf, planEndpointSlices, serviceOfSlice } from './endpoint-slices.ts';
import { planEndpoints } from './endpoints.ts';
import { TriggerTimes } from './trigger-times.ts';

/** Keeps an Endpoints object for each Service with a selector. */
export function endpointsController(informers: InformerFactory): Controller<ServiceSnapshot> {
  const times = new TriggerTimes();
  return {
    name: 'endpoint-controller',
    watches: [...serviceWatches(informers), watchRule(EndpointsResource, ({ object }) => [keyOf(object)])],
    observe: async (key) => observe(informers, times, key),
    plan: planEndpoints,
  };
}

/** Keeps the EndpointSlices of each Service with a selector. */
export function endpointSliceController(informers: InformerFactory): Controller<ServiceSnapshot> {
  const times = new TriggerTimes();
  return {
    name: 'endpoint-slice-controller',
    watches: [
      ...serviceWatches(informers),
      watchRule(Nodes, () => []),
      watchRule(EndpointSlices, ({ object }) => {
        const key = keyOfSlice(object);
        return key ? [key] : [];
      }),
    ],
    // A slice's name is drawn, so that one created twice would not be noticed otherwise.
    expects: {
      resource: EndpointSlices,
      ownerOf: (key) => byKey(informers.lister(Services), key)?.metadata.uid,
    },
    observe: async (key, { expectationsMet }) => (expectationsMet ? { ...observe(informers, times, key), zones: zonesOf(informers) } : undefined),
    plan: planEndpointSlices,
  };
}

function zonesOf(informers: InformerFactory): Map<string, string> {
  const zones = informers
    .lister(Nodes)
    .list()
    .map(({ metadata }) => [metadata.name!, metadata.labels?.['topology.kubernetes.io/zone']] as const);
  return new Map(zones.flatMap(([name, zone]) => (zone ? [[name, zone] as const] : [])));
}

/** The key of the Service that a slice belongs to. */
function keyOfSlice(slice: EndpointSlice): string | undefined {
  const name = serviceOfSlice(slice);
  return name && `${slice.metadata.namespace}/${name}`;
}

function serviceWatches(informers: InformerFactory): WatchRule[] {
  const services = informers.lister(Services);
  return [watchRule(Services, ({ object }) => [keyOf(object)]), watchRule(Pods, (change) => servicesOf(services, change))];
}

/** The Services that select a pod, or did before its labels changed. A change that no backend shows concerns nobody. */
function servicesOf(services: Lister<Service>, { type, object, old }: Change<Pod>): string[] {
  if (type === 'updated' && !shows(old, object)) return [];
  const labels = old ? [object.metadata.labels, old.metadata.labels] : [object.metadata.labels];
  return services
    .list({ namespace: object.metadata.namespace ?? '' })
    .filter((service) => !isSelfManaged(service) && labels.some((set) => selectorFromMap(service.spec.selector).matches(set)))
    .map(keyOf);
}

function shows(old: Pod, pod: Pod): boolean {
  const face = ({ metadata, spec, status }: Pod): string =>
    JSON.stringify([
      metadata.labels,
      metadata.deletionTimestamp,
      spec.nodeName,
      status.podIP,
      status.phase,
      status.conditions?.find((c) => c.type === 'Ready')?.status,
    ]);
  return face(old) !== face(pod);
}

function observe(informers: InformerFactory, times: TriggerTimes, key: string): ServiceSnapshot {
  const { namespace, name } = splitKey(key);
  const service = byKey(informers.lister(Services), key);
  const pods = service && !isSelfManaged(service) ? informers.lister(Pods).list({ namespace, selector: selectorFromMap(service.spec.selector) }) : [];
  const slices = informers
    .lister(EndpointSlices)
    .list({ namespace })
    .filter((slice) => isSliceOf(slice, name));
  const triggerTime = service && !isSelfManaged(service) ? times.next(key, service, pods) : undefined;
  if (!service) times.forget(key);
  return { key: { namespace, name }, service, pods, endpoints: byKey(informers.lister(EndpointsResource), key), slices, triggerTime };
}
