import type { Deployment, ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import { type Selector, selectorFrom } from '../../api/labels.ts';
import { keyOf, splitKey } from '../../api/object.ts';
import { Deployments, Pods, ReplicaSets } from '../../api/resources.ts';
import type { InformerFactory, Lister } from '../../client/informer.ts';
import { indexByController, indexBySelector, orphansFor, ownedBy, ownersFor } from '../adoption-index.ts';
import { controllerOf } from '../ownership.ts';
import { type Change, type Controller, watchRule } from '../runtime/controller.ts';
import { planDeployment } from './plan.ts';
import type { DeploymentSnapshot } from './rollout.ts';

export interface DeploymentControllerOptions {
  /** Count terminating pods in the status (feature gate DeploymentReplicaSetTerminatingReplicas, off as in v1.34). */
  countTerminating?: boolean;
  /**
   * Off: a scale during a rolling update can leave a ReplicaSet with a stale annotation, after which the rollout never
   * goes on, as in upstream (kubernetes/kubernetes 102551). On: the annotation is refreshed.
   */
  refreshStaleAnnotations?: boolean;
}

interface Sources {
  deployments: Lister<Deployment>;
  replicaSets: Lister<ReplicaSet>;
  pods: Lister<Pod>;
}

export function deploymentController(informers: InformerFactory, options: DeploymentControllerOptions = {}): Controller<DeploymentSnapshot> {
  const deployments = informers.informer(Deployments);
  const replicaSets = informers.informer(ReplicaSets);
  const pods = informers.informer(Pods);
  indexBySelector(deployments, selectorOf);
  indexByController(replicaSets);
  indexByController(pods);
  const sources: Sources = { deployments: deployments.lister, replicaSets: replicaSets.lister, pods: pods.lister };
  return {
    name: 'deployment-controller',
    watches: [
      watchRule(Deployments, ({ object }) => [keyOf(object)]),
      watchRule(ReplicaSets, (change) => replicaSetKeys(change, sources)),
      watchRule(Pods, (change) => podKeys(change, sources)),
    ],
    observe: async (key, { now }) => {
      const deployment = sources.deployments.get(splitKey(key).namespace, splitKey(key).name);
      return deployment && { now, deployment, ...owned(deployment, sources), ...options };
    },
    plan: planDeployment,
  };
}

function owned(deployment: Deployment, sources: Sources): { replicaSets: ReplicaSet[]; pods: Pod[] } {
  const { namespace = '', uid = '' } = deployment.metadata;
  const selector = selectorOf(deployment);
  const replicaSets = [...ownedBy(sources.replicaSets, uid), ...orphansFor(sources.replicaSets, namespace, selector)];
  const recreate = deployment.spec.strategy.type === 'Recreate';
  const pods = recreate ? replicaSets.flatMap(({ metadata }) => ownedBy(sources.pods, metadata.uid ?? '')) : [];
  return { replicaSets, pods: pods.filter(({ metadata }) => selector.matches(metadata.labels)) };
}

function replicaSetKeys({ type, object, old }: Change<ReplicaSet>, sources: Sources): string[] {
  const keys = new Set<string>();
  const before = old && controllerOf(old);
  const owner = controllerOf(object);
  if (before && before.uid !== owner?.uid) add(keys, deploymentOf(old, sources));
  if (owner) add(keys, deploymentOf(object, sources));
  else if (type !== 'deleted' && object.metadata.deletionTimestamp === undefined) {
    const changed = !old || before || JSON.stringify(old.metadata.labels) !== JSON.stringify(object.metadata.labels);
    if (changed) for (const deployment of ownersFor(sources.deployments, object, selectorOf)) add(keys, deployment);
  }
  return [...keys];
}

function add(keys: Set<string>, deployment: Deployment | undefined): void {
  if (deployment) keys.add(keyOf(deployment));
}

function deploymentOf(object: ReplicaSet, { deployments }: Sources): Deployment | undefined {
  const owner = controllerOf(object);
  if (owner?.kind !== 'Deployment') return undefined;
  const deployment = deployments.get(object.metadata.namespace ?? '', owner.name);
  return deployment?.metadata.uid === owner.uid ? deployment : undefined;
}

function selectorOf({ spec }: Deployment): Selector {
  return selectorFrom(spec.selector);
}

/** The last pod to go is what a Recreate rollout waits for. */
function podKeys({ type, object }: Change<Pod>, sources: Sources): string[] {
  if (type !== 'deleted') return [];
  const owner = controllerOf(object);
  if (owner?.kind !== 'ReplicaSet') return [];
  const replicaSet = sources.replicaSets.get(object.metadata.namespace ?? '', owner.name);
  const deployment = replicaSet && replicaSet.metadata.uid === owner.uid ? deploymentOf(replicaSet, sources) : undefined;
  if (deployment?.spec.strategy.type !== 'Recreate') return [];
  return owned(deployment, sources).pods.length === 0 ? [keyOf(deployment)] : [];
}
