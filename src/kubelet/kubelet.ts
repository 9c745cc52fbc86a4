import type { Node, Pod, Service } from '../api/generated/types/core.v1.ts';
import { Pods, Services } from '../api/resources.ts';
import type { Client } from '../client/client.ts';
import type { EventRecorder } from '../client/event-recorder.ts';
import { Informer } from '../client/informer.ts';
import { assert } from '../lib/assert.ts';
import { type Clock, microTimestamp, sleep } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Rng } from '../lib/rng.ts';
import type { ContainerEvent, ProbeKind, Runtime } from '../runtime/runtime.ts';
import { ApiConfigSource } from './api-config-source.ts';
import { BackOffTable } from './back-off.ts';
import type { EnvironmentContext } from './config/environment.ts';
import { NodePaths } from './config/node-paths.ts';
import type { ClusterDns } from './config/pod-dns.ts';
import { ImageGarbage, nodeImages } from './image-garbage.ts';
import { Images } from './images.ts';
import { type KubeletServer, WorkerServer } from './kubelet-server.ts';
import { exceededLimit, hasStorageLimits, localUsage } from './local-storage.ts';
import { NodeHeartbeat } from './node-heartbeat.ts';
import type { NodeServices } from './node-services.ts';
import { type NodeDescription, runtimeFault } from './node-status.ts';
import { orphanPods } from './orphans.ts';
import { fieldPathOf } from './pod-containers.ts';
import { PodSource } from './pod-source.ts';
import { PodWorker } from './pod-worker.ts';
import { type ProbedContainer, Probes } from './probes.ts';
import { hasVolumesFromApi, Volumes } from './volumes/volumes.ts';

export interface KubeletOptions {
  nodeName: string;
  client: Client;
  clock: Clock;
  rng: Rng;
  log: Log;
  runtime: Runtime;
  recorder: EventRecorder;
  /** Shared by the kubelets of one process; left out: the kubelet watches its own pods. */
  pods?: PodSource;
  /** Shared in the same way; left out: the kubelet watches them itself. */
  services?: Informer<Service>;
  /**
   * Whether pods get tokens of their service accounts. Default false: tokens are signed beside the event loop, which virtual
   * time does not wait for.
   */
  givesTokens?: boolean;
  /** Where it keeps pods' files and logs. */
  paths?: NodePaths;
  /** Whom pods ask for names. Default: nobody but the machine's own servers; `cluster.local`. */
  clusterDns?: ClusterDns;
  /** The node's own address. */
  hostIP: string;
  /** The range of its pods' addresses; left out: the runtime's own network decides. */
  podCIDR?: string;
  capacity?: NodeDescription['capacity'];
  labels?: NodeDescription['labels'];
  taints?: NodeDescription['taints'];
  /**
   * How often the kubelet looks what its containers do, in milliseconds: what has started is told with the next look. A real
   * kubelet looks once a second (pkg/kubelet: plegRelistPeriod). Default 0: the runtime tells at once.
   */
  relistPeriodMs?: number;
}

/** How often the runtime is looked through for pods that nobody wants. */
const HOUSEKEEPING_MS = 60_000;
/** How often is looked at what pods have written (upstream: evictionMonitoringPeriod). */
const STORAGE_MS = 10_000;
/** After so many of these rounds images are looked at: every five minutes. */
const IMAGE_ROUNDS = 5;

const PROBE_NAMES: Readonly<Record<ProbeKind, string>> = { startup: 'Startup', readiness: 'Readiness', liveness: 'Liveness' };

/** Where in the period the look falls: late in the second, as recordings of real nodes have it. */
const RELIST_PHASE = 0.75;

/** The agent of one node: registers it, runs the pods that are bound to it, and tells how they are. */
export class Kubelet {
  readonly server: KubeletServer;
  readonly #options: KubeletOptions;
  readonly #workers = new Map<string, PodWorker>();
  readonly #probes: Probes;
  readonly #paths: NodePaths;
  readonly #stop = new AbortController();
  #events: { cancel(): void } | undefined;

