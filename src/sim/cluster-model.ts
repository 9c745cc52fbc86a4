import type { Deployment, ReplicaSet } from '../api/generated/types/apps.v1.ts';
import type { Pod } from '../api/generated/types/core.v1.ts';
import type { KubeObject, ObjectMeta } from '../api/object.ts';
import type { ApiRequest } from '../api/request.ts';
import type { TransportObserver } from './faulty-transport.ts';
import type { VirtualCluster } from './virtual-cluster.ts';

export type WatchedResource = 'deployments' | 'replicasets' | 'pods';

/** One write as the store took it. */
export interface Write {
  atMs: number;
  revision: number;
  resource: WatchedResource;
  /** Whose request it was; `several` where more than one was under way for the object. */
  writer: string;
  before: KubeObject | undefined;
  after: KubeObject | undefined;
}

interface Past<T> {
  atMs: number;
  value: T;
}

const WATCHED: readonly WatchedResource[] = ['deployments', 'replicasets', 'pods'];

/** What really is in one namespace, ahead of every cache, and who wrote it. */
export class ClusterModel implements TransportObserver {
  readonly namespace: string;
  readonly deployments = new Map<string, Deployment>();
  readonly replicaSets = new Map<string, ReplicaSet>();
  readonly pods = new Map<string, Pod>();
  /** Deployments, by uid, that came to pods without their controller: a user grew a ReplicaSet, or one with pods was adopted. */
  readonly grownByOthers = new Set<string>();
  readonly #goneReplicaSets: ReplicaSet[] = [];
  readonly #pastDeployments = new Map<string, Past<Deployment>[]>();
  readonly #pastReplicaSets = new Map<string, Past<ReplicaSet>[]>();
  readonly #goneAt = new Map<string, number>();
  /** Components with a write under way, by object. */
  readonly #underWay = new Map<string, string[]>();

  constructor(namespace: string) {
    this.namespace = namespace;
  }

