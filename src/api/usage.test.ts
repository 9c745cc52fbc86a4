import { describe, expect, it } from 'vitest';
import type { PersistentVolumeClaim, Pod } from './generated/types/core.v1.ts';
import { podMatchesScope, usageOf } from './usage.ts';

const PODS = { group: '', resource: 'pods' };
const CLAIMS = { group: '', resource: 'persistentvolumeclaims' };
const END = '2026-01-01T00:00:00Z';
const END_MS = Date.parse(END);

function pod({ metadata = {}, phase = 'Running', ...spec }: { metadata?: object; phase?: string; [field: string]: unknown }): Pod {
  const containers = [{ name: 'a', resources: { requests: { cpu: '1' } } }];
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', ...metadata }, spec: { containers, ...spec }, status: { phase } } as unknown as Pod;
}

function claim(parts: { annotation?: string; storageClassName?: string; storage?: string; allocated?: string }): PersistentVolumeClaim {
  const { annotation, storageClassName, storage, allocated } = parts;
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c', ...(annotation === undefined ? {} : { annotations: { 'volume.beta.kubernetes.io/storage-class': annotation } }) },
    spec: { storageClassName, resources: { requests: storage === undefined ? {} : { storage } } },
    status: allocated === undefined ? {} : { allocatedResources: { storage: allocated } },
  } as unknown as PersistentVolumeClaim;
}

describe('which pods are charged', () => {
  const going = { deletionTimestamp: END, deletionGracePeriodSeconds: 30 };
  it.each([
    ['one that runs', pod({}), END_MS, true],
    ['one that succeeded', pod({ phase: 'Succeeded' }), END_MS, false],
    ['one that failed', pod({ phase: 'Failed' }), END_MS, false],
    ['one that is going', pod({ metadata: going }), END_MS, true],
    ['one at the end of its grace period', pod({ metadata: going }), END_MS + 30_000, true],
    ['one past its grace period', pod({ metadata: going }), END_MS + 30_001, false],
    ['one past its grace period, told no time', pod({ metadata: going }), undefined, true],
    ['one that is going without a grace period', pod({ metadata: { deletionTimestamp: END } }), END_MS + 60_000, true],
  ])('%s', (_, object, nowMs, charged) => {
    const usage = usageOf(PODS, object, nowMs);
    expect(usage['count/pods']).toBe('1');
    expect(usage['pods']).toBe(charged ? '1' : undefined);
    expect(usage['requests.cpu']).toBe(charged ? '1' : undefined);
  });

  it('huge pages count under both names, other devices under requests only', () => {
    const resources = { requests: { 'hugepages-2Mi': '4Mi', 'example.com/gpu': '2' } };
    const usage = usageOf(PODS, pod({ containers: [{ name: 'a', resources }] }));
    expect(usage).toEqual({ 'count/pods': '1', pods: '1', 'hugepages-2Mi': '4Mi', 'requests.hugepages-2Mi': '4Mi', 'requests.example.com/gpu': '2' });
  });
});

describe('scopes of pods', () => {
  const required = (kind: string, term: object): Record<string, unknown> => ({
    affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
  });
  const preferred = (kind: string, podAffinityTerm: object): Record<string, unknown> => ({
    affinity: { [kind]: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm }] } },
  });
  it.each([
    ['no affinity', {}, false],
    ['only its own namespace', required('podAffinity', { topologyKey: 'z' }), false],
    ['no namespaces', required('podAffinity', { topologyKey: 'z', namespaces: [] }), false],
    ['namespaces', required('podAffinity', { topologyKey: 'z', namespaces: ['b'] }), true],
    ['a selector of all namespaces', required('podAntiAffinity', { topologyKey: 'z', namespaceSelector: {} }), true],
    ['namespaces preferred', preferred('podAffinity', { topologyKey: 'z', namespaces: ['b'] }), true],
    ['a selector, to avoid rather', preferred('podAntiAffinity', { topologyKey: 'z', namespaceSelector: {} }), true],
  ])('CrossNamespacePodAffinity: %s', (_, spec, matches) => {
    expect(podMatchesScope(pod(spec), 'CrossNamespacePodAffinity', { operator: 'Exists' })).toBe(matches);
  });

  it.each([
    [{ requests: { cpu: '1' } }, false],
    [{ limits: { memory: '1Mi' } }, false],
    [{ requests: { cpu: '0' }, limits: { memory: '0' } }, true],
    [{ requests: { 'ephemeral-storage': '1Gi' } }, true],
  ])('BestEffort: %j', (resources, matches) => {
    const object = pod({ containers: [{ name: 'a', resources }] });
    expect([podMatchesScope(object, 'BestEffort'), podMatchesScope(object, 'NotBestEffort')]).toEqual([matches, !matches]);
  });
});

describe('what claims use', () => {
  const one = { 'count/persistentvolumeclaims': '1', persistentvolumeclaims: '1' };
  const of = (name: string, storage?: string): object => ({
    [`${name}.storageclass.storage.k8s.io/persistentvolumeclaims`]: '1',
    ...(storage === undefined ? {} : { [`${name}.storageclass.storage.k8s.io/requests.storage`]: storage }),
  });
  it.each([
    [{}, one],
    [{ storage: '1Gi' }, { ...one, 'requests.storage': '1Gi' }],
    [{ storageClassName: 'gold' }, { ...one, ...of('gold') }],
    [
      { storageClassName: 'gold', storage: '1Gi' },
      { ...one, 'requests.storage': '1Gi', ...of('gold', '1Gi') },
    ],
    [
      { annotation: 'silver', storage: '1Gi' },
      { ...one, 'requests.storage': '1Gi', ...of('silver', '1Gi') },
    ],
    [
      { annotation: 'silver', storageClassName: 'gold' },
      { ...one, ...of('silver') },
    ],
    [{ annotation: '', storageClassName: 'gold' }, one],
    [
      { storage: '1Gi', allocated: '2Gi' },
      { ...one, 'requests.storage': '2Gi' },
    ],
    [
      { storage: '2Gi', allocated: '1Gi' },
      { ...one, 'requests.storage': '2Gi' },
    ],
  ])('%j', (parts, usage) => {
    expect(usageOf(CLAIMS, claim(parts))).toEqual(usage);
  });
});
