import { expect, test } from 'vitest';
import type { APIService } from '../../generated/types/apiregistration.v1.ts';
import { apiService } from './api-service.ts';

const made = (spec: object): APIService => {
  const object = { apiVersion: '', kind: 'APIService', metadata: { name: 'v1.a.b', creationTimestamp: '2026-01-01T00:00:00Z' } } as APIService;
  object.spec = { group: 'a.b', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1, ...structuredClone(spec) };
  apiService.setDefaults?.(object);
  return object;
};

test.each<[string, object, string[]]>([
  ['as it should be', {}, []],
  [
    'a group and a version',
    { group: 'A', version: '1' },
    [
      expect.stringMatching(/^spec.group: Invalid value: "A": a lowercase RFC 1123 subdomain/),
      expect.stringMatching(/^spec.version: Invalid value: "1": a DNS-1035 label/),
    ] as string[],
  ],
  ['no group', { group: '', version: 'v2' }, ['spec.group: Required value: only v1 may have an empty group and it better be legacy kube']],
  [
    'priorities',
    { groupPriorityMinimum: 20_001, versionPriority: 0 },
    [
      'spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000',
      'spec.versionPriority: Invalid value: 0: must be positive and less than 1000',
    ],
  ],
  [
    'an API of this server',
    { caBundle: 'YQ==', insecureSkipTLSVerify: true },
    [
      'spec.caBundle: Invalid value: "1 bytes": local APIServices may not have a caBundle',
      'spec.insecureSkipTLSVerify: Invalid value: true: local APIServices may not have insecureSkipTLSVerify',
    ],
  ],
  [
    'an API of another',
    { service: { port: 0 }, caBundle: 'YQ==', insecureSkipTLSVerify: true },
    [
      'spec.service.namespace: Required value',
      'spec.service.name: Required value',
      'spec.service.port: Invalid value: 0: port is not valid: must be between 1 and 65535, inclusive',
      'spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is present',
    ],
  ],
])('%s', (_name, spec, wanted) => {
  expect((apiService.validate?.(made(spec)) ?? []).map(({ field, message }) => `${field}: ${message}`)).toEqual(wanted);
});

test('the name is made of version and group', () => {
  expect(apiService.validateName?.('a', { prefix: false, object: made({}) })).toEqual(['must be `spec.version+"."+spec.group`: "v1.a.b"']);
  expect(apiService.validateName?.('v1.a.b', { prefix: false, object: made({}) })).toEqual([]);
});

test('an API of this server is available from the start', () => {
  const object = made({});
  apiService.prepareForCreate?.(object);
  expect(object.status?.conditions).toMatchObject([{ type: 'Available', status: 'True', reason: 'Local', lastTransitionTime: '2026-01-01T00:00:00Z' }]);
});
