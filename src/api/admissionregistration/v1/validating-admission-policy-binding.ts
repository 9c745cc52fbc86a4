import { age } from '../../duration.ts';
import { at, duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type { ParamRef, ValidatingAdmissionPolicyBinding, ValidatingAdmissionPolicyBindingSpec } from '../../generated/types/admissionregistration.v1.ts';
import type { LabelSelector } from '../../generated/types/meta.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { validateLabelSelector } from '../../label-validation.ts';
import { pathSegmentFaults } from '../../meta/validation.ts';
import { checkOneOf, checkSubdomain, checkWith, sortedEntries } from '../../validation.ts';
import { checkMatchResources, setMatchDefaults } from './rules.ts';

const ACTIONS = ['Audit', 'Deny', 'Warn'];

/** A selector as Go's generated String method prints it. */
function goSelector({ matchLabels, matchExpressions = [] }: LabelSelector): string {
  const labels = sortedEntries(matchLabels).map(([key, value]) => `${key}: ${value},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) => `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}

/** Whether a parameter has a namespace cannot be told from here: those without one are shown under all. */
function parameterOf(reference: ParamRef | undefined): string {
  if (reference?.name) return `${reference.namespace || '*'}/${reference.name}`;
  return reference?.selector ? goSelector(reference.selector) : '<unset>';
}

/** Upstream: validateParamRef. */
function checkParamRef({ name, selector, parameterNotFoundAction }: ParamRef, field: string): FieldError[] {
  const BOTH = 'name and selector are mutually exclusive';
  return [
    ...(name ? checkWith(pathSegmentFaults, name, `${field}.name`) : []),
    ...(name && selector ? [forbidden(`${field}.name`, BOTH)] : []),
    ...validateLabelSelector(selector, `${field}.selector`),
    ...(name && selector ? [forbidden(`${field}.selector`, BOTH)] : []),
    ...(name || selector ? [] : [required(field, 'one of name or selector must be specified')]),
    ...checkOneOf(parameterNotFoundAction, ['Deny', 'Allow'], `${field}.parameterNotFoundAction`),
  ];
}

/** Upstream: validateValidationActions. */
function checkActions(actions: readonly string[], field: string): FieldError[] {
  const REPEATED = 'must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)';
  return [
    ...actions.flatMap((action, index) => [
      ...(ACTIONS.includes(action) ? [] : [notSupported(at(field, index), action, ACTIONS)]),
      ...(actions.indexOf(action) < index ? [duplicate(at(field, index), action)] : []),
    ]),
    ...(actions.includes('Deny') && actions.includes('Warn') ? [invalid(field, actions, REPEATED)] : []),
    ...(actions.length ? [] : [required(field, 'at least one validation action is required')]),
  ];
}

/** Upstream: validateValidatingAdmissionPolicyBindingSpec. */
const checkSpec = ({ policyName, paramRef, matchResources, validationActions }: ValidatingAdmissionPolicyBindingSpec): FieldError[] => [
  ...(policyName ? checkSubdomain(policyName, 'spec.policyName') : [required('spec.policyName')]),
  ...(paramRef ? checkParamRef(paramRef, 'spec.paramRef') : []),
  ...(matchResources ? checkMatchResources(matchResources, 'spec.matchResources') : []),
  ...checkActions(validationActions ?? [], 'spec.validationActions'),
];

/** Upstream: pkg/registry/admissionregistration/validatingadmissionpolicybinding. */
export const validatingAdmissionPolicyBinding: KindBehaviour<ValidatingAdmissionPolicyBinding> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  hasGeneration: true,
  allowUnconditionalUpdate: false,
  metadataRules: 'general',
  updateOrder: ['whole'],
  setDefaults: ({ spec }) => {
    if (spec.matchResources) setMatchDefaults(spec.matchResources);
  },
  validate: ({ spec }) => checkSpec(spec),
  row: ({ metadata, spec }, nowMs) => [metadata.name ?? '', spec.policyName ?? '', parameterOf(spec.paramRef), age(metadata.creationTimestamp, nowMs)],
};
