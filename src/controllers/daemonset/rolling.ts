import type { Pod } from '../../api/generated/types/core.v1.ts';
import { isPodAvailable } from '../pod-state.ts';
import type { Action } from '../runtime/plan.ts';
import { syncNodes } from './manage.ts';
import { updateLimits } from './nodes.ts';
import { fitOn, isUpdated, type Rollout } from './rollout.ts';

/** What a node has of old and new pods; `many`: more than one of a sort, which the nodes' own round will clear up. */
interface OnNode {
  name: string;
  young: Pod | undefined;
  old: Pod | undefined;
  many: boolean;
}

/** Upstream: update.go (rollingUpdate). */
export function planRollingUpdate(rollout: Rollout): Action[] {
  const { daemonSet, snapshot, podsByNode } = rollout;
  const wanted = snapshot.nodes.filter((node) => fitOn(rollout, node).run).map(({ metadata }) => metadata.name!);
  const limits = updateLimits(daemonSet, wanted.length);
  const maxUnavailable = wanted.length > 0 && limits.maxUnavailable === 0 && limits.maxSurge === 0 ? 1 : limits.maxUnavailable;
  const names = new Set([...podsByNode.keys(), ...wanted]);
  const nodes = [...names].map((name) => onNode(rollout, name, podsByNode.get(name) ?? []));
  return limits.maxSurge === 0 ? replace(rollout, nodes, maxUnavailable) : surge(rollout, nodes, { maxSurge: limits.maxSurge, wanted: wanted.length });
}

/** Upstream: findUpdatedPodsOnNode. */
function onNode(rollout: Rollout, name: string, pods: readonly Pod[]): OnNode {
  const alive = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const young = alive.filter((pod) => isUpdated(rollout, pod));
  const old = alive.filter((pod) => !isUpdated(rollout, pod));
  return { name, young: young[0], old: old[0], many: young.length > 1 || old.length > 1 };
}

function isAvailable({ daemonSet, snapshot }: Rollout, pod: Pod): boolean {
  return isPodAvailable(pod, daemonSet.spec.minReadySeconds ?? 0, snapshot.now);
}

/** Old pods that are not available go at once; available ones as far as not too many nodes are without. */
function replace(rollout: Rollout, nodes: readonly OnNode[], maxUnavailable: number): Action[] {
  let unavailable = 0;
  const lost: Pod[] = [];
  const candidates: Pod[] = [];
  for (const { young, old, many } of nodes) {
    if (many || (young === undefined) === (old === undefined)) unavailable++;
    else if (young) unavailable += isAvailable(rollout, young) ? 0 : 1;
    else if (old && !isAvailable(rollout, old)) {
      lost.push(old);
      unavailable++;
    } else if (old && unavailable < maxUnavailable) candidates.push(old);
  }
  const remove = [...lost, ...candidates.slice(0, Math.max(maxUnavailable - unavailable, 0))];
  return syncNodes(rollout, { create: [], remove }, { rule: 'DS-20', facts: { maxUnavailable, unavailable } });
}

/** A new pod beside each old one that is not available, beside available ones as far as the surge goes; an old one goes when its new one is available. */
function surge(rollout: Rollout, nodes: readonly OnNode[], { maxSurge, wanted }: { maxSurge: number; wanted: number }): Action[] {
  const remove: Pod[] = [];
  const unwanted: Pod[] = [];
  const candidates: string[] = [];
  const create: string[] = [];
  let surging = 0;
  let available = 0;
  const byName = new Map(rollout.snapshot.nodes.map((node) => [node.metadata.name!, node]));
  for (const { name, young, old, many } of nodes) {
    if (many) {
      surging++;
      continue;
    }
    const counted = old ?? young;
    if (counted && isAvailable(rollout, counted)) available++;
    if (!old) continue;
    if (young) {
      if (isAvailable(rollout, young)) remove.push(old);
      else surging++;
      continue;
    }
    const node = byName.get(name);
    const run = node !== undefined && fitOn(rollout, node).run;
    if (!isAvailable(rollout, old)) {
      if (run) create.push(name);
      else remove.push(old);
    } else if (!run) unwanted.push(old);
    else if (surging < maxSurge) candidates.push(name);
  }
  remove.push(...unwanted.slice(0, Math.max(available - wanted, 0)));
  create.push(...candidates.slice(0, Math.max(maxSurge - surging, 0)));
  return syncNodes(rollout, { create, remove }, { rule: 'DS-21', facts: { maxSurge, surging } });
}
