/**
 * The seam between the kubelet and what runs containers, with the words of the Container Runtime Interface
 * (k8s.io/cri-api/pkg/apis/runtime/v1). Times are milliseconds since the epoch. Errors are RuntimeErrors.
 */

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

export interface PodSandboxMetadata {
  name: string;
  namespace: string;
  uid: string;
  attempt: number;
}

/** Whose namespaces processes are in: the pod's, their own container's, the machine's, or those of another container. */
export interface NamespaceOptions {
  network: 'pod' | 'node';
  pid: 'pod' | 'container' | 'node' | 'target';
  ipc: 'pod' | 'node';
  /** The container for `target`. */
  targetId?: string;
  /** Where the pod has users of its own, and which those of the machine are. */
  users?: { hostId: number; containerId: number; length: number };
}

export interface SecurityProfile {
  type: 'RuntimeDefault' | 'Unconfined' | 'Localhost';
  /** The profile's file, for `Localhost`. */
  localhostRef?: string;
}

export interface SeLinuxOptions {
  user?: string;
  role?: string;
  type?: string;
  level?: string;
}

/** As whom, and with what rights, processes run; what is left out is for the runtime or the image to say. */
export interface SecurityContext {
  namespaces: NamespaceOptions;
  privileged?: boolean;
  readOnlyRootFilesystem?: boolean;
  runAsUser?: number;
  runAsGroup?: number;
  supplementalGroups?: readonly number[];
  seccomp?: SecurityProfile;
  appArmor?: SecurityProfile;
  seLinux?: SeLinuxOptions;
}

export interface ContainerSecurityContext extends SecurityContext {
  capabilities?: { add: readonly string[]; drop: readonly string[] };
  noNewPrivileges?: boolean;
  /** Paths below /proc and /sys that are hidden, or cannot be written to. */
  maskedPaths?: readonly string[];
  readOnlyPaths?: readonly string[];
}

/** What the kernel holds a container to; 0: no limit of this kind. */
export interface LinuxResources {
  /** Microseconds of a period, and how many of them may be used. */
  cpuPeriod: number;
  cpuQuota: number;
  cpuShares: number;
  memoryLimitBytes: number;
  /** -1000 (never killed for memory) to 1000 (first). */
  oomScoreAdj: number;
}

export interface PortMapping {
  protocol: 'TCP' | 'UDP' | 'SCTP';
  containerPort: number;
  hostPort: number;
  hostIP: string;
}

export interface PodSandboxConfig {
  metadata: PodSandboxMetadata;
  /** Empty on the network of the machine. */
  hostname: string;
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  logDirectory: string;
  /** What /etc/resolv.conf says; left out: what the machine's says. */
  dns?: { servers: readonly string[]; searches: readonly string[]; options: readonly string[] };
  portMappings?: readonly PortMapping[];
  sysctls?: Readonly<Record<string, string>>;
  /** The cgroup in which the pod's containers have theirs. */
  cgroupParent?: string;
  securityContext: SecurityContext;
  /** Which of the runtime's handlers runs it (RuntimeClass); left out: its default. */
  runtimeHandler?: string;
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

export interface Mount {
  containerPath: string;
  hostPath: string;
  readOnly: boolean;
  /** Whether also what is mounted below it cannot be written to. */
  recursiveReadOnly?: boolean;
  /** Which later mounts are seen on the other side. Default: none. */
  propagation?: 'None' | 'HostToContainer' | 'Bidirectional';
}

export interface ContainerConfig {
  metadata: { name: string; attempt: number };
  /** As the pod calls it. */
  image: string;
  /** As the runtime calls it, where that is known. */
  imageId?: string;
  command: readonly string[];
  args: readonly string[];
  workingDir: string;
  env: readonly { name: string; value: string }[];
  mounts: readonly Mount[];
  labels: Readonly<Record<string, string>>;
  annotations: Readonly<Record<string, string>>;
  stdin: boolean;
  /** Whether stdin ends with the first client that attaches. */
  stdinOnce: boolean;
  tty: boolean;
  resources: LinuxResources;
  securityContext: ContainerSecurityContext;
  /** Below the sandbox's logDirectory. */
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

/** A file of the node that a container is to find in a volume. */
export interface HostFile {
  content: Uint8Array;
  /** Permission bits. */
  mode: number;
  /** Whom it belongs to. Default: root. */
  uid?: number;
}

export interface DirectoryOptions {
  /** Permission bits. */
  mode: number;
  /** Kept in memory (`tmpfs`). */
  inMemory: boolean;
  /** The most that it may hold, where it is kept in memory. */
  sizeLimitBytes?: number;
  /** The group that it belongs to. */
  gid?: number;
}

/** What is to stand at the path of a hostPath volume, in the API's words; `''`: anything, or nothing. */
export type HostPathType = '' | 'DirectoryOrCreate' | 'Directory' | 'FileOrCreate' | 'File' | 'Socket' | 'CharDevice' | 'BlockDevice';

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
  /** What stands at `path` is, or becomes, of this type. @returns why it is not, in upstream's words. */
  checkHostPath(path: string, type: HostPathType): Promise<string | undefined>;
  /** What `relative` names below a volume, made as a directory where nothing is there. @throws Error where it leads out of the volume. */
  subPath(volume: string, relative: string): Promise<string>;
  /** What a directory with all that is in it takes up, in bytes; nothing where there is none. */
  usedBytes(path: string): Promise<number>;
}

/** What a node says of the machine that it is. */
export interface Machine {
  /** Quantities by resource. */
  capacity: Readonly<Record<string, string>>;
  kernelVersion: string;
  osImage: string;
  architecture: string;
  /** Stable identifiers; left out: made up. */
  machineId?: string;
  bootId?: string;
  /** What its /etc/resolv.conf says. */
  dns: { servers: readonly string[]; searches: readonly string[]; options: readonly string[] };
}

/** The cgroups of pods, where the runtime has such. */
export interface PodCgroups {
  /** Makes a pod's cgroup, and holds it to `resources`. @returns its name, for PodSandboxConfig.cgroupParent. */
  create(podUid: string, qosClass: string, resources: LinuxResources): Promise<string>;
  /** Which it has, or would have. */
  nameOf(podUid: string, qosClass: string): string;
  remove(podUid: string): Promise<void>;
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
