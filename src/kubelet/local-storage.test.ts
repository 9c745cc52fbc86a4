import { expect, test } from 'vitest';
import type { Pod, PodSpec } from '../api/generated/types/core.v1.ts';
import { exceededLimit, hasStorageLimits } from './local-storage.ts';

const MIB = 2 ** 20;
const pod = (spec: Partial<PodSpec>): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p' },
  spec: { containers: [{ name: 'c', resources: {} }], ...spec },
  status: {},
});
const limited = (name: string, limit: string) => ({ name, resources: { limits: { 'ephemeral-storage': limit } } });
const written = (volume: number, container: number) => ({ volumes: new Map([['v', volume * MIB]]), containers: new Map([['c', container * MIB]]) });
const folder = { name: 'v', emptyDir: { sizeLimit: '2Mi' } };

test.each<[string, Partial<PodSpec>, [number, number], string | undefined]>([
  ['a folder within its limit', { volumes: [folder] }, [2, 9], undefined],
  ['a folder beyond its limit', { volumes: [folder] }, [3, 0], 'Usage of EmptyDir volume "v" exceeds the limit "2Mi". '],
  [
    'a container beyond its limit',
    { containers: [limited('c', '1Mi'), { name: 'd', resources: {} }] },
    [0, 2],
    'Container c exceeded its local ephemeral storage limit "1Mi". ',
  ],
  [
    'all of them together',
    { containers: [limited('c', '1Mi'), limited('d', '1Mi')], volumes: [{ name: 'v', emptyDir: {} }] },
    [2, 1],
    'Pod ephemeral local storage usage exceeds the total limit of containers 2Mi. ',
  ],
  ['what is in memory is no storage', { containers: [limited('c', '1Mi')], volumes: [{ name: 'v', emptyDir: { medium: 'Memory' } }] }, [9, 1], undefined],
])('%s', (_name, spec, [volume, container], message) => {
  expect(exceededLimit(pod(spec), written(volume, container))).toEqual(message === undefined ? undefined : { reason: 'Evicted', message });
});

test('pods without limits are not measured', () => {
  expect(hasStorageLimits(pod({ volumes: [{ name: 'v', emptyDir: {} }] }))).toBe(false);
  expect(hasStorageLimits(pod({ volumes: [folder] }))).toBe(true);
});
