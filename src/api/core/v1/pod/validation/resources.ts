import { at, type FieldError, forbidden, invalid, required } from '../../../../field-error.ts';
import type { ResourceRequirements } from '../../../../generated/types/core.v1.ts';
import { qualifiedNameFaults } from '../../../../names.ts';
import { compareQuantities, isQuantity, parseQuantity } from '../../../../quantity.ts';
import { sortedEntries } from '../../../../validation.ts';
import { checkResourceClaimNames } from './resource-claims.ts';

const STANDARD_CONTAINER = ['cpu', 'memory', 'ephemeral-storage'];
/** Counted in pieces. */
const COUNTED = [
  'pods',
  'services',
  'replicationcontrollers',
  'resourcequotas',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
];
const STANDARD = [
  ...STANDARD_CONTAINER,
  ...COUNTED,
  'storage',
  'requests.cpu',
  'requests.memory',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
];

const isHugePages = (name: string): boolean => name.startsWith('hugepages-') || name.startsWith('requests.hugepages-');

/** A name of Kubernetes itself: without a domain, or within kubernetes.io. */
export function isNativeResource(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/');
}

export function isExtendedResource(name: string): boolean {
  return !isNativeResource(name) && !name.startsWith('requests.') && qualifiedNameFaults(`requests.${name}`).length === 0;
}

export const mayOvercommit = (name: string): boolean => isNativeResource(name) && !isHugePages(name);

/** Upstream: ValidateResourceName. */
export function checkResourceName(name: string, field: string): FieldError[] {
  const faults = qualifiedNameFaults(name);
  if (faults.length) return faults.map((fault) => invalid(field, name, fault));
  if (!name.includes('/') && !STANDARD.includes(name) && !isHugePages(name))
    return [invalid(field, name, 'must be a standard resource type or fully qualified')];
  return [];
}

/** Upstream: validateContainerResourceName. */
export function checkContainerResourceName(name: string, field: string): FieldError[] {
  const errors = checkResourceName(name, field);
  if (!name.includes('/')) {
    if (!STANDARD_CONTAINER.includes(name) && !isHugePages(name)) errors.push(invalid(field, name, 'must be a standard resource for containers'));
  } else if (!isNativeResource(name) && !isExtendedResource(name)) errors.push(invalid(field, name, "doesn't follow extended resource name standard"));
  return errors;
}

/** Not negative, and whole where the resource is counted in pieces (upstream: ValidateResourceQuantityValue). */
export function checkQuantityValue(name: string, quantity: string, field: string): FieldError[] {
  const { nano } = parseQuantity(quantity);
  const errors: FieldError[] = [];
  if (nano < 0n) errors.push(invalid(field, quantity, 'must be greater than or equal to 0'));
  const whole = isExtendedResource(name) || COUNTED.includes(name);
  if (whole && nano % 1_000_000_000n !== 0n) errors.push(invalid(field, quantity, 'must be an integer'));
  return errors;
}

/** Upstream: ValidateContainerResourceRequirements. */
export function checkResources(resources: ResourceRequirements | undefined, claims: ReadonlySet<string>, field: string): FieldError[] {
  return resources ? checkRequirements(resources, { checkName: checkContainerResourceName, claims, field }) : [];
}

const PAGE_SIZE = /^(?:requests\.)?hugepages-(.+)$/;

/** Huge pages come whole. */
function checkPages(name: string, quantity: string, field: string): FieldError[] {
  const size = PAGE_SIZE.exec(name)?.[1];
  if (size === undefined) return [];
  const page = isQuantity(size) ? parseQuantity(size).nano : 0n;
  return page > 0n && parseQuantity(quantity).nano % page === 0n ? [] : [invalid(field, quantity, `${quantity} is not positive integer multiple of ${name}`)];
}

export interface RequirementsContext {
  /** Which resources may be asked for. */
  checkName(name: string, field: string): FieldError[];
  /** The claims of the pod, by name. */
  claims: ReadonlySet<string>;
  field: string;
}

/** Upstream: validateResourceRequirements. */
export function checkRequirements(resources: ResourceRequirements, { checkName, claims, field }: RequirementsContext): FieldError[] {
  const { limits = {}, requests = {} } = resources;
  const errors: FieldError[] = [];
  for (const [name, quantity] of sortedEntries(limits)) {
    const path = at(`${field}.limits`, name);
    errors.push(...checkName(name, path), ...checkQuantityValue(name, quantity, path), ...checkPages(name, quantity, path));
  }
  for (const [name, quantity] of sortedEntries(requests)) {
    const path = at(`${field}.requests`, name);
    errors.push(...checkName(name, path), ...checkQuantityValue(name, quantity, path));
    const limit = limits[name];
    if (limit === undefined) {
      if (!mayOvercommit(name)) errors.push(required(`${field}.limits`, 'Limit must be set for non overcommitable resources'));
    } else if (compareQuantities(quantity, limit) !== 0 && !mayOvercommit(name)) {
      errors.push(invalid(`${field}.requests`, quantity, `must be equal to ${name} limit of ${limit}`));
    } else if (compareQuantities(quantity, limit) > 0) {
      errors.push(invalid(`${field}.requests`, quantity, `must be less than or equal to ${name} limit of ${limit}`));
    }
    errors.push(...checkPages(name, quantity, path));
  }
  const names = [...Object.keys(limits), ...Object.keys(requests)];
  if (names.some(isHugePages) && !names.some((name) => name === 'cpu' || name === 'memory')) errors.push(forbidden(field, 'HugePages require cpu or memory'));
  return [...errors, ...checkResourceClaimNames(resources.claims, claims, `${field}.claims`)];
}
