import { type FieldError, invalid, notSupported, required } from './field-error.ts';
import { endpointAddressFaults, IP_FAULT, ipFamily } from './ip-address.ts';
import { dns1123LabelFaults, dns1123SubdomainFaults, httpPathFaults, portNameFaults, portNumberFaults } from './names.ts';
import { parseQuantity } from './quantity.ts';

/** Checks that many kinds share. Each returns the faults of one field. */

const each = (field: string, value: unknown, faults: readonly string[]): FieldError[] => faults.map((fault) => invalid(field, value, fault));

/** Faults of a value by one of the checks of names.ts. */
export function checkWith(faults: (value: string) => string[], value: string, field: string): FieldError[] {
  return each(field, value, faults(value));
}

export const checkLabelName = (value: string, field: string): FieldError[] => checkWith(dns1123LabelFaults, value, field);

export const checkSubdomain = (value: string, field: string): FieldError[] => checkWith(dns1123SubdomainFaults, value, field);

export function checkNonNegative(value: number | undefined, field: string): FieldError[] {
  return (value ?? 0) < 0 ? [invalid(field, value, 'must be greater than or equal to 0')] : [];
}

/** A quantity that may be left out. */
export function checkNonNegativeQuantity(quantity: string | undefined, field: string): FieldError[] {
  return quantity !== undefined && parseQuantity(quantity).nano < 0n ? [invalid(field, quantity, 'must be greater than or equal to 0')] : [];
}

/** `acme.io/foo`: a domain, a slash and a path (upstream: validation.IsDomainPrefixedPath). */
export function checkDomainPrefixedPath(value: string | undefined, field: string): FieldError[] {
  if (!value) return [required(field)];
  const slash = value.indexOf('/');
  const domain = value.slice(0, Math.max(slash, 0));
  const path = value.slice(slash + 1);
  if (!domain || !path) return [invalid(field, value, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return [...checkWith(dns1123SubdomainFaults, domain, field), ...checkWith(httpPathFaults, path, field)];
}

export function checkIP(value: string, field: string): FieldError[] {
  return ipFamily(value) === undefined ? [invalid(field, value, IP_FAULT)] : [];
}

/**
 * The address of an endpoint, which is not one that only a machine itself, or its link, can reach. The API server of a
 * cluster on one machine is such a one, and tells it.
 */
export function checkEndpointIP(value: string, field: string, { name, namespace }: { name?: string; namespace?: string }): FieldError[] {
  const isApiServer = namespace === 'default' && name === 'kubernetes' && value === '127.0.0.1';
  return isApiServer ? [] : each(field, value, endpointAddressFaults(value));
}

export function checkPortNumber(value: number, field: string): FieldError[] {
  return each(field, value, portNumberFaults(value));
}

export function checkPort(value: number | string, field: string): FieldError[] {
  return each(field, value, typeof value === 'number' ? portNumberFaults(value) : portNameFaults(value));
}

/** A value of a fixed set that must be there. */
export function checkOneOf(value: string | undefined, supported: readonly string[], field: string): FieldError[] {
  if (!value) return [required(field)];
  return supported.includes(value) ? [] : [notSupported(field, value, supported)];
}

/** A value of a fixed set, or none. */
export function checkOptionalOneOf(value: string | undefined, supported: readonly string[], field: string): FieldError[] {
  return value === undefined || supported.includes(value) ? [] : [notSupported(field, value, supported)];
}

export function checkPresent(value: string | undefined, field: string): FieldError[] {
  return value ? [] : [required(field)];
}

/** A path that stays below where it starts. */
export function checkLocalDescendingPath(path: string, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (path.startsWith('/')) errors.push(invalid(field, path, 'must be a relative path'));
  return [...errors, ...checkNoBacksteps(path, field)];
}

export function checkNoBacksteps(path: string, field: string): FieldError[] {
  return path.split('/').includes('..') ? [invalid(field, path, "must not contain '..'")] : [];
}

/** A relative path that neither is nor begins with `..`. */
export function checkLocalNonReservedPath(path: string, field: string): FieldError[] {
  const errors = checkLocalDescendingPath(path, field);
  if (path.startsWith('..') && !path.startsWith('../')) errors.push(invalid(field, path, "must not start with '..'"));
  return errors;
}

/** Maps in the order of their keys, so that faults come in the same order each time. */
export function sortedEntries<T>(map: Readonly<Record<string, T>> | undefined): [string, T][] {
  return Object.entries(map ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
}
