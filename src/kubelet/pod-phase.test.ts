import { expect, test } from 'vitest';
import type { ContainerState, ContainerStatus, PodSpec } from '../api/generated/types/core.v1.ts';
import { podPhase } from './pod-phase.ts';

const running: ContainerState = { running: {} };
const waiting: ContainerState = { waiting: { reason: 'ContainerCreating' } };
const exited = (exitCode: number): ContainerState => ({ terminated: { exitCode } });
const status = (name: string, state: ContainerState, lastState: ContainerState = {}): ContainerStatus =>
  ({ name, state, lastState, ready: false, started: true, restartCount: 0, image: '', imageID: '' }) as ContainerStatus;

const spec = (restartPolicy: string, initContainers: object[] = []): PodSpec =>
  ({ restartPolicy, initContainers, containers: [{ name: 'c' }, { name: 'd' }] }) as unknown as PodSpec;
const both = (c: ContainerState, d: ContainerState): ContainerStatus[] => [status('c', c), status('d', d)];

test.each<[string, PodSpec, ContainerStatus[], boolean, string]>([
  ['nothing is known', spec('Always'), [], false, 'Pending'],
  ['one is being made', spec('Always'), both(running, waiting), false, 'Pending'],
  ['one has crashed and waits', spec('Always'), [status('c', running), status('d', waiting, exited(1))], false, 'Running'],
  ['all run', spec('Always'), both(running, running), false, 'Running'],
  ['all have ended, and come back', spec('Always'), both(exited(0), exited(1)), false, 'Running'],
  ['all have ended well', spec('OnFailure'), both(exited(0), exited(0)), false, 'Succeeded'],
  ['one has failed, and comes back', spec('OnFailure'), both(exited(0), exited(1)), false, 'Running'],
  ['one has failed for good', spec('Never'), both(exited(0), exited(1)), false, 'Failed'],
  ['stopped, all ended well', spec('Always'), both(exited(0), exited(0)), true, 'Succeeded'],
  ['stopped, one did not', spec('Always'), both(exited(0), exited(137)), true, 'Failed'],
  ['stopped before one was made', spec('Always'), both(exited(0), waiting), true, 'Failed'],
  ['an init container runs', spec('Always', [{ name: 'i' }]), [status('i', running), ...both(waiting, waiting)], false, 'Pending'],
  ['an init container has failed for good', spec('Never', [{ name: 'i' }]), [status('i', exited(1)), ...both(waiting, waiting)], false, 'Failed'],
])('KUB-53: %s', (_name, given, statuses, over, phase) => {
  expect(podPhase(given, statuses, { over })).toBe(phase);
});
