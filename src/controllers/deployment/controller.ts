import type { Deployment, ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import { type Selector, selectorFrom } from '../../api/labels.ts';
import { keyOf } from '../../api/object.ts';
import { Deployments, Pods, ReplicaSets } from '../../api/resources.ts';
import type { InformerFactory, Lister } from '../../client/informer.ts';
import { indexByController, indexBySelector, keysOfOwners, type Owners, orphansFor, ownedBy, ownerOf } from '../adoption-index.ts';
import { controllerOf } from '../ownership.ts';
import { byKey, type Change, type Controller, watchRule } from '../runtime/controller.ts';
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
  deployments: Owners<Deployment>;
  replicaSets: Lister<ReplicaSet>;
  pods: Lister<Pod>;
}

export function deploymentController(informers: InformerFactory, options: DeploymentControllerOptions = {}): Controller<DeploymentSnapshot> {
  const deployments = indexBySelector(informers.informer(Deployments), Deployments, selectorOf);
  const replicaSets = informers.informer(ReplicaSets);
  const pods = informers.informer(Pods);
  indexByController(replicaSets);
  indexByController(pods);
  const sources: Sources = { deployments, replicaSets: replicaSets.lister, pods: pods.lister };
  return {
    name: 'deployment-controller',
    watches: [
      watchRule(Deployments, ({ object }) => [keyOf(object)]),
      watchRule(ReplicaSets, (change) => keysOfOwners(deployments, change)),
      watchRule(Pods, (change) => podKeys(change, sources)),
    ],
    observe: async (key, { now }) => {
      const deployment = byKey(deployments.lister, key);
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

function selectorOf({ spec }: Deployment): Selector {
  return selectorFrom(spec.selector);
}

/** The last pod to go is what a Recreate rollout waits for. */
function podKeys({ type, object }: Change<Pod>, sources: Sources): string[] {
  if (type !== 'deleted') return [];
  const owner = controllerOf(object);
  if (owner?.kind !== 'ReplicaSet') return [];
  const replicaSet = sources.replicaSets.get(object.metadata.namespace ?? '', owner.name);
  const deployment = replicaSet && replicaSet.metadata.uid === owner.uid ? ownerOf(sources.deployments, replicaSet) : undefined;
  if (deployment?.spec.strategy.type !== 'Recreate') return [];
  return owned(deployment, sources).pods.length === 0 ? [keyOf(deployment)] : [];
}
