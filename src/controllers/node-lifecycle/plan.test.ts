import { describe, expect, it } from 'vitest';
import type { Lease } from '../../api/generated/types/coordination.v1.ts';
import type { Node, Pod, Taint } from '../../api/generated/types/core.v1.ts';
import { timestamp } from '../../lib/clock.ts';
import type { Plan, UpdateAction } from '../runtime/plan.ts';
import { actionsOf, says } from '../runtime/played-plan.ts';
import { planTaints } from './controller.ts';
import { NOTHING_KNOWN, type NodeMemory, type NodesSnapshot, planNodes } from './monitor.ts';
import { NO_ZONES, planEvictions, stateOf } from './zones.ts';

const START = Date.UTC(2026, 0, 1);
const OPTIONS = {
  nodeMonitorGracePeriodMs: 50_000,
  nodeStartupGracePeriodMs: 60_000,
  nodeMonitorPeriodMs: 5000,
  nodeEvictionRate: 0.1,
  secondaryNodeEvictionRate: 0.01,
  unhealthyZoneThreshold: 0.55,
  largeClusterSizeThreshold: 50,
};

function node(name: string, { ready, heartbeat = '2024', taints, zone }: { ready?: string; heartbeat?: string; taints?: Taint[]; zone?: string } = {}): Node {
  const conditions = ready === undefined ? [] : [{ type: 'Ready', status: ready, lastHeartbeatTime: heartbeat }];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: name, creationTimestamp: timestamp(START), ...(zone ? { labels: { 'topology.kubernetes.io/zone': zone } } : {}) },
    spec: taints ? { taints } : {},
    status: { conditions },
  } as unknown as Node;
}

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 't' },
  spec: {},
  status: { conditions: [{ type: 'Ready', status: 'True' }] },
} as unknown as Pod;

/** Looks every five seconds until then; the nodes stay as they are. */
function watch(nodes: Node[], untilMs: number, parts: Partial<NodesSnapshot> = {}): { plan: Plan; memory: NodeMemory } {
  let memory: NodeMemory = NOTHING_KNOWN;
  let plan: Plan = { actions: [] };
  for (let at = 0; at <= untilMs; at += 5000) {
    plan = look(nodes, memory, at, parts);
    memory = rememberedBy(plan) as NodeMemory;
  }
  return { plan, memory };
}

function look(nodes: Node[], memory: NodeMemory, atMs: number, parts: Partial<NodesSnapshot> = {}): Plan {
  return planNodes({ now: START + atMs, nodes, leases: new Map(), podsOn: () => [], memory, options: OPTIONS, ...parts });
}

function rememberedBy(plan: Plan | undefined): unknown {
  if (!plan) return undefined;
  const outcomes = plan.actions.map((action) =>
    action.type === 'batch'
      ? { ok: true as const, parts: action.actions.map((one) => ({ ok: true as const, object: (one as UpdateAction).object })) }
      : { ok: true as const },
  );
  return rememberedBy(plan.next?.(outcomes)) ?? plan.remember;
}

const taintsOf = (plan: Plan): string[] =>
  actionsOf(plan).flatMap((action) =>
    action.type === 'update' && !action.subresource ? ((action.object as Node).spec.taints ?? []).map(({ key }) => key.slice(19)) : [],
  );

