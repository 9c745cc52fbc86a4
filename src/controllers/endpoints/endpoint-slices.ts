import { deepEqual } from '../../api/equality.ts';
import type { Service } from '../../api/generated/types/core.v1.ts';
import type { Endpoint, EndpointSlice } from '../../api/generated/types/discovery.v1.ts';
import type { Draft } from '../../api/object.ts';
import { EndpointSlices, Services } from '../../api/resources.ts';
import { controllerReference } from '../ownership.ts';
import { type Action, deletionOf, NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';
import type { ServiceSnapshot } from './backends.ts';
import { type Backend, type BackendPort, backendsOf, byPorts, hostnameOf, isSelfManaged, labelsFor, portsKey, referenceTo } from './backends.ts';
import { withTriggerTime } from './trigger-times.ts';

const SERVICE_NAME = 'kubernetes.io/service-name';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const MANAGER = 'endpointslice-controller.k8s.io';
/** Upstream's --max-endpoints-per-slice. */
const MAX_ENDPOINTS = 100;

/** Whether a slice is one of this controller's, of the Service named. */
export function isSliceOf({ metadata }: EndpointSlice, service: string): boolean {
  return metadata.labels?.[SERVICE_NAME] === service && metadata.labels?.[MANAGED_BY] === MANAGER;
}

export function serviceOfSlice({ metadata }: EndpointSlice): string | undefined {
  return metadata.labels?.[SERVICE_NAME];
}

/**
 * Brings a Service's slices in line with its pods: endpoints stay in the slice they are in, new ones fill the room there is
 * (upstream: k8s.io/endpointslice/reconciler.go). A Service without endpoints keeps one empty slice.
 */
export function planEndpointSlices({ service, pods, slices, triggerTime, zones }: ServiceSnapshot): Plan {
  if (!service || service.metadata.deletionTimestamp || isSelfManaged(service)) return NOTHING_TO_DO;
  const groups = byPorts(backendsOf(service, pods));
  if (groups.size === 0) groups.set('', { ports: [], backends: [] });
  const actions: Action[] = [];
  const left = new Set(slices);
  for (const [key, group] of groups) {
    const existing = slices.filter((slice) => portsKey(slice.ports) === key);
    for (const slice of existing) left.delete(slice);
    actions.push(...reconcileGroup({ service, zones }, group, existing));
  }
  for (const slice of left) actions.push(remove(slice));
  return { actions: actions.map((action) => withTime(action, triggerTime)) };
}

/** What is written tells when the change happened that made it necessary. */
function withTime(action: Action, time: string | undefined): Action {
  if (action.type !== 'create' && action.type !== 'update') return action;
  const { annotations, ...metadata } = action.object.metadata ?? {};
  return {
    ...action,
    object: { ...action.object, metadata: { ...metadata, ...withTriggerTime(annotations as Record<string, string> | undefined, time) } },
  } as Action;
}

/** A Service, and where its nodes are. */
interface Located {
  service: Service;
  zones: ServiceSnapshot['zones'];
}

function reconcileGroup(
  { service, zones }: Located,
  { ports, backends }: { ports: BackendPort[]; backends: Backend[] },
  existing: readonly EndpointSlice[],
): Action[] {
  const wanted = new Map(
    backends.map((backend) => [backend.pod.metadata.uid ?? '', endpointOf(service, backend, zones?.get(backend.pod.spec.nodeName ?? ''))]),
  );
  const actions: Action[] = [];
  const kept = existing.map((slice) => {
    const endpoints = (slice.endpoints ?? []).flatMap((endpoint) => {
      const uid = endpoint.targetRef?.uid ?? '';
      const now = wanted.get(uid);
      wanted.delete(uid);
      return now ? [now] : [];
    });
    return { slice, endpoints };
  });
  const fresh = [...wanted.values()];
  for (const { endpoints } of kept) endpoints.push(...fresh.splice(0, MAX_ENDPOINTS - endpoints.length));
  const nonEmpty = kept.some(({ endpoints }) => endpoints.length > 0);
  const labels = labelsOf(service);
  for (const [i, { slice, endpoints }] of kept.entries()) {
    const isSpare = endpoints.length === 0 && (nonEmpty || fresh.length > 0 || i > 0);
    if (isSpare) actions.push(remove(slice));
    else if (!deepEqual(endpoints, slice.endpoints ?? []) || !deepEqual(labels, slice.metadata.labels)) {
      const object: EndpointSlice = { ...slice, metadata: { ...slice.metadata, labels }, endpoints };
      actions.push({ type: 'update', resource: EndpointSlices, object, because: { rule: 'EP-20', facts: { endpoints: endpoints.length } } });
    }
  }
  while (fresh.length > 0) actions.push(create(service, ports, fresh.splice(0, MAX_ENDPOINTS)));
  if (existing.length === 0 && backends.length === 0) actions.push(create(service, ports, []));
  return actions;
}

function endpointOf(service: Service, backend: Backend, zone: string | undefined): Endpoint {
  const { pod, ip, ready, serving, terminating } = backend;
  const hostname = hostnameOf(pod, service);
  return {
    addresses: [ip],
    conditions: { ready, serving, terminating },
    ...(hostname ? { hostname } : {}),
    targetRef: referenceTo(pod),
    ...(pod.spec.nodeName ? { nodeName: pod.spec.nodeName } : {}),
    ...(zone ? { zone } : {}),
  };
}

function labelsOf(service: Service): Record<string, string> {
  return labelsFor(service, { [SERVICE_NAME]: service.metadata.name!, [MANAGED_BY]: MANAGER });
}

function create(service: Service, ports: readonly BackendPort[], endpoints: readonly Endpoint[]): Action {
  const { name, namespace } = service.metadata;
  const object: Draft<EndpointSlice> = {
    metadata: {
      generateName: `${name}-`,
      namespace: namespace!,
      labels: labelsOf(service),
      ownerReferences: [controllerReference(Services, service)],
    },
    addressType: service.spec.ipFamilies?.[0] ?? 'IPv4',
    endpoints: [...endpoints],
    ...(ports.length > 0 ? { ports: [...ports] } : {}),
  };
  const because = { rule: endpoints.length > 0 ? 'EP-20' : 'EP-21', facts: { endpoints: endpoints.length } };
  return { type: 'create', resource: EndpointSlices, object: object as Draft<EndpointSlice>, ignoreTerminatingNamespace: true, because };
}

function remove(slice: EndpointSlice): Action {
  return { ...deletionOf(EndpointSlices, slice), because: { rule: 'EP-22' } };
}
