import type { Deployment, ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import { byAge } from '../ownership.ts';
import { maxReplicas, replicasOf } from './strategy.ts';

export const REVISION = 'deployment.kubernetes.io/revision';
export const REVISION_HISTORY = 'deployment.kubernetes.io/revision-history';
export const DESIRED_REPLICAS = 'deployment.kubernetes.io/desired-replicas';
export const MAX_REPLICAS = 'deployment.kubernetes.io/max-replicas';
export const ROLLBACK_TO = 'deprecated.deployment.rollback.to';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** Never copied between a Deployment and its ReplicaSets. */
const OWN = new Set([LAST_APPLIED, REVISION, REVISION_HISTORY, DESIRED_REPLICAS, MAX_REPLICAS, ROLLBACK_TO]);
const MAX_HISTORY_LENGTH = 2000;
const UNLIMITED = 2_147_483_647;

type Annotations = Record<string, string>;

export function annotationsOf({ metadata }: KubeObject): Annotations {
  return metadata.annotations ?? {};
}

export function withAnnotations<T extends KubeObject>(object: T, annotations: Annotations): T {
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** A whole number as upstream reads one; undefined where the text is none. */
export function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

/** A revision as upstream reads one: 64 bits; undefined where the text is none. */
export function readRevision(text: string | undefined): bigint | undefined {
  if (text === undefined || !/^[+-]?\d+$/.test(text)) return undefined;
  const revision = BigInt(text.replace('+', ''));
  return BigInt.asIntN(64, revision) === revision ? revision : undefined;
}

/** 0 without the annotation; undefined where it is no number, so that nobody can compare it. */
export function revisionOf(object: KubeObject): bigint | undefined {
  const text = annotationsOf(object)[REVISION];
  return text === undefined ? 0n : readRevision(text);
}

function byRevision(a: ReplicaSet, b: ReplicaSet): number {
  const [left, right] = [revisionOf(a) ?? 0n, revisionOf(b) ?? 0n];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** The revision of a template that becomes the latest, over those of the past. */
export function nextRevision(oldReplicaSets: readonly ReplicaSet[]): bigint {
  const latest = oldReplicaSets.toSorted(byRevision).at(-1);
  const highest = (latest && revisionOf(latest)) ?? 0n;
  return BigInt.asIntN(64, (highest > 0n ? highest : 0n) + 1n);
}

/** The second highest revision, which an undo goes back to; 0 where there is none. Upstream: LastRevision. */
export function lastRevision(replicaSets: readonly ReplicaSet[]): bigint {
  return replicaSets.toSorted((a, b) => byRevision(b, a)).map((replicaSet) => revisionOf(replicaSet) ?? 0n)[1] ?? 0n;
}

/** A ReplicaSet's sizes as its Deployment had them when it was scaled last. */
export function sizeAnnotations(deployment: Deployment): Annotations {
  return { [DESIRED_REPLICAS]: String(replicasOf(deployment)), [MAX_REPLICAS]: String(maxReplicas(deployment)) };
}

export function hasSizeAnnotations(replicaSet: ReplicaSet, deployment: Deployment): boolean {
  const annotations = annotationsOf(replicaSet);
  return Object.entries(sizeAnnotations(deployment)).every(([key, value]) => annotations[key] === value);
}

/**
 * The annotations that the new ReplicaSet should have: the Deployment's own, and the revision if it is higher than the
 * one it has, which then joins its history. Undefined where they are right already, or where its revision is no number.
 * Upstream: util/deployment_util.go (SetNewReplicaSetAnnotations).
 */
export function newReplicaSetAnnotations(deployment: Deployment, current: Annotations, revision: bigint): Annotations | undefined {
  const copied = { ...current, ...copiable(annotationsOf(deployment)) };
  const text = current[REVISION];
  const old = text === undefined || text === '' ? 0n : readRevision(text);
  if (old === undefined) return undefined;
  const next: Annotations = old < revision ? { ...copied, [REVISION]: String(revision), ...history(copied[REVISION_HISTORY] ?? '', text) } : copied;
  return sameAnnotations(next, current) ? undefined : next;
}

/** The eldest entries make room where the text would be longer than 2000 characters. */
function history(past: string, revision: string | undefined): Annotations {
  if (revision === undefined) return {};
  if (past === '') return { [REVISION_HISTORY]: revision };
  const entries = past.split(',');
  let length = past.length + revision.length + 1;
  while (length > MAX_HISTORY_LENGTH && entries.length > 0) length -= entries.shift()!.length + 1;
  return length <= MAX_HISTORY_LENGTH ? { [REVISION_HISTORY]: [...entries, revision].join(',') } : {};
}

/** A Deployment's annotations after going back to a ReplicaSet: those of the ReplicaSet, and its own system ones. */
export function rolledBackAnnotations(deployment: Deployment, replicaSet: ReplicaSet): Annotations {
  const own = Object.entries(annotationsOf(deployment)).filter(([key]) => OWN.has(key) && key !== ROLLBACK_TO);
  return { ...Object.fromEntries(own), ...copiable(annotationsOf(replicaSet)) };
}

function copiable(annotations: Annotations): Annotations {
  return Object.fromEntries(Object.entries(annotations).filter(([key]) => !OWN.has(key)));
}

function sameAnnotations(a: Annotations, b: Annotations): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

/**
 * The old ReplicaSets beyond the history limit that can go: lowest revision first, then the eldest. One that still has
 * pods, or whose size is not yet observed, is passed over, not replaced by another. Upstream: sync.go (cleanupDeployment).
 */
export function beyondHistoryLimit({ spec }: Deployment, oldReplicaSets: readonly ReplicaSet[]): ReplicaSet[] {
  const limit = spec.revisionHistoryLimit ?? UNLIMITED;
  if (limit === UNLIMITED) return [];
  const alive = oldReplicaSets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return alive
    .sort((a, b) => byRevision(a, b) || byAge(a, b))
    .slice(0, Math.max(alive.length - limit, 0))
    .filter((replicaSet) => replicasOf(replicaSet) === 0 && !replicaSet.status?.replicas && isObserved(replicaSet));
}

function isObserved({ metadata, status }: ReplicaSet): boolean {
  return (metadata.generation ?? 0) <= (status?.observedGeneration ?? 0);
}
