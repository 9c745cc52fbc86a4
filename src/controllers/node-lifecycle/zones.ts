import type { Node, NodeCondition } from '../../api/generated/types/core.v1.ts';
import type { Action } from '../runtime/plan.ts';
import type { NodeLifecycleOptions } from './monitor.ts';
import { hasTaint, NOT_READY, nodeUpdate, noExecuteKey, UNREACHABLE, withTaints } from './taints.ts';

// Pods are driven from ill nodes one node after another, zone by zone, and not at all where it is the network that is ill.
// Upstream: node_lifecycle_controller.go (handleDisruption, doNoExecuteTaintingPass).

export type ZoneState = 'Initial' | 'Normal' | 'FullDisruption' | 'PartialDisruption';

interface Zone {
  state: ZoneState;
  /** Nodes a second. */
  rate: number;
  /** What may be spent now, one at most. */
  tokens: number;
  at: number;
}

export type Evictions = ReadonlyMap<string, Zone>;
export const NO_ZONES: Evictions = new Map();

const EXCLUDED = 'node.kubernetes.io/exclude-disruption';

/** `<region>:<zone>` of the node, '' for none. */
export function zoneOf({ metadata }: Node): string {
  const { labels = {} } = metadata;
  const [region = '', zone = ''] = [
    labels['topology.kubernetes.io/region'] ?? labels['failure-domain.beta.kubernetes.io/region'],
    labels['topology.kubernetes.io/zone'] ?? labels['failure-domain.beta.kubernetes.io/zone'],
  ];
  return region === '' && zone === '' ? '' : `${region}:\u0000:${zone}`;
}

export interface NodeInZone {
  node: Node;
  ready: NodeCondition | undefined;
  zone: string;
}

export function stateOf(nodes: readonly NodeInZone[], threshold: number): ZoneState {
  const ready = nodes.filter((one) => one.ready?.status === 'True').length;
  const ill = nodes.length - ready;
  if (ready === 0 && ill > 0) return 'FullDisruption';
  return ill > 2 && ill / nodes.length >= threshold ? 'PartialDisruption' : 'Normal';
}

interface Planned {
  evictions: { zone: string; action: Action }[];
  zones: Evictions;
}

/** What was not written has cost nothing. */
export function refunded(zones: Evictions, failed: readonly string[]): Evictions {
  const back = (name: string): number => failed.filter((one) => one === name).length;
  return new Map([...zones].map(([name, zone]) => [name, { ...zone, tokens: Math.min(1, zone.tokens + back(name)) }]));
}

interface EvictionInput {
  now: number;
  memory: Evictions;
  options: Required<NodeLifecycleOptions>;
}

export function planEvictions(nodes: readonly NodeInZone[], { now, memory, options }: EvictionInput): Planned {
  const byZone = new Map<string, NodeInZone[]>();
  for (const one of nodes) byZone.set(one.zone, [...(byZone.get(one.zone) ?? []), one]);
  const counted = (zone: readonly NodeInZone[]): NodeInZone[] => zone.filter(({ node }) => node.metadata.labels?.[EXCLUDED] === undefined);
  const states = new Map([...byZone].map(([name, zone]) => [name, stateOf(counted(zone), options.unhealthyZoneThreshold)]));
  // NODE-6: when no node at all is ready it is not the nodes that are ill.
  const allIll = states.size > 0 && [...states.values()].every((state) => state === 'FullDisruption');
  const zones = new Map<string, Zone>();
  const evictions: Planned['evictions'] = [];
  for (const [name, zone] of byZone) {
    const state = states.get(name)!;
    const rate = allIll ? 0 : rateOf(state, zone.length, options);
    const before = memory.get(name);
    const refilled = before ? Math.min(1, before.tokens + ((now - before.at) / 1000) * before.rate) : 1;
    let tokens = before && before.rate === 0 && rate > 0 ? 1 : refilled;
    for (const one of zone) {
      const tainted = allIll ? withoutTaints(one.node, now) : tokens >= 1 && rate > 0 ? withTaint(one, now) : undefined;
      if (!tainted) continue;
      if (!allIll) tokens -= 1;
      evictions.push({ zone: name, action: nodeUpdate(tainted, { rule: allIll ? 'NODE-6' : 'NODE-5', facts: { zone: name.replace('\u0000', ''), state } }) });
    }
    zones.set(name, { state, rate, tokens, at: now });
  }
  return { evictions, zones };
}

function rateOf(state: ZoneState, size: number, options: Required<NodeLifecycleOptions>): number {
  if (state !== 'PartialDisruption') return options.nodeEvictionRate;
  return size > options.largeClusterSizeThreshold ? options.secondaryNodeEvictionRate : 0;
}

function withTaint({ node, ready }: NodeInZone, now: number): Node | undefined {
  const key = noExecuteKey(ready);
  // A taint of the other kind has been swapped already.
  if (key === undefined || hasTaint(node, NOT_READY, 'NoExecute') || hasTaint(node, UNREACHABLE, 'NoExecute')) return undefined;
  return withTaints(node, { effect: 'NoExecute', add: [key], remove: () => false }, now);
}

function withoutTaints(node: Node, now: number): Node | undefined {
  return withTaints(node, { effect: 'NoExecute', add: [], remove: (key) => key === NOT_READY || key === UNREACHABLE }, now);
}
