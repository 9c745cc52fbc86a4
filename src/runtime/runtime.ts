/**
 * The seam between the kubelet and what runs containers, with the words of the Container Runtime Interface
 * (k8s.io/cri-api/pkg/apis/runtime/v1). Times are milliseconds since the epoch. Errors are RuntimeErrors.
 */

/** Codes of gRPC that the kubelet tells apart. */
export type RuntimeErrorCode = 'NotFound' | 'InvalidArgument' | 'DeadlineExceeded' | 'Unavailable' | 'Unknown';

export class RuntimeError extends Error {
  readonly code: RuntimeErrorCode;

  constructor(code: RuntimeErrorCode, message: string) {
    super(message);
    this.name = 'RuntimeError';
    this.code = code;
  }
}

export interface PodSandboxMetadata {
  name: string;
  namespace: string;
  uid: string;
  attempt: number;
}

export interface PodSandboxConfig {
  metadata: PodSandboxMetadata;
  hostname: string;
  hostNetwork: boolean;
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  logDirectory: string;
}

export interface PodSandbox {
  id: string;
  metadata: PodSandboxMetadata;
  state: 'ready' | 'notReady';
  createdAt: number;
  /** Addresses of the pod's own network; empty on the host's network or once it is stopped. */
  ips: readonly string[];
  /** As in its PodSandboxConfig. */
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
}

export interface ContainerConfig {
  metadata: { name: string; attempt: number };
  image: string;
  command: readonly string[];
  args: readonly string[];
  workingDir: string;
  env: readonly { name: string; value: string }[];
  mounts: readonly { containerPath: string; hostPath: string; readOnly: boolean }[];
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  stdin: boolean;
  tty: boolean;
  /** Limits and requests by name, as in the pod. */
  resources: { limits: Readonly<Record<string, string>>; requests: Readonly<Record<string, string>> };
  logPath: string;
}

export type ContainerState = 'created' | 'running' | 'exited' | 'unknown';

export interface ContainerStatus {
  id: string;
  podSandboxId: string;
  metadata: { name: string; attempt: number };
  /** As the runtime calls it: not always as the ContainerConfig did. */
  image: string;
  imageId: string;
  state: ContainerState;
  createdAt: number;
  /** 0: not started. */
  startedAt: number;
  /** 0: not finished. */
  finishedAt: number;
  exitCode: number;
  /** `Completed`, `Error`, `OOMKilled`, `StartError` … once it has exited. */
  reason: string;
  message: string;
  /** As in its ContainerConfig. */
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
}

/** What is left out does not matter; all that is there must hold. */
export interface PodSandboxFilter {
  id?: string;
  state?: PodSandbox['state'];
  /** Labels that the sandbox must have, with these values. */
  labelSelector?: Readonly<Record<string, string>>;
}

/** What is left out does not matter; all that is there must hold. */
export interface ContainerFilter {
  id?: string;
  state?: ContainerState;
  podSandboxId?: string;
  /** Labels that the container must have, with these values. */
  labelSelector?: Readonly<Record<string, string>>;
}

export interface ExecOutcome {
  stdout: string;
  stderr: string;
  exitCode: number;
}

/** The three streams of exec and attach; `stdin` ends when the client closes it. */
export interface Streams {
  stdin?: AsyncIterable<Uint8Array>;
  stdout(chunk: Uint8Array): void;
  stderr(chunk: Uint8Array): void;
  resize?: AsyncIterable<{ width: number; height: number }>;
  /** The client has gone. */
  signal: AbortSignal;
}

export interface ContainerEvent {
  type: 'started' | 'stopped';
  containerId: string;
  podUid: string;
}

export interface LogLine {
  /** Milliseconds since the epoch. */
  at: number;
  stream: 'stdout' | 'stderr';
  /** With its newline, where there was one. */
  text: string;
}

export interface LogOptions {
  tailLines?: number;
  /** Lines at or after this time. */
  since?: number;
  follow?: boolean;
  /** Ends following. */
  signal?: AbortSignal;
}

export interface ResourceUsage {
  cpuNanoCores: number;
  memoryBytes: number;
}

