import { checkExpression } from '../../cel/expression.ts';
import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { at, duplicate, type FieldError, invalid, required } from '../../field-error.ts';
import type {
  AuditAnnotation,
  ParamKind,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicySpec,
  Validation,
  Variable,
} from '../../generated/types/admissionregistration.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { byteLength, dns1035LabelFaults, dns1123SubdomainFaults, qualifiedNameFaults } from '../../names.ts';
import { checkOptionalOneOf, checkWith } from '../../validation.ts';
import { admissionContext, checkMatchConditions } from './match-conditions.ts';
import { checkMatchResources, FAILURE_POLICIES, setMatchDefaults } from './rules.ts';

const MOST_AUDIT_ANNOTATIONS = 20;
const LONGEST_VALUE_EXPRESSION = 5 * 1024;
const REASONS = ['Forbidden', 'Invalid', 'RequestEntityTooLarge'];
const NOT_SPECIFIED = 'expression is not specified';
const RESERVED = new Set('true false null in as break const continue else for function if import let loop package namespace return var void while'.split(' '));

/** What is at hand while the parts of a policy are looked at. */
interface PolicyContext {
  name: string;
  hasParams: boolean;
  /** The names of the variables that may be spoken of. */
  variables: readonly string[] | undefined;
}

const expressionContext = (context: PolicyContext, { hasAuthorizer }: { hasAuthorizer: boolean }): ReturnType<typeof admissionContext> =>
  admissionContext({ ...context, hasAuthorizer });

