import type { Deployment, ReplicaSet } from '../api/generated/types/apps.v1.ts';
import type { KubeObject } from '../api/object.ts';
import { anySizedForAnotherNumber, availableOf, currentOf, fewestAvailable, isFull, isRolling, mostPods, sizeOf } from './bounds.ts';
import { type ClusterModel, ownerUid } from './cluster-model.ts';
import { IMAGES } from './conventions.ts';
import { isActive, isAvailable, isReady, selects } from './pods.ts';

const REVISION = 'deployment.kubernetes.io/revision';

export interface Circumstances {
  now: number;
  /** The controllers' cache of ReplicaSets was behind at times. */
  behind: boolean;
  /** The repair of kubernetes/kubernetes 102551 is on. */
  refreshStaleAnnotations: boolean;
}

/** What keeps the cluster from being as its Deployments say; empty when nothing does. */
export function unsettled(model: ClusterModel, circumstances: Circumstances): string[] {
  const { now } = circumstances;
  return [
    ...[...model.deployments.values()].flatMap((deployment) => ofDeployment(model, deployment, circumstances)),
    ...[...model.replicaSets.values()].flatMap((replicaSet) => ofReplicaSet(model, replicaSet, now)),
    ...ofPods(model),
  ];
}

const nameOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;

function ofDeployment(model: ClusterModel, deployment: Deployment, circumstances: Circumstances): string[] {
  const { metadata, spec, status } = deployment;
  const name = nameOf(deployment);
  if (metadata.deletionTimestamp) return [`${name} is still being deleted`];
  if (status?.observedGeneration !== metadata.generation) return [`${name}: its last change is not observed`];
  const replicaSets = model.replicaSetsOf(deployment);
  const current = currentOf(deployment, replicaSets);
  const total = replicaSets.reduce((sum, one) => sum + (one.status?.replicas ?? 0), 0);
  const counts = (status.replicas ?? 0) === total ? [] : [`${name}: status.replicas is ${status.replicas}, its ReplicaSets have ${total}`];
  const revision = current ? ofRevision(deployment, current, replicaSets) : [];
  if (spec.paused || hangsAsUpstream(deployment, { current, replicaSets }, circumstances)) return [...counts, ...revision];
  if (!current) return [...counts, `${name} has no ReplicaSet of its template`];
  return [
    ...counts,
    ...revision,
    ...(isBad(deployment) ? ofStuck(model, deployment, { current, replicaSets }, circumstances) : ofComplete(deployment, current, replicaSets)),
  ];
}

interface ReplicaSetsOf {
  current: ReplicaSet | undefined;
  replicaSets: readonly ReplicaSet[];
}

/**
 * Upstream takes a Deployment for one that is being scaled as long as an active ReplicaSet's desired-replicas is another
 * number (sync.go: isScalingEvent); where scaling then changes nothing (sync.go: scale), that is for ever. So it is where the
 * only active one has the size already (kubernetes/kubernetes 102551), and where a Recreate Deployment has several active
 * ones (adopted from a namesake, or of an earlier strategy) and the new one is not saturated: only a rolling update sizes several.
 */
function hangsAsUpstream(deployment: Deployment, { current, replicaSets }: ReplicaSetsOf, { refreshStaleAnnotations }: Circumstances): boolean {
  if (!anySizedForAnotherNumber(deployment, replicaSets)) return false;
  const active = replicaSets.filter((one) => sizeOf(one) > 0);
  const replicas = sizeOf(deployment);
  if (active.length === 1) return !refreshStaleAnnotations && sizeOf(active[0]!) === replicas;
  return !isRolling(deployment) && !(current && isFull(deployment, current));
}

const isBad = ({ spec }: Deployment): boolean => spec.template.spec.containers[0]!.image!.startsWith(IMAGES.bad) && sizeOf({ spec } as Deployment) > 0;

function ofRevision(deployment: Deployment, current: ReplicaSet, replicaSets: readonly ReplicaSet[]): string[] {
  const revisionOf = ({ metadata }: KubeObject): number => Number(metadata.annotations?.[REVISION] ?? 0);
  const highest = Math.max(...replicaSets.map(revisionOf));
  const found: string[] = [];
  if (revisionOf(current) !== highest) found.push(`${nameOf(current)} is the one of today and has revision ${revisionOf(current)}, the highest is ${highest}`);
  if (revisionOf(deployment) !== revisionOf(current))
    found.push(`${nameOf(deployment)} has revision ${revisionOf(deployment)}, its ReplicaSet ${revisionOf(current)}`);
  return found;
}

function progressOf({ status }: Deployment): string {
  const condition = status?.conditions?.find(({ type }) => type === 'Progressing');
  return `${condition?.status} ${condition?.reason}`;
}

/** A template whose pods never become ready: the rollout stops where no step is left to it, and says that it did. */
function ofStuck(
  model: ClusterModel,
  deployment: Deployment,
  all: { current: ReplicaSet; replicaSets: readonly ReplicaSet[] },
  { behind }: Circumstances,
): string[] {
  const name = nameOf(deployment);
  const wanted = all.replicaSets.reduce((sum, one) => sum + sizeOf(one), 0);
  const progress = progressOf(deployment);
  // Upstream: rolling.go (reconcileNewReplicaSet) never shrinks a new ReplicaSet to make room. What a wider strategy for this
  // many replicas let in stays, what others did (a user, an adoption), and what was decided upon a cache that was behind (sizes
  // come from the lister, without expectations): stepsLeft says within which bounds.
  const past = model.deploymentSince(deployment.metadata.uid!, 0).filter((one) => sizeOf(one) === sizeOf(deployment));
  const limit = Math.max(...past.map(mostPods));
  return [
    ...(wanted > limit && !behind && !model.grownByOthers.has(deployment.metadata.uid!) ? [`${name} wants ${wanted} pods, at most ${limit} are allowed`] : []),
    ...stepsLeft(deployment, all.current, wanted),
    ...(progress === 'False ProgressDeadlineExceeded' || staysComplete(deployment) ? [] : [`${name} does not get on, and Progressing is ${progress}`]),
  ];
}

