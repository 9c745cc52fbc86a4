import { at, type FieldError, invalid, required } from '../../field-error.ts';
import type { ResourceQuota, ResourceQuotaSpec, ScopedResourceSelectorRequirement } from '../../generated/types/core.v1.ts';
import { sortedEntries } from '../../validation.ts';
import { checkQuantityValue, checkResourceName } from './pod/validation/resources.ts';

const COMPUTE = ['cpu', 'memory', 'limits.cpu', 'limits.memory', 'requests.cpu', 'requests.memory'];
const POD = ['pods', ...COMPUTE];

/** What a quota of each scope may count (upstream: pkg/apis/core/helper, IsResourceQuotaScopeValidForResource). */
const SCOPES: Readonly<Record<string, readonly string[]>> = {
  BestEffort: ['pods'],
  NotBestEffort: POD,
  Terminating: POD,
  NotTerminating: POD,
  PriorityClass: POD,
  CrossNamespacePodAffinity: POD,
  VolumeAttributesClass: ['persistentvolumeclaims', 'requests.storage'],
};

const EXCLUSIVE = [
  ['BestEffort', 'NotBestEffort'],
  ['Terminating', 'NotTerminating'],
] as const;

/** Scopes that a pod either has or not. */
const PLAIN = ['BestEffort', 'NotBestEffort', 'Terminating', 'NotTerminating', 'CrossNamespacePodAffinity'];
const PLAIN_FAULT =
  "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";

/** Names of Kubernetes itself that a quota can count. */
const STANDARD = [
  ...POD,
  'ephemeral-storage',
  'requests.storage',
  'requests.ephemeral-storage',
  'limits.ephemeral-storage',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'persistentvolumeclaims',
  'configmaps',
  'services.nodeports',
  'services.loadbalancers',
];

const isStandard = (name: string): boolean => STANDARD.includes(name) || /^(requests\.)?hugepages-/.test(name);

/** Upstream: ValidateResourceQuotaResourceName and ValidateResourceQuantityValue. */
export function validateHard(hard: Readonly<Record<string, string>> | undefined, field: string): FieldError[] {
  return sortedEntries(hard).flatMap(([name, quantity]) => {
    const path = at(field, name);
    const errors = checkResourceName(name, path);
    if (!name.includes('/') && !isStandard(name)) errors.push(invalid(path, name, 'must be a standard resource for quota'));
    return [...errors, ...checkQuantityValue(name, quantity, path)];
  });
}

/** One fault for each counted resource that the scope does not go with. */
function misapplied({ hard }: ResourceQuotaSpec, scope: string, fault: () => FieldError): FieldError[] {
  const fitting = SCOPES[scope];
  if (!fitting) return [];
  return Object.keys(hard ?? {})
    .filter((name) => isStandard(name) && !fitting.includes(name))
    .map(fault);
}

function conflicts(spec: ResourceQuotaSpec, scopes: readonly string[], field: string): FieldError[] {
  const both = EXCLUSIVE.filter(([a, b]) => scopes.includes(a) && scopes.includes(b));
  return both.map(() => invalid(field, spec.scopes ?? null, 'conflicting scopes'));
}

function checkScopes(spec: ResourceQuotaSpec): FieldError[] {
  const { scopes = [] } = spec;
  const field = 'spec.scopes';
  const errors = scopes.flatMap((scope) => [
    ...(SCOPES[scope] ? [] : [invalid(field, scopes, 'unsupported scope')]),
    ...misapplied(spec, scope, () => invalid(field, scopes, 'unsupported scope applied to resource')),
  ]);
  return [...errors, ...conflicts(spec, scopes, field)];
}

function checkRequirement({ scopeName, operator, values = [] }: ScopedResourceSelectorRequirement, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (PLAIN.includes(scopeName) && operator !== 'Exists') errors.push(invalid(`${field}.operator`, operator, PLAIN_FAULT));
  switch (operator) {
    case 'In':
    case 'NotIn':
      if (!values.length) errors.push(required(`${field}.values`, "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"));
      return errors;
    case 'Exists':
    case 'DoesNotExist':
      if (values.length) errors.push(invalid(`${field}.values`, values, "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"));
      return errors;
    default:
      return [...errors, invalid(`${field}.operator`, operator ?? '', 'not a valid selector operator')];
  }
}

/** Upstream names no index here. */
function checkScopeSelector(spec: ResourceQuotaSpec): FieldError[] {
  if (!spec.scopeSelector) return [];
  const expressions = spec.scopeSelector.matchExpressions ?? [];
  const field = 'spec.scopeSelector.matchExpressions';
  const shown = {
    MatchExpressions: expressions.map(({ scopeName, operator, values }) => ({ ScopeName: scopeName, Operator: operator, Values: values ?? null })),
  };
  const errors = expressions.flatMap((requirement) => [
    ...(SCOPES[requirement.scopeName] ? [] : [invalid(`${field}.scopeName`, requirement.scopeName ?? '', 'unsupported scope')]),
    ...misapplied(spec, requirement.scopeName, () => invalid(field, shown, 'unsupported scope applied to resource')),
    ...checkRequirement(requirement, field),
  ]);
  const scopes = expressions.map(({ scopeName }) => scopeName);
  return [...errors, ...conflicts(spec, scopes, field)];
}

/** Upstream: pkg/apis/core/validation, ValidateResourceQuotaSpec. */
export function validateResourceQuota({ spec }: ResourceQuota): FieldError[] {
  return [...validateHard(spec?.hard, 'spec.hard'), ...checkScopes(spec ?? {}), ...checkScopeSelector(spec ?? {})];
}
