/**
 * The messages of the Container Runtime Interface that the kubelet uses, as facts: `field: '<number> <type>'`, where `*`
 * stands after a repeated type and `map` is from string to string (k8s.io/cri-api/pkg/apis/runtime/v1). Enumerations are
 * numbers. What is not listed is skipped when read.
 */
export const MESSAGES = {
  Empty: {},
  VersionRequest: { version: '1 string' },
  VersionResponse: { version: '1 string', runtimeName: '2 string', runtimeVersion: '3 string' },
  Status: { conditions: '1 RuntimeCondition*' },
  RuntimeCondition: { type: '1 string', status: '2 bool', reason: '3 string', message: '4 string' },
  StatusResponse: { status: '1 Status' },
  UpdateRuntimeConfigRequest: { runtimeConfig: '1 RuntimeConfig' },
  RuntimeConfig: { networkConfig: '1 NetworkConfig' },
  NetworkConfig: { podCidr: '1 string' },

  DnsConfig: { servers: '1 string*', searches: '2 string*', options: '3 string*' },
  PortMapping: { protocol: '1 int32', containerPort: '2 int32', hostPort: '3 int32', hostIp: '4 string' },
  Mount: { containerPath: '1 string', hostPath: '2 string', readonly: '3 bool', propagation: '5 int32', recursiveReadOnly: '8 bool' },
  IdMapping: { hostId: '1 uint32', containerId: '2 uint32', length: '3 uint32' },
  UserNamespace: { mode: '1 int32', uids: '2 IdMapping*', gids: '3 IdMapping*' },
  NamespaceOption: { network: '1 int32', pid: '2 int32', ipc: '3 int32', targetId: '4 string', usernsOptions: '5 UserNamespace' },
  Int64Value: { value: '1 int64' },
  UInt64Value: { value: '1 uint64' },
  SecurityProfile: { profileType: '1 int32', localhostRef: '2 string' },
  SeLinuxOption: { user: '1 string', role: '2 string', type: '3 string', level: '4 string' },
  Capability: { addCapabilities: '1 string*', dropCapabilities: '2 string*' },
  LinuxContainerResources: {
    cpuPeriod: '1 int64',
    cpuQuota: '2 int64',
    cpuShares: '3 int64',
    memoryLimitInBytes: '4 int64',
    oomScoreAdj: '5 int64',
  },

  PodSandboxMetadata: { name: '1 string', uid: '2 string', namespace: '3 string', attempt: '4 uint32' },
  LinuxSandboxSecurityContext: {
    namespaceOptions: '1 NamespaceOption',
    selinuxOptions: '2 SeLinuxOption',
    runAsUser: '3 Int64Value',
    readonlyRootfs: '4 bool',
    supplementalGroups: '5 int64*',
    privileged: '6 bool',
    runAsGroup: '8 Int64Value',
    seccomp: '9 SecurityProfile',
    apparmor: '10 SecurityProfile',
  },
  LinuxPodSandboxConfig: { cgroupParent: '1 string', securityContext: '2 LinuxSandboxSecurityContext', sysctls: '3 map' },
  PodSandboxConfig: {
    metadata: '1 PodSandboxMetadata',
    hostname: '2 string',
    logDirectory: '3 string',
    dnsConfig: '4 DnsConfig',
    portMappings: '5 PortMapping*',
    labels: '6 map',
    annotations: '7 map',
    linux: '8 LinuxPodSandboxConfig',
  },
  RunPodSandboxRequest: { config: '1 PodSandboxConfig', runtimeHandler: '2 string' },
  PodSandboxId: { podSandboxId: '1 string' },
  StateValue: { state: '1 int32' },
  PodSandboxFilter: { id: '1 string', state: '2 StateValue', labelSelector: '3 map' },
  ListPodSandboxRequest: { filter: '1 PodSandboxFilter' },
  ListPodSandboxResponse: { items: '1 PodSandbox*' },
  PodSandbox: {
    id: '1 string',
    metadata: '2 PodSandboxMetadata',
    state: '3 int32',
    createdAt: '4 int64',
    labels: '5 map',
    annotations: '6 map',
  },
  PodIp: { ip: '1 string' },
  PodSandboxNetworkStatus: { ip: '1 string', additionalIps: '2 PodIp*' },
  PodSandboxStatus: { id: '1 string', network: '5 PodSandboxNetworkStatus' },
  PodSandboxStatusResponse: { status: '1 PodSandboxStatus' },

  ImageSpec: { image: '1 string', userSpecifiedImage: '18 string' },
  KeyValue: { key: '1 string', value: '2 string' },
  ContainerMetadata: { name: '1 string', attempt: '2 uint32' },
  LinuxContainerSecurityContext: {
    capabilities: '1 Capability',
    privileged: '2 bool',
    namespaceOptions: '3 NamespaceOption',
    selinuxOptions: '4 SeLinuxOption',
    runAsUser: '5 Int64Value',
    readonlyRootfs: '7 bool',
    supplementalGroups: '8 int64*',
    noNewPrivs: '11 bool',
    runAsGroup: '12 Int64Value',
    maskedPaths: '13 string*',
    readonlyPaths: '14 string*',
    seccomp: '15 SecurityProfile',
    apparmor: '16 SecurityProfile',
  },
  LinuxContainerConfig: { resources: '1 LinuxContainerResources', securityContext: '2 LinuxContainerSecurityContext' },
  ContainerConfig: {
    metadata: '1 ContainerMetadata',
    image: '2 ImageSpec',
    command: '3 string*',
    args: '4 string*',
    workingDir: '5 string',
    envs: '6 KeyValue*',
    mounts: '7 Mount*',
    labels: '9 map',
    annotations: '10 map',
    logPath: '11 string',
    stdin: '12 bool',
    stdinOnce: '13 bool',
    tty: '14 bool',
    linux: '15 LinuxContainerConfig',
  },
  CreateContainerRequest: { podSandboxId: '1 string', config: '2 ContainerConfig', sandboxConfig: '3 PodSandboxConfig' },
  ContainerId: { containerId: '1 string' },
  StopContainerRequest: { containerId: '1 string', timeout: '2 int64' },
  UpdateContainerResourcesRequest: { containerId: '1 string', linux: '2 LinuxContainerResources' },
  ContainerFilter: { id: '1 string', state: '2 StateValue', podSandboxId: '3 string', labelSelector: '4 map' },
  ListContainersRequest: { filter: '1 ContainerFilter' },
  ListContainersResponse: { containers: '1 Container*' },
  Container: { id: '1 string', podSandboxId: '2 string', state: '6 int32', createdAt: '7 int64', labels: '8 map' },
  ContainerStatusResponse: { status: '1 ContainerStatus' },
  ContainerStatus: {
    id: '1 string',
    metadata: '2 ContainerMetadata',
    state: '3 int32',
    createdAt: '4 int64',
    startedAt: '5 int64',
    finishedAt: '6 int64',
    exitCode: '7 int32',
    image: '8 ImageSpec',
    imageRef: '9 string',
    reason: '10 string',
    message: '11 string',
    labels: '12 map',
    annotations: '13 map',
    logPath: '15 string',
  },
  ExecSyncRequest: { containerId: '1 string', cmd: '2 string*', timeout: '3 int64' },
  ExecSyncResponse: { stdout: '1 bytes', stderr: '2 bytes', exitCode: '3 int32' },
  ExecRequest: { containerId: '1 string', cmd: '2 string*', tty: '3 bool', stdin: '4 bool', stdout: '5 bool', stderr: '6 bool' },
  AttachRequest: { containerId: '1 string', stdin: '2 bool', tty: '3 bool', stdout: '4 bool', stderr: '5 bool' },
  PortForwardRequest: { podSandboxId: '1 string', port: '2 int32*' },
  StreamResponse: { url: '1 string' },
  ContainerStatsResponse: { stats: '1 ContainerStats' },
  ContainerStats: { cpu: '2 CpuUsage', memory: '3 MemoryUsage', writableLayer: '4 FileSystemUsage' },
  CpuUsage: { timestamp: '1 int64', usageCoreNanoSeconds: '2 UInt64Value', usageNanoCores: '3 UInt64Value' },
  MemoryUsage: { workingSetBytes: '2 UInt64Value' },

  ImageRequest: { image: '1 ImageSpec' },
  ListImagesRequest: { filter: '1 ImageRequest' },
  ListImagesResponse: { images: '1 Image*' },
  Image: {
    id: '1 string',
    repoTags: '2 string*',
    repoDigests: '3 string*',
    size: '4 uint64',
    uid: '5 Int64Value',
    username: '6 string',
    pinned: '8 bool',
  },
  ImageStatusResponse: { image: '1 Image' },
  AuthConfig: { username: '1 string', password: '2 string', identityToken: '5 string' },
  PullImageRequest: { image: '1 ImageSpec', auth: '2 AuthConfig', sandboxConfig: '3 PodSandboxConfig' },
  PullImageResponse: { imageRef: '1 string' },
  FileSystemIdentifier: { mountpoint: '1 string' },
  FileSystemUsage: { fsId: '2 FileSystemIdentifier', usedBytes: '3 UInt64Value' },
  ImageFsInfoResponse: { imageFilesystems: '1 FileSystemUsage*' },
} as const;

