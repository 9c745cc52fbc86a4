import { afterEach } from 'vitest';
import type { Deployment, ReplicaSet } from '../../src/api/generated/types/apps.v1.ts';
import type { Pod } from '../../src/api/generated/types/core.v1.ts';
import type { Draft } from '../../src/api/object.ts';
import type { ApiRequest } from '../../src/api/request.ts';
import { Deployments, Namespaces, Pods, ReplicaSets } from '../../src/api/resources.ts';
import type { ResourceClient } from '../../src/client/client.ts';
import type { Disturbance } from '../../src/sim/faulty-transport.ts';
import { VirtualCluster, type VirtualClusterOptions } from '../../src/sim/virtual-cluster.ts';

/** A whole cluster on virtual time whose requests a test can read, and refuse; with the namespace `t`. */
export class ClusterUnderTest {
  readonly cluster: VirtualCluster;
  readonly deployments: ResourceClient<Deployment>;
  readonly replicaSets: ResourceClient<ReplicaSet>;
  readonly pods: ResourceClient<Pod>;
  readonly #connection: Connection;

  constructor(cluster: VirtualCluster, connection: Connection) {
    this.cluster = cluster;
    this.#connection = connection;
    this.deployments = cluster.client.resource(Deployments);
    this.replicaSets = cluster.client.resource(ReplicaSets);
    this.pods = cluster.client.resource(Pods);
  }

  get client(): VirtualCluster['client'] {
    return this.cluster.client;
  }

  get clock(): VirtualCluster['clock'] {
    return this.cluster.clock;
  }

  /** What the controllers sent so far. */
  get requests(): readonly ApiRequest[] {
    return this.#connection.requests;
  }

  /** Asked about each request of the controllers. */
  set disturb(disturb: (request: ApiRequest) => Disturbance | undefined) {
    this.#connection.disturb = disturb;
  }

  cutWatches(): void {
    for (const transport of this.cluster.transports('kube-controller-manager')) transport.cutWatches();
  }

  /** The pods of the namespace and the Deployment's available ones, after a while. */
  async settled(withinMs = 30_000): Promise<{ pods: number; available: number }> {
    await this.clock.advance(withinMs);
    const { status } = await this.deployments.get('t', 'web');
    return { pods: (await this.pods.list({ namespace: 't' })).items.length, available: status.availableReplicas ?? 0 };
  }
}

interface Connection {
  requests: ApiRequest[];
  disturb: (request: ApiRequest) => Disturbance | undefined;
}

export type StartCluster = (options?: VirtualClusterOptions) => Promise<ClusterUnderTest>;

/** @returns what starts clusters that end with the test. */
export function clusters(): StartCluster {
  const running: VirtualCluster[] = [];
  afterEach(async () => {
    for (const cluster of running.splice(0)) await cluster.stop();
  });
  return async (options = {}) => {
    const connection: Connection = { requests: [], disturb: () => undefined };
    const cluster = await VirtualCluster.start({
      disturb: (request, component) => {
        if (component !== 'kube-controller-manager') return undefined;
        connection.requests.push(request);
        return connection.disturb(request);
      },
      ...options,
    });
    running.push(cluster);
    await cluster.client.resource(Namespaces).create({ metadata: { name: 't' } });
    await cluster.clock.advance(100);
    return new ClusterUnderTest(cluster, connection);
  };
}

export function deploymentDraft(replicas: number, spec: Draft<Deployment['spec']> = {}): Draft<Deployment> {
  return {
    metadata: { name: 'web', namespace: 't' },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'registry.example.com/app:1' }] } },
      ...spec,
    },
  };
}
