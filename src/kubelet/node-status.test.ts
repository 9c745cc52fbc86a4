import { expect, test } from 'vitest';
import type { RuntimeCondition } from '../runtime/runtime.ts';
import { nodeConditions, runtimeFault } from './node-status.ts';

const condition = (type: string, status: boolean): RuntimeCondition => ({ type, status, reason: 'R', message: 'm' });

test.each<[string, () => Promise<readonly RuntimeCondition[]>, string | undefined]>([
  ['all is well', async () => [condition('RuntimeReady', true), condition('NetworkReady', true)], undefined],
  ['no network', async () => [condition('NetworkReady', false)], 'container runtime network not ready: NetworkReady=false reason:R message:m'],
  ['not ready', async () => [condition('RuntimeReady', false)], 'container runtime not ready: RuntimeReady=false reason:R message:m'],
  ['no answer', () => Promise.reject(new Error('gone')), 'container runtime is down'],
])('the runtime: %s', async (_name, ask, fault) => expect(await runtimeFault(ask)).toBe(fault));

test('a node whose runtime is down is not ready, from then on', () => {
  const well = nodeConditions(undefined, 0);
  const ill = nodeConditions(well, 10_000, 'container runtime is down');
  expect(ill.find(({ type }) => type === 'Ready')).toEqual({
    type: 'Ready',
    status: 'False',
    reason: 'KubeletNotReady',
    message: 'container runtime is down',
    lastHeartbeatTime: '1970-01-01T00:00:10Z',
    lastTransitionTime: '1970-01-01T00:00:10Z',
  });
  expect(ill.find(({ type }) => type === 'DiskPressure')?.lastTransitionTime).toBe('1970-01-01T00:00:00Z');
});
