import type { ContainerStatus as ApiStatus, Pod } from '../api/generated/types/core.v1.ts';
import { badRequest, notFound, StatusError } from '../api/status.ts';
import { type ContainerStatus, type LogLine, type LogOptions, RuntimeError, type RuntimeService, type Streams } from '../runtime/runtime.ts';
import { POD_UID_LABEL } from './labels.ts';
import { allContainers } from './pod-containers.ts';
import type { PodWorker } from './pod-worker.ts';

export interface ContainerLogOptions extends LogOptions {
  /** The run before the present one. */
  previous?: boolean;
}

/** What the API server asks of the kubelet of a pod's node. All throw StatusErrors. */
export interface KubeletServer {
  getLogs(namespace: string, pod: string, container: string, options: ContainerLogOptions): Promise<AsyncIterable<LogLine>>;
  exec(
    namespace: string,
    pod: string,
    container: string,
    options: { command: readonly string[]; tty: boolean },
    streams: Streams,
  ): Promise<{ exitCode: number }>;
  attach(namespace: string, pod: string, container: string, streams: Streams): Promise<void>;
  portForward(namespace: string, pod: string, port: number, streams: Streams): Promise<void>;
  /** The pods of the node, as last seen. */
  pods(): Pod[];
  /** Use of each running container of the node's pods, for metrics. */
  podUsage(): Promise<PodUsage[]>;
}

export interface PodUsage {
  namespace: string;
  name: string;
  uid: string;
  containers: { name: string; cpuNanoCores: number; memoryBytes: number }[];
}

const WAITING: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

/** Serves what a kubelet's workers know (upstream: pkg/kubelet/server). */
export class WorkerServer implements KubeletServer {
  readonly #runtime: RuntimeService;
  readonly #workers: () => Iterable<PodWorker>;

  constructor({ runtime, workers }: { runtime: RuntimeService; workers: () => Iterable<PodWorker> }) {
    this.#runtime = runtime;
    this.#workers = workers;
  }

  async getLogs(namespace: string, pod: string, container: string, { previous = false, ...options }: ContainerLogOptions): Promise<AsyncIterable<LogLine>> {
    const worker = this.#worker(namespace, pod);
    const runs = await this.#runs(worker, container);
    const run = previous ? this.#runBefore(worker, container, runs) : runs.at(-1);
    if (previous && !run) throw badRequest(`previous terminated container "${container}" in pod "${pod}" not found`);
    if (!run) throw this.#notStarted(worker, container);
    return this.#runtime.logs(run.id, options);
  }

  async exec(
    namespace: string,
    pod: string,
    container: string,
    options: { command: readonly string[]; tty: boolean },
    streams: Streams,
  ): Promise<{ exitCode: number }> {
    return withRuntimeErrors(this.#runtime.exec((await this.#running(namespace, pod, container)).id, options, streams));
  }

  async attach(namespace: string, pod: string, container: string, streams: Streams): Promise<void> {
    const { id } = await this.#running(namespace, pod, container);
    const tty = allContainers(this.#worker(namespace, pod).pod).find(({ name }) => name === container)?.tty ?? false;
    await withRuntimeErrors(this.#runtime.attach(id, { tty }, streams));
  }

  async portForward(namespace: string, pod: string, port: number, streams: Streams): Promise<void> {
    const { sandbox } = this.#worker(namespace, pod);
    if (sandbox?.state !== 'ready') throw badRequest(`pod "${pod}" is not running`);
    await this.#runtime.portForward(sandbox.id, port, streams);
  }

  pods(): Pod[] {
    return [...this.#workers()].map(({ pod }) => pod);
  }

  async podUsage(): Promise<PodUsage[]> {
    const usages: PodUsage[] = [];
    for (const { pod, runs } of this.#workers()) {
      const containers: PodUsage['containers'] = [];
      for (const run of runs) {
        const usage = run.state === 'running' ? await this.#runtime.containerStats(run.id) : undefined;
        if (usage) containers.push({ name: run.metadata.name, ...usage });
      }
      if (containers.length) usages.push({ namespace: pod.metadata.namespace ?? '', name: pod.metadata.name ?? '', uid: pod.metadata.uid ?? '', containers });
    }
    return usages;
  }

  #worker(namespace: string, name: string): PodWorker {
    for (const worker of this.#workers()) {
      const { metadata } = worker.pod;
      if (metadata.namespace === namespace && metadata.name === name) return worker;
    }
    throw notFound({ group: '', resource: 'pods' }, name);
  }

  /** The run that the pod's status tells as the one before: the latest itself, while the next start is waited for. */
  #runBefore({ pod }: PodWorker, container: string, runs: readonly ContainerStatus[]): ContainerStatus | undefined {
    const id = statusOf(pod, container)?.lastState?.terminated?.containerID?.replace(/^.*:\/\//, '');
    return runs.find((run) => run.id === id) ?? runs.at(-2);
  }

  async #runs(worker: PodWorker, container: string): Promise<ContainerStatus[]> {
    const runs = await this.#runtime.listContainers({ labelSelector: { [POD_UID_LABEL]: worker.pod.metadata.uid ?? '' } });
    return runs.filter((run) => run.metadata.name === container && run.state !== 'created');
  }

  async #running(namespace: string, pod: string, container: string): Promise<ContainerStatus> {
    const run = (await this.#runs(this.#worker(namespace, pod), container)).at(-1);
    if (run?.state !== 'running') throw notFound({ group: '', resource: 'containers' }, container);
    return run;
  }

  #notStarted(worker: PodWorker, container: string): StatusError {
    const { pod } = worker;
    const reason = statusOf(pod, container)?.state?.waiting?.reason ?? 'ContainerCreating';
    return badRequest(`container "${container}" in pod "${pod.metadata.name}" is waiting to start: ${WAITING[reason] ?? reason}`);
  }
}

function statusOf({ status }: Pod, container: string): ApiStatus | undefined {
  const { containerStatuses = [], initContainerStatuses = [], ephemeralContainerStatuses = [] } = status;
  return [...containerStatuses, ...initContainerStatuses, ...ephemeralContainerStatuses].find(({ name }) => name === container);
}

/** What the runtime says, said to the client. */
async function withRuntimeErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof RuntimeError) throw new StatusError(500, 'InternalError', error.description);
    throw error;
  }
}
