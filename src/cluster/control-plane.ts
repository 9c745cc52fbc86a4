import type { Transport } from '../api/request.ts';
import { Namespaces, Nodes, PersistentVolumeClaims, PersistentVolumes, PodDisruptionBudgets, Pods, Services, StorageClasses } from '../api/resources.ts';
import { Client } from '../client/client.ts';
import { EventInstants, type EventRecorder, StoredEventRecorder } from '../client/event-recorder.ts';
import { InformerFactory } from '../client/informer.ts';
import { type ControllersOptions, controllers, type Runnable } from '../controllers/index.ts';
import type { Issuing } from '../controllers/issuing.ts';
import type { ServedResources } from '../controllers/runtime/served-resources.ts';
import { Kubelet, type KubeletOptions } from '../kubelet/kubelet.ts';
import type { KubeletServer } from '../kubelet/kubelet-server.ts';
import { PodSource } from '../kubelet/pod-source.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Rng } from '../lib/rng.ts';
import type { ImageRule } from '../runtime/simulated/behaviour.ts';
import { PodDirectory } from '../runtime/simulated/pod-directory.ts';
import { SimulatedRuntime } from '../runtime/simulated/simulated-runtime.ts';
import { Scheduler } from '../scheduler/scheduler.ts';
import { openRealNode, type RealNodeOptions } from './real-node.ts';
import { componentUser } from './users.ts';

export interface ControlPlaneOptions extends Pick<ControllersOptions, 'deployment' | 'replicaSet'> {
  /** What there is to look after. */
  resources: ServedResources;
  /** How each component reaches the API server. */
  transport: (component: string) => Transport;
  clock: Clock;
  rng: Rng;
  log: Log;
  /** Nodes with the simulated runtime. */
  nodes: number;
  /** The machine itself as a node, beside them, with real containers. */
  realNode?: RealNodeOptions;
  /** How often kubelets look at their containers, in milliseconds; a real one once a second. Default 0: they are told at once. */
  relistPeriodMs?: number;
  /** Whether pods get tokens of their service accounts; not on virtual time. Default false. */
  givesTokens?: boolean;
  /** The cluster's keys at work, for controllers; left out: nothing is signed. */
  issuing?: Issuing;
  /** How the containers of images behave; the first rule that matches counts. */
  simulate?: readonly ImageRule[];
  /** Which parts to run. Default: all. */
  parts?: readonly ControlPlanePart[];
  /** Makes the controllers. Default: all that there are. */
  controllers?: (options: ControllersOptions) => Runnable[];
}

export type ControlPlanePart = 'controllers' | 'scheduler' | 'kubelets';

/** Names of components as upstream's processes have them: field managers and event sources show them. */
const CONTROLLER_MANAGER = 'kube-controller-manager';
const SCHEDULER = 'kube-scheduler';
const KUBELET = 'kubelet';

/** Everything that acts on the objects of an API server: controllers, scheduler, and the kubelets of the simulated nodes. */
export class ControlPlane {
  readonly #options: ControlPlaneOptions;
  readonly #instants: EventInstants;
  readonly #factories: InformerFactory[] = [];
  readonly #kubelets: Kubelet[] = [];
  readonly #stop = new AbortController();
  readonly #closing: (() => void)[] = [];
  #runnables: Runnable[] = [];

  constructor(options: ControlPlaneOptions) {
    this.#options = options;
    this.#instants = new EventInstants(options.rng.fork('events'));
  }

  /** The kubelet of a node, by which logs and shells are reached. */
  kubelet(nodeName: string): KubeletServer | undefined {
    return this.#kubelets.find((kubelet) => kubelet.nodeName === nodeName)?.server;
  }

