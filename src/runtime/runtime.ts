/**
 * The seam between the kubelet and what runs containers, with the words of the Container Runtime Interface
 * (k8s.io/cri-api/pkg/apis/runtime/v1). Times are milliseconds since the epoch. Errors are RuntimeErrors.
 */

import type { HostFiles, Machine, PodCgroups } from './node.ts';
import type { ContainerConfig, LinuxResources, PodSandboxConfig, PodSandboxMetadata } from './pod-config.ts';

export type * from './node.ts';
export type * from './pod-config.ts';

/** Codes of gRPC that the kubelet tells apart. */
export type RuntimeErrorCode = 'NotFound' | 'InvalidArgument' | 'DeadlineExceeded' | 'Unavailable' | 'Unimplemented' | 'Unknown';

export class RuntimeError extends Error {
  readonly code: RuntimeErrorCode;
  /** What the runtime said; `message` may have more around it (`rpc error: code = … desc = …`). */
  readonly description: string;

  constructor(code: RuntimeErrorCode, description: string, message = description) {
    super(message);
    this.name = 'RuntimeError';
    this.code = code;
    this.description = description;
  }
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
  /** The same to the nanosecond, in RFC 3339, where it is known. */
  time?: string;
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
  /** What the container has written beside its volumes; left out where that is not known. */
  writtenBytes?: number;
}

export interface RuntimeCondition {
  type: string;
  status: boolean;
  reason: string;
  message: string;
}

export interface RuntimeService {
  version(): Promise<{ runtimeName: string; runtimeVersion: string }>;
  /** How the runtime is: `RuntimeReady`, `NetworkReady`. */
  status(): Promise<readonly RuntimeCondition[]>;
  /** Tells the runtime the addresses of this node's pods. */
  updateRuntimeConfig(config: { podCIDR: string }): Promise<void>;
  runPodSandbox(config: PodSandboxConfig): Promise<string>;
  stopPodSandbox(id: string): Promise<void>;
  removePodSandbox(id: string): Promise<void>;
  /** Oldest first. */
  listPodSandbox(filter: PodSandboxFilter): Promise<PodSandbox[]>;
  /** @param sandboxConfig that of its sandbox, once more */
  createContainer(podSandboxId: string, config: ContainerConfig, sandboxConfig: PodSandboxConfig): Promise<string>;
  startContainer(id: string): Promise<void>;
  /** SIGTERM, then SIGKILL after `timeoutMs`; resolves when the container has exited. */
  stopContainer(id: string, timeoutMs: number): Promise<void>;
  /** Holds a running container to other resources. */
  updateContainerResources(id: string, resources: LinuxResources): Promise<void>;
  removeContainer(id: string): Promise<void>;
  /** Oldest first. */
  listContainers(filter: ContainerFilter): Promise<ContainerStatus[]>;
  containerStatus(id: string): Promise<ContainerStatus>;
  execSync(id: string, command: readonly string[], timeoutMs: number): Promise<ExecOutcome>;
  exec(id: string, options: { command: readonly string[]; tty: boolean }, streams: Streams): Promise<{ exitCode: number }>;
  /** @param tty whether it was created with one */
  attach(id: string, options: { tty: boolean }, streams: Streams): Promise<void>;
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
  repoDigests: readonly string[];
  size: number;
  /** Whom it asks to run as: a number, or a name that only the image can tell the number of. */
  user?: { uid: number } | { name: string };
  /** The runtime needs it itself. */
  pinned?: boolean;
}

/** Whom a registry is asked as. */
export interface RegistryCredentials {
  username: string;
  password: string;
  identityToken?: string;
}

/** What the disk of images and containers holds. */
export interface FileSystemUsage {
  mountPoint: string;
  usedBytes: number;
  capacityBytes: number;
  availableBytes: number;
}

export interface ImagePullPod extends PodSandboxMetadata {
  annotations: Readonly<Record<string, string>>;
  credentials?: RegistryCredentials;
}

export interface ImageService {
  imageStatus(image: string): Promise<Image | undefined>;
  /** For `pod`, in whose name registries are asked. */
  pullImage(image: string, pod: ImagePullPod, signal: AbortSignal): Promise<Image>;
  listImages(): Promise<Image[]>;
  removeImage(image: string): Promise<void>;
  /** Undefined where nothing is kept on a disk. */
  fileSystem(): Promise<FileSystemUsage | undefined>;
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
  /** What is told although it went well. */
  warning?: string;
}

/** Reaches into pods for probes; `containerId` and `kind` let a simulated runtime answer for itself. */
export interface PodNetwork {
  probe(
    action: NetworkAction | { type: 'exec'; command: readonly string[] },
    target: { containerId: string; kind: ProbeKind | 'postStart' | 'preStop'; timeoutMs: number },
  ): Promise<ProbeOutcome>;
}

/** All that the kubelet needs of a runtime. */
export interface Runtime {
  readonly machine: Machine;
  readonly files: HostFiles;
  readonly runtimeService: RuntimeService;
  readonly imageService: ImageService;
  readonly podNetwork: PodNetwork;
  readonly cgroups?: PodCgroups;
  /** Lets go of what it holds; containers go on. */
  close(): void;
}
