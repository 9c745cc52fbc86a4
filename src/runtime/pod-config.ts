/** What a runtime is told of a pod and its containers: the part of the seam to runtimes that goes down. */

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
