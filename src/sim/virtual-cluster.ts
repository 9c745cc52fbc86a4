import type { ApiRequest, ApiResponse } from '../api/request.ts';
import { StatusError } from '../api/status.ts';
import { ApiServer } from '../apiserver/api-server.ts';
import { Client } from '../client/client.ts';
import { admissionPlugins } from '../cluster/admission.ts';
import { bootstrap } from '../cluster/bootstrap.ts';
import { ControlPlane, type ControlPlaneOptions, type ControlPlanePart } from '../cluster/control-plane.ts';
import { servedBy } from '../cluster/served-resources.ts';
import { administrator } from '../cluster/users.ts';
import { assert } from '../lib/assert.ts';
import { type Log, silent } from '../lib/log.ts';
import { Rng } from '../lib/rng.ts';
import { VirtualClock } from '../lib/virtual-clock.ts';
import type { ImageRule } from '../runtime/simulated/behaviour.ts';
import { LogStore } from '../store/log-store.ts';
import { MemoryStore } from '../store/memory/memory-store.ts';
import type { Store } from '../store/store.ts';
import { type Disturb, FaultyTransport, type TransportObserver } from './faulty-transport.ts';
import { SimulatedMedium } from './simulated-journal.ts';

export interface VirtualClusterOptions extends Pick<ControlPlaneOptions, 'deployment' | 'replicaSet' | 'controllers'> {
  seed?: number;
  /** Default 3. */
  nodes?: number;
  simulate?: readonly ImageRule[];
  /** What befalls the requests of the components, and of the user (component `user`). */
  disturb?: Disturb;
  observer?: TransportObserver;
  /** Keep the store in a simulated journal, so that it can fail, be cut off, and be opened again. Default: in memory. */
  journal?: boolean;
  /** Freeze all objects that are shared, so that who writes to one fails. Default true. */
  freeze?: boolean;
  log?: Log;
}

/** One life of a part of the control plane, from its start to its end or its death. */
export interface Life {
  /** Resolves when it is at work. */
  readonly started: Promise<void>;
  /** Ends it in good order. */
  stop(): Promise<void>;
  /** Ends it as a crash does, between two of its writes. */
  kill(): void;
}

/**
 * A whole cluster in this process on virtual time, with a transport between each component and the API server that can
 * be made to fail. The same options give the same run.
 */
export class VirtualCluster {
  readonly clock = new VirtualClock();
  /** Where the store is kept, if it is kept. */
  readonly medium: SimulatedMedium | undefined;
  /** The user's, who sees faults only where `disturb` wants it. */
  readonly client: Client;
  readonly #options: VirtualClusterOptions;
  readonly #rng: Rng;
  readonly #transports = new Set<FaultyTransport>();
  readonly #lives = new Set<Life>();
  #born = 0;
  #opened = 0;
  #store: Store;
  /** Undefined while everything is down. */
  #apiServer: ApiServer | undefined;

  private constructor(options: VirtualClusterOptions) {
    this.#options = options;
    this.#rng = new Rng(options.seed ?? 1);
    this.medium = options.journal ? new SimulatedMedium(this.clock, this.#rng.fork('medium')) : undefined;
    this.#store = this.#open();
    this.#apiServer = this.#serve();
    this.client = new Client(this.#transport('user'), administrator, 'kubectl');
  }

  /** A cluster whose API is there, with its system namespaces; nothing runs in it yet. */
  static async create(options: VirtualClusterOptions = {}): Promise<VirtualCluster> {
    const cluster = new VirtualCluster(options);
    await bootstrap(new Client(cluster.apiServer, administrator, 'kube-apiserver'), 6443);
    return cluster;
  }

  /** A cluster with all its parts running. */
  static async start(options: VirtualClusterOptions = {}): Promise<VirtualCluster> {
    const cluster = await VirtualCluster.create(options);
    await cluster.run(['controllers', 'scheduler', 'kubelets']);
    return cluster;
  }

  get store(): Store {
    return this.#store;
  }

  get apiServer(): ApiServer {
    assert(this.#apiServer, 'the API server is up');
    return this.#apiServer;
  }

  /** Starts parts of the control plane, and waits until they are at work. */
  async run(parts: readonly ControlPlanePart[]): Promise<Life> {
    const life = this.launch(parts);
    await life.started;
    return life;
  }

  /** Starts parts of the control plane; several lives of the same part may overlap. */
  launch(parts: readonly ControlPlanePart[]): Life {
    const { clock } = this;
    const { nodes = 3, simulate, deployment, replicaSet, controllers, log = silent } = this.#options;
    const own: FaultyTransport[] = [];
    const transport = (component: string): FaultyTransport => {
      const made = this.#transport(component);
      own.push(made);
      return made;
    };
    const rng = this.#rng.fork(`${parts.join()} ${this.#born++}`);
    const controlPlane = new ControlPlane({
      resources: servedBy(this.apiServer.registry),
      transport,
      clock,
      rng,
      log,
      nodes,
      parts,
      ...(simulate ? { simulate } : {}),
      ...(deployment ? { deployment } : {}),
      ...(replicaSet ? { replicaSet } : {}),
      ...(controllers ? { controllers } : {}),
    });
    const life: Life = {
      started: controlPlane.start(),
      stop: async () => {
        this.#lives.delete(life);
        await controlPlane.stop();
        for (const one of own) this.#transports.delete(one);
      },
      kill: () => {
        for (const one of own) one.kill();
        void life.stop();
      },
    };
    this.#lives.add(life);
    return life;
  }

  /** Ends everything at once, as a power cut does, though requests may still be under way. */
  abandon(): void {
    for (const life of [...this.#lives]) life.kill();
  }

  /** Ends everything at once, the API server and its store as well. */
  powerCut(): void {
    assert(this.medium, 'a cluster without a journal does not survive');
    this.abandon();
    this.medium.cut();
    this.#apiServer = undefined;
  }

  /** Opens the store anew upon what was kept, and serves it; nothing else runs yet. */
  powerUp(): void {
    this.#store = this.#open();
    this.#apiServer = this.#serve();
  }

  /** The transports of a component that are in use. */
  transports(component: string): FaultyTransport[] {
    return [...this.#transports].filter((transport) => transport.component === component);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#lives].map((life) => life.stop()));
    await this.#store.close();
  }

  #open(): Store {
    return this.medium ? new LogStore({}, { journal: this.medium.open(), snapshot: this.medium.snapshot }) : new MemoryStore();
  }

  #serve(): ApiServer {
    const { freeze = true } = this.#options;
    const life = this.#opened++;
    const rng = this.#rng.fork(life === 0 ? 'apiserver' : `apiserver ${life}`);
    return new ApiServer({ store: this.#store, clock: this.clock, rng, admission: admissionPlugins, freeze });
  }

  #request(request: ApiRequest): Promise<ApiResponse> {
    return this.#apiServer?.request(request) ?? Promise.reject(new StatusError(503, 'ServiceUnavailable', 'the API server is down'));
  }

  #transport(component: string): FaultyTransport {
    const { disturb, observer } = this.#options;
    const options = { ...(disturb ? { disturb } : {}), ...(observer ? { observer } : {}) };
    const transport = new FaultyTransport({ server: { request: (request) => this.#request(request) }, clock: this.clock, component, ...options });
    this.#transports.add(transport);
    return transport;
  }
}
