import type { Deployment, ReplicaSet } from '../api/generated/types/apps.v1.ts';
import { selectorFrom } from '../api/labels.ts';
import type { KubeObject } from '../api/object.ts';
import { maxReplicas, replicasOf } from '../controllers/deployment/strategy.ts';
import { findNewReplicaSet } from '../controllers/deployment/template.ts';
import { isPodActive, isPodAvailable, isPodReady } from '../controllers/pod-state.ts';
import { type ClusterModel, ownerUid } from './cluster-model.ts';
import { IMAGES } from './scenario.ts';

const DESIRED = 'deployment.kubernetes.io/desired-replicas';
const REVISION = 'deployment.kubernetes.io/revision';

/**
 * What keeps the cluster from being as its Deployments say; empty when nothing does.
 * @param behind caches were behind at times: a rollout that is stuck may have been left with more pods than allowed.
 */
export function unsettled(model: ClusterModel, { now, behind }: { now: number; behind: boolean }): string[] {
  return [
    ...[...model.deployments.values()].flatMap((deployment) => ofDeployment(model, deployment, behind)),
    ...[...model.replicaSets.values()].flatMap((replicaSet) => ofReplicaSet(model, replicaSet, now)),
    ...ofPods(model),
  ];
}

const nameOf = ({ kind, metadata }: KubeObject): string => `${kind} ${metadata.name}`;

function ofDeployment(model: ClusterModel, deployment: Deployment, behind: boolean): string[] {
  const { metadata, spec, status } = deployment;
  const name = nameOf(deployment);
  if (metadata.deletionTimestamp) return [`${name} is still being deleted`];
  if (status?.observedGeneration !== metadata.generation) return [`${name}: its last change is not observed`];
  const replicaSets = model.replicaSetsOf(deployment);
  const current = findNewReplicaSet(deployment, replicaSets);
  const total = replicaSets.reduce((sum, one) => sum + (one.status?.replicas ?? 0), 0);
  const counts = (status.replicas ?? 0) === total ? [] : [`${name}: status.replicas is ${status.replicas}, its ReplicaSets have ${total}`];
  if (spec.paused || hangsAsUpstream(deployment, replicaSets)) return counts;
  if (!current) return [...counts, `${name} has no ReplicaSet of its template`];
  return [
    ...counts,
    ...ofRevision(deployment, current, replicaSets),
    ...(isBad(deployment) ? ofStuck(model, deployment, replicaSets, behind) : ofComplete(deployment, current, replicaSets)),
  ];
}

/**
 * Upstream never gets beyond a change of size in a Recreate Deployment with several active ReplicaSets that were sized for
 * another number (as after it adopted them from a namesake): only a rolling update sizes several.
 */
function hangsAsUpstream({ spec }: Deployment, replicaSets: readonly ReplicaSet[]): boolean {
  const active = replicaSets.filter((one) => replicasOf(one) > 0);
  return spec.strategy.type === 'Recreate' && active.length > 1 && active.some(({ metadata }) => metadata.annotations?.[DESIRED] !== String(spec.replicas));
}

const isBad = ({ spec }: Deployment): boolean => spec.template.spec.containers[0]!.image!.startsWith(IMAGES.bad) && replicasOf({ spec } as Deployment) > 0;

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

/** A template whose pods never become ready: the rollout stops within its bounds, and says that it did. */
function ofStuck(model: ClusterModel, deployment: Deployment, replicaSets: readonly ReplicaSet[], behind: boolean): string[] {
  const name = nameOf(deployment);
  const wanted = replicaSets.reduce((sum, one) => sum + replicasOf(one), 0);
  const progress = progressOf(deployment);
  // Pods that an earlier, wider strategy let in stay while too few are available, as upstream.
  const limit = Math.max(...model.deploymentSince(deployment.metadata.uid!, 0).map(maxReplicas));
  return [
    ...(wanted > limit && !behind ? [`${name} wants ${wanted} pods, at most ${limit} are allowed`] : []),
    ...(progress === 'False ProgressDeadlineExceeded' || staysComplete(deployment) ? [] : [`${name} does not get on, and Progressing is ${progress}`]),
  ];
}

/** Where only new pods are left, a rollout that was complete once stays so, whatever its pods do: upstream's rule. */
function staysComplete(deployment: Deployment): boolean {
  const { replicas = 0, updatedReplicas = 0 } = deployment.status ?? {};
  return progressOf(deployment) === 'True NewReplicaSetAvailable' && replicas === updatedReplicas;
}

function ofComplete(deployment: Deployment, current: ReplicaSet, replicaSets: readonly ReplicaSet[]): string[] {
  const { spec, status } = deployment;
  const name = nameOf(deployment);
  const replicas = replicasOf(deployment);
  const found: string[] = [];
  for (const key of ['replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'] as const) {
    if ((status[key] ?? 0) !== replicas) found.push(`${name}: status.${key} is ${status[key] ?? 0} of ${replicas}`);
  }
  if (progressOf(deployment) !== 'True NewReplicaSetAvailable') found.push(`${name} is complete, and Progressing is ${progressOf(deployment)}`);
  const old = replicaSets.filter((one) => one !== current);
  found.push(...old.filter((one) => replicasOf(one) > 0).map((one) => `${nameOf(one)} is old and has ${replicasOf(one)} replicas`));
  const limit = spec.revisionHistoryLimit ?? 10;
  if (old.length > limit) found.push(`${name} keeps ${old.length} old ReplicaSets, ${limit} are wanted`);
  return found;
}

function ofReplicaSet(model: ClusterModel, replicaSet: ReplicaSet, now: number): string[] {
  const name = nameOf(replicaSet);
  const { metadata, spec, status } = replicaSet;
  if (metadata.deletionTimestamp) return [`${name} is still being deleted`];
  const active = model.podsOf(replicaSet).filter(isPodActive);
  const truth = {
    replicas: active.length,
    readyReplicas: active.filter(isPodReady).length,
    availableReplicas: active.filter((pod) => isPodAvailable(pod, spec.minReadySeconds ?? 0, now)).length,
  };
  const found = Object.entries(truth).flatMap(([key, count]) => {
    const told = status?.[key as keyof typeof truth] ?? 0;
    return told === count ? [] : [`${name}: status.${key} is ${told}, in truth ${count}`];
  });
  if (active.length !== replicasOf(replicaSet)) found.push(`${name} has ${active.length} pods and wants ${replicasOf(replicaSet)}`);
  const owner = ownerUid(replicaSet);
  if (owner !== undefined && !model.deployments.has(owner)) found.push(`${name} is not collected, though its owner is gone`);
  if (owner === undefined) {
    const adopter = [...model.deployments.values()].find((one) => selectorFrom(one.spec.selector).matches(metadata.labels));
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
    const adopter = [...model.replicaSets.values()].find((one) => selectorFrom(one.spec.selector).matches(pod.metadata.labels));
    return adopter && isPodActive(pod) ? [`${name} has no owner, though ${nameOf(adopter)} selects it`] : [];
  });
}
