import { age } from '../../duration.ts';
import { at, type FieldError, required } from '../../field-error.ts';
import type { Endpoints } from '../../generated/types/core.v1.ts';
import { ipFamily } from '../../ip-address.ts';
import type { KindBehaviour } from '../../kind.ts';
import { checkIP, checkLabelName, checkOneOf, checkPortNumber } from '../../validation.ts';

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

/** Upstream: validateEndpointSubsets. */
function validate({ subsets }: Endpoints): FieldError[] {
  return (subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }, index) => {
    const path = at('subsets', index);
    const errors = addresses.length + notReadyAddresses.length === 0 ? [required(path, 'must specify `addresses` or `notReadyAddresses`')] : [];
    addresses.forEach(({ ip }, i) => {
      errors.push(...checkIP(ip ?? '', `${at(`${path}.addresses`, i)}.ip`));
    });
    notReadyAddresses.forEach(({ ip }, i) => {
      errors.push(...checkIP(ip ?? '', `${at(`${path}.notReadyAddresses`, i)}.ip`));
    });
    ports.forEach(({ name, port, protocol }, i) => {
      const base = at(`${path}.ports`, i);
      if (!name) {
        if (ports.length > 1) errors.push(required(`${base}.name`));
      } else errors.push(...checkLabelName(name, `${base}.name`));
      errors.push(...checkPortNumber(port ?? 0, `${base}.port`), ...checkOneOf(protocol, ['SCTP', 'TCP', 'UDP'], `${base}.protocol`));
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
  validateUpdate: validate,
  row: (object, nowMs) => [object.metadata.name ?? '', addressesOf(object), age(object.metadata.creationTimestamp, nowMs)],
  deprecation: 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
};
