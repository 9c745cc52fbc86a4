import { expect, test } from 'vitest';
import type { FieldError } from '../../field-error.ts';
import type { FlowSchema, PriorityLevelConfiguration } from '../../generated/types/flowcontrol.v1.ts';
import { flowSchema } from './flow-schema.ts';
import { MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from './mandatory.ts';
import { priorityLevelConfiguration } from './priority-level-configuration.ts';

const shown = (errors: readonly FieldError[] | undefined): string[] => (errors ?? []).map(({ field, message }) => `${field}: ${message}`);

const USER = { kind: 'User', user: { name: 'u' } };
const RULE = { verbs: ['get'], apiGroups: [''], resources: ['pods'], clusterScope: true };
const schema = (spec: object, name = 'o'): FlowSchema => {
  const object = { apiVersion: '', kind: 'FlowSchema', metadata: { name }, spec: { priorityLevelConfiguration: { name: 'p' }, ...structuredClone(spec) } };
  flowSchema.setDefaults?.(object as FlowSchema);
  return object as FlowSchema;
};
const subject = (more: object): object => ({ rules: [{ subjects: [more], resourceRules: [RULE] }] });
const rule = (more: object): object => ({ rules: [{ subjects: [USER], resourceRules: [{ ...RULE, ...more }] }] });
const urls = (...nonResourceURLs: string[]): object => ({ rules: [{ subjects: [USER], nonResourceRules: [{ verbs: ['*'], nonResourceURLs }] }] });
const RESOURCES = 'spec.rules[0].resourceRules[0]';
const URLS = 'spec.rules[0].nonResourceRules[0].nonResourceURLs';
const SUBJECT = 'spec.rules[0].subjects[0]';

test.each<[string, FlowSchema, string[]]>([
  ['as it should be', schema(rule({})), []],
  ['a precedence below', schema({ matchingPrecedence: -1 }), ['spec.matchingPrecedence: Invalid value: -1: must be a positive value']],
  ['a precedence above', schema({ matchingPrecedence: 10_001 }), ['spec.matchingPrecedence: Invalid value: 10001: must not be greater than 10000']],
  [
    'the first precedence',
    schema({ matchingPrecedence: 1 }),
    ["spec.matchingPrecedence: Invalid value: 1: only the schema named 'exempt' may have matchingPrecedence 1"],
  ],
  [
    'a method',
    schema({ distinguisherMethod: { type: 'A' } }),
    ['spec.distinguisherMethod.type: Unsupported value: {"Type":"A"}: supported values: "ByNamespace", "ByUser"'],
  ],
  ['no level', schema({ priorityLevelConfiguration: {} }), ['spec.priorityLevelConfiguration.name: Required value: must reference a priority level']],
  [
    'an empty rule',
    schema({ rules: [{}] }),
    [
      'spec.rules[0].subjects: Required value: subjects must contain at least one value',
      'spec.rules[0]: Required value: at least one of resourceRules and nonResourceRules has to be non-empty',
    ],
  ],
  [
    'a subject of no kind',
    schema(subject({ kind: 'Robot' })),
    [`${SUBJECT}.kind: Unsupported value: "Robot": supported values: "Group", "ServiceAccount", "User"`],
  ],
  [
    'a subject with the parts of others',
    schema(subject({ kind: 'Group', serviceAccount: {}, user: {} })),
    [
      `${SUBJECT}.group: Required value: group is required when subject kind is 'Group'`,
      `${SUBJECT}.serviceAccount: Forbidden: serviceAccount is forbidden when subject kind is not 'ServiceAccount'`,
      `${SUBJECT}.user: Forbidden: user is forbidden when subject kind is not 'User'`,
    ],
  ],
  [
    'a service account',
    schema(subject({ kind: 'ServiceAccount', serviceAccount: { name: 'a.b', namespace: 'a.b' } })),
    [`${SUBJECT}.serviceAccount.namespace: Invalid value: "a.b": must not contain dots`],
  ],
  [
    'a service account of nothing',
    schema(subject({ kind: 'ServiceAccount', serviceAccount: {} })),
    [`${SUBJECT}.serviceAccount.name: Required value`, `${SUBJECT}.serviceAccount.namespace: Required value: must specify namespace for service account`],
  ],
  ['all service accounts of a namespace', schema(subject({ kind: 'ServiceAccount', serviceAccount: { name: '*', namespace: 'n' } })), []],
  [
    'verbs',
    schema(rule({ verbs: ['get', 'take'] })),
    [
      `${RESOURCES}.verbs: Unsupported value: ["get","take"]: supported values: "create", "delete", "deletecollection", "get", "list", "patch", "proxy", "update", "watch"`,
    ],
  ],
  [
    'all beside some',
    schema(rule({ verbs: ['*', 'get'], apiGroups: ['*', ''], resources: ['*', 'a'], namespaces: ['*', 'a'] })),
    [
      `${RESOURCES}.verbs: Invalid value: ["*","get"]: if '*' is present, must not specify other verbs`,
      `${RESOURCES}.apiGroups: Invalid value: ["*",""]: if '*' is present, must not specify other api groups`,
      `${RESOURCES}.resources: Invalid value: ["*","a"]: if '*' is present, must not specify other resources`,
      `${RESOURCES}.namespaces: Invalid value: ["*","a"]: if '*' is present, must not specify other namespaces`,
    ],
  ],
  [
    'a rule of nothing',
    schema(rule({ verbs: [], apiGroups: [], resources: [], clusterScope: false })),
    [
      `${RESOURCES}.verbs: Required value: verbs must contain at least one value`,
      `${RESOURCES}.apiGroups: Required value: resource rules must supply at least one api group`,
      `${RESOURCES}.resources: Required value: resource rules must supply at least one resource`,
      `${RESOURCES}.namespaces: Required value: resource rules that are not cluster scoped must supply at least one namespace`,
    ],
  ],
  [
    'a namespace',
    schema(rule({ namespaces: ['a.b'] })),
    [`${RESOURCES}.namespaces[0]: Invalid value: "a.b": each member of this list must be '*' or a DNS-1123 label; must not contain dots`],
  ],
  [
    'paths',
    schema(urls('/', '/a/*', '', 'a', '/a b', '/a//b', '/*/a', '/a*')),
    [
      `${URLS}[2]: Invalid value: "": must not be empty`,
      `${URLS}[3]: Invalid value: "a": must start with slash`,
      `${URLS}[4]: Invalid value: "/a b": must not contain white-space`,
      `${URLS}[5]: Invalid value: "/a//b": must not contain double slash`,
      `${URLS}[6]: Invalid value: "/*/a": wildcard can only do suffix matching`,
      `${URLS}[7]: Invalid value: "/a*": wildcard can only do suffix matching`,
    ],
  ],
  ['all paths beside one', schema(urls('*', '/a')), [`${URLS}: Invalid value: ["*","/a"]: if '*' is present, must not specify other non-resource URLs`]],
  ['a mandatory schema', schema(MANDATORY_FLOW_SCHEMAS['exempt']!, 'exempt'), []],
  [
    'a mandatory schema that is altered',
    schema({ matchingPrecedence: 2 }, 'exempt'),
    [
      `spec: Invalid value: {"PriorityLevelConfiguration":{"Name":"p"},"MatchingPrecedence":2,"DistinguisherMethod":null,"Rules":null}: spec of 'exempt' must equal the fixed value`,
    ],
  ],
])('a FlowSchema: %s', (_name, object, wanted) => {
  expect(shown(flowSchema.validate?.(object))).toEqual(wanted);
});

const level = (spec: object, name = 'o', annotations?: Record<string, string>): PriorityLevelConfiguration => {
  const object = {
    apiVersion: '',
    kind: 'PriorityLevelConfiguration',
    metadata: { name, ...(annotations ? { annotations } : {}) },
    spec: structuredClone(spec),
  };
  priorityLevelConfiguration.setDefaults?.(object as PriorityLevelConfiguration);
  return object as PriorityLevelConfiguration;
};
const limited = (more: object): object => ({ type: 'Limited', limited: { limitResponse: { type: 'Reject' }, ...more } });
const queue = (queuing: object): object => limited({ limitResponse: { type: 'Queue', queuing } });
const QUEUING = 'spec.limited.limitResponse.queuing';

test.each<[string, PriorityLevelConfiguration, string[]]>([
  ['as it should be', level(limited({})), []],
  ['a type', level({ type: 'A' }), ['spec.type: Unsupported value: "A": supported values: "Exempt", "Limited"']],
  [
    'no limit',
    level({ type: 'Limited', exempt: {} }),
    ['spec.exempt: Forbidden: must be nil if the type is Limited', 'spec.limited: Required value: must not be empty when type is Limited'],
  ],
  [
    'exempt, and not named so',
    level({ type: 'Exempt', limited: {}, exempt: { nominalConcurrencyShares: -1, lendablePercent: 101 } }),
    [
      "spec.type: Invalid value: \"Exempt\": must be 'Exempt' if and only if `name` is 'exempt'",
      'spec.limited: Forbidden: must be nil if the type is not Limited',
      'spec.exempt.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
      'spec.exempt.lendablePercent: Invalid value: 101: must be between 0 and 100, inclusive',
    ],
  ],
  [
    'shares',
    level(limited({ nominalConcurrencyShares: -1, lendablePercent: -1, borrowingLimitPercent: -1 })),
    [
      'spec.limited.nominalConcurrencyShares: Invalid value: -1: must be a non-negative integer',
      'spec.limited.lendablePercent: Invalid value: -1: must be between 0 and 100, inclusive',
      'spec.limited.borrowingLimitPercent: Invalid value: -1: if specified, must be a non-negative integer',
    ],
  ],
  [
    'a response',
    level(limited({ limitResponse: { type: 'Wait' } })),
    ['spec.limited.limitResponse.type: Unsupported value: "Wait": supported values: "Queue", "Reject"'],
  ],
  [
    'a queue where none is',
    level(limited({ limitResponse: { type: 'Reject', queuing: {} } })),
    [`${QUEUING}: Forbidden: must be nil if limited.limitResponse.type is not Limited`],
  ],
  [
    'no queue where one is',
    level(limited({ limitResponse: { type: 'Queue' } })),
    [`${QUEUING}: Required value: must not be empty if limited.limitResponse.type is Limited`],
  ],
  [
    'queues below',
    level(queue({ queues: -1, handSize: -1, queueLengthLimit: -1 })),
    [
      `${QUEUING}.queueLengthLimit: Invalid value: -1: must be positive`,
      `${QUEUING}.queues: Invalid value: -1: must be positive`,
      `${QUEUING}.handSize: Invalid value: -1: must be positive`,
    ],
  ],
  [
    'queues above',
    level(queue({ queues: 10_000_001, handSize: 3 })),
    [
      `${QUEUING}.queues: Invalid value: 10000001: must not be greater than 10000000`,
      `${QUEUING}.handSize: Invalid value: 3: required entropy bits of deckSize 10000001 and handSize 3 should not be greater than 60`,
    ],
  ],
  ['a hand larger than the deck', level(queue({ queues: 2 })), [`${QUEUING}.handSize: Invalid value: 8: should not be greater than queues (2)`]],
  [
    'an annotation of another version',
    level(limited({}), 'o', { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' }),
    ["metadata.annotations: Forbidden: annotation 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares' is forbidden"],
  ],
  ['the exempt level, with shares', level({ type: 'Exempt', exempt: { nominalConcurrencyShares: 3 } }, 'exempt'), []],
  ['a mandatory level', level(MANDATORY_PRIORITY_LEVELS['catch-all']!, 'catch-all'), []],
  [
    'a mandatory level that is altered',
    level(limited({}), 'catch-all'),
    [
      `spec: Invalid value: {"Type":"Limited","Limited":{"NominalConcurrencyShares":30,"LimitResponse":{"Type":"Reject","Queuing":null},"LendablePercent":0,"BorrowingLimitPercent":null},"Exempt":null}: spec of 'catch-all' must equal the fixed value`,
    ],
  ],
])('a PriorityLevelConfiguration: %s', (_name, object, wanted) => {
  expect(shown(priorityLevelConfiguration.validate?.(object))).toEqual(wanted);
});

test('what a level is when nothing is said', () => {
  expect(level(queue({})).spec.limited).toEqual({
    nominalConcurrencyShares: 30,
    lendablePercent: 0,
    limitResponse: { type: 'Queue', queuing: { handSize: 8, queues: 64, queueLengthLimit: 50 } },
  });
});

test('no condition of a status comes twice, none is without a type', () => {
  const object = { ...schema({}), status: { conditions: [{ type: 'Dangling' }, { type: 'Dangling' }, {}] } } as FlowSchema;
  expect(shown(flowSchema.validateStatusUpdate?.(object, object))).toEqual([
    'status.conditions[1].type: Duplicate value: "Dangling"',
    'status.conditions[2].type: Required value',
  ]);
});
