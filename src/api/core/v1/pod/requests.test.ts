import { expect, test } from 'vitest';
import type { PodSpec } from '../../../generated/types/core.v1.ts';
import { podRequests, podResources } from './requests.ts';

const c = (cpu: string, over: object = {}) => ({ name: 'c', resources: { requests: { cpu }, limits: { cpu } }, ...over });
const sidecar = (cpu: string) => c(cpu, { restartPolicy: 'Always' });
const spec = (over: object): PodSpec => ({ containers: [], ...over }) as unknown as PodSpec;

test.each<[string, object, object, object]>([
  ['containers together', { containers: [c('1'), c('500m')] }, { cpu: '1500m' }, { cpu: '1500m' }],
  ['the largest init container', { containers: [c('1')], initContainers: [c('2'), c('3')] }, { cpu: '3' }, { cpu: '3' }],
  ['sidecars count throughout', { containers: [c('1')], initContainers: [sidecar('1'), c('500m')] }, { cpu: '2' }, { cpu: '2' }],
  ['sidecars count in later steps', { containers: [c('1')], initContainers: [c('2'), sidecar('1'), c('2')] }, { cpu: '3' }, { cpu: '3' }],
  ['the pod as a whole', { containers: [c('1')], resources: { requests: { cpu: '4', 'example.com/gpu': '1' } } }, { cpu: '4' }, { cpu: '1' }],
  [
    'overhead of requests, and of limits that there are',
    { containers: [c('1')], overhead: { cpu: '1', memory: '1Mi' } },
    { cpu: '2', memory: '1Mi' },
    { cpu: '2' },
  ],
  ['overhead without limits', { containers: [{ name: 'c' }], overhead: { cpu: '1' } }, { cpu: '1' }, {}],
])('SCH-30: %s', (_name, given, requests, limits) => {
  expect(podResources(spec(given), 'requests')).toEqual(requests);
  expect(podResources(spec(given), 'limits')).toEqual(limits);
});

test('SCH-30: amounts, without overhead, and with what containers are taken to ask for', () => {
  const given = spec({ containers: [c('1'), { name: 'd' }], overhead: { cpu: '1' } });
  expect(podRequests(given)).toEqual({ cpu: 2000 });
  expect(podResources(given, 'requests', { overhead: false })).toEqual({ cpu: '1' });
  expect(podRequests(given, { missing: { cpu: '100m', memory: '1Ki' } })).toEqual({ cpu: 2100, memory: 2048 });
});
