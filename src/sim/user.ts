import type { Deployment, ReplicaSet } from '../api/generated/types/apps.v1.ts';
import type { Node, Pod } from '../api/generated/types/core.v1.ts';
import type { Draft, KubeObject } from '../api/object.ts';
import { Deployments, Nodes, Pods, ReplicaSets } from '../api/resources.ts';
import { StatusError } from '../api/status.ts';
import type { Client } from '../client/client.ts';
import { StoreFailedError } from '../store/store.ts';
import { ownerUid } from './cluster-model.ts';
import { IMAGES, MARK } from './conventions.ts';
import type { Act, DeploymentShape, Strategy } from './scenario.ts';

const MISLABELLED = 'out-of-sight';
const MERGE = 'application/merge-patch+json';

/** Does what a scenario's steps say, as somebody at a terminal would. */
export class User {
  readonly #client: Client;
  readonly #namespace: string;

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
  }

  /** @returns why the API server would not have it, if so. */
  async perform(act: Act): Promise<string | undefined> {
    try {
      await this.#do(act);
      return undefined;
    } catch (error) {
      if (error instanceof StatusError || error instanceof StoreFailedError) return error.message;
      throw error;
    }
  }

  async #do(act: Act): Promise<void> {
    switch (act.type) {
      case 'create':
        await this.#client.resource(Deployments).create(deploymentDraft(this.#namespace, act.name, act.shape));
        return;
      case 'image':
        return this.#patch(act.name, { spec: { template: templateFor(act.name, act.image) } });
      case 'scale':
        return this.#patch(act.name, { spec: { replicas: act.replicas } });
      case 'pause':
      case 'resume':
        return this.#patch(act.name, { spec: { paused: act.type === 'pause' } });
      case 'strategy':
        return this.#patch(act.name, { spec: { strategy: strategyPatch(act.strategy) } });
      case 'annotate':
        return this.#patch(act.name, { metadata: { annotations: { [MARK.deployments]: act.value } } });
      case 'undo':
        return this.#undo(act.name);
      case 'deletePods':
        return this.#deletePods(act.name, act.count);
      case 'delete':
        await this.#client.resource(Deployments).delete(this.#namespace, act.name, { propagationPolicy: act.propagationPolicy });
        return;
      case 'cordon':
      case 'uncordon':
      case 'drain':
        return this.#node(act.node, act.type);
      default:
        return this.#handleReplicaSet(act);
    }
  }

  async #handleReplicaSet(act: Extract<Act, { nth: number } | { type: 'relabel' }>): Promise<void> {
    if (act.type === 'relabel') return this.#relabel(act.what, act.name);
    const replicaSet = (await this.#replicaSets(act.name))[act.nth];
    if (!replicaSet) return;
    const client = this.#client.resource(ReplicaSets);
    const name = replicaSet.metadata.name!;
    switch (act.type) {
      case 'scaleReplicaSet':
        await client.patch(this.#namespace, name, { spec: { replicas: act.replicas } }, MERGE);
        return;
      case 'annotateReplicaSet':
        await client.patch(this.#namespace, name, { metadata: { annotations: { [MARK.replicasets]: act.value } } }, MERGE);
        return;
      case 'deleteReplicaSet':
        await client.delete(this.#namespace, name, {});
        return;
      case 'mislabel': {
        const body = { metadata: { labels: { app: MISLABELLED, was: act.name } } };
        if (act.what === 'replicasets') await client.patch(this.#namespace, name, body, MERGE);
        else {
          const pod = (await this.#pods(replicaSet))[0];
          if (pod) await this.#client.resource(Pods).patch(this.#namespace, pod.metadata.name!, body, MERGE);
        }
      }
    }
  }

  async #patch(name: string, body: unknown): Promise<void> {
    await this.#client.resource(Deployments).patch(this.#namespace, name, body, MERGE);
  }

  /** As `kubectl rollout undo` does it: the template of the revision before, without its hash. */
  async #undo(name: string): Promise<void> {
    const byRevision = (await this.#replicaSets(name)).sort((a, b) => revisionOf(b) - revisionOf(a));
    const target = byRevision[1];
    if (!target) return;
    const { 'pod-template-hash': _, ...labels } = target.spec.template.metadata.labels ?? {};
    const template = { ...target.spec.template, metadata: { ...target.spec.template.metadata, labels } };
    await this.#client
      .resource(Deployments)
      .patch(this.#namespace, name, [{ op: 'replace', path: '/spec/template', value: template }], 'application/json-patch+json');
  }

  async #deletePods(name: string, count: number): Promise<void> {
    const { items } = await this.#client.resource(Pods).list({ namespace: this.#namespace, labelSelector: `app=${name}` });
    for (const { metadata } of inOrder(items).slice(0, count)) await this.#client.resource(Pods).delete(this.#namespace, metadata.name!);
  }

  async #node(name: string, act: 'cordon' | 'uncordon' | 'drain'): Promise<void> {
    const nodes = this.#client.resource<Node>(Nodes);
    await nodes.patch('', name, { spec: { unschedulable: act === 'uncordon' ? null : true } }, MERGE);
    if (act !== 'drain') return;
    const pods = this.#client.resource(Pods);
    const { items } = await pods.list({ namespace: this.#namespace, fieldSelector: `spec.nodeName=${name}` });
    for (const { metadata } of inOrder(items)) {
      const eviction: Draft<KubeObject> = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: metadata.name, namespace: this.#namespace } };
      await pods.createSubresource(this.#namespace, metadata.name!, 'eviction', eviction);
    }
  }

  async #relabel(what: 'replicasets' | 'pods', name: string): Promise<void> {
    const client = what === 'pods' ? this.#client.resource(Pods) : this.#client.resource(ReplicaSets);
    const { items } = await client.list({ namespace: this.#namespace, labelSelector: `app=${MISLABELLED},was=${name}` });
    for (const { metadata } of items) await client.patch(this.#namespace, metadata.name!, { metadata: { labels: { app: name, was: null } } }, MERGE);
  }

  /** Those of a Deployment, the youngest first. */
  async #replicaSets(name: string): Promise<ReplicaSet[]> {
    const deployment: Deployment = await this.#client.resource(Deployments).get(this.#namespace, name);
    const { items } = await this.#client.resource(ReplicaSets).list({ namespace: this.#namespace });
    return inOrder(items.filter((replicaSet) => ownerUid(replicaSet) === deployment.metadata.uid)).reverse();
  }

  async #pods(replicaSet: ReplicaSet): Promise<Pod[]> {
    const { items } = await this.#client.resource(Pods).list({ namespace: this.#namespace });
    return inOrder(items.filter((pod) => ownerUid(pod) === replicaSet.metadata.uid));
  }
}

function inOrder<T extends KubeObject>(items: readonly T[]): T[] {
  const order = ({ metadata }: T): string => `${metadata.creationTimestamp} ${metadata.name}`;
  return items.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
}

function revisionOf({ metadata }: ReplicaSet): number {
  return Number(metadata.annotations?.['deployment.kubernetes.io/revision'] ?? 0);
}

function strategyPatch(strategy: Strategy): object {
  return strategy.type === 'Recreate' ? { ...strategy, rollingUpdate: null } : strategy;
}

function deploymentDraft(namespace: string, name: string, shape: DeploymentShape): Draft<Deployment> {
  const { image, terminationGracePeriodSeconds, ...rest } = shape;
  const template = templateFor(name, image);
  return {
    metadata: { name, namespace },
    spec: { ...rest, selector: { matchLabels: { app: name } }, template: { ...template, spec: { ...template.spec, terminationGracePeriodSeconds } } },
  };
}

function templateFor(name: string, image: string): { metadata: { labels: Record<string, string> }; spec: Draft<Pod['spec']> } {
  const probed = image.startsWith(IMAGES.slow) || image.startsWith(IMAGES.bad);
  const readinessProbe = probed ? { exec: { command: ['true'] }, periodSeconds: 2 } : undefined;
  return { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image, ...(readinessProbe ? { readinessProbe } : {}) }] } };
}

/** What the images of the scenarios do. */
export const IMAGE_RULES = [
  { image: `${IMAGES.good}:*`, settings: { 'start-time': '50ms..400ms', 'stop-time': '0ms..500ms' } },
  { image: `${IMAGES.slow}:*`, settings: { 'pull-time': '100ms..2s', 'ready-after': '3s', 'stop-time': '100ms..8s' } },
  { image: `${IMAGES.flaky}:*`, settings: { 'exit-after': '1s..3s,never', 'exit-code': '1,0', 'start-time': '100ms..1s' } },
  { image: `${IMAGES.bad}:*`, settings: { readiness: 'fail' } },
];
