import type { ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import type { Pod, ReplicationController } from '../../api/generated/types/core.v1.ts';
import { type KubeObject, keyOf, type Resource, splitKey } from '../../api/object.ts';
import { Pods, ReplicaSets, ReplicationControllers } from '../../api/resources.ts';
import type { InformerFactory, Lister } from '../../client/informer.ts';
import { indexByController, indexBySelector, keysOfOwners, orphansFor, ownedBy } from '../adoption-index.ts';
import { controllerOf } from '../ownership.ts';
import { byKey, type Controller, type ObserveContext, watchRule } from '../runtime/controller.ts';
import { planReplicaSet, type ReplicaSetSnapshot } from './plan.ts';
import { replicaSetWorkload, replicationControllerWorkload, type Workload } from './workload.ts';

export interface ReplicaSetControllerOptions {
  /** Count terminating pods in the status (feature gate DeploymentReplicaSetTerminatingReplicas, off as in v1.34). */
  countTerminating?: boolean;
}

interface Kind<T extends KubeObject> {
  name: string;
  resource: Resource<T>;
  workload(object: T): Workload;
}

export function replicaSetController(informers: InformerFactory, options: ReplicaSetControllerOptions = {}): Controller<ReplicaSetSnapshot> {
  const kind: Kind<ReplicaSet> = { name: 'replicaset-controller', resource: ReplicaSets, workload: replicaSetWorkload };
  return controllerOfKind(kind, informers, options);
}

export function replicationControllerController(informers: InformerFactory, options: ReplicaSetControllerOptions = {}): Controller<ReplicaSetSnapshot> {
  const kind: Kind<ReplicationController> = { name: 'replication-controller', resource: ReplicationControllers, workload: replicationControllerWorkload };
  return controllerOfKind(kind, informers, options);
}

function controllerOfKind<T extends KubeObject>(
  kind: Kind<T>,
  informers: InformerFactory,
  options: ReplicaSetControllerOptions,
): Controller<ReplicaSetSnapshot> {
  const informer = informers.informer(kind.resource);
  const pods = informers.informer(Pods);
  indexByController(informer);
  indexByController(pods);
  const owners = indexBySelector(informer, kind.resource, (owner) => kind.workload(owner).selector);
  return {
    name: kind.name,
    watches: [watchRule(kind.resource, ({ object }) => [keyOf(object)]), watchRule(Pods, (change) => keysOfOwners(owners, change))],
    expects: { resource: Pods, ownerOf: (key) => byKey(owners.lister, key)?.metadata.uid },
    observe: async (key, context) => observe(key, context, { kind, owners: owners.lister, pods: pods.lister, options }),
    plan: planReplicaSet,
  };
}

interface Sources<T extends KubeObject> {
  kind: Kind<T>;
  owners: Lister<T>;
  pods: Lister<Pod>;
  options: ReplicaSetControllerOptions;
}

function observe<T extends KubeObject>(
  key: string,
  { now, expectationsMet }: ObserveContext,
  { kind, owners, pods, options }: Sources<T>,
): ReplicaSetSnapshot | undefined {
  const object = byKey(owners, key);
  if (!object) return undefined;
  const { namespace } = splitKey(key);
  const workload = kind.workload(object);
  const parent = controllerOf(object);
  const siblings = parent ? ownedBy(owners, parent.uid) : [];
  return {
    now,
    workload,
    pods: [...ownedBy(pods, object.metadata.uid!), ...orphansFor(pods, namespace, workload.selector)],
    relatedPods: siblings.flatMap((sibling) => ownedBy(pods, sibling.metadata.uid!)),
    expectationsMet,
    countTerminating: options.countTerminating ?? false,
  };
}
