import type { ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import type { Pod, ReplicationController } from '../../api/generated/types/core.v1.ts';
import type { Selector } from '../../api/labels.ts';
import { type KubeObject, keyOf, type ObjectMeta, type Resource, splitKey } from '../../api/object.ts';
import { Pods, ReplicaSets, ReplicationControllers } from '../../api/resources.ts';
import type { InformerFactory, Lister } from '../../client/informer.ts';
import { indexByController, indexBySelector, orphansFor, ownedBy, ownersFor } from '../adoption-index.ts';
import { controllerOf } from '../ownership.ts';
import { type Change, type Controller, type ObserveContext, watchRule } from '../runtime/controller.ts';
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
  const owners = informers.informer(kind.resource);
  const pods = informers.informer(Pods);
  const selectorOf = (owner: T): Selector => kind.workload(owner).selector;
  indexByController(owners);
  indexBySelector(owners, selectorOf);
  indexByController(pods);
  const keyOfOwner = (object: KubeObject): string | undefined => ownerKey(kind.resource, owners.lister, object);
  return {
    name: kind.name,
    watches: [
      watchRule(kind.resource, ({ object }) => [keyOf(object)]),
      watchRule(Pods, (change) => podKeys(change, { keyOfOwner, matching: (pod) => ownersFor(owners.lister, pod, selectorOf).map(keyOf) })),
    ],
    expects: { resource: Pods, ownerOf: (key) => byKey(owners.lister, key)?.metadata.uid },
    observe: async (key, context) => observe(key, context, { kind, owners: owners.lister, pods: pods.lister, options }),
    plan: planReplicaSet,
  };
}

function byKey<T extends KubeObject>(lister: Lister<T>, key: string): T | undefined {
  const { namespace, name } = splitKey(key);
  return lister.get(namespace, name);
}

/** The key of the object's controller, if that is one of ours and known by its uid. */
function ownerKey<T extends KubeObject>(resource: Resource<T>, owners: Lister<T>, object: KubeObject): string | undefined {
  const reference = controllerOf(object);
  if (reference?.kind !== resource.kind) return undefined;
  const owner = owners.get(object.metadata.namespace ?? '', reference.name);
  return owner?.metadata.uid === reference.uid ? keyOf(owner) : undefined;
}

function podKeys({ type, object, old }: Change<Pod>, owners: { keyOfOwner(pod: Pod): string | undefined; matching(pod: Pod): string[] }): string[] {
  const keys = new Set<string>();
  const before = old && owners.keyOfOwner(old);
  if (before !== undefined && controllerOf(old!)?.uid !== controllerOf(object)?.uid) keys.add(before);
  if (controllerOf(object)) {
    const key = owners.keyOfOwner(object);
    if (key !== undefined) keys.add(key);
  } else if (type !== 'deleted' && object.metadata.deletionTimestamp === undefined && mayBeAdopted(object.metadata, old?.metadata)) {
    for (const key of owners.matching(object)) keys.add(key);
  }
  return [...keys];
}

/** An orphan concerns its possible owners when it appears, when it is let go of, and when its labels change. */
function mayBeAdopted(metadata: ObjectMeta, old: ObjectMeta | undefined): boolean {
  return !old || controllerOf({ metadata: old }) !== undefined || JSON.stringify(metadata.labels) !== JSON.stringify(old.labels);
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
