import { expect, test } from 'vitest';
import type { Pod } from '../../../../generated/types/core.v1.ts';
import { unifiedDifference } from '../../internal-difference.ts';
import { pod } from '../../pod.ts';

function made(spec: object): Pod {
  const object = {
    metadata: { name: 'p', namespace: 'n' },
    spec: { containers: [{ name: 'c', image: 'a', resources: {} }], ...spec },
    status: {},
  } as unknown as Pod;
  pod.setDefaults?.(object);
  return object;
}

const faults = (spec: object): string[] => (pod.validate?.(made(spec)) ?? []).map(({ field, message }) => `${field}: ${message}`);
const container = (over: object): object => ({ containers: [{ name: 'c', image: 'a', resources: {}, ...over }] });

const NO_HANDLER = 'Required value: must specify a handler type';

test.each<[string, object, string[]]>([
  ['a sound pod', {}, []],
  ['no containers', { containers: [] }, ['spec.containers: Required value']],
  [
    'all faults at once, in order',
    container({ name: 'C_1', image: '', ports: [{ containerPort: 70000 }], imagePullPolicy: 'Often', livenessProbe: {} }),
    [
      "spec.containers[0].name: Invalid value: \"C_1\": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
      'spec.containers[0].image: Required value',
      'spec.containers[0].ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive',
      'spec.containers[0].imagePullPolicy: Unsupported value: "Often": supported values: "Always", "IfNotPresent", "Never"',
      `spec.containers[0].livenessProbe: ${NO_HANDLER}`,
    ],
  ],
  [
    'two handlers',
    container({ readinessProbe: { exec: { command: ['a'] }, tcpSocket: { port: 1 } } }),
    ['spec.containers[0].readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type'],
  ],
  [
    'requests above limits',
    container({ resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } }),
    ['spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1'],
  ],
  [
    'a resource that is none',
    container({ resources: { requests: { gpu: '1' } } }),
    [
      'spec.containers[0].resources.requests[gpu]: Invalid value: "gpu": must be a standard resource type or fully qualified',
      'spec.containers[0].resources.requests[gpu]: Invalid value: "gpu": must be a standard resource for containers',
    ],
  ],
  ['a mount without its volume', container({ volumeMounts: [{ name: 'v', mountPath: '/v' }] }), ['spec.containers[0].volumeMounts[0].name: Not found: "v"']],
  [
    'a volume of two kinds',
    { volumes: [{ name: 'v', emptyDir: {}, configMap: { name: 'c' } }] },
    ['spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type'],
  ],
  ['a secret volume without a name', { volumes: [{ name: 'v', secret: {} }] }, ['spec.volumes[0].secret.secretName: Required value']],
  [
    'a probe on an init container',
    { initContainers: [{ name: 'i', image: 'a', resources: {}, livenessProbe: { tcpSocket: { port: 1 } } }] },
    ['spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always'],
  ],
  ['names used twice', { initContainers: [{ name: 'c', image: 'a', resources: {} }] }, ['spec.initContainers[0].name: Duplicate value: "c"']],
  [
    'host ports that clash',
    container({
      ports: [
        { containerPort: 1, hostPort: 9 },
        { containerPort: 2, hostPort: 9 },
      ],
    }),
    ['spec.containers[0].ports[1].hostPort: Duplicate value: "TCP//9"'],
  ],
  ['a name server is missing', { dnsPolicy: 'None' }, ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None']],
  [
    'a spread without sense',
    { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: '', whenUnsatisfiable: 'Never' }] },
    [
      'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
      'spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty',
      'spec.topologySpreadConstraints[0].whenUnsatisfiable: Unsupported value: "Never": supported values: "DoNotSchedule", "ScheduleAnyway"',
    ],
  ],
  [
    'an environment from nowhere',
    container({ env: [{ name: 'A', valueFrom: {} }] }),
    ['spec.containers[0].env[0].valueFrom: Invalid value: "": must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'],
  ],
  [
    'a user that cannot be',
    container({ securityContext: { runAsUser: -1 } }),
    ['spec.containers[0].securityContext.runAsUser: Invalid value: -1: must be between 0 and 2147483647, inclusive'],
  ],
])('%s', (_name, spec, wanted) => {
  expect(faults(spec)).toEqual(wanted);
});

test('what may change of a pod, and what may not', () => {
  const old = made({});
  const change = (spec: object): string[] => (pod.validateUpdate?.(made(spec), old) ?? []).map(({ field, message }) => `${field}: ${message.split('\n')[0]}`);
  expect(change(container({ image: 'b:2', imagePullPolicy: 'Always' }))).toEqual([]);
  expect(change({ activeDeadlineSeconds: 5 })).toEqual([]);
  expect(change({ tolerations: [{ operator: 'Exists' }] })).toEqual([]);
  expect(
    change({
      containers: [
        { name: 'c', image: 'a', resources: {} },
        { name: 'd', image: 'a', resources: {} },
      ],
    }),
  ).toEqual(['spec.containers: Forbidden: pod updates may not add or remove containers']);
  expect(change({ restartPolicy: 'Never' })[0]).toMatch(/^spec: Forbidden: pod updates may not change fields other than `spec.containers\[\*\].image`/);
});

test('a unified diff', () => {
  const before = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
  expect(unifiedDifference(before, ['a', 'b', 'c', 'd', 'X', 'Y', 'f', 'g', 'h'])).toBe('@@ -2,7 +2,8 @@\n b\n c\n d\n-e\n+X\n+Y\n f\n g\n h\n');
});
