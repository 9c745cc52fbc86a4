import type {
  ContainerConfig,
  ContainerSecurityContext,
  LinuxResources,
  Mount,
  NamespaceOptions,
  PodSandboxConfig,
  SecurityContext,
  SecurityProfile,
} from '../runtime.ts';
import type { Message } from './messages.ts';

const NAMESPACE_MODES = { pod: 0, container: 1, node: 2, target: 3 } as const;
const PROFILES = { RuntimeDefault: 0, Unconfined: 1, Localhost: 2 } as const;
const PROTOCOLS = { TCP: 0, UDP: 1, SCTP: 2 } as const;
const PROPAGATION = { None: 0, HostToContainer: 1, Bidirectional: 2 } as const;

export function sandboxConfigMessage(config: PodSandboxConfig): Message<'PodSandboxConfig'> {
  const { metadata, hostname, logDirectory, dns, portMappings = [], labels, annotations, cgroupParent = '', sysctls = {}, securityContext } = config;
  return {
    metadata,
    hostname,
    logDirectory,
    labels,
    annotations,
    ...(dns ? { dnsConfig: dns } : {}),
    portMappings: portMappings.map(({ protocol, containerPort, hostPort, hostIP }) => ({
      protocol: PROTOCOLS[protocol],
      containerPort,
      hostPort,
      hostIp: hostIP,
    })),
    linux: { cgroupParent, sysctls, securityContext: securityMessage(securityContext) },
  };
}

export function containerConfigMessage(config: ContainerConfig): Message<'ContainerConfig'> {
  const { metadata, image, imageId, command, args, workingDir, env, mounts, labels, annotations, logPath, stdin, stdinOnce, tty } = config;
  return {
    metadata,
    image: { image: imageId ?? image, userSpecifiedImage: image },
    command,
    args,
    workingDir,
    envs: env.map(({ name, value }) => ({ key: name, value })),
    mounts: mounts.map(mountMessage),
    labels,
    annotations,
    logPath,
    stdin,
    stdinOnce,
    tty,
    linux: { resources: resourcesMessage(config.resources), securityContext: containerSecurityMessage(config.securityContext) },
  };
}

function mountMessage({ containerPath, hostPath, readOnly, recursiveReadOnly = false, propagation = 'None' }: Mount): Message<'Mount'> {
  return { containerPath, hostPath, readonly: readOnly, recursiveReadOnly, propagation: PROPAGATION[propagation] };
}

export function resourcesMessage({ cpuPeriod, cpuQuota, cpuShares, memoryLimitBytes, oomScoreAdj }: LinuxResources): Message<'LinuxContainerResources'> {
  return { cpuPeriod, cpuQuota, cpuShares, memoryLimitInBytes: memoryLimitBytes, oomScoreAdj };
}

function securityMessage(context: SecurityContext): Message<'LinuxSandboxSecurityContext'> {
  const { namespaces, privileged = false, readOnlyRootFilesystem = false, runAsUser, runAsGroup, supplementalGroups = [], seLinux } = context;
  return {
    namespaceOptions: namespacesMessage(namespaces),
    privileged,
    readonlyRootfs: readOnlyRootFilesystem,
    supplementalGroups,
    ...(runAsUser === undefined ? {} : { runAsUser: { value: runAsUser } }),
    ...(runAsGroup === undefined ? {} : { runAsGroup: { value: runAsGroup } }),
    ...(seLinux ? { selinuxOptions: seLinux } : {}),
    ...(context.seccomp ? { seccomp: profileMessage(context.seccomp) } : {}),
    ...(context.appArmor ? { apparmor: profileMessage(context.appArmor) } : {}),
  };
}

function containerSecurityMessage(context: ContainerSecurityContext): Message<'LinuxContainerSecurityContext'> {
  const { capabilities, noNewPrivileges = false, maskedPaths = [], readOnlyPaths = [] } = context;
  return {
    ...securityMessage(context),
    ...(capabilities ? { capabilities: { addCapabilities: capabilities.add, dropCapabilities: capabilities.drop } } : {}),
    noNewPrivs: noNewPrivileges,
    maskedPaths,
    readonlyPaths: readOnlyPaths,
  };
}

function namespacesMessage({ network, pid, ipc, targetId = '', users }: NamespaceOptions): Message<'NamespaceOption'> {
  return {
    network: NAMESPACE_MODES[network],
    pid: NAMESPACE_MODES[pid],
    ipc: NAMESPACE_MODES[ipc],
    targetId,
    ...(users ? { usernsOptions: { mode: NAMESPACE_MODES.pod, uids: [users], gids: [users] } } : {}),
  };
}

function profileMessage({ type, localhostRef = '' }: SecurityProfile): Message<'SecurityProfile'> {
  return { profileType: PROFILES[type], localhostRef };
}
