import { type FieldError, invalid, required, tooLong } from '../../field-error.ts';
import { byteLength, dns1123SubdomainFaults, qualifiedNameFaults } from '../../names.ts';
import { sortedEntries } from '../../validation.ts';

const MOST_PARAMETERS = 512;
const MOST_BYTES = 256 * 1024;
const LONGEST_DRIVER_NAME = 63;

export function bytesOf(map: Readonly<Record<string, string>> | undefined): number {
  return Object.entries(map ?? {}).reduce((sum, [key, value]) => sum + byteLength(key) + byteLength(value), 0);
}

/** Upstream: pkg/apis/storage/validation, validateParameters. */
export function checkParameters(parameters: Readonly<Record<string, string>> | undefined, field: string): FieldError[] {
  const entries = sortedEntries(parameters);
  if (entries.length > MOST_PARAMETERS) return [tooLong(field, MOST_PARAMETERS)];
  return [
    ...entries.filter(([key]) => key === '').map(([key]) => invalid(field, key, 'field can not be empty.')),
    ...(bytesOf(parameters) > MOST_BYTES ? [tooLong(field, MOST_BYTES)] : []),
  ];
}

/** Who provides the volumes, a qualified name (upstream: validateProvisioner). */
export function checkProvisioner(provisioner: string | undefined, field: string): FieldError[] {
  if (!provisioner) return [required(field)];
  const name = provisioner.toLowerCase();
  return qualifiedNameFaults(name).map((fault) => invalid(field, name, fault));
}

/** Upstream: pkg/apis/core/validation, ValidateCSIDriverName. */
export function checkDriverName(name: string, field: string): FieldError[] {
  return [
    ...(name ? [] : [required(field)]),
    ...(byteLength(name) > LONGEST_DRIVER_NAME ? [tooLong(field, LONGEST_DRIVER_NAME)] : []),
    ...dns1123SubdomainFaults(name.toLowerCase()).map((fault) => invalid(field, name, fault)),
  ];
}