  /** Follows the cluster's store from now on; `onWrite` is told of each write after the model has taken it in. */
  follow({ store, apiServer, clock }: VirtualCluster, onWrite: (write: Write) => void): void {
    const { codec } = apiServer.storage;
    store.watch('/registry/', store.revision, (event) => {
      const [resource, name] = this.#watched(event.key) ?? [];
      if (!resource || !name) return;
      const after = event.type === 'put' ? codec.eventObject(event) : undefined;
      const before = event.previous && codec.object(event.previous);
      const write: Write = { atMs: clock.now(), revision: event.revision, resource, writer: this.#writer(resource, name, after), before, after };
      this.#take(write);
      onWrite(write);
    });
  }

  /** Takes up again with a store that was opened anew, beginning with what was written and never told. */
  async resume(cluster: VirtualCluster, onWrite: (write: Write) => void): Promise<void> {
    const { store, apiServer, clock } = cluster;
    this.#underWay.clear();
    const gone = new Map(WATCHED.flatMap((resource) => [...this.#objectsOf(resource)].map(([uid, object]) => [uid, { resource, object }] as const)));
    const writes: Write[] = [];
    const common = { atMs: clock.now(), writer: 'unknown' };
    for (const item of (await store.list('/registry/')).items) {
      const [resource] = this.#watched(item.key) ?? [];
      if (!resource) continue;
      const after = apiServer.storage.codec.object(item);
      const before = this.#objectsOf(resource).get(after.metadata.uid!);
      gone.delete(after.metadata.uid!);
      if (before?.metadata.resourceVersion !== after.metadata.resourceVersion) writes.push({ ...common, revision: item.revision, resource, before, after });
    }
    for (const { resource, object } of gone.values()) writes.push({ ...common, revision: store.revision, resource, before: object, after: undefined });
    for (const write of writes.sort((a, b) => a.revision - b.revision)) {
      this.#take(write);
      onWrite(write);
    }
    this.follow(cluster, onWrite);
  }

  began(request: ApiRequest, component: string): void {
    const key = keyOfWrite(request);
    if (key === undefined) return;
    const writers = this.#underWay.get(key);
    if (writers) writers.push(component);
    else this.#underWay.set(key, [component]);
  }

  ended(request: ApiRequest, component: string): void {
    const key = keyOfWrite(request);
    const writers = key === undefined ? undefined : this.#underWay.get(key);
    if (!writers) return;
    writers.splice(writers.indexOf(component), 1);
    if (writers.length === 0) this.#underWay.delete(key!);
  }

  replicaSetsOf(deployment: Deployment): ReplicaSet[] {
    return [...this.replicaSets.values()].filter((replicaSet) => ownerUid(replicaSet) === deployment.metadata.uid);
  }

  /** Those that it had, as they were when they went. */
  goneReplicaSetsOf(deployment: Deployment): ReplicaSet[] {
    return this.#goneReplicaSets.filter((replicaSet) => ownerUid(replicaSet) === deployment.metadata.uid);
  }

  podsOf(replicaSet: ReplicaSet): Pod[] {
    return [...this.pods.values()].filter((pod) => ownerUid(pod) === replicaSet.metadata.uid);
  }

  /** The Deployment as it was at any moment since, the present included. */
  deploymentSince(uid: string, sinceMs: number): Deployment[] {
    return since(this.#pastDeployments.get(uid), sinceMs);
  }

  replicaSetSince(uid: string, sinceMs: number): ReplicaSet[] {
    return since(this.#pastReplicaSets.get(uid), sinceMs);
  }

  /** The sizes that a ReplicaSet was to have at any moment since. */
  sizesSince(uid: string, sinceMs: number): number[] {
    return this.replicaSetSince(uid, sinceMs).map(({ spec }) => spec.replicas ?? 1);
  }

  /** When the object with this uid began to go, or went; undefined while it lives. */
  goneAt(uid: string): number | undefined {
    return this.#goneAt.get(uid);
  }

  #writer(resource: string, name: string, after: KubeObject | undefined): string {
    const writers = this.#underWay.get(`${resource}/${name}`);
    if (writers) return writers.length === 1 ? writers[0]! : 'several';
    // Created under a generated name: only controllers do that here.
    return after && ownerUid(after) ? 'kube-controller-manager' : 'unknown';
  }

  /** What a key is of and its object's name, if it is one of the watched. */
  #watched(key: string): [WatchedResource, string] | undefined {
    const [, , resource = '', namespace, name = ''] = key.split('/');
    const watched = WATCHED.find((one) => one === resource);
    return watched && namespace === this.namespace ? [watched, name] : undefined;
  }

  #objectsOf(resource: WatchedResource): Map<string, KubeObject> {
    return { deployments: this.deployments, replicasets: this.replicaSets, pods: this.pods }[resource] as Map<string, KubeObject>;
  }

  #take(write: Write): void {
    const { resource, before, after, atMs } = write;
    const map = this.#objectsOf(resource);
    const uid = (after ?? before)!.metadata.uid!;
    if (after) map.set(uid, after);
    else map.delete(uid);
    if (!after && resource === 'replicasets') this.#goneReplicaSets.push(before as ReplicaSet);
    if ((!after || after.metadata.deletionTimestamp) && !this.#goneAt.has(uid)) this.#goneAt.set(uid, atMs);
    if (after && resource === 'deployments') remember(this.#pastDeployments, uid, { atMs, value: after as Deployment });
    if (after && resource === 'replicasets') remember(this.#pastReplicaSets, uid, { atMs, value: after as ReplicaSet });
    if (grownByOther(write)) this.grownByOthers.add(ownerUid(after!)!);
  }
}

function grownByOther({ resource, writer, before, after }: Write): boolean {
  if (resource !== 'replicasets' || !before || !after) return false;
  const [was, is] = [before, after].map((object) => (object as ReplicaSet).spec.replicas ?? 1) as [number, number];
  const owner = ownerUid(after);
  return owner !== undefined && (owner === ownerUid(before) ? writer === 'user' && is > was : is > 0);
}

/** The uid of the object's controller. */
export function ownerUid({ metadata }: { metadata: ObjectMeta }): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
}

function keyOfWrite({ verb, resource, name, body }: ApiRequest): string | undefined {
  if (verb === 'get' || verb === 'list' || verb === 'watch' || !WATCHED.some((one) => one === resource)) return undefined;
  const named = name ?? (body as { metadata?: ObjectMeta } | undefined)?.metadata?.name;
  return named === undefined ? undefined : `${resource}/${named}`;
}

function remember<T>(pasts: Map<string, Past<T>[]>, uid: string, past: Past<T>): void {
  const known = pasts.get(uid);
  if (known) known.push(past);
  else pasts.set(uid, [past]);
}

/** What held at `sinceMs` counts too. */
function since<T>(pasts: readonly Past<T>[] | undefined, sinceMs: number): T[] {
  if (!pasts) return [];
  let first = pasts.length - 1;
  while (first > 0 && pasts[first]!.atMs >= sinceMs) first--;
  return pasts.slice(first).map(({ value }) => value);
}
