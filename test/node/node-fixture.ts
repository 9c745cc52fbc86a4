import type { Event, Pod } from '../../src/api/generated/types/core.v1.ts';
import type { Draft } from '../../src/api/object.ts';
import { Events, Namespaces, Nodes, Pods, ServiceAccounts } from '../../src/api/resources.ts';
import { hasReason } from '../../src/api/status.ts';
import type { AdmissionPlugin, AdmissionServer } from '../../src/apiserver/admission/admission.ts';
import { ApiServer } from '../../src/apiserver/api-server.ts';
import { Client } from '../../src/client/client.ts';
import { EventInstants, StoredEventRecorder } from '../../src/client/event-recorder.ts';
import { Informer } from '../../src/client/informer.ts';
import { admissionPlugins } from '../../src/cluster/admission.ts';
import { Kubelet, type KubeletOptions } from '../../src/kubelet/kubelet.ts';
import { PodSource } from '../../src/kubelet/pod-source.ts';
import { assert } from '../../src/lib/assert.ts';
import { type Log, silent } from '../../src/lib/log.ts';
import { Rng } from '../../src/lib/rng.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import { SimulatedRuntime, type SimulatedRuntimeOptions } from '../../src/runtime/simulated/simulated-runtime.ts';
import { Scheduler } from '../../src/scheduler/scheduler.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';

// No controller takes away the taint that a node is born with.
const admission = (server: AdmissionServer): AdmissionPlugin[] => admissionPlugins(server).filter(({ name }) => name !== 'TaintNodesByCondition');

/** An API server, a scheduler and some kubelets on a virtual clock. */
export class NodeFixture {
  readonly clock = new VirtualClock();
  readonly rng = new Rng(1);
  readonly apiServer = new ApiServer({ store: new MemoryStore(), clock: this.clock, rng: this.rng.fork('api'), admission, freeze: true });
  readonly client = new Client(this.apiServer, { name: 'admin', groups: ['system:masters'] }, 'test');
  readonly kubelets: Kubelet[] = [];
  /** One for each kubelet; it outlives it. */
  readonly runtimes: SimulatedRuntime[] = [];
  readonly #kubeletOptions: KubeletOptions[] = [];
  readonly #stop = new AbortController();

  static async start({
    nodes = 1,
    rules,
    capacity,
  }: {
    nodes?: number;
    rules?: SimulatedRuntimeOptions['rules'];
    capacity?: Record<string, string>;
  } = {}): Promise<NodeFixture> {
    const fixture = new NodeFixture();
    await fixture.#start(nodes, { ...(rules ? { rules } : {}), ...(capacity ? { capacity } : {}) });
    return fixture;
  }

  async #start(
    count: number,
    { rules, capacity }: { rules?: NonNullable<SimulatedRuntimeOptions['rules']>; capacity?: Record<string, string> },
  ): Promise<void> {
    const { client, clock, rng } = this;
    for (const name of ['default', 'kube-node-lease']) await client.resource(Namespaces).create({ metadata: { name } });
    await client.resource(ServiceAccounts).create({ metadata: { name: 'default', namespace: 'default' } });
    const shared = { clock, rng, log: silent };
    const pods = new Informer({ client: client.resource(Pods), ...shared });
    const nodes = new Informer({ client: client.resource(Nodes), ...shared });
    const source = new PodSource(pods);
    const instants = new EventInstants(rng);
    const recorder = (component: string) => new StoredEventRecorder({ client, component, instants, ...shared });
    for (let i = 1; i <= count; i++) {
      const runtime = new SimulatedRuntime({ clock, rng: rng.fork(`runtime${i}`), ...(rules ? { rules } : {}) });
      this.runtimes.push(runtime);
      const options: KubeletOptions = {
        nodeName: `node-${i}`,
        client,
        runtime,
        recorder: recorder('kubelet'),
        pods: source,
        hostIP: `172.18.0.${i + 1}`,
        podCIDR: `10.244.${i}.0/24`,
        ...(capacity ? { capacity } : {}),
        ...shared,
      };
      this.#kubeletOptions.push(options);
      this.kubelets.push(new Kubelet(options));
      await this.kubelets.at(-1)?.start();
    }
    pods.start(this.#stop.signal);
    nodes.start(this.#stop.signal);
    await new Scheduler({ client, recorder: recorder('default-scheduler'), pods, nodes, ...shared }).start(this.#stop.signal);
  }

  /** A new kubelet over the runtime that an old one has left. */
  async startKubelet(log: Log = silent): Promise<void> {
    const [options] = this.#kubeletOptions;
    assert(options, 'there is a node');
    this.kubelets[0] = new Kubelet({ ...options, log });
    await this.kubelets[0].start();
  }

  stop(): void {
    for (const kubelet of this.kubelets) kubelet.stop();
    this.#stop.abort();
  }

  async create(spec: Draft<Pod['spec']>, metadata: Draft<Pod['metadata']> = {}): Promise<Pod> {
    return this.client.resource(Pods).create({ metadata: { name: 'p', namespace: 'default', ...metadata }, spec });
  }

  async pod(name = 'p'): Promise<Pod | undefined> {
    try {
      return await this.client.resource(Pods).get('default', name);
    } catch (error) {
      if (hasReason(error, 'NotFound')) return undefined;
      throw error;
    }
  }

  /** `reason message ×count` of a pod's events, without what the scheduler says of success. */
  async events(name = 'p'): Promise<string[]> {
    const { items } = await this.client.resource(Events).list({ namespace: 'default' });
    return items
      .filter((event: Event) => event.involvedObject.name === name && event.reason !== 'Scheduled')
      .map((event) => `${event.reason} ${event.message}${(event.count ?? 1) > 1 ? ` ×${event.count}` : ''}`);
  }
}
