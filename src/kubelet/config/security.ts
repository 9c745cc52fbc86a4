import type { SecurityContext as ApiContext, Container, Pod, PodSecurityContext, SeccompProfile } from '../../api/generated/types/core.v1.ts';
import type { ContainerSecurityContext, Image, NamespaceOptions, SecurityContext, SecurityProfile } from '../../runtime/runtime.ts';
import { ContainerConfigError } from './environment.ts';

/** What a container may not see or change of /proc and /sys (upstream: pkg/securitycontext/util.go). */
const MASKED_PATHS = [
  ...['asound', 'acpi', 'interrupts', 'kcore', 'keys', 'latency_stats', 'timer_list', 'timer_stats', 'sched_debug', 'scsi'].map((name) => `/proc/${name}`),
  '/sys/firmware',
  '/sys/devices/virtual/powercap',
];
const READ_ONLY_PATHS = ['bus', 'fs', 'irq', 'sys', 'sysrq-trigger'].map((name) => `/proc/${name}`);

/** As in events and errors (upstream: pkg/kubelet/util/format.Pod). */
const spoken = ({ metadata }: Pod): string => `${metadata.name}_${metadata.namespace}(${metadata.uid})`;

/** Whose namespaces the pod's processes are in. @param targetId the container that an ephemeral one looks at */
export function namespacesOf({ spec }: Pod, targetId?: string): NamespaceOptions {
  const pid = spec.hostPID ? 'node' : spec.shareProcessNamespace ? 'pod' : 'container';
  return {
    network: spec.hostNetwork ? 'node' : 'pod',
    ipc: spec.hostIPC ? 'node' : 'pod',
    ...(targetId === undefined ? { pid } : { pid: 'target', targetId }),
  };
}

/** Of the sandbox itself (upstream: kuberuntime generatePodSandboxLinuxConfig). */
export function sandboxSecurity(pod: Pod): SecurityContext {
  const { spec } = pod;
  const context = spec.securityContext ?? {};
  const privileged = [...(spec.initContainers ?? []), ...spec.containers].some((container) => container.securityContext?.privileged);
  return {
    namespaces: namespacesOf(pod),
    privileged,
    seccomp: { type: 'RuntimeDefault' },
    supplementalGroups: groupsOf(context),
    ...userOf(context),
    ...(context.seLinuxOptions ? { seLinux: context.seLinuxOptions } : {}),
  };
}

/** Of one container: its own context over the pod's (upstream: pkg/securitycontext, kuberuntime/security_context.go). */
export function containerSecurity(pod: Pod, container: Container, targetId?: string): ContainerSecurityContext {
  const own: ApiContext = container.securityContext ?? {};
  const pods: PodSecurityContext = pod.spec.securityContext ?? {};
  const { capabilities } = own;
  const seccomp = own.seccompProfile ?? pods.seccompProfile;
  const appArmor = own.appArmorProfile ?? pods.appArmorProfile;
  const seLinux = own.seLinuxOptions ?? pods.seLinuxOptions;
  const unmasked = own.procMount === 'Unmasked';
  return {
    namespaces: namespacesOf(pod, targetId),
    privileged: own.privileged ?? false,
    readOnlyRootFilesystem: own.readOnlyRootFilesystem ?? false,
    noNewPrivileges: own.allowPrivilegeEscalation === false,
    supplementalGroups: groupsOf(pods),
    maskedPaths: unmasked ? [] : MASKED_PATHS,
    readOnlyPaths: unmasked ? [] : READ_ONLY_PATHS,
    seccomp: seccomp ? profileOf(seccomp) : { type: 'Unconfined' },
    ...userOf({ ...pods, ...defined(own) }),
    ...(capabilities ? { capabilities: { add: capabilities.add ?? [], drop: capabilities.drop ?? [] } } : {}),
    ...(appArmor ? { appArmor: profileOf(appArmor) } : {}),
    ...(seLinux ? { seLinux } : {}),
  };
}

/** @throws ContainerConfigError where a container that must not run as root would (upstream: verifyRunAsNonRoot) */
export function checkNonRoot(pod: Pod, container: Container, image: Image | undefined): void {
  const { runAsNonRoot, runAsUser } = { ...pod.spec.securityContext, ...defined(container.securityContext ?? {}) };
  if (!runAsNonRoot) return;
  const where = `(pod: "${spoken(pod)}", container: ${container.name})`;
  if (runAsUser !== undefined) {
    if (Number(runAsUser) === 0) throw new ContainerConfigError(`container's runAsUser breaks non-root policy ${where}`);
    return;
  }
  const user = image?.user;
  if (user && 'name' in user)
    throw new ContainerConfigError(`container has runAsNonRoot and image has non-numeric user (${user.name}), cannot verify user is non-root ${where}`);
  if (user?.uid === 0) throw new ContainerConfigError(`container has runAsNonRoot and image will run as root ${where}`);
}

/** Whom a container runs as: what its context says, or else its image. */
export function withImageUser(context: ContainerSecurityContext, image: Image | undefined): ContainerSecurityContext {
  const user = image?.user;
  return context.runAsUser === undefined && user && 'uid' in user ? { ...context, runAsUser: user.uid } : context;
}

function groupsOf({ fsGroup, supplementalGroups = [] }: PodSecurityContext): number[] {
  return [...(fsGroup === undefined ? [] : [fsGroup]), ...supplementalGroups].map(Number);
}

function userOf({ runAsUser, runAsGroup }: Pick<PodSecurityContext, 'runAsUser' | 'runAsGroup'>): Pick<SecurityContext, 'runAsUser' | 'runAsGroup'> {
  return {
    ...(runAsUser === undefined ? {} : { runAsUser: Number(runAsUser) }),
    ...(runAsGroup === undefined ? {} : { runAsGroup: Number(runAsGroup) }),
  };
}

function defined<T extends object>(value: T): Partial<T> {
  return Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined && inner !== null)) as Partial<T>;
}

function profileOf({ type, localhostProfile }: Pick<SeccompProfile, 'type' | 'localhostProfile'>): SecurityProfile {
  return { type: type as SecurityProfile['type'], ...(localhostProfile ? { localhostRef: localhostProfile } : {}) };
}