export interface RuntimeService {
  version(): Promise<{ runtimeName: string; runtimeVersion: string }>;
  /** Tells the runtime the addresses of this node's pods. */
  updateRuntimeConfig(config: { podCIDR: string }): Promise<void>;
  runPodSandbox(config: PodSandboxConfig): Promise<string>;
  stopPodSandbox(id: string): Promise<void>;
  removePodSandbox(id: string): Promise<void>;
  /** Oldest first. */
  listPodSandbox(filter: PodSandboxFilter): Promise<PodSandbox[]>;
  createContainer(podSandboxId: string, config: ContainerConfig): Promise<string>;
  startContainer(id: string): Promise<void>;
  /** SIGTERM, then SIGKILL after `timeoutMs`; resolves when the container has exited. */
  stopContainer(id: string, timeoutMs: number): Promise<void>;
  removeContainer(id: string): Promise<void>;
  /** Oldest first. */
  listContainers(filter: ContainerFilter): Promise<ContainerStatus[]>;
  containerStatus(id: string): Promise<ContainerStatus>;
  execSync(id: string, command: readonly string[], timeoutMs: number): Promise<ExecOutcome>;
  exec(id: string, options: { command: readonly string[]; tty: boolean }, streams: Streams): Promise<{ exitCode: number }>;
  attach(id: string, streams: Streams): Promise<void>;
  portForward(podSandboxId: string, port: number, streams: Streams): Promise<void>;
  /** CRI leaves logs in files; whoever implements this interface reads them. */
  logs(id: string, options: LogOptions): AsyncIterable<LogLine>;
  /** Undefined where it is not known (yet). */
  containerStats(id: string): Promise<ResourceUsage | undefined>;
  /** Calls `handler` for each change until it is cancelled. */
  containerEvents(handler: (event: ContainerEvent) => void): { cancel(): void };
}

export interface Image {
  id: string;
  repoTags: readonly string[];
  size: number;
}

export interface ImageService {
  imageStatus(image: string): Promise<Image | undefined>;
  /** For `pod`, in whose name registries are asked. Resolves with the image's id. */
  pullImage(image: string, pod: PodSandboxMetadata & { annotations: Readonly<Record<string, string>> }, signal: AbortSignal): Promise<Image>;
  listImages(): Promise<Image[]>;
  removeImage(image: string): Promise<void>;
}

export type ProbeKind = 'startup' | 'readiness' | 'liveness';

/** What a probe or a lifecycle hook does, over the pod's network. Exec goes through execSync instead. */
export type NetworkAction =
  | { type: 'httpGet'; scheme: string; host: string; port: number; path: string; headers: readonly { name: string; value: string }[] }
  | { type: 'tcpSocket'; host: string; port: number }
  | { type: 'grpc'; host: string; port: number; service: string };

export interface ProbeOutcome {
  ok: boolean;
  output: string;
}

/** Reaches into pods for probes; `containerId` and `kind` let a simulated runtime answer for itself. */
export interface PodNetwork {
  probe(
    action: NetworkAction | { type: 'exec'; command: readonly string[] },
    target: { containerId: string; kind: ProbeKind | 'postStart' | 'preStop'; timeoutMs: number },
  ): Promise<ProbeOutcome>;
}

/** A file of the node that a container is to find in a volume. */
export interface HostFile {
  content: Uint8Array;
  /** Permission bits. */
  mode: number;
}

export interface DirectoryOptions {
  /** Permission bits. */
  mode: number;
  /** Kept in memory (`tmpfs`). */
  inMemory: boolean;
  /** The group that it belongs to. */
  gid?: number;
}

/** The node's own files, from which containers get their volumes. Paths are absolute. */
export interface HostFiles {
  /** Makes a directory, with those above it; one that is there stays as it is. */
  makeDirectory(path: string, options: DirectoryOptions): Promise<void>;
  /** Makes `files`, by relative path, all that stands in a directory; whoever reads sees all of the old or all of the new ones. */
  replaceFiles(directory: string, files: ReadonlyMap<string, HostFile>, options: { gid?: number }): Promise<void>;
  writeFile(path: string, file: HostFile): Promise<void>;
  /** Undefined where there is none. */
  readFile(path: string): Promise<Uint8Array | undefined>;
  /** Removes a directory with all that is in it; one that is not there will do. */
  removeDirectory(path: string): Promise<void>;
}

/** All that the kubelet needs of a runtime. */
export interface Runtime {
  readonly files: HostFiles;
  readonly runtimeService: RuntimeService;
  readonly imageService: ImageService;
  readonly podNetwork: PodNetwork;
}
