import type { Endpoints, Pod, Service } from '../../api/generated/types/core.v1.ts';
import type { ApiRequest, ProxyTarget } from '../../api/request.ts';
import { EndpointsResource, Pods } from '../../api/resources.ts';
import { badRequest, notFound, StatusError } from '../../api/status.ts';
import type { Rng } from '../../lib/rng.ts';
import type { NodeConnections } from '../node-connection.ts';
import type { Registry } from '../registry.ts';
import type { Handlers, ServedResource } from '../served-resource.ts';
import type { Storage } from '../storage/storage.ts';

export interface ProxyParts {
  storage: Storage;
  registry: Registry;
  rng: Rng;
  nodes: NodeConnections;
}

/** Passes requests on to a pod's port: `pods/<name>/proxy/<path>` (pkg/registry/core/pod/rest: ProxyREST). */
export function podProxyHandlers(parts: ProxyParts): Handlers {
  return {
    async connect(resource, request) {
      const { scheme, name, port } = readId('pod', request.name);
      const pod = await find<Pod>(parts, resource, request, name);
      const declared = pod.spec.containers.flatMap((container) => container.ports ?? [])[0]?.containerPort;
      return { code: 200, proxy: targetOf(parts, pod, { scheme, port: port === '' ? (declared ?? 80) : Number(port), request }) };
    },
  };
}

/** Passes requests on to a ready pod of a service (pkg/registry/core/service/storage: ResourceLocation). */
export function serviceProxyHandlers(parts: ProxyParts): Handlers {
  return {
    async connect(resource, request) {
      const { scheme, name, port } = readId('service', request.name);
      const service = await find<Service>(parts, resource, request, name);
      const { pod, number } = await backendOf(parts, service, portName(service, port), request.name ?? '');
      return { code: 200, proxy: targetOf(parts, pod, { scheme, port: number, request }) };
    },
  };
}

interface ProxyId {
  scheme: 'http' | 'https';
  name: string;
  /** A number or a name; empty: none is named. */
  port: string;
}

/** `name`, `name:port`, or `scheme:name:port` (apimachinery/pkg/util/net.SplitSchemeNamePort). @throws StatusError */
function readId(what: string, id = ''): ProxyId {
  const parts = id.split(':');
  const [scheme, name, port] = parts.length === 3 ? parts : ['', ...parts];
  if (parts.length > 3 || !name || !['', 'http', 'https'].includes(scheme!)) throw badRequest(`invalid ${what} request ${JSON.stringify(id)}`);
  return { scheme: scheme === 'https' ? 'https' : 'http', name, port: port ?? '' };
}

async function find<T>({ storage }: ProxyParts, resource: ServedResource, { namespace = '' }: ApiRequest, name: string): Promise<T> {
  const found = await storage.get(resource, { namespace, name });
  if (!found) throw notFound(resource.facts, name);
  return found.object as T;
}

const unavailable = (message: string): StatusError => new StatusError(503, 'ServiceUnavailable', message);

/** A port's number stands for the name that the service gives it. */
function portName({ metadata, spec }: Service, port: string): string {
  if (!/^\d+$/.test(port)) return port;
  const declared = spec.ports?.find((one) => one.port === Number(port));
  if (!declared) throw unavailable(`no service port ${Number(port)} found for service ${JSON.stringify(metadata.name)}`);
  return declared.name ?? '';
}

/** One of the pods behind a port, by lot. Only pods are passed on to: an address alone may be anybody's. */
async function backendOf({ storage, registry, rng }: ProxyParts, { metadata }: Service, port: string, id: string): Promise<{ pod: Pod; number: number }> {
  const { namespace = '', name = '' } = metadata;
  const endpoints = (await storage.get(registry.get(EndpointsResource), { namespace, name }))?.object as Endpoints | undefined;
  if (!endpoints?.subsets?.length) throw unavailable(`no endpoints available for service ${JSON.stringify(name)}`);
  const candidates = endpoints.subsets.flatMap(({ addresses = [], ports = [] }) =>
    ports.filter((one) => (one.name ?? '') === port).flatMap((one) => addresses.map(({ targetRef }) => ({ targetRef, number: one.port }))),
  );
  const from = candidates.length ? rng.integer(candidates.length) : 0;
  for (const { targetRef, number } of [...candidates.slice(from), ...candidates.slice(0, from)]) {
    if (targetRef?.kind !== 'Pod' || !targetRef.name) continue;
    const pod = (await storage.get(registry.get(Pods), { namespace: targetRef.namespace ?? namespace, name: targetRef.name }))?.object as Pod | undefined;
    if (pod) return { pod, number };
  }
  throw unavailable(`no endpoints available for service ${JSON.stringify(id)}`);
}

function targetOf(
  { nodes }: ProxyParts,
  { metadata, spec, status }: Pod,
  { scheme, port, request }: { scheme: 'http' | 'https'; port: number; request: ApiRequest },
): ProxyTarget {
  if (!status.podIP) throw badRequest('address not allowed');
  const node = spec.nodeName ? nodes(spec.nodeName) : undefined;
  if (!node) throw unavailable(`the kubelet of node ${JSON.stringify(spec.nodeName ?? '')} cannot be reached`);
  const { namespace = '', name = '' } = metadata;
  return {
    scheme,
    host: `${status.podIP}:${port}`,
    path: request.path,
    connect: (streams) => node.portForward(namespace, name, port, streams),
  };
}
