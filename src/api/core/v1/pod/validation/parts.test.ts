import { expect, test } from 'vitest';
import type { Pod, PodSpec } from '../../../../generated/types/core.v1.ts';
import { pod } from '../../pod.ts';

function made(spec: object): Pod {
  const object = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'n' }, spec: structuredClone(spec), status: {} } as unknown as Pod;
  pod.setDefaults?.(object);
  pod.prepareForCreate?.(object);
  return object;
}

const container = (resources: object, more: object = {}): object => ({ containers: [{ name: 'c', image: 'a', resources, ...more }] });
const OLD = container({ limits: { memory: '1Gi' }, requests: { cpu: '100m', memory: '512Mi' } });

/** What a client is told that sends `spec` through a subresource. */
function faults(part: 'resize' | 'ephemeralcontainers', spec: object, old: Pod = made(OLD)): string[] {
  const { merge, validateUpdate } = pod.parts![part]!;
  const submitted = { ...structuredClone(old), spec: structuredClone(spec) as PodSpec };
  return validateUpdate(merge(submitted, old), old).map(({ field, message }) => `${field}: ${message.split('\n')[0]}`);
}

test.each<[string, object, string[]]>([
  ['more cpu and memory', container({ limits: { memory: '2Gi' }, requests: { cpu: '200m', memory: '1Gi' } }), []],
  [
    'what else the client sends does not count',
    { ...container({ limits: { memory: '2Gi' }, requests: { cpu: '1', memory: '1Gi' } }, { image: 'b' }), hostname: 'x' },
    [],
  ],
  [
    'another quality of service',
    container({ limits: { memory: '1Gi', cpu: '1' }, requests: { cpu: '1', memory: '1Gi' } }),
    ['spec: Invalid value: "Burstable": Pod QOS Class may not change as a result of resizing'],
  ],
  [
    'a limit that goes',
    container({ requests: { cpu: '100m', memory: '512Mi' } }),
    ['spec.containers[0].resources.limits: Forbidden: resource limits cannot be removed'],
  ],
  [
    'a request above its limit',
    container({ limits: { memory: '1Gi' }, requests: { cpu: '100m', memory: '2Gi' } }),
    ['spec.containers[0].resources.requests: Invalid value: "2Gi": must be less than or equal to memory limit of 1Gi'],
  ],
  [
    'something that is neither cpu nor memory',
    container({ limits: { memory: '1Gi' }, requests: { cpu: '100m', memory: '512Mi', 'ephemeral-storage': '1Gi' } }),
    ['spec: Forbidden: only cpu and memory resources are mutable'],
  ],
  [
    'another container',
    { containers: [{ name: 'd', image: 'a', resources: { requests: { cpu: '1' } } }] },
    ['spec.containers[0].name: Forbidden: containers may not be renamed or reordered on resize'],
  ],
])('resize: %s', (_name, spec, wanted) => {
  expect(faults('resize', spec)).toEqual(wanted);
});

test('a node that tells no resources cannot resize', () => {
  const old = made(OLD);
  old.status.containerStatuses = [{ name: 'c', image: 'a', imageID: '', ready: true, restartCount: 0, state: { running: {} }, lastState: {} }];
  expect(faults('resize', OLD, old)).toEqual(['spec: Forbidden: Pod running on node without support for resize']);
});

test('ephemeral containers come, with defaults, and do not go or change', () => {
  const old = made(OLD);
  const debug = { name: 'debug', image: 'busybox', stdin: true };
  const { merge } = pod.parts!['ephemeralcontainers']!;
  const added = merge({ ...old, spec: { ...old.spec, ephemeralContainers: [debug] } as PodSpec }, old);
  expect(added.spec.ephemeralContainers).toMatchObject([{ name: 'debug', imagePullPolicy: 'Always', terminationMessagePolicy: 'File' }]);
  expect(faults('ephemeralcontainers', { ...OLD, ephemeralContainers: [debug] })).toEqual([]);
  expect(faults('ephemeralcontainers', OLD, added)).toEqual(['spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be removed']);
  expect(faults('ephemeralcontainers', { ...OLD, ephemeralContainers: [{ ...debug, tty: true }] }, added)).toEqual([
    'spec.ephemeralContainers: Forbidden: existing ephemeral containers "debug" may not be changed',
  ]);
  expect(faults('ephemeralcontainers', { ...OLD, ephemeralContainers: [{ name: 'c', image: 'b' }] })).toEqual([
    'spec.ephemeralContainers[0].name: Duplicate value: "c"',
  ]);
});
