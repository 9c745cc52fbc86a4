import { age } from '../../duration.ts';
import { unsetIfEmpty } from '../../emptied.ts';
import { deepEqual } from '../../equality.ts';
import { at, duplicate, type FieldError, invalid, required, tooMany } from '../../field-error.ts';
import type { Endpoint, EndpointHints, EndpointPort, EndpointSlice } from '../../generated/types/discovery.v1.ts';
import { canonicalAddress, ipFamily } from '../../ip-address.ts';
import type { KindBehaviour } from '../../kind.ts';
import { validateLabels } from '../../label-validation.ts';
import { dns1123LabelFaults, dns1123SubdomainFaults, labelValueFaults, qualifiedNameFaults } from '../../names.ts';
import { checkEndpointIP, checkIP, checkLabelName, checkOneOf, checkOptionalOneOf, checkSubdomain, checkWith } from '../../validation.ts';

const SHOWN = 3;

function brief(all: readonly string[]): string {
  if (all.length === 0) return '<unset>';
  return all.length > SHOWN ? `${all.slice(0, SHOWN).join(',')} + ${all.length - SHOWN} more...` : all.join(',');
}

const TYPES = ['FQDN', 'IPv4', 'IPv6'];
const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;
const MAX_PORTS = 20_000;
const MAX_TOPOLOGY_LABELS = 16;
const MAX_HINTS = 8;

/** Upstream: IsFullyQualifiedDomainName. */
function checkDomainName(name: string, field: string): FieldError[] {
  if (!name) return [required(field)];
  const domain = name.replace(/\.$/, '');
  const faults = dns1123SubdomainFaults(domain);
  if (faults.length) return [invalid(field, domain, faults.join(','))];
  const labels = domain.split('.');
  if (labels.length < 2) return [invalid(field, domain, 'should be a domain with at least two segments separated by dots')];
  const wrong = labels.find((label) => dns1123LabelFaults(label).length > 0);
  return wrong === undefined ? [] : [invalid(field, wrong, dns1123LabelFaults(wrong).join(','))];
}

/** A fault of the family is told at the list, all others at the address. */
function checkAddress(address: string, { addressType: type, metadata }: EndpointSlice, field: string, index: number): FieldError[] {
  const path = at(field, index);
  if (type === 'FQDN') return checkDomainName(address, path);
  if (type !== 'IPv4' && type !== 'IPv6') return [];
  const family = ipFamily(address);
  if (family === undefined) return checkIP(address, path);
  if (type === 'IPv6') {
    const canonical = canonicalAddress(address);
    if (family === 6 && canonical.includes('.')) return [invalid(path, address, 'must not be an IPv4-mapped IPv6 address')];
    if (canonical !== address) return [invalid(path, address, `must be in canonical form (${JSON.stringify(canonical)})`)];
  }
  const errors = family === (type === 'IPv4' ? 4 : 6) ? [] : [invalid(field, address, `must be an ${type} address`)];
  return [...errors, ...checkEndpointIP(address, path, metadata)];
}

function checkHints({ forZones = [], forNodes = [] }: EndpointHints, field: string): FieldError[] {
  const named = (hints: readonly { name: string }[], path: string, faults: (name: string) => string[]): FieldError[] => {
    if (hints.length > MAX_HINTS) return [tooMany(path, hints.length, MAX_HINTS)];
    return hints.flatMap(({ name = '' }, index) => {
      const place = `${at(path, index)}.name`;
      const isTwice = hints.findIndex((other) => (other.name ?? '') === name) < index;
      return [...(isTwice ? [duplicate(place, name)] : []), ...checkWith(faults, name, place)];
    });
  };
  const zones = named(forZones, `${field}.forZones`, labelValueFaults);
  if (forZones.length > MAX_HINTS) return zones;
  return [...zones, ...named(forNodes, `${field}.forNodes`, dns1123SubdomainFaults)];
}

