import { expect, test } from 'vitest';
import type { Pod, PodSpec } from '../../../generated/types/core.v1.ts';
import { pod } from '../pod.ts';
import { defaultPullPolicy } from './image-reference.ts';
import { qosClass } from './quality-of-service.ts';

test.each([
  ['nginx', 'Always'],
  ['nginx:latest', 'Always'],
  ['nginx:1.25', 'IfNotPresent'],
  [`nginx@sha256:${'a'.repeat(64)}`, 'IfNotPresent'],
  ['localhost:5000/nginx', 'Always'],
  ['localhost:5000/nginx:1', 'IfNotPresent'],
  ['App:1', 'IfNotPresent'],
])('pull policy of %s', (image, policy) => {
  expect(defaultPullPolicy(image)).toBe(policy);
});

test('defaults of a minimal pod', () => {
  const object = { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'a:1', resources: {} }] } } as unknown as Pod;
  pod.setDefaults?.(object);
  pod.prepareForCreate?.(object);
  expect(object.spec).toEqual({
    containers: [
      {
        name: 'c',
        image: 'a:1',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    enableServiceLinks: true,
  });
  expect(object.status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
});

test('quality of service', () => {
  const spec = (...resources: object[]): PodSpec => ({ containers: resources.map((r, i) => ({ name: `c${i}`, resources: r })) });
  expect(qosClass(spec({}))).toBe('BestEffort');
  expect(qosClass(spec({ requests: { cpu: '1' } }))).toBe('Burstable');
  const same = { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1000m', memory: '1Gi' } };
  expect(qosClass(spec(same))).toBe('Guaranteed');
  expect(qosClass(spec(same, {}))).toBe('Burstable');
});

const NOW = Date.UTC(2026, 0, 1, 0, 1);
const running = (ready: boolean) => ({ ready, restartCount: 0, state: { running: {} } });
const exited = (exitCode: number, reason?: string) => ({ ready: false, restartCount: 0, state: { terminated: { exitCode, ...(reason ? { reason } : {}) } } });
const waiting = (reason: string) => ({ ready: false, restartCount: 0, state: { waiting: { reason } } });
const ready = (status: string) => [{ type: 'Ready', status }];

test.each([
  ['a', {}, { phase: 'Running', containerStatuses: [waiting('CrashLoopBackOff')] }, '0/1', 'CrashLoopBackOff'],
  ['b', { init: 2 }, { phase: 'Pending', initContainerStatuses: [running(false), waiting('PodInitializing')] }, '0/1', 'Init:0/2'],
  ['c', { init: 1 }, { phase: 'Pending', initContainerStatuses: [exited(1, 'Error')] }, '0/1', 'Init:Error'],
  ['d', {}, { phase: 'Succeeded', containerStatuses: [exited(0, 'Completed')] }, '0/1', 'Completed'],
  ['e', { containers: 2 }, { phase: 'Running', conditions: ready('False'), containerStatuses: [exited(0, 'Completed'), running(true)] }, '1/2', 'NotReady'],
  ['f', { containers: 2 }, { phase: 'Running', conditions: ready('True'), containerStatuses: [exited(0, 'Completed'), running(true)] }, '1/2', 'Running'],
  ['g', { deleted: true }, { phase: 'Running', containerStatuses: [running(true)] }, '1/1', 'Terminating'],
  ['h', { deleted: true }, { phase: 'Failed', reason: 'Evicted' }, '0/1', 'Evicted'],
  ['i', {}, { phase: 'Failed', containerStatuses: [exited(3)] }, '0/1', 'ExitCode:3'],
  [
    'j',
    { sidecar: true },
    { phase: 'Running', initContainerStatuses: [{ ...running(true), name: 'i0', started: true }], containerStatuses: [running(true)] },
    '2/2',
    'Running',
  ],
  ['k', {}, { phase: 'Pending', conditions: [{ type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }] }, '0/1', 'SchedulingGated'],
  ['l', { deleted: true }, { phase: 'Running', reason: 'NodeLost', containerStatuses: [running(true)] }, '1/1', 'Unknown'],
])('row %s', (_name, shape: { init?: number; containers?: number; deleted?: boolean; sidecar?: boolean }, status, readyCell, statusCell) => {
  const object = {
    metadata: { name: 'p', creationTimestamp: '2026-01-01T00:00:00Z', ...(shape.deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) },
    spec: {
      containers: Array.from({ length: shape.containers ?? 1 }, (_, i) => ({ name: `c${i}` })),
      initContainers: shape.sidecar ? [{ name: 'i0', restartPolicy: 'Always' }] : Array.from({ length: shape.init ?? 0 }, (_, i) => ({ name: `i${i}` })),
    },
    status,
  } as unknown as Pod;
  expect(pod.row?.(object, NOW).slice(1, 5)).toEqual([readyCell, statusCell, '0', '60s']);
});

test('restarts tell when', () => {
  const object = {
    metadata: { name: 'p' },
    spec: { containers: [{ name: 'c' }] },
    status: {
      phase: 'Running',
      containerStatuses: [{ ...running(true), restartCount: 3, lastState: { terminated: { exitCode: 1, finishedAt: '2026-01-01T00:00:50Z' } } }],
    },
  } as unknown as Pod;
  expect(pod.row?.(object, NOW)[3]).toBe('3 (10s ago)');
});
