import { expect, test } from 'vitest';
import type { Node, Pod } from '../api/generated/types/core.v1.ts';
import { Rng } from '../lib/rng.ts';
import { unschedulableMessage } from './diagnosis.ts';
import { NodeInfo, podInfo, type Snapshot } from './node-info.ts';
import { feasibleEnough, schedule } from './schedule.ts';

const pod = (name: string, cpu: string, over: object = {}): Pod =>
  ({
    metadata: { name, namespace: 'n', uid: name, labels: { app: 'a' } },
    spec: { containers: [{ name: 'c', resources: { requests: { cpu } } }], ...over },
    status: {},
  }) as unknown as Pod;

function node(
  name: string,
  { cpu = '4', used = '0', labels = {}, ...spec }: { cpu?: string; used?: string; labels?: Record<string, string>; taints?: object[] } = {},
): NodeInfo {
  const object = { metadata: { name, labels }, spec, status: { allocatable: { cpu, memory: '8Gi', pods: '110' } } } as unknown as Node;
  return new NodeInfo(object, used === '0' ? [] : [podInfo(pod(`on-${name}`, used))]);
}

const snapshot = (nodes: NodeInfo[]): Snapshot => ({ nodes, namespaceLabels: () => ({}) });

function message(nodes: NodeInfo[], subject: Pod): string {
  const placement = schedule(snapshot(nodes), podInfo(subject), { rng: new Rng(1) });
  if ('node' in placement) return placement.node;
  return unschedulableMessage({ nodes: nodes.length, rejections: placement.rejections, mayPreempt: true });
}

const taints = [{ key: 'k', value: 'v', effect: 'NoSchedule' }];
const full = ['n2', 'n3'].map((name) => node(name, { used: '3500m' }));

test.each<[string, NodeInfo[], Pod, string]>([
  [
    'a taint and too little cpu',
    [node('n1', { taints }), ...full],
    pod('p', '1'),
    '0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.',
  ],
  [
    'more than any node has',
    [node('n1', { taints }), ...full],
    pod('p', '8'),
    '0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
  ],
  ['no nodes', [], pod('p', '1'), 'no nodes available to schedule pods'],
  ['the one that fits', [node('n1', { used: '3500m' }), node('n2')], pod('p', '1'), 'n2'],
])('%s', (_name, nodes, subject, wanted) => {
  expect(message(nodes, subject)).toBe(wanted);
});

test('reasons are sorted as text', () => {
  const nodes = [...Array.from({ length: 10 }, (_, i) => node(`a${i}`, { used: '4', labels: { disk: 'ssd' } })), node('b1'), node('b2')];
  expect(message(nodes, pod('p', '1', { nodeSelector: { disk: 'ssd' } }))).toContain(
    "0/12 nodes are available: 10 Insufficient cpu, 2 node(s) didn't match Pod's node affinity/selector.",
  );
});

test('the emptier node is better; the same seed chooses the same', () => {
  const nodes = [node('n1', { used: '2' }), node('n2'), node('n3')];
  const chosen = new Set(
    Array.from({ length: 20 }, (_, seed) => schedule(snapshot(nodes), podInfo(pod('p', '1')), { rng: new Rng(seed) })).map((p) => ('node' in p ? p.node : '')),
  );
  expect([...chosen].sort()).toEqual(['n2', 'n3']);
});

test('anti-affinity and the first pod of a group', () => {
  const term = { labelSelector: { matchLabels: { app: 'a' } }, topologyKey: 'host' };
  const anti = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
  const near = { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
  const nodes = [node('n1', { used: '1', labels: { host: 'n1' } }), node('n2', { labels: { host: 'n2' } })];
  expect(message(nodes, pod('p', '1', anti))).toBe('n2');
  expect(message(nodes, pod('p', '1', near))).toBe('n1');
  expect(message([node('n2', { labels: { host: 'n2' } })], pod('p', '1', near))).toBe('n2');
});

test('topology spread', () => {
  const spread = {
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'a' } } }],
  };
  const nodes = [node('n1', { used: '1', labels: { zone: 'x' } }), node('n2', { labels: { zone: 'y' } })];
  expect(message(nodes, pod('p', '1', spread))).toBe('n2');
});

test('with many nodes not all are looked at', () => {
  expect([50, 100, 1000, 5000].map(feasibleEnough)).toEqual([50, 100, 420, 500]);
});
