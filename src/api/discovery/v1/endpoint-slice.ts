import { age } from '../../duration.ts';
import { at, duplicate, type FieldError, invalid, notSupported, required, tooMany } from '../../field-error.ts';
import type { EndpointSlice } from '../../generated/types/discovery.v1.ts';
import { ipFamily } from '../../ip-address.ts';
import type { KindBehaviour } from '../../kind.ts';
import { checkIP, checkLabelName, checkOneOf, checkSubdomain } from '../../validation.ts';

const SHOWN = 3;

function brief(all: readonly string[]): string {
  if (all.length === 0) return '<unset>';
  return all.length > SHOWN ? `${all.slice(0, SHOWN).join(',')} + ${all.length - SHOWN} more...` : all.join(',');
}

const TYPES = ['FQDN', 'IPv4', 'IPv6'];
const MAX_ENDPOINTS = 1000;
const MAX_ADDRESSES = 100;

function checkAddress(address: string, type: string, field: string): FieldError[] {
  if (type === 'FQDN') return checkSubdomain(address, field);
  const wanted = type === 'IPv4' ? 4 : 6;
  if (ipFamily(address) === undefined) return checkIP(address, field);
  return ipFamily(address) === wanted ? [] : [invalid(field, address, `must be a valid ${type} address`)];
}

/** Upstream: ValidateEndpointSlice. */
function validate({ addressType, endpoints, ports }: EndpointSlice): FieldError[] {
  const errors: FieldError[] = [];
  if (!addressType) errors.push(required('addressType'));
  else if (!TYPES.includes(addressType)) errors.push(notSupported('addressType', addressType, TYPES));
  if ((endpoints ?? []).length > MAX_ENDPOINTS) errors.push(tooMany('endpoints', endpoints.length, MAX_ENDPOINTS));
  (endpoints ?? []).forEach(({ addresses = [] }, index) => {
    const path = `${at('endpoints', index)}.addresses`;
    if (addresses.length === 0) errors.push(required(path, 'must contain at least 1 address'));
    else if (addresses.length > MAX_ADDRESSES) errors.push(tooMany(path, addresses.length, MAX_ADDRESSES));
    if (TYPES.includes(addressType))
      addresses.forEach((address, i) => {
        errors.push(...checkAddress(address, addressType, at(path, i)));
      });
  });
  const names = new Set<string>();
  (ports ?? []).forEach(({ name = '', protocol }, index) => {
    const path = at('ports', index);
    if (name) errors.push(...checkLabelName(name, `${path}.name`));
    if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
    names.add(name);
    errors.push(...checkOneOf(protocol, ['SCTP', 'TCP', 'UDP'], `${path}.protocol`));
  });
  return errors;
}

/** Upstream: pkg/apis/discovery/v1/defaults.go, pkg/registry/discovery/endpointslice/strategy.go. */
export const endpointSlice: KindBehaviour<EndpointSlice> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  hasGeneration: true,
  setDefaults: ({ ports }) => {
    for (const port of ports ?? []) {
      port.name ??= '';
      port.protocol ??= 'TCP';
    }
  },
  validate,
  validateUpdate: (object, old) => [
    ...validate(object),
    ...(object.addressType === old.addressType ? [] : [invalid('addressType', object.addressType, 'field is immutable')]),
  ],
  row: ({ metadata, addressType, ports, endpoints }, nowMs) => [
    metadata.name ?? '',
    addressType,
    brief((ports ?? []).map(({ port }) => (port === undefined ? '*' : String(port)))),
    brief((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
    age(metadata.creationTimestamp, nowMs),
  ],
};
