import type { Pod } from '../api/generated/types/core.v1.ts';
import type { KubeObject } from '../api/object.ts';
import { Deployments, Events, Pods, ReplicaSets } from '../api/resources.ts';
import { Client, type ResourceClient } from '../client/client.ts';
import { StoredEventRecorder } from '../client/event-recorder.ts';
import { FakeApiServer } from '../client/fake-api-server.ts';
import { InformerFactory } from '../client/informer.ts';
import { timestamp } from '../lib/clock.ts';
import { type Log, lineLog } from '../lib/log.ts';
import { Rng } from '../lib/rng.ts';
import { VirtualClock } from '../lib/virtual-clock.ts';
import { type DeploymentControllerOptions, deploymentController } from './deployment/controller.ts';
import { type ReplicaSetControllerOptions, replicaSetController } from './replicaset/controller.ts';
import { type Runnable, Shell } from './runtime/shell.ts';

export interface FakeClusterOptions {
  seed?: number;
  deployment?: DeploymentControllerOptions;
  replicaSet?: ReplicaSetControllerOptions;
}

/** Faults are shown; expected failures are not. */
const log: Log = { ...lineLog((line) => process.stderr.write(line)), info: () => {} };

/**
 * A test double: the Deployment and ReplicaSet controllers over a fake API server, on virtual time, with a kubelet that
 * makes every pod ready at once unless its nodeSelector names a node that does not exist.
 */
export class FakeCluster {
  readonly clock = new VirtualClock();
  readonly server: FakeApiServer;
  readonly client: Client;
  readonly informers: InformerFactory;
  readonly #controllers: Runnable[];
  readonly #stop = new AbortController();

  constructor({ seed = 1, deployment, replicaSet }: FakeClusterOptions = {}) {
    const { clock } = this;
    const rng = new Rng(seed);
    this.server = new FakeApiServer(clock, rng.fork('server'));
    this.client = new Client(this.server, { name: 'test', groups: [] }, 'test');
    this.informers = new InformerFactory({ client: this.client, clock, rng: rng.fork('informers'), log });
    const { client, informers } = this;
    const recorder = (component: string) => new StoredEventRecorder({ client, clock, rng: rng.fork(component), log, component });
    this.#controllers = [
      new Shell(deploymentController(informers, deployment), { client, informers, recorder: recorder('deployment-controller'), clock, log }),
      new Shell(replicaSetController(informers, replicaSet), { client, informers, recorder: recorder('replicaset-controller'), clock, log }),
    ];
    informers.informer(Pods).addHandler({ added: (pod) => this.#runPod(pod) });
    informers.start();
    for (const controller of this.#controllers) controller.start(this.#stop.signal);
  }

  resource<T extends KubeObject>(resource: {
    group: string;
    version: string;
    resource: string;
    kind: string;
    namespaced: boolean;
    _type?: T;
  }): ResourceClient<T> {
    return this.client.resource<T>(resource);
  }

  readonly deployments = (): ResourceClient<NonNullable<(typeof Deployments)['_type']>> => this.client.resource(Deployments);
  readonly replicaSets = (): ResourceClient<NonNullable<(typeof ReplicaSets)['_type']>> => this.client.resource(ReplicaSets);
  readonly pods = (): ResourceClient<Pod> => this.client.resource(Pods);
  readonly events = (): ResourceClient<NonNullable<(typeof Events)['_type']>> => this.client.resource(Events);

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.informers.stop();
  }

  #runPod(pod: Pod): void {
    if (pod.spec.nodeSelector) return;
    this.clock.schedule(10, () => {
      const ready = { type: 'Ready', status: 'True', lastTransitionTime: timestamp(this.clock.now()) };
      const body = { status: { phase: 'Running', conditions: [ready] } };
      const { namespace = '', name = '' } = pod.metadata;
      this.pods()
        .patch(namespace, name, body, 'application/merge-patch+json', { subresource: 'status' })
        .catch(() => undefined); // The pod is gone already.
    });
  }
}
