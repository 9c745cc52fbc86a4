import { expect, test } from 'vitest';
import { deployment } from '../../../apps/v1/deployment.ts';
import type { Deployment } from '../../../generated/types/apps.v1.ts';
import type { Pod } from '../../../generated/types/core.v1.ts';
import { podWarnings, templateWarnings } from './warnings.ts';

const container = (more: object): object => ({ containers: [{ name: 'c', image: 'a', ...more }] });
const SPEC = 't.spec';

test.each<[string, object, string[]]>([
  ['nothing to say', container({ env: [{ name: 'A', value: '1' }], ports: [{ containerPort: 80, protocol: 'TCP' }] }), []],
  [
    'a variable that is given twice',
    container({
      env: [
        { name: 'A', value: '1' },
        { name: 'A', value: '2' },
        { name: 'A', value: '$(A)3' },
        { name: 'A', value: '$(A)' },
        { name: 'A', valueFrom: {} },
      ],
    }),
    [1, 3, 4].map((index) => `${SPEC}.containers[0].env[${index}]: hides previous definition of "A", which may be dropped when using apply`),
  ],
  [
    'amounts that are no whole bytes',
    container({ resources: { limits: { memory: '100m' }, requests: { 'ephemeral-storage': '1500m' } } }),
    [
      `${SPEC}.containers[0].resources.limits[memory]: fractional byte value "100m" is invalid, must be an integer`,
      `${SPEC}.containers[0].resources.requests[ephemeral-storage]: fractional byte value "1500m" is invalid, must be an integer`,
    ],
  ],
  [
    'ports',
    container({
      ports: [
        { containerPort: 80, protocol: 'TCP' },
        { containerPort: 80, protocol: 'TCP' },
        { containerPort: 80, protocol: 'TCP', hostPort: 8080 },
        { containerPort: 81, protocol: 'TCP', hostIP: '1.2.3.4' },
      ],
    }),
    [
      `${SPEC}.containers[0].ports[1]: duplicate port definition with ${SPEC}.containers[0].ports[0]`,
      `${SPEC}.containers[0].ports[2]: overlapping port definition with ${SPEC}.containers[0].ports[0]`,
      `${SPEC}.containers[0].ports[2]: overlapping port definition with ${SPEC}.containers[0].ports[1]`,
      `${SPEC}.containers[0].ports[3]: hostIP set without hostPort: {Name: HostPort:0 ContainerPort:81 Protocol:TCP HostIP:1.2.3.4}`,
    ],
  ],
  [
    'labels of nodes of old, selectors of nothing',
    {
      ...container({}),
      nodeSelector: { 'beta.kubernetes.io/os': 'linux' },
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'beta.kubernetes.io/arch', operator: 'In', values: ['amd64'] }] }],
          },
        },
        podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: { topologyKey: 'z' } }] },
      },
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'z', whenUnsatisfiable: 'DoNotSchedule' }],
    },
    [
      `${SPEC}.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use "kubernetes.io/os" instead`,
      `${SPEC}.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms[0].matchExpressions[0].key: beta.kubernetes.io/arch is deprecated since v1.14; use "kubernetes.io/arch" instead`,
      `${SPEC}.topologySpreadConstraints[0].labelSelector: a null labelSelector results in matching no pod`,
      `${SPEC}.affinity.podAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution[0].podAffinityTerm.labelSelector: a null labelSelector results in matching no pod`,
    ],
  ],
  [
    'what is there twice, or has no name',
    {
      ...container({}),
      imagePullSecrets: [{ name: 'a' }, { name: 'a' }, {}],
      terminationGracePeriodSeconds: -1,
      volumes: [{ name: 'v', gitRepo: { repository: 'r' } }],
    },
    [
      `${SPEC}.volumes[0].gitRepo: deprecated in v1.11`,
      `${SPEC}.imagePullSecrets[1].name: duplicate name "a"`,
      `${SPEC}.imagePullSecrets[2].name: invalid empty name ""`,
      `${SPEC}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
    ],
  ],
])('%s', (_name, spec, wanted) => {
  expect(templateWarnings({ metadata: {}, spec } as never, 't')).toEqual(wanted);
});

test('names that make no host names', () => {
  const pod = { metadata: { name: 'a.b' }, spec: container({}) } as unknown as Pod;
  const words = 'which can result in surprising behavior; a DNS label is recommended: [must not contain dots]';
  expect(podWarnings(pod, undefined)).toEqual([`metadata.name: this is used in the Pod's hostname, ${words}`]);
  expect(podWarnings(pod, pod)).toEqual([]);
  const made = { metadata: { name: 'a.b', generation: 1 }, spec: { template: { metadata: {}, spec: container({}) } } } as unknown as Deployment;
  expect(deployment.warnings?.(made, undefined)).toEqual([`metadata.name: this is used in Pod names and hostnames, ${words}`]);
});

test('a Deployment that only scales is warned of nothing', () => {
  const template = { metadata: {}, spec: { ...container({}), nodeSelector: { 'beta.kubernetes.io/os': 'linux' } } };
  const at = (generation: number): Deployment => ({ metadata: { name: 'a', generation }, spec: { template } }) as unknown as Deployment;
  expect(deployment.warnings?.(at(1), at(1))).toEqual([]);
  expect(deployment.warnings?.(at(2), at(1))).toHaveLength(1);
});
