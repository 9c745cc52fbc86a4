import { at, type FieldError, invalid, notSupported, required } from '../../field-error.ts';
import type { LabelSelector } from '../../generated/types/meta.v1.ts';
import type { ClusterRole, PolicyRule, RoleRef, Subject } from '../../generated/types/rbac.v1.ts';
import { validateLabelSelector } from '../../label-validation.ts';
import { pathSegmentFaults } from '../../meta/validation.ts';
import { checkSubdomain, checkWith } from '../../validation.ts';

const RBAC = 'rbac.authorization.k8s.io';

interface Options {
  namespaced: boolean;
}

/** Upstream: pkg/apis/rbac/validation, ValidatePolicyRule. */
function checkRule(rule: PolicyRule, field: string, { namespaced }: Options): FieldError[] {
  const { verbs = [], nonResourceURLs = [], apiGroups = [], resources = [], resourceNames = [] } = rule;
  const errors = verbs.length ? [] : [required(`${field}.verbs`, 'verbs must contain at least one value')];
  if (nonResourceURLs.length) {
    const wrong = (words: string): number => errors.push(invalid(`${field}.nonResourceURLs`, nonResourceURLs, words));
    if (namespaced) wrong('namespaced rules cannot apply to non-resource URLs');
    if (apiGroups.length || resources.length || resourceNames.length) wrong('rules cannot apply to both regular resources and non-resource URLs');
    return errors;
  }
  if (!apiGroups.length) errors.push(required(`${field}.apiGroups`, 'resource rules must supply at least one api group'));
  if (!resources.length) errors.push(required(`${field}.resources`, 'resource rules must supply at least one resource'));
  return errors;
}

export function validateRules(rules: readonly PolicyRule[] | undefined, options: Options): FieldError[] {
  return (rules ?? []).flatMap((rule, index) => checkRule(rule, at('rules', index), options));
}

/** Upstream says of a malformed selector once more that it cannot be used. */
function checkSelector(selector: LabelSelector, field: string): FieldError[] {
  const errors = validateLabelSelector(selector, field);
  return errors.length ? [...errors, invalid(field, null, 'invalid label selector.')] : [];
}

/** Upstream: ValidateClusterRole. */
export function validateClusterRole({ rules, aggregationRule }: ClusterRole): FieldError[] {
  const errors = validateRules(rules, { namespaced: false });
  if (!aggregationRule) return errors;
  const selectors = aggregationRule.clusterRoleSelectors ?? [];
  const field = 'aggregationRule.clusterRoleSelectors';
  if (!selectors.length) errors.push(required(field, 'at least one clusterRoleSelector required if aggregationRule is non-nil'));
  return [...errors, ...selectors.flatMap((selector, index) => checkSelector(selector, at(field, index)))];
}

/** Upstream: ValidateRoleBindingSubject. */
function checkSubject({ kind, name, apiGroup = '', namespace }: Subject, field: string, { namespaced }: Options): FieldError[] {
  const errors = name ? [] : [required(`${field}.name`)];
  switch (kind) {
    case 'ServiceAccount':
      if (name) errors.push(...checkSubdomain(name, `${field}.name`));
      if (apiGroup) errors.push(notSupported(`${field}.apiGroup`, apiGroup, ['']));
      if (!namespaced && !namespace) errors.push(required(`${field}.namespace`));
      return errors;
    case 'User':
    case 'Group':
      return apiGroup === RBAC ? errors : [...errors, notSupported(`${field}.apiGroup`, apiGroup, [RBAC])];
    default:
      return [...errors, notSupported(`${field}.kind`, kind ?? '', ['ServiceAccount', 'User', 'Group'])];
  }
}

interface Binding {
  roleRef: RoleRef;
  subjects?: Subject[];
}

/** Upstream: ValidateRoleBinding and ValidateClusterRoleBinding. */
export function validateBinding({ roleRef, subjects }: Binding, options: Options): FieldError[] {
  const { apiGroup, kind = '', name } = roleRef ?? {};
  const kinds = options.namespaced ? ['Role', 'ClusterRole'] : ['ClusterRole'];
  return [
    ...(apiGroup === RBAC ? [] : [notSupported('roleRef.apiGroup', apiGroup ?? '', [RBAC])]),
    ...(kinds.includes(kind) ? [] : [notSupported('roleRef.kind', kind, kinds)]),
    ...(name ? checkWith(pathSegmentFaults, name, 'roleRef.name') : [required('roleRef.name')]),
    ...(subjects ?? []).flatMap((subject, index) => checkSubject(subject, at('subjects', index), options)),
  ];
}

/** A binding grants one role for all its life. */
export function validateBindingUpdate(object: Binding, old: Binding): FieldError[] {
  const { apiGroup: APIGroup, kind: Kind, name: Name } = object.roleRef;
  const same = APIGroup === old.roleRef.apiGroup && Kind === old.roleRef.kind && Name === old.roleRef.name;
  return same ? [] : [invalid('roleRef', { APIGroup, Kind, Name }, 'cannot change roleRef')];
}