function checkApiVersion(apiVersion: string | undefined, field: string): FieldError[] {
  if (!apiVersion) return [required(field)];
  const parts = apiVersion === '/' ? [''] : apiVersion.split('/');
  if (parts.length > 2) return [invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const version = parts.at(-1)!;
  const group = parts.length === 2 ? parts[0]! : '';
  const groupFaults = group ? dns1123SubdomainFaults(group) : [];
  const versionFaults = version ? dns1035LabelFaults(version) : [];
  return [
    ...(groupFaults.length ? [invalid(field, group, groupFaults.join(','))] : []),
    ...(version ? [] : [invalid(field, apiVersion, 'version must be specified')]),
    ...(versionFaults.length ? [invalid(field, version, versionFaults.join(','))] : []),
  ];
}

/** Upstream: validateParamKind. */
function checkParamKind({ apiVersion, kind }: ParamKind, field: string): FieldError[] {
  const faults = kind ? dns1035LabelFaults(kind.toLowerCase()) : [];
  return [
    ...checkApiVersion(apiVersion, `${field}.apiVersion`),
    ...(kind ? [] : [required(`${field}.kind`)]),
    ...(faults.length ? [invalid(`${field}.kind`, kind, `may have mixed case, but should otherwise match: ${faults.join(',')}`)] : []),
  ];
}

function checkVariable({ name = '', expression = '' }: Variable, context: PolicyContext, field: string): FieldError[] {
  const isIdentifier = /^[_a-zA-Z][_a-zA-Z0-9]*$/.test(name) && !RESERVED.has(name);
  const nameErrors = !name.trim()
    ? [required(`${field}.name`, 'name is not specified')]
    : isIdentifier
      ? []
      : [invalid(`${field}.name`, name, 'must be a valid CEL identifier')];
  return [
    ...nameErrors,
    ...(expression.trim()
      ? checkExpression(expression, expressionContext(context, { hasAuthorizer: true }), `${field}.expression`)
      : [required(`${field}.expression`, NOT_SPECIFIED)]),
  ];
}

function checkMessage(message: string, field: string): FieldError[] {
  if (message && !message.trim()) return [invalid(field, message, 'must be non-empty if specified')];
  return /[\n\r]/.test(message.trim()) ? [invalid(field, message, 'must not contain line breaks')] : [];
}

function checkMessageExpression(expression: string, context: PolicyContext, field: string): FieldError[] {
  if (!expression) return [];
  if (!expression.trim()) return [invalid(field, expression, 'must be non-empty if specified')];
  return checkExpression(expression, { ...expressionContext(context, { hasAuthorizer: false }), returns: ['string'] }, field);
}

/** Upstream: validateValidation. */
function checkValidation({ expression = '', message = '', messageExpression = '', reason }: Validation, context: PolicyContext, field: string): FieldError[] {
  return [
    ...(expression.trim()
      ? checkExpression(expression, { ...expressionContext(context, { hasAuthorizer: true }), returns: ['bool'] }, `${field}.expression`)
      : [required(`${field}.expression`, NOT_SPECIFIED)]),
    // Params are not at hand for messages unless match conditions may speak of them.
    ...checkMessageExpression(messageExpression, context, `${field}.messageExpression`),
    ...checkMessage(message, `${field}.message`),
    ...checkOptionalOneOf(reason, REASONS, `${field}.reason`),
  ];
}

function checkValueExpression(expression: string, context: PolicyContext, field: string): FieldError[] {
  const trimmed = expression.trim();
  if (!trimmed) return [required(field, 'valueExpression is not specified')];
  if (byteLength(trimmed) > LONGEST_VALUE_EXPRESSION) return [required(field, `must not exceed ${LONGEST_VALUE_EXPRESSION} bytes in length`)];
  const rules = { ...expressionContext(context, { hasAuthorizer: true }), returns: ['string', 'null_type'] };
  return checkExpression(trimmed, rules, field);
}

/** Upstream: validateAuditAnnotation. */
function checkAuditAnnotation({ key = '', valueExpression = '' }: AuditAnnotation, context: PolicyContext, field: string): FieldError[] {
  return [
    ...(context.name
      ? checkWith(qualifiedNameFaults, `${context.name}/${key}`, `${field}.key`)
      : [invalid(`${field}.key`, key, 'requires metadata.name be non-empty')]),
    ...checkValueExpression(valueExpression, context, `${field}.valueExpression`),
  ];
}

function checkAuditAnnotations(annotations: readonly AuditAnnotation[], context: PolicyContext, field: string): FieldError[] {
  const keys = annotations.map(({ key = '' }) => key);
  const shown = annotations.map(({ key: Key = '', valueExpression: ValueExpression = '' }) => ({ Key, ValueExpression }));
  return [
    ...(annotations.length > MOST_AUDIT_ANNOTATIONS ? [invalid(field, shown, `must not have more than ${MOST_AUDIT_ANNOTATIONS} auditAnnotations`)] : []),
    ...annotations.flatMap((annotation, index) => [
      ...checkAuditAnnotation(annotation, context, at(field, index)),
      ...(keys.indexOf(keys[index]!) < index ? [duplicate(`${at(field, index)}.key`, keys[index])] : []),
    ]),
  ];
}

/** Upstream: validateValidatingAdmissionPolicySpec. */
function checkSpec(spec: ValidatingAdmissionPolicySpec, name: string, { ignoreMatchConditions }: { ignoreMatchConditions: boolean }): FieldError[] {
  const { failurePolicy, paramKind, matchConstraints, matchConditions = [], variables = [], validations = [], auditAnnotations = [] } = spec;
  const context: PolicyContext = {
    name,
    hasParams: paramKind !== undefined,
    variables: variables.length ? variables.map((variable) => variable.name) : undefined,
  };
  const NOTHING = 'validations or auditAnnotations must contain at least one item';
  const isIdle = validations.length === 0 && auditAnnotations.length === 0;
  return [
    ...checkOptionalOneOf(failurePolicy, FAILURE_POLICIES, 'spec.failurePolicy'),
    ...(paramKind ? checkParamKind(paramKind, 'spec.paramKind') : []),
    ...(matchConstraints ? checkMatchResources(matchConstraints, 'spec.matchConstraints') : [required('spec.matchConstraints')]),
    ...(matchConstraints && !matchConstraints.resourceRules?.length ? [required('spec.matchConstraints.resourceRules')] : []),
    ...(ignoreMatchConditions ? [] : checkMatchConditions(matchConditions, context, 'spec.matchConditions')),
    ...variables.flatMap((variable, index) =>
      checkVariable(variable, { ...context, variables: context.variables?.slice(0, index) }, at('spec.variables', index)),
    ),
    ...(isIdle ? [required('spec.validations', NOTHING), required('spec.auditAnnotations', NOTHING)] : []),
    ...validations.flatMap((validation, index) => checkValidation(validation, context, at('spec.validations', index))),
    ...checkAuditAnnotations(auditAnnotations, context, 'spec.auditAnnotations'),
  ];
}

/** Upstream: pkg/apis/admissionregistration/validation and pkg/registry/admissionregistration/validatingadmissionpolicy. */
export const validatingAdmissionPolicy: KindBehaviour<ValidatingAdmissionPolicy> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicy',
  hasGeneration: true,
  allowUnconditionalUpdate: false,
  metadataRules: 'general',
  setDefaults: ({ spec }) => {
    spec.failurePolicy ??= 'Fail';
    if (spec.matchConstraints) setMatchDefaults(spec.matchConstraints);
  },
  prepareForCreate: (object) => {
    object.status = {};
  },
  validate: ({ metadata, spec }) => checkSpec(spec, metadata.name ?? '', { ignoreMatchConditions: false }),
  validateUpdate: ({ metadata, spec }, { spec: old }) => {
    const ignoreMatchConditions = deepEqual(spec.paramKind, old.paramKind) && deepEqual(spec.matchConditions ?? [], old.matchConditions ?? []);
    return checkSpec(spec, metadata.name ?? '', { ignoreMatchConditions });
  },
  row: ({ metadata, spec }, nowMs) => [
    metadata.name ?? '',
    spec.validations?.length ?? 0,
    spec.paramKind ? `${spec.paramKind.apiVersion ?? ''}/${spec.paramKind.kind ?? ''}` : '<unset>',
    age(metadata.creationTimestamp, nowMs),
  ],
};
