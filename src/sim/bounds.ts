import type { Deployment, ReplicaSet } from '../api/generated/types/apps.v1.ts';
import { makeSamePods } from './templates.ts';

// What a Deployment may have and must have, by the simulator's own arithmetic: written from what the API promises, not from
// what the controllers do. Only so is a mistake in theirs a difference.

const DESIRED = 'deployment.kubernetes.io/desired-replicas';

/** How many pods are wanted. */
export const sizeOf = ({ spec }: Deployment | ReplicaSet): number => spec.replicas ?? 1;

/** How many of its pods a ReplicaSet calls available. */
export const availableOf = ({ status }: ReplicaSet): number => status?.availableReplicas ?? 0;

/** A Deployment that does not say replaces its pods step by step. */
export const isRolling = ({ spec }: Deployment): boolean => spec.strategy.type !== 'Recreate';

/** So many hundredths of the pods wanted. Whole percents of whole numbers: no fraction is ever made. */
function hundredths(limit: number | string, of: number): number {
  return typeof limit === 'number' ? limit * 100 : Number(limit.replace('%', '')) * of;
}

/** How far a rolling update may go, up (a part of a pod is a pod) and down (a part of a pod is none). One of them must be able to move. */
function leeway(deployment: Deployment): { up: number; down: number } {
  if (!isRolling(deployment)) return { up: 0, down: 0 };
  const wanted = sizeOf(deployment);
  const { maxSurge = 0, maxUnavailable = 0 } = deployment.spec.strategy.rollingUpdate ?? {};
  const [above, below] = [hundredths(maxSurge, wanted), hundredths(maxUnavailable, wanted)];
  const up = (above + ((100 - (above % 100)) % 100)) / 100;
  const down = (below - (below % 100)) / 100;
  return { up, down: up + down === 0 ? 1 : down };
}

/** The most pods that all its ReplicaSets may want together. */
export const mostPods = (deployment: Deployment): number => sizeOf(deployment) + leeway(deployment).up;

/** The fewest pods that must be available. */
export const fewestAvailable = (deployment: Deployment): number => Math.max(sizeOf(deployment) - leeway(deployment).down, 0);

/** Whether a ReplicaSet with pods was sized when another number was wanted. What says no number says nothing. */
export function anySizedForAnotherNumber(deployment: Deployment, replicaSets: readonly ReplicaSet[]): boolean {
  return replicaSets.some((one) => {
    const told = one.metadata.annotations?.[DESIRED] ?? '';
    return sizeOf(one) > 0 && /^[-+]?[0-9]+$/.test(told) && Number(told) !== sizeOf(deployment);
  });
}

/** Whether a ReplicaSet was sized for the number that is wanted, has it, and has all of it available. */
export function isFull(deployment: Deployment, replicaSet: ReplicaSet): boolean {
  const wanted = sizeOf(deployment);
  return replicaSet.metadata.annotations?.[DESIRED] === String(wanted) && sizeOf(replicaSet) === wanted && availableOf(replicaSet) === wanted;
}

/** Whether a Deployment, as it tells of itself, has what it wants of today's template, all of it available, and nothing else. */
export function saysComplete(deployment: Deployment): boolean {
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, observedGeneration = 0 } = deployment.status ?? {};
  const counts = [replicas, updatedReplicas, availableReplicas];
  return counts.every((count) => count === sizeOf(deployment)) && observedGeneration >= (deployment.metadata.generation ?? 0);
}

/** The ReplicaSet that makes the Deployment's pods of today: of several the eldest, by name where they are of one age. */
export function currentOf(deployment: Deployment, replicaSets: readonly ReplicaSet[]): ReplicaSet | undefined {
  let eldest: ReplicaSet | undefined;
  for (const one of replicaSets) {
    if (makeSamePods(one.spec.template, deployment.spec.template) && (!eldest || ageOf(one) < ageOf(eldest))) eldest = one;
  }
  return eldest;
}

const ageOf = ({ metadata }: ReplicaSet): string => `${metadata.creationTimestamp} ${metadata.name}`;
