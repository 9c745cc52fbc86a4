import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { at, type FieldError, required } from '../../field-error.ts';
import type { EndpointAddress, Endpoints } from '../../generated/types/core.v1.ts';
import type { ObjectMeta } from '../../generated/types/meta.v1.ts';
import { ipFamily } from '../../ip-address.ts';
import type { KindBehaviour } from '../../kind.ts';
import { qualifiedNameFaults } from '../../names.ts';
import { checkEndpointIP, checkIP, checkLabelName, checkOneOf, checkPortNumber, checkSubdomain, checkWith } from '../../validation.ts';

const SHOWN = 3;

function addressesOf({ subsets }: Endpoints): string {
  const all = (subsets ?? []).flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => (ipFamily(ip) === 6 ? `[${ip}]:${port}` : `${ip}:${port}`))),
  );
  if (all.length === 0) return '<none>';
  return all.length > SHOWN ? `${all.slice(0, SHOWN).join(',')} + ${all.length - SHOWN} more...` : all.join(',');
}

/** Upstream: validateEndpointAddress. Two rules look at the address. */
function checkAddress({ ip = '', hostname, nodeName }: Partial<EndpointAddress>, field: string, metadata: ObjectMeta): FieldError[] {
  return [
    ...checkIP(ip, `${field}.ip`),
    ...(hostname ? checkLabelName(hostname, `${field}.hostname`) : []),
    ...(nodeName === undefined ? [] : checkSubdomain(nodeName, `${field}.nodeName`)),
    ...checkEndpointIP(ip, `${field}.ip`, metadata),
  ];
}

/** Upstream: ValidateEndpoints; what is as it was is let be. */
function validate({ metadata, subsets }: Endpoints, old?: Endpoints): FieldError[] {
  if (old && deepEqual(subsets, old.subsets)) return [];
  return (subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const path = at('subsets', index);
    const errors = addresses.length + notReadyAddresses.length === 0 ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : [];
    addresses.forEach((address, i) => {
      errors.push(...checkAddress(address, at(`${path}.addresses`, i), metadata));
    });
    notReadyAddresses.forEach((address, i) => {
      errors.push(...checkAddress(address, at(`${path}.notReadyAddresses`, i), metadata));
    });
    ports.forEach(({ name, port, protocol, appProtocol }, i) => {
      const base = at(`${path}.ports`, i);
      if (!name) {
        if (ports.length > 1) errors.push(required(`${base}.name`));
      } else errors.push(...checkLabelName(name, `${base}.name`));
      errors.push(...checkPortNumber(port ?? 0, `${base}.port`), ...checkOneOf(protocol, ['SCTP', 'TCP', 'UDP'], `${base}.protocol`));
      if (appProtocol !== undefined) errors.push(...checkWith(qualifiedNameFaults, appProtocol, `${base}.appProtocol`));
    });
    return errors;
  });
}

/** Upstream: pkg/registry/core/endpoint/strategy.go. */
export const endpoints: KindBehaviour<Endpoints> = {
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  storagePrefix: 'services/endpoints',
  allowCreateOnUpdate: true,
  setDefaults: ({ subsets }) => {
    for (const { ports } of subsets ?? []) for (const port of ports ?? []) port.protocol ||= 'TCP';
  },
  validate,
  updateOrder: ['metadata', 'whole'],
  row: (object, nowMs) => [object.metadata.name ?? '', addressesOf(object), age(object.metadata.creationTimestamp, nowMs)],
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
};
