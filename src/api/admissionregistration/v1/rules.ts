import { at, duplicate, type FieldError, invalid, notSupported, required } from '../../field-error.ts';
import type { MatchResources, NamedRuleWithOperations, RuleWithOperations } from '../../generated/types/admissionregistration.v1.ts';
import { validateLabelSelector } from '../../label-validation.ts';
import { pathSegmentFaults } from '../../meta/validation.ts';
import { checkOptionalOneOf, checkWith } from '../../validation.ts';

/** Which requests webhooks and policies are about (upstream: pkg/apis/admissionregistration/validation). Sets are sorted, as upstream lists them. */

const ALL = '*';
const OPERATIONS = [ALL, 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const SCOPES = [ALL, 'Cluster', 'Namespaced'];
export const FAILURE_POLICIES = ['Fail', 'Ignore'];
export const MATCH_POLICIES = ['Equivalent', 'Exact'];

export function setRuleDefaults(rules: readonly RuleWithOperations[] | undefined): void {
  for (const rule of rules ?? []) rule.scope ??= ALL;
}

/** Upstream: SetDefaults_MatchResources. */
export function setMatchDefaults(match: MatchResources): void {
  match.matchPolicy ??= 'Equivalent';
  match.namespaceSelector ??= {};
  match.objectSelector ??= {};
  setRuleDefaults(match.resourceRules);
  setRuleDefaults(match.excludeResourceRules);
}

/** `*` stands alone. */
function checkAlone(values: readonly string[], others: string, field: string): FieldError[] {
  return values.length > 1 && values.includes(ALL) ? [invalid(field, values, `if '*' is present, must not specify other ${others}`)] : [];
}

const checkNotEmpty = (values: readonly string[], field: string): FieldError[] => (values.length ? [] : [required(field)]);

const checkEachPresent = (values: readonly string[], field: string): FieldError[] =>
  values.flatMap((value, index) => (value ? [] : [required(at(field, index))]));

/** One of `pods/*` and `* /status` makes what it covers superfluous after it (upstream: validateResources). */
function checkSubresources(resources: readonly string[], field: string): FieldError[] {
  const whole = new Set<string>();
  const everywhere = new Set<string>();
  return resources.flatMap((resource, index) => {
    const path = at(field, index);
    if (!resource) return [required(path)];
    const slash = resource.indexOf('/');
    if (slash < 0) return [];
    const [parent, child] = [resource.slice(0, slash), resource.slice(slash + 1)];
    const errors = [
      ...(whole.has(parent) ? [invalid(path, resource, `if '${parent}/*' is present, must not specify ${resource}`)] : []),
      ...(everywhere.has(child) ? [invalid(path, resource, `if '*/${child}' is present, must not specify ${resource}`)] : []),
    ];
    if (child === ALL) whole.add(parent);
    if (parent === ALL) everywhere.add(child);
    return errors;
  });
}

function checkResources(resources: readonly string[], field: string): FieldError[] {
  // Upstream remembers of the names without a slash only what the last of them is.
  const lastWithout = resources.filter((resource) => resource && !resource.includes('/')).at(-1);
  const isTooWide = resources.includes(ALL) && lastWithout !== undefined && lastWithout !== ALL;
  return [
    ...checkNotEmpty(resources, field),
    ...checkSubresources(resources, field),
    ...(resources.length > 1 && resources.includes('*/*') ? [invalid(field, resources, "if '*/*' is present, must not specify other resources")] : []),
    ...(isTooWide ? [invalid(field, resources, "if '*' is present, must not specify other resources without subresources")] : []),
  ];
}

/** Upstream: validateRuleWithOperations. */
export function checkRule(rule: RuleWithOperations, field: string): FieldError[] {
  const { operations = [], apiGroups = [], apiVersions = [], resources = [], scope } = rule;
  return [
    ...checkNotEmpty(operations, `${field}.operations`),
    ...checkAlone(operations, 'operations', `${field}.operations`),
    ...operations.flatMap((operation, index) =>
      OPERATIONS.includes(operation) ? [] : [notSupported(at(`${field}.operations`, index), operation, OPERATIONS)],
    ),
    ...checkNotEmpty(apiGroups, `${field}.apiGroups`),
    ...checkAlone(apiGroups, 'API groups', `${field}.apiGroups`),
    ...checkNotEmpty(apiVersions, `${field}.apiVersions`),
    ...checkAlone(apiVersions, 'API versions', `${field}.apiVersions`),
    ...checkEachPresent(apiVersions, `${field}.apiVersions`),
    ...checkResources(resources, `${field}.resources`),
    ...checkOptionalOneOf(scope, SCOPES, `${field}.scope`),
  ];
}

function checkNamedRule(rule: NamedRuleWithOperations, field: string): FieldError[] {
  const names = rule.resourceNames ?? [];
  return [
    ...names.flatMap((name, index) => {
      const path = at(`${field}.resourceNames`, index);
      return [...checkWith(pathSegmentFaults, name, path), ...(names.indexOf(name) < index ? [duplicate(path, name)] : [])];
    }),
    ...checkRule(rule, field),
  ];
}

/** Upstream: validateMatchResources. */
export function checkMatchResources(match: MatchResources, field: string): FieldError[] {
  const { matchPolicy, namespaceSelector, objectSelector, resourceRules = [], excludeResourceRules = [] } = match;
  return [
    ...checkOptionalOneOf(matchPolicy, MATCH_POLICIES, `${field}.matchPolicy`),
    ...validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`),
    ...validateLabelSelector(objectSelector, `${field}.objectSelector`),
    ...resourceRules.flatMap((rule, index) => checkNamedRule(rule, at(`${field}.resourceRules`, index))),
    ...excludeResourceRules.flatMap((rule, index) => checkNamedRule(rule, at(`${field}.excludeResourceRules`, index))),
  ];
}