  constructor(options: KubeletOptions) {
    this.#options = options;
    this.#probes = this.#makeProbes();
    this.#paths = options.paths ?? new NodePaths();
    this.server = new WorkerServer({ runtime: options.runtime.runtimeService, workers: () => this.#workers.values() });
  }

  get nodeName(): string {
    return this.#options.nodeName;
  }

  /**
   * Registers the node and begins to run its pods. Resolves when the node is registered.
   * @param options.port of its own https server, for the API server to know
   */
  async start({ port: kubeletPort }: { port?: number } = {}): Promise<void> {
    const { nodeName, client, clock, log, rng, runtime, hostIP, podCIDR, capacity, labels, taints } = this.#options;
    const { runtimeName, runtimeVersion } = await runtime.runtimeService.version();
    if (podCIDR !== undefined) await runtime.runtimeService.updateRuntimeConfig({ podCIDR });
    const containerRuntimeVersion = `${runtimeName}://${runtimeVersion}`;
    const uuid = rng.fork(nodeName).uuid();
    const { machine } = runtime;
    const description: NodeDescription = { name: nodeName, hostIP, podCIDR, machine, capacity, labels, taints, containerRuntimeVersion, uuid, kubeletPort };
    const heartbeat = new NodeHeartbeat({
      client,
      clock,
      log,
      description,
      images: () => nodeImages(runtime.imageService),
      fault: () => runtimeFault(() => runtime.runtimeService.status()),
    });
    await heartbeat.start(this.#stop.signal);
    if (this.#stop.signal.aborted) return;
    const services = this.#services(runtimeName, heartbeat);
    this.#events = runtime.runtimeService.containerEvents((event) => this.#onContainerEvent(event));
    const source = this.#source();
    source.add(nodeName, { put: (pod) => this.#put(services, pod), remove: (pod) => this.#workers.get(pod.metadata.uid ?? '')?.remove() });
    void this.#keepHouse(services, source);
    void this.#watchStorage(services);
  }

  /** Lets go of everything; containers keep running, as when a kubelet's process ends. */
  stop(): void {
    this.#stop.abort();
    this.#events?.cancel();
    this.#probes.stop();
    for (const worker of this.#workers.values()) worker.stop();
    this.#workers.clear();
    this.#options.pods?.remove(this.#options.nodeName);
  }

  #source(): PodSource {
    const { pods, client, clock, rng, log, nodeName } = this.#options;
    if (pods) return pods;
    const informer = new Informer({ client: client.resource(Pods), clock, rng, log, fieldSelector: `spec.nodeName=${nodeName}` });
    const source = new PodSource(informer);
    informer.start(this.#stop.signal);
    return source;
  }

  #serviceInformer(): Informer<Service> {
    const { services, client, clock, rng, log } = this.#options;
    if (services) return services;
    const informer = new Informer({ client: client.resource(Services), clock, rng, log });
    informer.start(this.#stop.signal);
    return informer;
  }

  #services(runtimeName: string, heartbeat: NodeHeartbeat): NodeServices {
    const { client, clock, log, runtime, recorder, hostIP } = this.#options;
    const config = new ApiConfigSource({ client, clock, services: this.#serviceInformer(), givesTokens: this.#options.givesTokens ?? false });
    const node = (): Node => {
      assert(heartbeat.node, 'a kubelet runs pods once its node is registered');
      return heartbeat.node;
    };
    const context = (pod: Pod): EnvironmentContext => ({
      pod,
      podIP: this.#workers.get(pod.metadata.uid ?? '')?.sandbox?.ips[0] ?? '',
      hostIP,
      seenAt: this.#workers.get(pod.metadata.uid ?? '')?.seenAt ?? microTimestamp(clock.now()),
      allocatable: node().status.allocatable ?? {},
    });
    return {
      hostIP,
      runtimeName,
      clock,
      log,
      runtime,
      recorder,
      probes: this.#probes,
      pods: client.resource(Pods),
      images: new Images({ clock, service: runtime.imageService }),
      crashes: new BackOffTable(),
      config,
      paths: this.#paths,
      clusterDns: this.#options.clusterDns ?? { servers: [], domain: 'cluster.local' },
      environmentContext: context,
      volumes: new Volumes({ files: runtime.files, config, paths: this.#paths, context }),
      relisted: (signal) => this.#relisted(signal),
      node,
      refreshNode: () => heartbeat.refresh(),
      others: (uid) => [...this.#workers.values()].filter((worker) => worker.active && worker.pod.metadata.uid !== uid).map((worker) => worker.pod),
      finished: (uid) => {
        config.forget(uid);
        this.#workers.delete(uid);
      },
    };
  }

  #makeProbes(): Probes {
    const { clock, runtime, recorder } = this.#options;
    const warn = ({ pod, container }: ProbedContainer, reason: string, message: string): void =>
      recorder.event(pod, { type: 'Warning', reason, message, fieldPath: fieldPathOf(pod, container.name) });
    return new Probes({
      clock,
      network: runtime.podNetwork,
      nextLookMs: () => this.#nextLookMs(),
      events: {
        changed: ({ pod }) => this.#workers.get(pod.metadata.uid ?? '')?.kick(),
        failed: (target, kind, output) => warn(target, 'Unhealthy', `${PROBE_NAMES[kind]} probe failed: ${output}`),
        warned: (target, kind, output) => warn(target, 'ProbeWarning', `${PROBE_NAMES[kind]} probe warning: ${output}`),
      },
    });
  }

  /** Resolves with the kubelet's next look at its containers, or when `signal` aborts. */
  async #relisted(signal: AbortSignal): Promise<void> {
    const untilThen = this.#nextLookMs();
    if (untilThen > 0) await sleep(this.#options.clock, untilThen, signal);
  }

  #nextLookMs(): number {
    const { clock, relistPeriodMs: period = 0 } = this.#options;
    return period === 0 ? 0 : (RELIST_PHASE * period - (clock.now() % period) + period) % period;
  }

  #put(services: NodeServices, pod: Pod): void {
    const uid = pod.metadata.uid ?? '';
    const worker = this.#workers.get(uid);
    if (worker) {
      worker.update(pod);
      return;
    }
    this.#worker(services, pod).kick();
  }

  #worker(services: NodeServices, pod: Pod): PodWorker {
    const worker = new PodWorker(services, pod);
    this.#workers.set(pod.metadata.uid ?? '', worker);
    return worker;
  }

  /** Never rejects: what fails is looked at again. */
  async #keepHouse(services: NodeServices, source: PodSource): Promise<void> {
    const { clock, log, runtime } = this.#options;
    const { signal } = this.#stop;
    const images = new ImageGarbage(runtime);
    await source.whenSynced();
    for (let round = 0; !signal.aborted; round++) {
      try {
        if (round % IMAGE_ROUNDS === 0) await images.collect(clock.now());
        const sandboxes = await runtime.runtimeService.listPodSandbox({});
        for (const pod of signal.aborted ? [] : orphanPods(sandboxes, this.nodeName, (uid) => this.#workers.has(uid))) this.#worker(services, pod).remove();
        for (const { pod, active } of this.#workers.values()) if (active && hasVolumesFromApi(pod)) await services.volumes.refresh(pod);
      } catch (error) {
        log.error('housekeeping failed', { node: this.nodeName, error });
      }
      await sleep(clock, HOUSEKEEPING_MS, signal);
    }
  }

  /** Never rejects: what could not be measured is measured again. */
  async #watchStorage(services: NodeServices): Promise<void> {
    const { clock, log } = this.#options;
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await sleep(clock, STORAGE_MS, signal);
      for (const worker of [...this.#workers.values()].filter(({ active, pod }) => active && hasStorageLimits(pod))) {
        try {
          const cause = exceededLimit(worker.pod, await localUsage(services, worker.pod));
          if (cause) worker.evict(cause);
        } catch (error) {
          log.info('what a pod has written could not be measured', { pod: worker.pod.metadata.name, error });
        }
      }
    }
  }

  #onContainerEvent({ podUid }: ContainerEvent): void {
    this.#workers.get(podUid)?.kick();
  }
}