describe('nodes', () => {
  it('NODE-1: are told of when they come and go', () => {
    expect(actionsOf(look([node('n')], NOTHING_KNOWN, 0)).map(says)).toEqual(['event RegisteredNode']);
    const { memory } = watch([node('n', { ready: 'True' })], 0);
    expect(actionsOf(look([], memory, 5000)).map(says)).toEqual(['event RemovingNode']);
  });

  it.each([
    ['NODE-2: after 50 seconds of silence', 'True', 50_000, 55_000],
    ['NODE-2: after 60 seconds where they never spoke', undefined, 60_000, 65_000],
  ])('%s are Unknown', (_, ready, quietMs, silentMs) => {
    const nodes = [node('n', ready === undefined ? {} : { ready })];
    expect(actionsOf(watch(nodes, quietMs).plan)).toEqual([]);
    const [update] = actionsOf(watch(nodes, silentMs).plan);
    expect(update).toMatchObject({ type: 'update', subresource: 'status' });
    expect(((update as UpdateAction).object as Node).status.conditions?.map(({ status }) => status)).toEqual(['Unknown', 'Unknown', 'Unknown', 'Unknown']);
  });

  it('NODE-2: a Lease that changes is a sign of life', () => {
    const lease = (renewTime: string): ReadonlyMap<string, Lease> => new Map([['n', { spec: { renewTime } } as Lease]]);
    const nodes = [node('n', { ready: 'True' })];
    const { memory } = watch(nodes, 45_000, { leases: lease('2024-01-01T00:00:00Z') });
    const renewed = rememberedBy(look(nodes, memory, 50_000, { leases: lease('2024-01-01T00:00:01Z') })) as NodeMemory;
    expect(actionsOf(look(nodes, renewed, 95_000, { leases: lease('2024-01-01T00:00:01Z') }))).toEqual([]);
  });

  it('NODE-3: their pods are not ready when they fall silent', () => {
    const { plan } = watch([node('n', { ready: 'True' }), node('m', { ready: 'True' })], 55_000, { podsOn: (name) => (name === 'n' ? [pod] : []) });
    expect(actionsOf(plan).map(says)).toEqual([
      'update Node n status',
      'update Node m status',
      'event NodeNotReady',
      'update Pod p status',
      'event NodeNotReady',
      'event NodeNotReady',
    ]);
  });

  const key = (name: string): Taint => ({ key: `node.kubernetes.io/${name}`, effect: 'NoExecute' });
  it.each([
    ['NODE-4: the taint follows the condition', 'False', [key('unreachable')], ['not-ready']],
    ['NODE-4: and goes with it', 'True', [key('not-ready')], []],
  ])('%s', (_, ready, taints, wanted) => {
    const nodes = [node('n', { ready, taints }), node('m', { ready: 'True' })];
    const plan = look(nodes, watch(nodes, 0).memory, 5000);
    expect(actionsOf(plan).map(says)).toEqual(['update Node n']);
    expect(taintsOf(plan)).toEqual(wanted);
  });

  it('NODE-5: of a zone one after another is tainted', () => {
    const nodes = [node('a', { ready: 'False', zone: 'z' }), node('b', { ready: 'False', zone: 'z' }), node('c', { ready: 'True' })];
    const { plan, memory } = watch(nodes, 0);
    expect(actionsOf(plan).map(says).slice(-1)).toEqual(['update Node a']);
    const tainted = [node('a', { ready: 'False', zone: 'z', taints: [key('not-ready')] }), ...nodes.slice(1)];
    const next = look(tainted, memory, 5000);
    expect(actionsOf(next)).toEqual([]);
    expect(actionsOf(look(tainted, rememberedBy(next) as NodeMemory, 10_000)).map(says)).toEqual(['update Node b']);
  });

  it('NODE-5: much of a small zone is ill: nobody is', () => {
    const inZone = (ready: string, name: string) => ({ node: node(name, { ready }), ready: { type: 'Ready', status: ready }, zone: '' });
    const zone = [inZone('False', 'a'), inZone('False', 'b'), inZone('False', 'c'), inZone('True', 'd'), inZone('True', 'e')];
    expect(stateOf(zone, 0.55)).toBe('PartialDisruption');
    expect(planEvictions(zone, { now: START, memory: NO_ZONES, options: OPTIONS }).evictions).toEqual([]);
  });

  it('NODE-6: when none is ready, taints go', () => {
    const nodes = [node('a', { ready: 'False', taints: [key('not-ready')] }), node('b', { ready: 'Unknown' })];
    const plan = look(nodes, watch(nodes, 0).memory, 5000);
    expect(actionsOf(plan).map(says)).toEqual(['update Node a']);
    expect(taintsOf(plan)).toEqual([]);
  });

  it('NODE-7: conditions keep new pods away', () => {
    const ill = {
      ...node('n', { ready: 'Unknown' }),
      spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/disk-pressure', effect: 'NoSchedule' }] },
    } as Node;
    expect(taintsOf(planTaints({ now: START, node: ill }))).toEqual(['unreachable', 'unschedulable']);
    const old = {
      ...node('n', { ready: 'True' }),
      metadata: { name: 'n', annotations: { 'node.alpha.kubernetes.io/ttl': '0' }, labels: { 'kubernetes.io/os': 'linux' } },
    } as Node;
    const [update] = planTaints({ now: START, node: old }).actions;
    expect((update as UpdateAction).object.metadata.labels).toEqual({ 'kubernetes.io/os': 'linux', 'beta.kubernetes.io/os': 'linux' });
  });
});
