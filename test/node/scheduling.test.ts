import { afterEach, expect, test } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types/core.v1.ts';
import type { Draft } from '../../src/api/object.ts';
import { Nodes, Pods, PriorityClasses } from '../../src/api/resources.ts';
import { NodeFixture } from './node-fixture.ts';

let fixture: NodeFixture;
afterEach(() => fixture.stop());

const TAIL = 'no new claims to deallocate, preemption: 0/3 nodes are available:';
const c = (extra: object = {}) => [{ name: 'c', image: 'a', ...extra }];
const nowhere = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a', 'b'] }] }] },
  },
};

test.each<[string, Draft<PodSpec>, string]>([
  [
    'SCH-3, SCH-34: affinity',
    { containers: c(), affinity: nowhere },
    `0/3 nodes are available: 3 node(s) didn't match Pod's node affinity/selector. ${TAIL} 3 Preemption is not helpful for scheduling.`,
  ],
  [
    'SCH-3, SCH-36: both',
    { containers: c({ resources: { requests: { cpu: '5k', memory: '900Ti' } } }) },
    `0/3 nodes are available: 3 Insufficient cpu, 3 Insufficient memory. ${TAIL} 3 Preemption is not helpful for scheduling.`,
  ],
  [
    'SCH-36: extended',
    { containers: c({ resources: { limits: { 'example.com/gpu': '1' } } }) },
    `0/3 nodes are available: 3 Insufficient example.com/gpu. ${TAIL} 3 Preemption is not helpful for scheduling.`,
  ],
  [
    'SCH-37: spread',
    {
      containers: c(),
      topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'x' } } }],
    },
    `0/3 nodes are available: 3 node(s) didn't match pod topology spread constraints (missing required label). ${TAIL} 3 Preemption is not helpful for scheduling.`,
  ],
])('%s', async (_name, spec, message) => {
  fixture = await NodeFixture.start({ nodes: 3 });
  await fixture.create(spec);
  await fixture.clock.advance(2500);
  const pod = await fixture.pod();
  expect(pod?.status.phase).toBe('Pending');
  expect(pod?.status.conditions?.[0]).toMatchObject({
    type: 'PodScheduled',
    status: 'False',
    reason: 'Unschedulable',
    message,
    observedGeneration: 1,
    lastProbeTime: null,
  });
  expect(await fixture.events()).toEqual([`FailedScheduling ${message}`]);
});

test('SCH-10, SCH-35: a host port taken on every node', async () => {
  fixture = await NodeFixture.start({ nodes: 3 });
  const spec = { containers: c({ ports: [{ containerPort: 80, hostPort: 18080 }] }) };
  for (const name of ['a', 'b', 'd']) await fixture.create(spec, { name });
  await fixture.clock.advance(1000);
  await fixture.create(spec);
  await fixture.clock.advance(1000);
  expect((await fixture.pod())?.status.conditions?.[0]?.message).toBe(
    `0/3 nodes are available: 3 node(s) didn't have free ports for the requested pod ports. ${TAIL} 3 No preemption victims found for incoming pod.`,
  );
  await fixture.client.resource(Pods).delete('default', 'a');
  await fixture.clock.advance(5000);
  expect((await fixture.pod())?.status.phase).toBe('Running');
});

test('SCH-5, SCH-10: a node that changes lets a waiting pod in; another scheduler is left alone', async () => {
  fixture = await NodeFixture.start({ nodes: 3 });
  await fixture.create({ containers: c(), nodeSelector: { disk: 'ssd' } });
  await fixture.create({ containers: c(), schedulerName: 'somebody-else' }, { name: 'other' });
  await fixture.clock.advance(1200);
  await fixture.client.resource(Nodes).patch('', 'node-3', { metadata: { labels: { disk: 'ssd' } } }, 'application/merge-patch+json');
  await fixture.clock.advance(3000);
  expect((await fixture.pod())?.spec.nodeName).toBe('node-3');
  expect((await fixture.pod('other'))?.status.conditions).toBeUndefined();
});

test('SCH-20: a more important pod takes the place of a less important one', async () => {
  fixture = await NodeFixture.start({ nodes: 1, capacity: { cpu: '2' } });
  await fixture.client.resource(PriorityClasses).create({ metadata: { name: 'high' }, value: 1000 });
  const spec = { containers: c({ resources: { requests: { cpu: '1500m' } } }) };
  await fixture.create(spec, { name: 'low' });
  await fixture.clock.advance(1000);
  await fixture.create({ ...spec, priorityClassName: 'high' });
  await fixture.clock.advance(5000);
  expect(await fixture.pod('low')).toBeUndefined();
  expect((await fixture.pod())?.status.phase).toBe('Running');
  expect((await fixture.events('low')).some((e) => e.startsWith('Preempted Preempted by pod '))).toBe(true);
});

test('SCH-14, SCH-46: many pods are spread and all run', async () => {
  fixture = await NodeFixture.start({ nodes: 3 });
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'r', uid: 'u', controller: true };
  for (let i = 0; i < 90; i++) await fixture.create({ containers: c() }, { name: `p${i}`, ownerReferences: [owner] });
  await fixture.clock.advance(5000);
  const { items } = await fixture.client.resource(Pods).list({ namespace: 'default' });
  const counts = new Map<string, number>();
  for (const pod of items) counts.set(pod.spec.nodeName ?? '', (counts.get(pod.spec.nodeName ?? '') ?? 0) + 1);
  expect([...counts.values()]).toEqual([30, 30, 30]);
  expect(items.every((pod) => pod.status.phase === 'Running')).toBe(true);
});