/**
 * What a rollout at rest could still do. Upstream: rolling.go (reconcileNewReplicaSet; reconcileOldReplicaSets shrinks old ones
 * by unhealthy pods first, then by healthy ones, until they and the new pods available are no more than must be), recreate.go.
 */
function stepsLeft(deployment: Deployment, current: ReplicaSet, wanted: number): string[] {
  const [name, own, replicas] = [nameOf(deployment), sizeOf(current), sizeOf(deployment)];
  const old = wanted - own;
  const mayGrow = own < replicas && (!isRolling(deployment) || wanted < mostPods(deployment));
  const mayShrink = old > 0 && (!isRolling(deployment) || old + availableOf(current) > fewestAvailable(deployment));
  return [
    ...(own > replicas ? [`${nameOf(current)} wants ${own} of ${replicas} pods`] : []),
    ...(mayGrow ? [`${name} stands still with ${own} new pods of ${wanted}, and may have more`] : []),
    ...(mayShrink ? [`${name} stands still with ${old} old pods, and needs fewer`] : []),
  ];
}

/**
 * Upstream: progress.go (syncRolloutStatus, isCompleteDeployment) does not judge a rollout again that was complete once, while
 * only new pods are left. (That it was complete when this was told, a checker sees to.)
 */
function staysComplete(deployment: Deployment): boolean {
  const { replicas = 0, updatedReplicas = 0 } = deployment.status ?? {};
  return progressOf(deployment) === 'True NewReplicaSetAvailable' && replicas === updatedReplicas;
}

function ofComplete(deployment: Deployment, current: ReplicaSet, replicaSets: readonly ReplicaSet[]): string[] {
  const { spec, status } = deployment;
  const name = nameOf(deployment);
  const replicas = sizeOf(deployment);
  const found: string[] = [];
  for (const key of ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'] as const) {
    if ((status[key] ?? 0) !== replicas) found.push(`${name}: status.${key} is ${status[key] ?? 0} of ${replicas}`);
  }
  if (progressOf(deployment) !== 'True NewReplicaSetAvailable') found.push(`${name} is complete, and Progressing is ${progressOf(deployment)}`);
  const old = replicaSets.filter((one) => one !== current);
  found.push(...old.filter((one) => sizeOf(one) > 0).map((one) => `${nameOf(one)} is old and has ${sizeOf(one)} replicas`));
  // A Recreate Deployment looks again only when its last pod goes, so that an old pod which outlives the rollout keeps the
  // history until the next change (upstream: deployment_controller.go, deletePod).
  const limit = isRolling(deployment) ? (spec.revisionHistoryLimit ?? 10) : Number.POSITIVE_INFINITY;
  if (old.length > limit) found.push(`${name} keeps ${old.length} old ReplicaSets, ${limit} are wanted`);
  return found;
}

function ofReplicaSet(model: ClusterModel, replicaSet: ReplicaSet, now: number): string[] {
  const name = nameOf(replicaSet);
  const { metadata, spec, status } = replicaSet;
  if (metadata.deletionTimestamp) return [`${name} is still being deleted`];
  const active = model.podsOf(replicaSet).filter(isActive);
  const truth = {
    replicas: active.length,
    readyReplicas: active.filter(isReady).length,
    availableReplicas: active.filter((pod) => isAvailable(pod, { forSeconds: spec.minReadySeconds ?? 0, now })).length,
  };
  const found = Object.entries(truth).flatMap(([key, count]) => {
    const told = status?.[key as keyof typeof truth] ?? 0;
    return told === count ? [] : [`${name}: status.${key} is ${told}, in truth ${count}`];
  });
  if (active.length !== sizeOf(replicaSet)) found.push(`${name} has ${active.length} pods and wants ${sizeOf(replicaSet)}`);
  const owner = ownerUid(replicaSet);
  if (owner !== undefined && !model.deployments.has(owner)) found.push(`${name} is not collected, though its owner is gone`);
  if (owner === undefined) {
    const adopter = [...model.deployments.values()].find((one) => selects(one.spec.selector, metadata.labels));
    if (adopter) found.push(`${name} has no owner, though ${nameOf(adopter)} selects it`);
  }
  return found;
}

function ofPods(model: ClusterModel): string[] {
  return [...model.pods.values()].flatMap((pod) => {
    const name = nameOf(pod);
    if (pod.metadata.deletionTimestamp) return [`${name} is still being deleted`];
    const owner = ownerUid(pod);
    if (owner !== undefined) return model.replicaSets.has(owner) ? [] : [`${name} is not collected, though its owner is gone`];
    const adopter = [...model.replicaSets.values()].find((one) => selects(one.spec.selector, pod.metadata.labels));
    return adopter && isActive(pod) ? [`${name} has no owner, though ${nameOf(adopter)} selects it`] : [];
  });
}
