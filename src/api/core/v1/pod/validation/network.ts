import { at, type FieldError, invalid, required } from '../../../../field-error.ts';
import type { PodSpec } from '../../../../generated/types/core.v1.ts';
import { checkIP, checkSubdomain } from '../../../../validation.ts';

const UNDERSCORE_LABEL = '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?';
const searchPath = new RegExp(`^${UNDERSCORE_LABEL}(\\.${UNDERSCORE_LABEL})*$`);

function checkSearch(search: string, field: string): FieldError[] {
  const name = search.replace(/\.$/, '');
  if (search === '.' || searchPath.test(name)) return [];
  const form = `${UNDERSCORE_LABEL}(\\.${UNDERSCORE_LABEL})*`;
  const message = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${form}')`;
  return [invalid(field, name, message)];
}

/** Upstream: validatePodDNSConfig. */
export function checkDnsConfig({ dnsConfig, dnsPolicy }: PodSpec, field: string): FieldError[] {
  if (dnsPolicy === 'None') {
    if (!dnsConfig) return [required(field, 'must provide `dnsConfig` when `dnsPolicy` is None')];
    if (!dnsConfig.nameservers?.length) return [required(`${field}.nameservers`, 'must provide at least one DNS nameserver when `dnsPolicy` is None')];
  }
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  const errors: FieldError[] = [];
  if (nameservers.length > 3) errors.push(invalid(`${field}.nameservers`, nameservers, 'must not have more than 3 nameservers'));
  nameservers.forEach((address, index) => {
    errors.push(...checkIP(address, at(`${field}.nameservers`, index)));
  });
  if (searches.length > 32) errors.push(invalid(`${field}.searches`, searches, 'must not have more than 32 search paths'));
  if (searches.join(' ').length > 2048)
    errors.push(invalid(`${field}.searches`, searches, 'must not have more than 2048 characters (including spaces) in the search list'));
  searches.forEach((search, index) => {
    errors.push(...checkSearch(search, at(`${field}.searches`, index)));
  });
  options.forEach(({ name }, index) => {
    if (!name) errors.push(required(at(`${field}.options`, index), 'must not be empty'));
  });
  return errors;
}

/** On the host's network a container's ports are the host's (upstream: validatePodHostNetworkDeps). */
export function checkHostNetworkPorts({ hostNetwork, containers }: PodSpec, field: string, { isPod }: { isPod: boolean }): FieldError[] {
  if (!hostNetwork) return [];
  return (containers ?? []).flatMap(({ ports }, i) =>
    (ports ?? []).flatMap(({ hostPort = 0, containerPort }, j) =>
      (isPod || hostPort !== 0) && hostPort !== containerPort
        ? [invalid(`${at(`${at(`${field}.containers`, i)}.ports`, j)}.hostPort`, hostPort, 'must match `containerPort` when `hostNetwork` is true')]
        : [],
    ),
  );
}

export function checkHostAliases({ hostAliases }: PodSpec, field: string): FieldError[] {
  return (hostAliases ?? []).flatMap(({ ip, hostnames }, index) => [
    ...checkIP(ip ?? '', `${at(field, index)}.ip`),
    ...(hostnames ?? []).flatMap((name, i) => checkSubdomain(name, at(`${at(field, index)}.hostnames`, i))),
  ]);
}
