import { expect, test } from 'vitest';
import type { FieldError } from '../../field-error.ts';
import type { KindBehaviour } from '../../kind.ts';
import type { KubeObject } from '../../object.ts';
import { validatingAdmissionPolicy } from './validating-admission-policy.ts';
import { validatingAdmissionPolicyBinding } from './validating-admission-policy-binding.ts';
import { mutatingWebhookConfiguration, validatingWebhookConfiguration } from './webhook-configurations.ts';

const shown = (errors: readonly FieldError[] | undefined): string[] => (errors ?? []).map(({ field, message }) => `${field}: ${message}`);
const of = <T extends KubeObject>(behaviour: KindBehaviour<T>): KindBehaviour => behaviour as unknown as KindBehaviour;
const made = (behaviour: KindBehaviour, body: object): KubeObject => {
  const object = { apiVersion: '', kind: behaviour.kind, metadata: { name: 'o' }, ...structuredClone(body) } as KubeObject;
  behaviour.setDefaults?.(object);
  return object;
};
const faults = (behaviour: KindBehaviour, body: object): string[] => shown(behaviour.validate?.(made(behaviour, body)));
const changeFaults = (behaviour: KindBehaviour, before: object, after: object): string[] =>
  shown(behaviour.validateUpdate?.(made(behaviour, after), made(behaviour, before)));

const RULE = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const HOOK = { name: 'a.example.com', clientConfig: { url: 'https://a' }, rules: [RULE], sideEffects: 'None', admissionReviewVersions: ['v1'] };
const hooks = (...more: object[]): object => ({ webhooks: more.map((one) => ({ ...HOOK, ...one })) });
const hookFaults = (more: object): string[] => faults(of(validatingWebhookConfiguration), hooks(more)).map((fault) => fault.replace('webhooks[0].', ''));

test.each<[string, object, string[]]>([
  ['as it should be', {}, []],
  ['a name', { name: 'a.b' }, ['name: Invalid value: "a.b": should be a domain with at least three segments separated by dots']],
  [
    'policies',
    { failurePolicy: 'A', matchPolicy: 'B', timeoutSeconds: 31 },
    [
      'failurePolicy: Unsupported value: "A": supported values: "Fail", "Ignore"',
      'matchPolicy: Unsupported value: "B": supported values: "Equivalent", "Exact"',
      'timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 seconds',
    ],
  ],
  ['side effects that are not told', { sideEffects: undefined }, ['sideEffects: Required value: must specify one of None, NoneOnDryRun']],
  ['side effects', { sideEffects: 'Some' }, ['sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun"']],
  ['no version', { admissionReviewVersions: [] }, ['admissionReviewVersions: Required value: must specify one of v1, v1beta1']],
  [
    'versions',
    { admissionReviewVersions: ['v3', 'v3'] },
    [
      'admissionReviewVersions[1]: Invalid value: "v3": duplicate version',
      'admissionReviewVersions: Invalid value: ["v3","v3"]: must include at least one of v1, v1beta1',
    ],
  ],
  ['no client', { clientConfig: {} }, ['clientConfig: Required value: exactly one of url or service is required']],
  ['a rule of nothing', { rules: [{}] }, ['operations', 'apiGroups', 'apiVersions', 'resources'].map((part) => `rules[0].${part}: Required value`)],
  [
    'all beside some',
    { rules: [{ operations: ['*', 'GET'], apiGroups: ['*', ''], apiVersions: ['*', ''], resources: ['*', 'pods'], scope: 'A' }] },
    [
      `rules[0].operations: Invalid value: ["*","GET"]: if '*' is present, must not specify other operations`,
      'rules[0].operations[1]: Unsupported value: "GET": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"',
      `rules[0].apiGroups: Invalid value: ["*",""]: if '*' is present, must not specify other API groups`,
      `rules[0].apiVersions: Invalid value: ["*",""]: if '*' is present, must not specify other API versions`,
      'rules[0].apiVersions[1]: Required value',
      `rules[0].resources: Invalid value: ["*","pods"]: if '*' is present, must not specify other resources without subresources`,
      'rules[0].scope: Unsupported value: "A": supported values: "*", "Cluster", "Namespaced"',
    ],
  ],
  [
    'subresources',
    { rules: [{ ...RULE, resources: ['pods/*', 'pods/log', '*/log', 'a/log', '*/*', ''] }] },
    [
      `rules[0].resources[1]: Invalid value: "pods/log": if 'pods/*' is present, must not specify pods/log`,
      `rules[0].resources[3]: Invalid value: "a/log": if '*/log' is present, must not specify a/log`,
      'rules[0].resources[5]: Required value',
      `rules[0].resources: Invalid value: ["pods/*","pods/log","*/log","a/log","*/*",""]: if '*/*' is present, must not specify other resources`,
    ],
  ],
  [
    'match conditions',
    { matchConditions: [{ name: 'a', expression: 'object.x' }, { name: 'a', expression: ' ' }, { expression: 'params.x' }] },
    [
      'matchConditions[0].expression: Invalid value: "object.x": must evaluate to bool but got dyn',
      'matchConditions[1].expression: Required value',
      'matchConditions[1].name: Duplicate value: "a"',
      `matchConditions[2].expression: Invalid value: "params.x": compilation failed: ERROR: <input>:1:1: undeclared reference to 'params' (in container '')\n | params.x\n | ^`,
      'matchConditions[2].name: Required value',
    ],
  ],
])('a webhook: %s', (_name, more, wanted) => {
  expect(hookFaults(more)).toEqual(wanted);
});

