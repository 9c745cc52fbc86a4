import { describe, expect, test } from 'vitest';
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
  {
    cpu = '4',
    used = '0',
    labels = {},
    ...spec
  }: { cpu?: string; used?: string; labels?: Record<string, string>; taints?: object[]; unschedulable?: boolean } = {},
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
    'SCH-33, SCH-36: a taint and too little cpu',
    [node('n1', { taints }), ...full],
    pod('p', '1'),
    '0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 1 Preemption is not helpful for scheduling, 2 No preemption victims found for incoming pod.',
  ],
  [
    'SCH-36: more than any node has',
    [node('n1', { taints }), ...full],
    pod('p', '8'),
    '0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu. no new claims to deallocate, preemption: 0/3 nodes are available: 3 Preemption is not helpful for scheduling.',
  ],
  ['SCH-3: no nodes', [], pod('p', '1'), 'no nodes available to schedule pods'],
  ['SCH-1: the one that fits', [node('n1', { used: '3500m' }), node('n2')], pod('p', '1'), 'n2'],
])('%s', (_name, nodes, subject, wanted) => {
  expect(message(nodes, subject)).toBe(wanted);
});

test('SCH-3, SCH-34: reasons are sorted as text', () => {
  const nodes = [...Array.from({ length: 10 }, (_, i) => node(`a${i}`, { used: '4', labels: { disk: 'ssd' } })), node('b1'), node('b2')];
  expect(message(nodes, pod('p', '1', { nodeSelector: { disk: 'ssd' } }))).toContain(
    "0/12 nodes are available: 10 Insufficient cpu, 2 node(s) didn't match Pod's node affinity/selector.",
  );
});

test('SCH-1, SCH-40: the emptier node is better; the same seed chooses the same', () => {
  const nodes = [node('n1', { used: '2' }), node('n2'), node('n3')];
  const chosen = new Set(
    Array.from({ length: 20 }, (_, seed) => schedule(snapshot(nodes), podInfo(pod('p', '1')), { rng: new Rng(seed) })).map((p) => ('node' in p ? p.node : '')),
  );
  expect([...chosen].sort()).toEqual(['n2', 'n3']);
});

test('SCH-38: anti-affinity and the first pod of a group', () => {
  const term = { labelSelector: { matchLabels: { app: 'a' } }, topologyKey: 'host' };
  const anti = { affinity: { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
  const near = { affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } } };
  const nodes = [node('n1', { used: '1', labels: { host: 'n1' } }), node('n2', { labels: { host: 'n2' } })];
  expect(message(nodes, pod('p', '1', anti))).toBe('n2');
  expect(message(nodes, pod('p', '1', near))).toBe('n1');
  expect(message([node('n2', { labels: { host: 'n2' } })], pod('p', '1', near))).toBe('n2');
});

test('SCH-37: topology spread', () => {
  const spread = {
    topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'a' } } }],
  };
  const nodes = [node('n1', { used: '1', labels: { zone: 'x' } }), node('n2', { labels: { zone: 'y' } })];
  expect(message(nodes, pod('p', '1', spread))).toBe('n2');
});

test('SCH-2: with many nodes not all are looked at', () => {
  expect([50, 100, 1000, 5000].map(feasibleEnough)).toEqual([50, 100, 420, 500]);
});

test('SCH-31, SCH-32: a cordoned node, and a pod that names its node', () => {
  const [cordoned, open] = [node('n1', { unschedulable: true }), node('n2')];
  expect(message([cordoned], pod('p', '1'))).toContain('1 node(s) were unschedulable');
  const tolerations = [{ key: 'node.kubernetes.io/unschedulable', operator: 'Exists' }];
  expect(message([cordoned], pod('p', '1', { tolerations }))).toBe('n1');
  expect(message([cordoned, open], pod('p', '1', { nodeName: 'n2' }))).toBe('n2');
});

test.each<[string, object, object]>([
  ['other addresses', { hostIP: '10.0.0.1' }, { hostIP: '10.0.0.2' }],
  ['other protocols', {}, { protocol: 'UDP' }],
])('SCH-35: host ports clash on one address; not with %s', (_name, own, other) => {
  const withPort = (name: string, port: object): Pod => pod(name, '1', { containers: [{ name: 'c', ports: [{ hostPort: 80, ...port }] }] });
  const taken = new NodeInfo(node('n1').node, [podInfo(withPort('q', own))]);
  expect(message([taken], withPort('p', own))).toContain("didn't have free ports");
  expect(message([taken], withPort('p', other))).toBe('n1');
});

describe('scores', () => {
  const preferTaint = [{ key: 'k', effect: 'PreferNoSchedule' }];
  const preferred = { affinity: { nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, preference: zoneIs('y') }] } } };
  const term = { labelSelector: { matchLabels: { app: 'a' } }, topologyKey: 'zone' };
  const apart = { affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] } } };
  const spread = { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: term.labelSelector }] };
  const busyX = node('x', { used: '1m', labels: { zone: 'x' } });
  const freeY = node('y', { labels: { zone: 'y' } });

  test.each<[string, NodeInfo[], object, string]>([
    ['SCH-42: taints that are better avoided', [node('x', { taints: preferTaint }), node('y')], {}, 'y'],
    ['SCH-43: preferred node affinity', [node('x', { labels: { zone: 'x' } }), node('y', { labels: { zone: 'y' } })], preferred, 'y'],
    ['SCH-44: preferred spreading', [busyX, freeY], spread, 'y'],
    ['SCH-45: preferred anti-affinity', [busyX, freeY], apart, 'y'],
  ])('%s', (_name, nodes, over, wanted) => {
    const chosen = Array.from({ length: 10 }, (_, seed) => schedule(snapshot(nodes), podInfo(pod('p', '500m', over)), { rng: new Rng(seed) }));
    expect(chosen.every((placement) => 'node' in placement && placement.node === wanted)).toBe(true);
  });
});

test('SCH-41: of two nodes with as much left, the one whose cpu and memory are used evenly', () => {
  const sized = (name: string, cpu: string, memory: string): NodeInfo =>
    new NodeInfo({ metadata: { name }, spec: {}, status: { allocatable: { cpu, memory, pods: '110' } } } as unknown as Node);
  const nodes = [sized('even', '2', '2Gi'), sized('uneven', '4', '1365Mi')];
  const subject = pod('p', '1', { containers: [{ name: 'c', resources: { requests: { cpu: '1', memory: '1Gi' } } }] });
  expect(message(nodes, subject)).toBe('even');
});

function zoneIs(zone: string): object {
  return { matchExpressions: [{ key: 'zone', operator: 'In', values: [zone] }] };
}