  /** @param certificateAuthority the PEM that pods find in kube-root-ca.crt. */
  async start(certificateAuthority?: string): Promise<void> {
    const { parts = ['controllers', 'scheduler', 'kubelets'] } = this.#options;
    const start: Record<ControlPlanePart, () => Promise<void>> = {
      controllers: () => this.#startControllers(certificateAuthority),
      scheduler: () => this.#startScheduler(),
      kubelets: () => this.#startKubelets(),
    };
    await Promise.all(parts.map((part) => start[part]()));
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    for (const kubelet of this.#kubelets) kubelet.stop();
    for (const close of this.#closing) close();
    await Promise.all(this.#runnables.map((runnable) => runnable.stop()));
    await Promise.all(this.#factories.map((factory) => factory.stop()));
  }

  async #startControllers(certificateAuthority: string | undefined): Promise<void> {
    const { clock, log, resources, deployment, replicaSet, issuing } = this.#options;
    const make = this.#options.controllers ?? controllers;
    const client = this.#client(CONTROLLER_MANAGER);
    const informers = this.#informers(client);
    this.#runnables = make({
      client,
      informers,
      clock,
      recorder: (component) => this.#recorder(client, component),
      log,
      resources,
      ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
      ...(issuing ? { issuing } : {}),
      ...(deployment ? { deployment } : {}),
      ...(replicaSet ? { replicaSet } : {}),
    });
    informers.start();
    for (const runnable of this.#runnables) runnable.start(this.#stop.signal);
    await informers.whenSynced();
  }

  async #startScheduler(): Promise<void> {
    const { clock, log } = this.#options;
    const client = this.#client(SCHEDULER);
    const informers = this.#informers(client);
    const recorder = this.#recorder(client, 'default-scheduler');
    const scheduler = new Scheduler({
      client,
      clock,
      rng: this.#options.rng.fork(SCHEDULER),
      log,
      recorder,
      pods: informers.informer(Pods),
      nodes: informers.informer(Nodes),
      namespaces: informers.informer(Namespaces),
      budgets: informers.informer(PodDisruptionBudgets),
      storage: {
        claims: informers.informer(PersistentVolumeClaims),
        volumes: informers.informer(PersistentVolumes),
        classes: informers.informer(StorageClasses),
      },
    });
    informers.start();
    await scheduler.start(this.#stop.signal);
  }

  async #startKubelets(): Promise<void> {
    const { clock, log, nodes, simulate, relistPeriodMs = 0, givesTokens = false } = this.#options;
    const client = this.#client(KUBELET);
    const informers = this.#informers(client);
    const shared = { client, clock, log, relistPeriodMs, givesTokens, pods: new PodSource(informers.informer(Pods)), services: informers.informer(Services) };
    await this.#addRealNode(shared);
    const podDirectory = new PodDirectory();
    for (let i = 1; i <= nodes; i++) {
      // "Hollow" is the field's word for a node that runs nothing real.
      const nodeName = `hollow-${i}`;
      const rng = this.#options.rng.fork(nodeName);
      const podCIDR = `10.244.${i}.0/24`;
      const runtime = new SimulatedRuntime({ clock, rng, podCIDR, pods: podDirectory, ...(simulate ? { rules: simulate } : {}) });
      const recorder = this.#recorder(client, KUBELET, nodeName);
      this.#kubelets.push(new Kubelet({ ...shared, nodeName, rng, runtime, recorder, hostIP: `172.18.0.${i + 1}`, podCIDR }));
    }
    informers.start();
    await Promise.all(this.#kubelets.map((kubelet) => kubelet.start()));
  }

  async #addRealNode(shared: Pick<KubeletOptions, 'client' | 'clock' | 'log' | 'relistPeriodMs' | 'givesTokens' | 'pods' | 'services'>): Promise<void> {
    const { realNode, clock, log, rng } = this.#options;
    if (!realNode) return;
    const { name, ...node } = await openRealNode(realNode, { clock, log });
    this.#closing.push(() => node.runtime.close());
    this.#kubelets.push(new Kubelet({ ...shared, ...node, nodeName: name, rng: rng.fork(name), recorder: this.#recorder(shared.client, KUBELET, name) }));
  }

  #client(component: string): Client {
    return new Client(this.#options.transport(component), componentUser(component), component);
  }

  #informers(client: Client): InformerFactory {
    const { clock, log, rng } = this.#options;
    const factory = new InformerFactory({ client, clock, rng: rng.fork('informers'), log });
    this.#factories.push(factory);
    return factory;
  }

  #recorder(client: Client, component: string, host?: string): EventRecorder {
    const { clock, log } = this.#options;
    return new StoredEventRecorder({ client, clock, instants: this.#instants, log, component, ...(host ? { host } : {}) });
  }
}