test.each<[string, string[]]>([
  ['https://a:1/b', []],
  ['http://a', [`Invalid value: "http": 'https' is the only allowed URL scheme; desired format: https://host[/path]`]],
  [
    'a',
    [
      `Invalid value: "": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      'Invalid value: "": host must be specified; desired format: https://host[/path]',
    ],
  ],
  [
    'https://u@a?b#c',
    [
      'Invalid value: "u": user information is not permitted in the URL',
      'Invalid value: "c": fragments are not permitted in the URL',
      'Invalid value: "b": query parameters are not permitted in the URL',
    ],
  ],
  ['::1', ['Required value: url must be a valid URL: parse "::1": missing protocol scheme; desired format: https://host[/path]']],
  ['50%', ['Required value: url must be a valid URL: parse "50%": invalid URL escape "%"; desired format: https://host[/path]']],
  ['https://a b', ['Required value: url must be a valid URL: parse "https://a b": invalid character " " in host name; desired format: https://host[/path]']],
  ['https://a:b', ['Required value: url must be a valid URL: parse "https://a:b": invalid port ":b" after host; desired format: https://host[/path]']],
  [
    'a:b',
    [
      `Invalid value: "a": 'https' is the only allowed URL scheme; desired format: https://host[/path]`,
      'Invalid value: "": host must be specified; desired format: https://host[/path]',
    ],
  ],
  ['1:2', ['Required value: url must be a valid URL: parse "1:2": first path segment in URL cannot contain colon; desired format: https://host[/path]']],
])('the URL of a webhook: %s', (url, wanted) => {
  expect(hookFaults({ clientConfig: { url } })).toEqual(wanted.map((fault) => `clientConfig.url: ${fault}`));
});

test.each<[object, string[]]>([
  [{ namespace: 'n', name: 's' }, []],
  // Upstream misses the one where the other is empty.
  [{ namespace: 'n' }, ['namespace: Required value']],
  [{ namespace: 'n', name: 's', port: 0 }, ['port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive']],
  [{ namespace: 'n', name: 's', path: '//' }, ['path: Invalid value: "//": segment[0] may not be empty']],
  [
    { namespace: 'n', name: 's', path: 'a//b/' },
    [
      `path: Invalid value: "a//b/": must start with a '/'`,
      'path: Invalid value: "a//b/": segment[0] may not be empty',
      'path: Invalid value: "a//b/": segment[1] may not be empty',
    ],
  ],
])('the Service of a webhook: %j', (service, wanted) => {
  expect(hookFaults({ clientConfig: { service } })).toEqual(wanted.map((fault) => `clientConfig.service.${fault}`));
});

test('no two webhooks have one name', () => {
  expect(faults(of(validatingWebhookConfiguration), hooks({}, {}))).toEqual(['webhooks[1].name: Duplicate value: "a.example.com"']);
});

test('what stood there before is let through', () => {
  const old = hooks({
    sideEffects: 'Some',
    admissionReviewVersions: ['v3'],
    matchConditions: [{ name: 'a', expression: 'x' }],
    objectSelector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['-'] }] },
  });
  expect(faults(of(validatingWebhookConfiguration), old)).toHaveLength(4);
  expect(changeFaults(of(validatingWebhookConfiguration), old, old)).toEqual([]);
});

test('a mutating webhook may be called again', () => {
  expect(faults(of(mutatingWebhookConfiguration), hooks({ reinvocationPolicy: 'A' }))).toEqual([
    'webhooks[0].reinvocationPolicy: Unsupported value: "A": supported values: "IfNeeded", "Never"',
  ]);
  expect(made(of(mutatingWebhookConfiguration), hooks({}))).toMatchObject({
    webhooks: [{ reinvocationPolicy: 'Never', timeoutSeconds: 10, rules: [{ scope: '*' }] }],
  });
});

const policy = (more: object): object => ({ spec: { matchConstraints: { resourceRules: [RULE] }, validations: [{ expression: 'true' }], ...more } });
const undeclared = (name: string): string => `compilation failed: ERROR: <input>:1:1: undeclared reference to '${name}' (in container '')\n | ${name}\n | ^`;