function checkEndpoint({ addresses = [], nodeName, deprecatedTopology = {}, hostname, hints }: Endpoint, slice: EndpointSlice, field: string): FieldError[] {
  const path = `${field}.addresses`;
  const topology = Object.keys(deprecatedTopology).length;
  return [
    ...(addresses.length === 0 ? [required(path, 'must contain at least 1 address')] : []),
    ...(addresses.length > MAX_ADDRESSES ? [tooMany(path, addresses.length, MAX_ADDRESSES)] : []),
    ...addresses.flatMap((address, index) => checkAddress(address, slice, path, index)),
    ...(nodeName === undefined ? [] : checkSubdomain(nodeName, `${field}.nodeName`)),
    ...(topology > MAX_TOPOLOGY_LABELS ? [tooMany(`${field}.deprecatedTopology`, topology, MAX_TOPOLOGY_LABELS)] : []),
    ...validateLabels(deprecatedTopology, `${field}.deprecatedTopology`),
    ...(hostname === undefined ? [] : checkLabelName(hostname, `${field}.hostname`)),
    ...(hints ? checkHints(hints, `${field}.hints`) : []),
  ];
}

function checkEndpoints(slice: EndpointSlice): FieldError[] {
  const endpoints = slice.endpoints ?? [];
  if (endpoints.length > MAX_ENDPOINTS) return [tooMany('endpoints', endpoints.length, MAX_ENDPOINTS)];
  return endpoints.flatMap((endpoint, index) => checkEndpoint(endpoint, slice, at('endpoints', index)));
}

function checkPorts(ports: readonly EndpointPort[]): FieldError[] {
  if (ports.length > MAX_PORTS) return [tooMany('ports', ports.length, MAX_PORTS)];
  const names = new Set<string>();
  return ports.flatMap(({ name = '', protocol, appProtocol }, index) => {
    const path = at('ports', index);
    const isTwice = names.has(name);
    names.add(name);
    return [
      ...(name ? checkLabelName(name, `${path}.name`) : []),
      ...(isTwice ? [duplicate(`${path}.name`, name)] : []),
      ...checkOptionalOneOf(protocol, ['SCTP', 'TCP', 'UDP'], `${path}.protocol`),
      ...(appProtocol === undefined ? [] : checkWith(qualifiedNameFaults, appProtocol, `${path}.appProtocol`)),
    ];
  });
}

/** Upstream: ValidateEndpointSlice; endpoints that are as they were are let be. */
function validate(slice: EndpointSlice, old?: EndpointSlice): FieldError[] {
  return [
    ...checkOneOf(slice.addressType, TYPES, 'addressType'),
    ...checkPorts(slice.ports ?? []),
    ...(old && deepEqual(slice.endpoints, old.endpoints) ? [] : checkEndpoints(slice)),
  ];
}

/** Drops a field of an earlier version, which this one cannot write. */
function prepare(object: EndpointSlice, old?: EndpointSlice): void {
  if (!old || !deepEqual(object.endpoints, old.endpoints)) for (const endpoint of object.endpoints ?? []) delete endpoint.deprecatedTopology;
  unsetIfEmpty(object, 'endpoints');
  unsetIfEmpty(object, 'ports');
}

/** Upstream: pkg/apis/discovery/v1/defaults.go, pkg/registry/discovery/endpointslice/strategy.go. */
export const endpointSlice: KindBehaviour<EndpointSlice> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  hasGeneration: true,
  generationCounts: 'labels',
  setDefaults: ({ ports }) => {
    for (const port of ports ?? []) {
      port.name ??= '';
      port.protocol ??= 'TCP';
    }
  },
  validate,
  validateUpdate: ({ addressType }, old) => (addressType === old.addressType ? [] : [invalid('addressType', addressType ?? '', 'field is immutable')]),
  updateOrder: ['whole', 'change'],
  prepareForCreate: prepare,
  prepareForUpdate: prepare,
  warnings: ({ addressType }, old) => (!old && addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : []),
  row: ({ metadata, addressType, ports, endpoints }, nowMs) => [
    metadata.name ?? '',
    addressType,
    brief((ports ?? []).map(({ port }) => (port === undefined ? '*' : String(port)))),
    brief((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
    age(metadata.creationTimestamp, nowMs),
  ],
};
