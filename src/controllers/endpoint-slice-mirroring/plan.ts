import { deepEqual } from '../../api/equality.ts';
import type { EndpointAddress, Endpoints, EndpointPort as SubsetPort } from '../../api/generated/types/core.v1.ts';
import type { Endpoint, EndpointSlice } from '../../api/generated/types/discovery.v1.ts';
import { ipFamily } from '../../api/ip-address.ts';
import type { Draft } from '../../api/object.ts';
import { EndpointSlices, EndpointsResource } from '../../api/resources.ts';
import { type BackendPort, portsKey } from '../endpoints/backends.ts';
import { controllerReference } from '../ownership.ts';
import { type Action, deletionOf, type Plan } from '../runtime/plan.ts';

export const SERVICE_NAME = 'kubernetes.io/service-name';
export const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
export const MANAGER = 'endpointslicemirroring-controller.k8s.io';
/** Upstream's --mirroring-max-endpoints-per-subset. */
const MAX_ADDRESSES = 1000;
/** Annotations that speak of the Endpoints alone. */
const UNMIRRORED = new Set(['endpoints.kubernetes.io/last-change-trigger-time', 'kubectl.kubernetes.io/last-applied-configuration']);

export interface MirrorSnapshot {
  /** What is to be mirrored; undefined: nothing is. */
  endpoints: Endpoints | undefined;
  /** Those that this controller has made for it. */
  slices: readonly EndpointSlice[];
}

/** Endpoints of one family that offer the same ports: one slice. */
interface Group {
  addressType: 'IPv4' | 'IPv6';
  ports: BackendPort[];
  endpoints: Endpoint[];
}

/** Keeps a slice for the addresses of each subset of an Endpoints object that somebody else keeps (upstream: pkg/controller/endpointslicemirroring/reconciler.go). */
export function planMirroring({ endpoints, slices }: MirrorSnapshot): Plan {
  if (!endpoints) return { actions: slices.map((slice) => deletionOf(EndpointSlices, slice)) };
  const { groups, warnings } = groupsOf(endpoints);
  const left = new Set(slices);
  const updates: Action[] = [];
  const creations: Group[] = [];
  for (const [key, group] of groups) {
    const [first] = slices.filter((slice) => keyOf(slice) === key);
    if (!first) creations.push(group);
    else {
      left.delete(first);
      if (!isInLine(first, group, endpoints)) updates.push(update(first, group, endpoints));
    }
  }
  // A slice that is not needed any more becomes one that is, where it may.
  for (const group of creations) {
    const spare = [...left].find(({ addressType }) => addressType === group.addressType);
    if (spare) left.delete(spare);
    updates.push(spare ? update(spare, group, endpoints) : create(group, endpoints));
  }
  return { actions: [...warnings, ...updates, ...[...left].map((slice) => deletionOf(EndpointSlices, slice))] };
}

const keyOf = ({ addressType, ports }: { addressType: string; ports?: EndpointSlice['ports'] | BackendPort[] }): string => `${addressType}-${portsKey(ports)}`;

function groupsOf(endpoints: Endpoints): { groups: Map<string, Group>; warnings: Action[] } {
  const groups = new Map<string, Group>();
  let invalid = 0;
  let skipped = 0;
  for (const { addresses = [], notReadyAddresses = [], ports = [] } of endpoints.subsets ?? []) {
    const all = [...addresses.map((address) => ({ address, ready: true })), ...notReadyAddresses.map((address) => ({ address, ready: false }))];
    let added = 0;
    for (const { address, ready } of all) {
      const family = ipFamily(address.ip);
      if (family === undefined) invalid++;
      if (family === undefined || added >= MAX_ADDRESSES) {
        skipped++;
        continue;
      }
      added++;
      const group: Group = { addressType: family === 6 ? 'IPv6' : 'IPv4', ports: ports.map(portOf), endpoints: [] };
      const key = keyOf(group);
      if (!groups.has(key)) groups.set(key, group);
      groups.get(key)!.endpoints.push(endpointOf(address, ready));
    }
  }
  const warn = (reason: string, message: string): Action => ({ type: 'event', about: endpoints, note: { type: 'Warning', reason, message } });
  const tooMany = `A max of ${MAX_ADDRESSES} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`;
  return {
    groups,
    warnings: [
      ...(invalid ? [warn('InvalidIPAddress', `Skipped ${invalid} invalid IP addresses when mirroring to EndpointSlices`)] : []),
      ...(skipped > invalid ? [warn('TooManyAddressesToMirror', tooMany)] : []),
    ],
  };
}

const portOf = ({ name = '', port, protocol = 'TCP', appProtocol }: SubsetPort): BackendPort => ({
  name,
  port,
  protocol,
  ...(appProtocol ? { appProtocol } : {}),
});

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname ? { hostname } : {}),
    ...(targetRef ? { targetRef } : {}),
    ...(nodeName ? { nodeName } : {}),
  };
}

function labelsOf({ metadata }: Endpoints): Record<string, string> {
  return { ...metadata.labels, [SERVICE_NAME]: metadata.name ?? '', [MANAGED_BY]: MANAGER };
}

function annotationsOf({ metadata }: Endpoints): Record<string, string> {
  return Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([name]) => !UNMIRRORED.has(name)));
}

/** The order of endpoints says nothing. */
function isInLine({ metadata, endpoints }: EndpointSlice, group: Group, owner: Endpoints): boolean {
  const before = endpoints ?? [];
  const isSame = before.length === group.endpoints.length && group.endpoints.every((one) => before.some((other) => deepEqual(one, other)));
  return isSame && deepEqual(metadata.labels, labelsOf(owner)) && deepEqual(metadata.annotations ?? {}, annotationsOf(owner));
}

function update(slice: EndpointSlice, { ports, endpoints }: Group, owner: Endpoints): Action {
  const { annotations: _, ...metadata } = slice.metadata;
  const annotations = annotationsOf(owner);
  const object: EndpointSlice = {
    ...slice,
    metadata: { ...metadata, labels: labelsOf(owner), ...(Object.keys(annotations).length ? { annotations } : {}) },
    endpoints,
    ports,
  };
  return { type: 'update', resource: EndpointSlices, object };
}

function create({ addressType, ports, endpoints }: Group, owner: Endpoints): Action {
  const { name = '', namespace = '' } = owner.metadata;
  const annotations = annotationsOf(owner);
  const object: Draft<EndpointSlice> = {
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: labelsOf(owner),
      ...(Object.keys(annotations).length ? { annotations } : {}),
      ownerReferences: [controllerReference(EndpointsResource, owner)],
    },
    addressType,
    endpoints,
    ports,
  };
  return { type: 'create', resource: EndpointSlices, object, ignoreTerminatingNamespace: true };
}