test.each<[string, object, string[]]>([
  ['as it should be', {}, []],
  [
    'of nothing',
    { matchConstraints: undefined, validations: [] },
    [
      'spec.matchConstraints: Required value',
      'spec.validations: Required value: validations or auditAnnotations must contain at least one item',
      'spec.auditAnnotations: Required value: validations or auditAnnotations must contain at least one item',
    ],
  ],
  ['for no resource', { matchConstraints: {} }, ['spec.matchConstraints.resourceRules: Required value']],
  [
    'for resources by name',
    { matchConstraints: { resourceRules: [{ ...RULE, resourceNames: ['a/b', 'c', 'c'] }] } },
    [
      `spec.matchConstraints.resourceRules[0].resourceNames[0]: Invalid value: "a/b": may not contain '/'`,
      'spec.matchConstraints.resourceRules[0].resourceNames[2]: Duplicate value: "c"',
    ],
  ],
  [
    'parameters',
    { paramKind: { apiVersion: 'a/b/c', kind: '1' } },
    [
      'spec.paramKind.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
      expect.stringMatching(/^spec.paramKind.kind: Invalid value: "1": may have mixed case, but should otherwise match: a DNS-1035 label/),
    ],
  ],
  [
    'parameters of no version',
    { paramKind: { apiVersion: 'A/' } },
    [
      expect.stringMatching(/^spec.paramKind.apiVersion: Invalid value: "A": a lowercase RFC 1123 subdomain/),
      'spec.paramKind.apiVersion: Invalid value: "A/": version must be specified',
      'spec.paramKind.kind: Required value',
    ],
  ],
  [
    'variables',
    {
      variables: [
        { name: ' ', expression: '' },
        { name: 'for', expression: '1' },
      ],
    },
    [
      'spec.variables[0].name: Required value: name is not specified',
      'spec.variables[0].expression: Required value: expression is not specified',
      'spec.variables[1].name: Invalid value: "for": must be a valid CEL identifier',
    ],
  ],
  ['variables are there for what comes after them', { variables: [{ name: 'v', expression: '1' }], validations: [{ expression: 'variables.v == 1' }] }, []],
  [
    'validations',
    {
      validations: [
        { expression: ' ', message: ' ', messageExpression: ' ', reason: 'A' },
        { expression: '1', message: 'a\nb', messageExpression: 'authorizer' },
      ],
    },
    [
      'spec.validations[0].expression: Required value: expression is not specified',
      'spec.validations[0].messageExpression: Invalid value: " ": must be non-empty if specified',
      'spec.validations[0].message: Invalid value: " ": must be non-empty if specified',
      'spec.validations[0].reason: Unsupported value: "A": supported values: "Forbidden", "Invalid", "RequestEntityTooLarge"',
      'spec.validations[1].expression: Invalid value: "1": must evaluate to bool but got int',
      `spec.validations[1].messageExpression: Invalid value: "authorizer": ${undeclared('authorizer')}`,
      'spec.validations[1].message: Invalid value: "a\\nb": must not contain line breaks',
    ],
  ],
  [
    'annotations',
    {
      auditAnnotations: [
        { key: 'a', valueExpression: '1' },
        { key: 'a', valueExpression: '' },
      ],
    },
    [
      'spec.auditAnnotations[0].valueExpression: Invalid value: "1": must evaluate to one of [string null_type] but got int',
      'spec.auditAnnotations[1].valueExpression: Required value: valueExpression is not specified',
      'spec.auditAnnotations[1].key: Duplicate value: "a"',
    ],
  ],
])('a policy: %s', (_name, more, wanted) => {
  expect(faults(of(validatingAdmissionPolicy), policy(more))).toEqual(wanted);
});

test('match conditions that stay are not looked at again', () => {
  const old = policy({ matchConditions: [{ name: 'a', expression: 'x' }] });
  expect(changeFaults(of(validatingAdmissionPolicy), old, old)).toEqual([]);
  expect(changeFaults(of(validatingAdmissionPolicy), policy({}), old)).toEqual([`spec.matchConditions[0].expression: Invalid value: "x": ${undeclared('x')}`]);
});

test.each<[string, object, string[]]>([
  ['as it should be', { policyName: 'p', validationActions: ['Deny'] }, []],
  ['of nothing', {}, ['spec.policyName: Required value', 'spec.validationActions: Required value: at least one validation action is required']],
  [
    'actions',
    { policyName: 'p', validationActions: ['Deny', 'Warn', 'Warn', 'A'] },
    [
      'spec.validationActions[2]: Duplicate value: "Warn"',
      'spec.validationActions[3]: Unsupported value: "A": supported values: "Audit", "Deny", "Warn"',
      'spec.validationActions: Invalid value: ["Deny","Warn","Warn","A"]: must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)',
    ],
  ],
  [
    'no parameter',
    { policyName: 'p', validationActions: ['Deny'], paramRef: {} },
    ['spec.paramRef: Required value: one of name or selector must be specified', 'spec.paramRef.parameterNotFoundAction: Required value'],
  ],
  [
    'a parameter by name and by labels',
    { policyName: 'p', validationActions: ['Deny'], paramRef: { name: 'a', selector: {}, parameterNotFoundAction: 'A' } },
    [
      'spec.paramRef.name: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.selector: Forbidden: name and selector are mutually exclusive',
      'spec.paramRef.parameterNotFoundAction: Unsupported value: "A": supported values: "Deny", "Allow"',
    ],
  ],
])('a binding: %s', (_name, spec, wanted) => {
  expect(faults(of(validatingAdmissionPolicyBinding), { spec })).toEqual(wanted);
});
