import type { Endpoints, Pod, Service, ServicePort } from '../../api/generated/types/core.v1.ts';
import type { EndpointSlice } from '../../api/generated/types/discovery.v1.ts';
import { isPodFinished, isPodReady } from '../pod-state.ts';

const HEADLESS = 'service.kubernetes.io/headless';

/** A Service with what stands behind it, and what has been written of that. */
export interface ServiceSnapshot {
  key: { namespace: string; name: string };
  /** Undefined: it has gone. */
  service: Service | undefined;
  pods: Pod[];
  endpoints: Endpoints | undefined;
  slices: EndpointSlice[];
  /** When that happened which has not been looked at before. */
  triggerTime?: string | undefined;
  /** Zones of the nodes that have one, by the nodes' names. */
  zones?: ReadonlyMap<string, string>;
}

/** A port as a Service's backends offer it, with its number found. */
export interface BackendPort {
  /** '' where the Service does not name it. */
  name: string;
  port: number;
  protocol: string;
  appProtocol?: string;
}

/** A pod behind a Service. */
export interface Backend {
  pod: Pod;
  ip: string;
  /** Those of the Service's ports that the pod has. */
  ports: BackendPort[];
  /** Takes new connections. */
  ready: boolean;
  /** The pod says that it can take connections, on its way out or not. */
  serving: boolean;
  terminating: boolean;
}

/**
 * The pods behind a Service: those with an address that have not come to their end. A pod that has none of the Service's
 * ports is not behind it (upstream: endpointslice/utils.go, endpoints_controller.go).
 */
export function backendsOf(service: Service, pods: readonly Pod[]): Backend[] {
  const { ports = [], publishNotReadyAddresses = false } = service.spec;
  return pods.flatMap((pod) => {
    const ip = pod.status.podIP;
    if (!ip || isPodFinished(pod)) return [];
    const found = ports.flatMap((port) => portOf(port, pod));
    if (ports.length > 0 && found.length === 0) return [];
    const terminating = pod.metadata.deletionTimestamp !== undefined;
    const serving = isPodReady(pod);
    return [{ pod, ip, ports: found, ready: publishNotReadyAddresses || (serving && !terminating), serving, terminating }];
  });
}

/** A target port by number counts whether the pod declares it or not; one by name is looked up in the pod. */
function portOf({ name = '', protocol = 'TCP', port, targetPort, appProtocol }: ServicePort, pod: Pod): BackendPort[] {
  const number = typeof targetPort === 'string' && targetPort !== '' ? namedPort(pod, targetPort, protocol) : targetPort || port;
  if (number === undefined) return [];
  return [{ name, port: Number(number), protocol, ...(appProtocol ? { appProtocol } : {}) }];
}

/** Sidecars are searched after the containers. */
function namedPort({ spec }: Pod, name: string, protocol: string): number | undefined {
  const sidecars = (spec.initContainers ?? []).filter((container) => container.restartPolicy === 'Always');
  for (const container of [...spec.containers, ...sidecars]) {
    const found = container.ports?.find((port) => port.name === name && (port.protocol ?? 'TCP') === protocol);
    if (found) return found.containerPort;
  }
  return undefined;
}

/** Backends that offer the same ports, by their ports; in the order of first sight. */
export function byPorts(backends: readonly Backend[]): Map<string, { ports: BackendPort[]; backends: Backend[] }> {
  const groups = new Map<string, { ports: BackendPort[]; backends: Backend[] }>();
  for (const backend of backends) {
    const key = portsKey(backend.ports);
    const group = groups.get(key);
    if (group) group.backends.push(backend);
    else groups.set(key, { ports: backend.ports, backends: [backend] });
  }
  return groups;
}

export function portsKey(ports: readonly { name?: string; port?: number; protocol?: string; appProtocol?: string }[] | null | undefined): string {
  return (ports ?? [])
    .map(({ name = '', port = 0, protocol = 'TCP', appProtocol = '' }) => `${name}/${port}/${protocol}/${appProtocol}`)
    .sort()
    .join();
}

/** The name by which a StatefulSet's pod is found under a headless Service. */
export function hostnameOf({ spec, metadata }: Pod, service: Service): string | undefined {
  return spec.hostname && spec.subdomain === service.metadata.name && metadata.namespace === service.metadata.namespace ? spec.hostname : undefined;
}

/** A pod as an endpoint names it. */
export function referenceTo({ metadata }: Pod): { kind: 'Pod'; namespace: string; name: string; uid: string } {
  return { kind: 'Pod', namespace: metadata.namespace!, name: metadata.name!, uid: metadata.uid! };
}

/** The Service's labels, those of whoever keeps the object, and the headless label where the Service is headless, and only there. */
export function labelsFor({ metadata, spec }: Service, keeper: Readonly<Record<string, string>>): Record<string, string> {
  const { [HEADLESS]: _, ...own } = metadata.labels ?? {};
  return { ...own, ...keeper, ...(spec.clusterIP === 'None' ? { [HEADLESS]: '' } : {}) };
}

/** Services whose endpoints are kept by somebody else: those without a selector, and names for the outside. */
export const isSelfManaged = ({ spec }: Service): boolean => spec.type === 'ExternalName' || !spec.selector || Object.keys(spec.selector).length === 0;
