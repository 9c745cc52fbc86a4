import { expect, test } from 'vitest';
import type { Node, Pod } from '../api/generated/types/core.v1.ts';
import type { PodDisruptionBudget } from '../api/generated/types/policy.v1.ts';
import { Rng } from '../lib/rng.ts';
import { decide } from './decision.ts';
import type { Rejection } from './framework.ts';
import { NodeInfo, podInfo } from './node-info.ts';
import { type Preemption, preempt } from './preemption.ts';

function pod(name: string, priority: number, over: object = {}): Pod {
  return {
    metadata: { name, namespace: 'n', uid: name, ...over },
    spec: { priority, containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] },
    status: { startTime: `2026-01-01T00:00:0${name.length}Z` },
  } as unknown as Pod;
}

function node(name: string, cpu: string, pods: Pod[]): NodeInfo {
  const object = { metadata: { name }, spec: {}, status: { allocatable: { cpu, pods: '110' } } } as unknown as Node;
  return new NodeInfo(object, pods.map(podInfo));
}

const budget = (app: string, disruptionsAllowed: number) =>
  ({ metadata: { namespace: 'n' }, spec: { selector: { matchLabels: { app } } }, status: { disruptionsAllowed } }) as unknown as PodDisruptionBudget;

const snapshot = (nodes: NodeInfo[]) => ({ nodes, namespaceLabels: () => undefined });
const full: Rejection = { reasons: ['Insufficient cpu'], unresolvable: false };

function room(nodes: NodeInfo[], subject: Pod, rejection = full): Preemption | undefined {
  return preempt(snapshot(nodes), podInfo(subject), new Map(nodes.map(({ name }) => [name, rejection])));
}

const inWords = (preemption: Preemption | undefined): string | undefined =>
  preemption && `${preemption.node}: ${preemption.victims.map((victim) => victim.pod.metadata.name).join(' ')}`;

test.each<[string, NodeInfo[], string | undefined]>([
  ['SCH-20: no more go than must, the least important first', [node('a', '3', [pod('x', 1), pod('y', 3), pod('z', 2)])], 'a: x'],
  ['SCH-20: of the same priority the younger', [node('a', '2', [pod('x', 1), pod('younger', 1)])], 'a: younger'],
  ['SCH-20: nobody of the same priority or a higher one', [node('a', '1', [pod('x', 10)])], undefined],
  ['SCH-20: not where the pod would not fit even so', [node('a', '500m', [pod('x', 1)])], undefined],
  ['SCH-21: the node whose most important victim is the least', [node('a', '1', [pod('x', 5)]), node('b', '1', [pod('y', 2)])], 'b: y'],
])('%s', (_name, nodes, wanted) => {
  expect(inWords(room(nodes, pod('p', 10)))).toBe(wanted);
});

test('SCH-20: nodes that no leaving would help are not looked at', () => {
  expect(room([node('a', '1', [pod('x', 1)])], pod('p', 10), { ...full, unresolvable: true })).toBeUndefined();
});

test('SCH-22: while victims leave, no others are asked to', () => {
  const decision = (leaving: object, nominatedNodeName?: string) => {
    const subject = pod('p', 10);
    const waiting = { ...subject, status: { ...subject.status, ...(nominatedNodeName ? { nominatedNodeName } : {}) } };
    return decide(snapshot([node('a', '1', [pod('x', 1, leaving)])]), podInfo(waiting), { rng: new Rng(1), startAt: 0 });
  };
  expect(decision({})).toMatchObject({ type: 'wait', preemption: { node: 'a' }, because: { rule: 'SCH-20' } });
  expect(decision({ deletionTimestamp: '2026-01-01T00:00:09Z' }, 'a')).toMatchObject({ preemption: undefined, because: { rule: 'SCH-3' } });
});

test('SCH-23: a pod with preemptionPolicy Never asks nobody to leave, and says so', () => {
  const subject = pod('p', 10);
  const never = { ...subject, spec: { ...subject.spec, preemptionPolicy: 'Never' } };
  const decision = decide(snapshot([node('a', '1', [pod('x', 1)])]), podInfo(never), { rng: new Rng(1), startAt: 0 });
  expect(decision).toMatchObject({ preemption: undefined, message: expect.stringContaining('not eligible due to preemptionPolicy=Never.') });
});

test('SCH-21: budgets that have nothing left are spared, by the choice of the node and of the victims', () => {
  const spare = { labels: { app: 'spare' } };
  const choose = (nodes: NodeInfo[], disruptionsAllowed: number): string | undefined => {
    const budgets = [budget('spare', disruptionsAllowed)];
    return inWords(preempt({ ...snapshot(nodes), budgets }, podInfo(pod('p', 10)), new Map(nodes.map(({ name }) => [name, full]))));
  };
  const nodes = () => [node('a', '1', [pod('x', 1, spare)]), node('b', '1', [pod('y', 5)])];
  expect(choose(nodes(), 0)).toBe('b: y');
  expect(choose(nodes(), 1)).toBe('a: x');
  expect(choose([node('a', '2', [pod('x', 1, spare), pod('y', 5)])], 0)).toBe('a: y');
});

test('SCH-24: room that is being made is not given to less important pods, and found by the pod that it is made for', () => {
  const nodes = [node('a', '1', []), node('b', '1', [])];
  const nominated = new Map([['a', [podInfo(pod('high', 10))]]]);
  const place = (subject: Pod) => decide({ ...snapshot(nodes), nominated }, podInfo(subject), { rng: new Rng(1), startAt: 0 });
  for (const [name, priority, wanted] of [
    ['low', 1, 'b'],
    ['same', 10, 'b'],
  ] as const)
    expect(place(pod(name, priority))).toMatchObject({ type: 'bind', node: wanted });
  expect(place({ ...pod('high', 10), status: { nominatedNodeName: 'a' } } as Pod)).toMatchObject({ type: 'bind', node: 'a' });
  expect(decide({ ...snapshot(nodes.slice(0, 1)), nominated }, podInfo(pod('low', 1)), { rng: new Rng(1), startAt: 0 })).toMatchObject({ type: 'wait' });
});