/** The calls, by service and name: what is sent, and what is answered. */
export const METHODS = {
  Version: ['RuntimeService', 'VersionRequest', 'VersionResponse'],
  Status: ['RuntimeService', 'Empty', 'StatusResponse'],
  UpdateRuntimeConfig: ['RuntimeService', 'UpdateRuntimeConfigRequest', 'Empty'],
  RunPodSandbox: ['RuntimeService', 'RunPodSandboxRequest', 'PodSandboxId'],
  StopPodSandbox: ['RuntimeService', 'PodSandboxId', 'Empty'],
  RemovePodSandbox: ['RuntimeService', 'PodSandboxId', 'Empty'],
  PodSandboxStatus: ['RuntimeService', 'PodSandboxId', 'PodSandboxStatusResponse'],
  ListPodSandbox: ['RuntimeService', 'ListPodSandboxRequest', 'ListPodSandboxResponse'],
  CreateContainer: ['RuntimeService', 'CreateContainerRequest', 'ContainerId'],
  StartContainer: ['RuntimeService', 'ContainerId', 'Empty'],
  StopContainer: ['RuntimeService', 'StopContainerRequest', 'Empty'],
  UpdateContainerResources: ['RuntimeService', 'UpdateContainerResourcesRequest', 'Empty'],
  RemoveContainer: ['RuntimeService', 'ContainerId', 'Empty'],
  ListContainers: ['RuntimeService', 'ListContainersRequest', 'ListContainersResponse'],
  ContainerStatus: ['RuntimeService', 'ContainerId', 'ContainerStatusResponse'],
  ReopenContainerLog: ['RuntimeService', 'ContainerId', 'Empty'],
  ExecSync: ['RuntimeService', 'ExecSyncRequest', 'ExecSyncResponse'],
  Exec: ['RuntimeService', 'ExecRequest', 'StreamResponse'],
  Attach: ['RuntimeService', 'AttachRequest', 'StreamResponse'],
  PortForward: ['RuntimeService', 'PortForwardRequest', 'StreamResponse'],
  ContainerStats: ['RuntimeService', 'ContainerId', 'ContainerStatsResponse'],
  ListImages: ['ImageService', 'ListImagesRequest', 'ListImagesResponse'],
  ImageStatus: ['ImageService', 'ImageRequest', 'ImageStatusResponse'],
  PullImage: ['ImageService', 'PullImageRequest', 'PullImageResponse'],
  RemoveImage: ['ImageService', 'ImageRequest', 'Empty'],
  ImageFsInfo: ['ImageService', 'Empty', 'ImageFsInfoResponse'],
} as const satisfies Record<string, readonly ['RuntimeService' | 'ImageService', MessageName, MessageName]>;

export type MessageName = keyof typeof MESSAGES;
export type MethodName = keyof typeof METHODS;

interface Scalars {
  string: string;
  bytes: Uint8Array;
  bool: boolean;
  int32: number;
  uint32: number;
  int64: number;
  uint64: number;
  map: Readonly<Record<string, string>>;
}

type One<T extends string> = T extends keyof Scalars ? Scalars[T] : T extends MessageName ? Message<T> : never;
type Value<Field extends string> = Field extends `${number} ${infer T}*` ? readonly One<T>[] : Field extends `${number} ${infer T}` ? One<T> : never;

/** A message as a plain value. Fields may be left out; those that are read as empty are left out too. */
export type Message<Name extends MessageName> = { readonly [Field in keyof (typeof MESSAGES)[Name]]?: Value<(typeof MESSAGES)[Name][Field] & string> };

export type Request<Name extends MethodName> = Message<(typeof METHODS)[Name][1]>;
export type Response<Name extends MethodName> = Message<(typeof METHODS)[Name][2]>;
