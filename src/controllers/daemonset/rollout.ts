import type { ControllerRevision, DaemonSet } from '../../api/generated/types/apps.v1.ts';
import type { Node, Pod } from '../../api/generated/types/core.v1.ts';
import { readRevision } from '../deployment/revisions.ts';
import { compareText } from '../ownership.ts';
import { isPodFinished } from '../pod-state.ts';
import { type Fit, fitOf, targetNode } from './nodes.ts';

export const REVISION_HASH = 'controller-revision-hash';
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';
export const GENERATION_LABEL = 'pod-template-generation';

/** When failed pods of a node were deleted last, and how long the next one stays. */
export interface FailedPodsWait {
  lastAt: number;
  delayMs: number;
}

/** What the controller remembers of a DaemonSet, by its uid, observed generation and node. */
export type DaemonSetMemory = Readonly<Record<string, FailedPodsWait>>;

/** What is known of a DaemonSet when it is looked at. */
export interface DaemonSetSnapshot {
  now: number;
  daemonSet: DaemonSet;
  nodes: readonly Node[];
  /** The pods it owns, and those in its namespace that match and have no controller. */
  pods: readonly Pod[];
  /** The same of its revisions. */
  revisions: readonly ControllerRevision[];
  /** Whether the cache has shown all that was created and deleted before. */
  expectationsMet: boolean;
  memory: DaemonSetMemory;
}

/** A DaemonSet in hand: its revisions are known, its pods are claimed. */
export interface Rollout {
  snapshot: DaemonSetSnapshot;
  daemonSet: DaemonSet;
  current: ControllerRevision;
  old: readonly ControllerRevision[];
  pods: readonly Pod[];
  /** By the node that they are on or are made for, without those that are finished and going. */
  podsByNode: ReadonlyMap<string, readonly Pod[]>;
}

export function podsByNode(pods: readonly Pod[]): Map<string, Pod[]> {
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    if (isPodFinished(pod) && pod.metadata.deletionTimestamp !== undefined) continue;
    const name = targetNode(pod);
    if (name !== undefined) byNode.set(name, [...(byNode.get(name) ?? []), pod]);
  }
  return byNode;
}

export function fitOn({ daemonSet }: Rollout, node: Node): Fit {
  return fitOf(daemonSet.spec.template, node);
}

export function hashOf({ metadata }: ControllerRevision | Pod): string {
  return metadata.labels?.[REVISION_HASH] ?? '';
}

/** The count of the template's changes, an annotation of long ago; undefined where it is no number. */
export function templateGeneration({ metadata }: DaemonSet): string | undefined {
  return readRevision(metadata.annotations?.[TEMPLATE_GENERATION])?.toString();
}

/** Whether a pod is made from the present template. Upstream: util.IsPodUpdated. */
export function isUpdated({ daemonSet, current }: Rollout, pod: Pod): boolean {
  const hash = hashOf(current);
  if (hash !== '' && hashOf(pod) === hash) return true;
  const generation = templateGeneration(daemonSet);
  return generation !== undefined && pod.metadata.labels?.[GENERATION_LABEL] === generation;
}

/** On a node before not on one, then the eldest. */
export function bySeniority(a: Pod, b: Pod): number {
  return (
    Number(Boolean(b.spec.nodeName)) - Number(Boolean(a.spec.nodeName)) ||
    compareText(a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? '') ||
    compareText(a.metadata.name!, b.metadata.name!)
  );
}
