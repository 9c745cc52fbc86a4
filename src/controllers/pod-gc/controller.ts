import type { Node, Pod } from '../../api/generated/types/core.v1.ts';
import { Nodes, Pods } from '../../api/resources.ts';
import { hasReason } from '../../api/status.ts';
import type { Client } from '../../client/client.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { timestamp } from '../../lib/clock.ts';
import { byAge } from '../ownership.ts';
import { isPodFinished } from '../pod-state.ts';
import { type Controller, watchRule } from '../runtime/controller.ts';
import { type Action, andThen, deletionOf, inParallel, type Plan, target } from '../runtime/plan.ts';

export interface PodGcSnapshot {
  now: number;
  pods: readonly Pod[];
  nodes: readonly Node[];
  /** Names of nodes that have been missing for a while, and that the API server does not know either. */
  goneNodes: ReadonlySet<string>;
  /** So many finished pods are kept; 0: all. */
  terminatedPodThreshold: number;
}

export interface PodGcOptions {
  /** Default 12500, as upstream's flag. */
  terminatedPodThreshold?: number;
}

const KEY = 'pods';
const PERIOD_MS = 20_000;
const QUARANTINE_MS = 40_000;
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

/**
 * Every 20 seconds, force-deletes pods that nobody else will: the eldest finished ones beyond a number, those of nodes
 * that are gone, terminating ones without a node or on a node out of service. Upstream: pkg/controller/podgc.
 */
export function podGarbageCollector(informers: InformerFactory, client: Client, options: PodGcOptions = {}): Controller<PodGcSnapshot> {
  const pods = informers.lister(Pods);
  const nodes = informers.lister(Nodes);
  const missingSince = new Map<string, number>();
  return {
    name: 'pod-garbage-collector-controller',
    watches: [watchRule(Pods, () => []), watchRule(Nodes, () => [])],
    initialKeys: [KEY],
    observe: async (_, { now }) => {
      const snapshot = { now, pods: pods.list(), nodes: nodes.list(), terminatedPodThreshold: options.terminatedPodThreshold ?? 12_500 };
      return { ...snapshot, goneNodes: await findGone(snapshot, missingSince, client) };
    },
    plan: planPodGc,
  };
}

async function findGone(
  { now, pods, nodes }: { now: number; pods: readonly Pod[]; nodes: readonly Node[] },
  missingSince: Map<string, number>,
  client: Client,
): Promise<Set<string>> {
  const known = new Set(nodes.map(({ metadata }) => metadata.name));
  const missing = new Set(pods.flatMap(({ spec }) => (spec.nodeName && !known.has(spec.nodeName) ? [spec.nodeName] : [])));
  for (const name of [...missingSince.keys()]) if (!missing.has(name)) missingSince.delete(name);
  const gone = new Set<string>();
  for (const name of missing) {
    const since = missingSince.get(name) ?? now;
    missingSince.set(name, since);
    if (now - since >= QUARANTINE_MS && !(await nodeExists(client, name))) gone.add(name);
  }
  return gone;
}

async function nodeExists(client: Client, name: string): Promise<boolean> {
  try {
    await client.resource(Nodes).get('', name);
    return true;
  } catch (error) {
    if (hasReason(error, 'NotFound')) return false;
    throw error;
  }
}

export function planPodGc(snapshot: PodGcSnapshot): Plan {
  const { pods, nodes, goneNodes } = snapshot;
  const byName = new Map(nodes.map((node) => [node.metadata.name, node]));
  const orphaned = pods.filter(({ spec }) => spec.nodeName !== undefined && goneNodes.has(spec.nodeName));
  const stranded = pods.filter(({ metadata, spec }) => {
    if (metadata.deletionTimestamp === undefined) return false;
    const node = byName.get(spec.nodeName);
    return !spec.nodeName || (node !== undefined && isOutOfService(node));
  });
  const victims = [...new Set([...terminatedBeyond(snapshot), ...stranded, ...orphaned])];
  const alive = victims.filter((pod) => !isPodFinished(pod));
  const fail = inParallel(alive.map((pod) => failed(pod, orphaned.includes(pod), snapshot.now)));
  const remove = inParallel(victims.map((pod) => ({ ...deletionOf(Pods, pod), gracePeriodSeconds: 0 })));
  const done: Plan = { actions: [], requeueAfterMs: PERIOD_MS };
  return { ...andThen(fail, () => andThen(remove, () => done)), requeueAfterMs: PERIOD_MS };
}

/** Evicted pods first, then the eldest. */
function terminatedBeyond({ pods, terminatedPodThreshold }: PodGcSnapshot): Pod[] {
  if (terminatedPodThreshold <= 0) return [];
  const terminated = pods.filter(isPodFinished);
  const excess = Math.max(terminated.length - terminatedPodThreshold, 0);
  return terminated.sort((a, b) => Number(isEvicted(b)) - Number(isEvicted(a)) || byAge(a, b)).slice(0, excess);
}

function isEvicted({ status }: Pod): boolean {
  return status.phase === 'Failed' && status.reason === 'Evicted';
}

function isOutOfService({ spec, status }: Node): boolean {
  const ready = status.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
  return !ready && (spec.taints ?? []).some(({ key }) => key === OUT_OF_SERVICE);
}

function failed(pod: Pod, orphaned: boolean, now: number): Action {
  const { metadata, status } = pod;
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'DeletionByPodGC',
    message: 'PodGC: node no longer exists',
    lastTransitionTime: timestamp(now),
  };
  const others = (status.conditions ?? []).filter(({ type }) => type !== condition.type);
  const body = { metadata: { uid: metadata.uid }, status: { phase: 'Failed', ...(orphaned ? { conditions: [...others, condition] } : {}) } };
  return { ...target(Pods, pod), type: 'patch', body, patchType: 'application/merge-patch+json', subresource: 'status', ignore: ['NotFound'] };
}
