import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import { at, type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type {
  FlowSchema,
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
  ServiceAccountSubject,
  Subject,
} from '../../generated/types/flowcontrol.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { dns1123LabelFaults } from '../../names.ts';
import { checkLabelName, checkSubdomain } from '../../validation.ts';
import { checkConditions } from './conditions.ts';
import { internal } from './internal-names.ts';
import { MANDATORY_FLOW_SCHEMAS } from './mandatory.ts';

const NONE = '<none>';
const DEFAULT_PRECEDENCE = 1000;
const LAST_PRECEDENCE = 10_000;
/** The one schema that comes first. */
const EXEMPT = 'exempt';
/** Sorted, as upstream lists them. */
const METHODS = ['ByNamespace', 'ByUser'];
const SUBJECT_KINDS = ['Group', 'ServiceAccount', 'User'];
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'];

const ALL = '*';

/** What is said where `*` stands beside other values. */
const notAlone = (field: string, values: readonly string[], others: string): FieldError[] =>
  values.length > 1 ? [invalid(field, values, `if '*' is present, must not specify other ${others}`)] : [];

function checkServiceAccount({ name, namespace }: ServiceAccountSubject, field: string): FieldError[] {
  return [
    ...(name ? [] : [required(`${field}.name`)]),
    ...(name && name !== ALL ? checkSubdomain(name, `${field}.name`) : []),
    ...(namespace ? checkLabelName(namespace, `${field}.namespace`) : [required(`${field}.namespace`, 'must specify namespace for service account')]),
  ];
}

/** Upstream: ValidateFlowSchemaSubject: the part that bears the name of the subject's kind, and no other. */
function checkSubject(subject: Subject, field: string): FieldError[] {
  const { kind = '', user, group, serviceAccount } = subject;
  if (!SUBJECT_KINDS.includes(kind)) return [notSupported(`${field}.kind`, kind, SUBJECT_KINDS)];
  const named = (part: string, value: { name?: string }): FieldError[] => (value.name ? [] : [required(`${field}.${part}.name`)]);
  const parts: { part: string; of: string; errors: FieldError[] | undefined }[] = [
    { part: 'serviceAccount', of: 'ServiceAccount', errors: serviceAccount && checkServiceAccount(serviceAccount, `${field}.serviceAccount`) },
    { part: 'user', of: 'User', errors: user && named('user', user) },
    { part: 'group', of: 'Group', errors: group && named('group', group) },
  ];
  return [
    ...parts
      .filter(({ of }) => of === kind)
      .flatMap(({ part, of, errors }) => errors ?? [required(`${field}.${part}`, `${part} is required when subject kind is '${of}'`)]),
    ...parts
      .filter(({ of, errors }) => of !== kind && errors)
      .map(({ part, of }) => forbidden(`${field}.${part}`, `${part} is forbidden when subject kind is not '${of}'`)),
  ];
}

function checkVerbs(verbs: readonly string[], field: string): FieldError[] {
  if (verbs.length === 0) return [required(field, 'verbs must contain at least one value')];
  if (verbs.includes(ALL)) return notAlone(field, verbs, 'verbs');
  return verbs.every((verb) => VERBS.includes(verb)) ? [] : [notSupported(field, verbs, VERBS)];
}

function checkNamespaces({ namespaces, clusterScope }: ResourcePolicyRule, field: string): FieldError[] {
  const names = namespaces ?? [];
  if (names.length === 0 && !clusterScope) return [required(field, 'resource rules that are not cluster scoped must supply at least one namespace')];
  if (names.includes(ALL)) return notAlone(field, names, 'namespaces');
  return names.flatMap((name, index) =>
    dns1123LabelFaults(name).map((fault) => invalid(at(field, index), name, `each member of this list must be '*' or a DNS-1123 label; ${fault}`)),
  );
}

/** Upstream: ValidateFlowSchemaResourcePolicyRule. */
function checkResourceRule(rule: ResourcePolicyRule, field: string): FieldError[] {
  const { verbs = [], apiGroups = [], resources = [] } = rule;
  const check = (name: string, values: readonly string[], { one, others }: { one: string; others: string }): FieldError[] => {
    if (values.length === 0) return [required(`${field}.${name}`, `resource rules must supply at least one ${one}`)];
    return values.includes(ALL) ? notAlone(`${field}.${name}`, values, others) : [];
  };
  return [
    ...checkVerbs(verbs, `${field}.verbs`),
    ...check('apiGroups', apiGroups, { one: 'api group', others: 'api groups' }),
    ...check('resources', resources, { one: 'resource', others: 'resources' }),
    ...checkNamespaces(rule, `${field}.namespaces`),
  ];
}

/** What is wrong with a path, or with a prefix of paths that ends in `/*` (upstream: ValidateNonResourceURLPath). */
function pathFault(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (!path.startsWith('/')) return 'must start with slash';
  if (path.includes(' ')) return 'must not contain white-space';
  if (path.includes('//')) return 'must not contain double slash';
  const wildcards = path.split(ALL).length - 1;
  return wildcards > 1 || (wildcards === 1 && !path.endsWith('/*')) ? 'wildcard can only do suffix matching' : undefined;
}

function checkUrls(urls: readonly string[], field: string): FieldError[] {
  if (urls.length === 0) return [required(field, 'nonResourceURLs must contain at least one value')];
  if (urls.includes(ALL)) return notAlone(field, urls, 'non-resource URLs');
  return urls.flatMap((url, index) => {
    const fault = pathFault(url);
    return fault ? [invalid(at(field, index), url, fault)] : [];
  });
}

const checkNonResourceRule = ({ verbs = [], nonResourceURLs = [] }: NonResourcePolicyRule, field: string): FieldError[] => [
  ...checkVerbs(verbs, `${field}.verbs`),
  ...checkUrls(nonResourceURLs, `${field}.nonResourceURLs`),
];

function checkRule({ subjects = [], resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects, field: string): FieldError[] {
  const hasRules = resourceRules.length > 0 || nonResourceRules.length > 0;
  return [
    ...(subjects.length ? [] : [required(`${field}.subjects`, 'subjects must contain at least one value')]),
    ...subjects.flatMap((subject, index) => checkSubject(subject, at(`${field}.subjects`, index))),
    ...(hasRules ? [] : [required(field, 'at least one of resourceRules and nonResourceRules has to be non-empty')]),
    ...resourceRules.flatMap((rule, index) => checkResourceRule(rule, at(`${field}.resourceRules`, index))),
    ...nonResourceRules.flatMap((rule, index) => checkNonResourceRule(rule, at(`${field}.nonResourceRules`, index))),
  ];
}

function checkPrecedence(precedence: number, name: string, field: string): FieldError[] {
  return [
    ...(precedence <= 0 ? [invalid(field, precedence, 'must be a positive value')] : []),
    ...(precedence > LAST_PRECEDENCE ? [invalid(field, precedence, `must not be greater than ${LAST_PRECEDENCE}`)] : []),
    ...(precedence === 1 && name !== EXEMPT ? [invalid(field, precedence, "only the schema named 'exempt' may have matchingPrecedence 1")] : []),
  ];
}

function checkSpec(spec: FlowSchemaSpec, name: string): FieldError[] {
  const { matchingPrecedence = 0, distinguisherMethod: method, priorityLevelConfiguration: level, rules = [] } = spec;
  const levelName = 'spec.priorityLevelConfiguration.name';
  return [
    ...checkPrecedence(matchingPrecedence, name, 'spec.matchingPrecedence'),
    ...(method && !METHODS.includes(method.type) ? [notSupported('spec.distinguisherMethod.type', internal(method, 'FlowDistinguisherMethod'), METHODS)] : []),
    ...(level?.name ? checkSubdomain(level.name, levelName) : [required(levelName, 'must reference a priority level')]),
    ...rules.flatMap((rule, index) => checkRule(rule, at('spec.rules', index))),
  ];
}

/** Upstream: pkg/apis/flowcontrol/validation, ValidateFlowSchema. */
function validate({ metadata: { name = '' }, spec, status }: FlowSchema): FieldError[] {
  const mandatory = MANDATORY_FLOW_SCHEMAS[name];
  const isAltered = mandatory !== undefined && !deepEqual(spec, mandatory);
  return [
    ...checkSpec(spec, name),
    ...(isAltered ? [invalid('spec', internal(spec, 'FlowSchemaSpec'), `spec of '${name}' must equal the fixed value`)] : []),
    ...checkConditions(status?.conditions),
  ];
}

/** Upstream: pkg/registry/flowcontrol/flowschema/strategy.go. */
export const flowSchema: KindBehaviour<FlowSchema> = {
  group: 'flowcontrol.apiserver.k8s.io',
  version: 'v1',
  kind: 'FlowSchema',
  hasGeneration: true,
  setDefaults: ({ spec }) => {
    spec.matchingPrecedence ||= DEFAULT_PRECEDENCE;
  },
  prepareForCreate: (object) => {
    object.status = {};
  },
  validate,
  updateOrder: ['whole'],
  validateStatusUpdate: ({ status }) => checkConditions(status?.conditions),
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    spec.priorityLevelConfiguration?.name ?? '',
    spec.matchingPrecedence ?? 0,
    spec.distinguisherMethod?.type ?? NONE,
    age(metadata.creationTimestamp, nowMs),
    status?.conditions?.find(({ type }) => type === 'Dangling')?.status ?? '?',
  ],
};
