import type { Container, PodSpec } from '../../../api/generated/types/core.v1.ts';
import type { ObjectMeta } from '../../../api/generated/types/meta.v1.ts';

/** What a pod may not be, by a Pod Security Standard. */
export interface Violation {
  reason: string;
  detail: string;
}

/** A template, or a pod itself. */
export interface PodForm {
  metadata?: Pick<ObjectMeta, 'annotations'> | undefined;
  spec: PodSpec;
}

type Check = (pod: PodForm) => Violation | undefined;

export type Level = 'privileged' | 'baseline' | 'restricted';

/** All that is wrong with a pod by a level, in upstream's order (pod-security-admission/policy, the checks of v1.34). */
export function violations(level: Level, pod: PodForm): Violation[] {
  return CHECKS[level].flatMap((check) => check(pod) ?? []);
}

const DEFAULT_CAPABILITIES = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(' '),
);
const SELINUX_TYPES = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t']);
const SYSCTLS = new Set([
  'kernel.shm_rmid_forced',
  ...'ip_local_port_range tcp_syncookies ping_group_range ip_unprivileged_port_start ip_local_reserved_ports tcp_keepalive_time tcp_fin_timeout tcp_keepalive_intvl tcp_keepalive_probes tcp_rmem tcp_wmem'
    .split(' ')
    .map((name) => `net.ipv4.${name}`),
]);
const VOLUME_TYPES = new Set(['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'image', 'persistentVolumeClaim', 'projected', 'secret']);
const CONFINED = new Set(['RuntimeDefault', 'Localhost']);
const APPARMOR_ANNOTATION = 'container.apparmor.security.beta.kubernetes.io/';

function containersOf({ initContainers = [], containers = [], ephemeralContainers = [] }: PodSpec): Container[] {
  return [...initContainers, ...containers, ...ephemeralContainers];
}

/** `container "a"`, `containers "a", "b"` */
const named = (what: string, names: readonly string[]): string => `${what}${names.length === 1 ? '' : 's'} ${quoted(names)}`;
const quoted = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');
const sorted = (values: Iterable<string>): string[] => [...new Set(values)].sort();
const namesWhere = (spec: PodSpec, isBad: (container: Container) => boolean): string[] =>
  containersOf(spec)
    .filter(isBad)
    .map(({ name }) => name);

/** Who sets something that may not be: the pod, containers, or both. */
function settersOf(isPodBad: boolean, names: readonly string[]): string {
  return [...(isPodBad ? ['pod'] : []), ...(names.length ? [named('container', names)] : [])].join(' and ');
}

const appArmorProfile: Check = ({ metadata, spec }) => {
  const isBad = (type: string | undefined): boolean => type !== undefined && !CONFINED.has(type);
  const podType = spec.securityContext?.appArmorProfile?.type;
  const bad = containersOf(spec).filter(({ securityContext }) => isBad(securityContext?.appArmorProfile?.type));
  const annotations = Object.entries(metadata?.annotations ?? {})
    .filter(([key, value]) => key.startsWith(APPARMOR_ANNOTATION) && value !== '' && value !== 'runtime/default' && !value.startsWith('localhost/'))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .sort();
  const types = [...(isBad(podType) ? [podType!] : []), ...bad.map(({ securityContext }) => securityContext!.appArmorProfile!.type)];
  const values = [...sorted(types), ...annotations];
  if (values.length === 0) return undefined;
  const setters = settersOf(
    isBad(podType),
    bad.map(({ name }) => name),
  );
  const who = [...(setters ? [setters] : []), ...(annotations.length ? [`annotation${annotations.length === 1 ? '' : 's'}`] : [])].join(' and ');
  return {
    reason: `forbidden AppArmor profile${values.length === 1 ? '' : 's'}`,
    detail: `${who} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

const capabilitiesBaseline: Check = ({ spec }) => {
  const added = (container: Container): string[] => (container.securityContext?.capabilities?.add ?? []).filter((one) => !DEFAULT_CAPABILITIES.has(one));
  const names = namesWhere(spec, (container) => added(container).length > 0);
  if (names.length === 0) return undefined;
  const all = sorted(containersOf(spec).flatMap(added));
  return { reason: 'non-default capabilities', detail: `${named('container', names)} must not include ${quoted(all)} in securityContext.capabilities.add` };
};

const hostNamespaces: Check = ({ spec }) => {
  const used = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((field) => spec[field]).map((field) => `${field}=true`);
  return used.length ? { reason: 'host namespaces', detail: used.join(', ') } : undefined;
};

const hostPathVolumes: Check = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name);
  return names.length ? { reason: 'hostPath volumes', detail: named('volume', names) } : undefined;
};

const hostPorts: Check = ({ spec }) => {
  const portsOf = ({ ports = [] }: Container): string[] => ports.flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
  const names = namesWhere(spec, (container) => portsOf(container).length > 0);
  if (names.length === 0) return undefined;
  const ports = sorted(containersOf(spec).flatMap(portsOf));
  const uses = names.length === 1 ? 'uses' : 'use';
  return { reason: 'hostPort', detail: `${named('container', names)} ${uses} hostPort${ports.length === 1 ? '' : 's'} ${ports.join(', ')}` };
};

const hostProbes: Check = ({ spec }) => {
  const hostsOf = ({ livenessProbe, readinessProbe, startupProbe, lifecycle }: Container): string[] =>
    [livenessProbe, readinessProbe, startupProbe, lifecycle?.postStart, lifecycle?.preStop].flatMap((handler) =>
      [handler?.httpGet?.host, handler?.tcpSocket?.host].filter((host) => host !== undefined && host !== ''),
    ) as string[];
  const names = sorted(namesWhere(spec, (container) => hostsOf(container).length > 0));
  if (names.length === 0) return undefined;
  const hosts = sorted(containersOf(spec).flatMap(hostsOf));
  const uses = names.length === 1 ? 'uses' : 'use';
  return { reason: 'probe or lifecycle host', detail: `${named('container', names)} ${uses} ${named('probe or lifecycle host', hosts)}` };
};

const privileged: Check = ({ spec }) => {
  const names = namesWhere(spec, ({ securityContext }) => securityContext?.privileged === true);
  return names.length ? { reason: 'privileged', detail: `${named('container', names)} must not set securityContext.privileged=true` } : undefined;
};

const procMount: Check = ({ spec }) => {
  const typeOf = ({ securityContext }: Container): string => securityContext?.procMount ?? 'Default';
  const names = namesWhere(spec, (container) => typeOf(container) !== 'Default');
  if (names.length === 0) return undefined;
  const types = sorted(containersOf(spec).map(typeOf)).filter((type) => type !== 'Default');
  return { reason: 'procMount', detail: `${named('container', names)} must not set securityContext.procMount to ${quoted(types)}` };
};

const seLinuxOptions: Check = ({ spec }) => {
  const options = (one: { securityContext?: { seLinuxOptions?: { type?: string; user?: string; role?: string } } }) => one.securityContext?.seLinuxOptions;
  const isBad = (one: Parameters<typeof options>[0]): boolean => {
    const given = options(one);
    return given !== undefined && (!SELINUX_TYPES.has(given.type ?? '') || Boolean(given.user) || Boolean(given.role));
  };
  const names = namesWhere(spec, isBad);
  const setters = settersOf(isBad(spec), names);
  if (!setters) return undefined;
  const all = [spec, ...containersOf(spec)].flatMap((one) => options(one) ?? []);
  const types = sorted(all.map(({ type = '' }) => type)).filter((type) => !SELINUX_TYPES.has(type));
  const faults = [
    ...(types.length ? [named('type', types)] : []),
    ...(all.some(({ user }) => user) ? ['user may not be set'] : []),
    ...(all.some(({ role }) => role) ? ['role may not be set'] : []),
  ];
  return { reason: 'seLinuxOptions', detail: `${setters} set forbidden securityContext.seLinuxOptions: ${faults.join('; ')}` };
};

const profileOf = ({ securityContext }: { securityContext?: { seccompProfile?: { type: string } } }): string | undefined =>
  securityContext?.seccompProfile?.type;

const seccompBaseline: Check = ({ spec }) => {
  const isBad = (one: Parameters<typeof profileOf>[0]): boolean => {
    const type = profileOf(one);
    return type !== undefined && !CONFINED.has(type);
  };
  const setters = settersOf(isBad(spec), namesWhere(spec, isBad));
  if (!setters) return undefined;
  const types = sorted([spec, ...containersOf(spec)].filter(isBad).map((one) => profileOf(one)!));
  return { reason: 'seccompProfile', detail: `${setters} must not set securityContext.seccompProfile.type to ${quoted(types)}` };
};

const sysctls: Check = ({ spec }) => {
  const names = (spec.securityContext?.sysctls ?? []).map(({ name }) => name).filter((name) => !SYSCTLS.has(name));
  return names.length ? { reason: 'forbidden sysctls', detail: names.join(', ') } : undefined;
};

const windowsHostProcess: Check = ({ spec }) => {
  const isBad = (one: { securityContext?: { windowsOptions?: { hostProcess?: boolean } } }): boolean =>
    one.securityContext?.windowsOptions?.hostProcess === true;
  const setters = settersOf(isBad(spec), namesWhere(spec, isBad));
  return setters ? { reason: 'hostProcess', detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` } : undefined;
};

const isWindows = ({ os }: PodSpec): boolean => os?.name === 'windows';

const allowPrivilegeEscalation: Check = ({ spec }) => {
  if (isWindows(spec)) return undefined;
  const names = namesWhere(spec, ({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  const detail = `${named('container', names)} must set securityContext.allowPrivilegeEscalation=false`;
  return names.length ? { reason: 'allowPrivilegeEscalation != false', detail } : undefined;
};

const capabilitiesRestricted: Check = ({ spec }) => {
  if (isWindows(spec)) return undefined;
  const added = (container: Container): string[] => (container.securityContext?.capabilities?.add ?? []).filter((one) => one !== 'NET_BIND_SERVICE');
  const keeping = namesWhere(spec, ({ securityContext }) => !securityContext?.capabilities?.drop?.includes('ALL'));
  const adding = namesWhere(spec, (container) => added(container).length > 0);
  const all = sorted(containersOf(spec).flatMap(added));
  const faults = [
    ...(keeping.length ? [`${named('container', keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(adding.length ? [`${named('container', adding)} must not include ${quoted(all)} in securityContext.capabilities.add`] : []),
  ];
  return faults.length ? { reason: 'unrestricted capabilities', detail: faults.join('; ') } : undefined;
};

const restrictedVolumes: Check = ({ spec }) => {
  const typeOf = (volume: object): string => Object.keys(volume).find((key) => key !== 'name') ?? 'unknown';
  const bad = (spec.volumes ?? []).filter((volume) => !VOLUME_TYPES.has(typeOf(volume)));
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name }) => name);
  const uses = names.length === 1 ? 'uses' : 'use';
  return { reason: 'restricted volume types', detail: `${named('volume', names)} ${uses} ${named('restricted volume type', sorted(bad.map(typeOf)))}` };
};

const runAsNonRoot: Check = ({ spec }) => {
  const reason = 'runAsNonRoot != true';
  const ofPod = spec.securityContext?.runAsNonRoot;
  const setters = settersOf(
    ofPod === false,
    namesWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === false),
  );
  if (setters) return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  const silent = ofPod === true ? [] : namesWhere(spec, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  return silent.length ? { reason, detail: `pod or ${named('container', silent)} must set securityContext.runAsNonRoot=true` } : undefined;
};

const runAsUser: Check = ({ spec }) => {
  const isRoot = (one: { securityContext?: { runAsUser?: number } }): boolean => one.securityContext?.runAsUser === 0;
  const setters = settersOf(isRoot(spec), namesWhere(spec, isRoot));
  return setters ? { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` } : undefined;
};

const seccompRestricted: Check = (pod) => {
  const { spec } = pod;
  if (isWindows(spec)) return undefined;
  const explicit = seccompBaseline(pod);
  if (explicit) return explicit;
  const silent = profileOf(spec) ? [] : namesWhere(spec, (container) => profileOf(container) === undefined);
  if (silent.length === 0) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `pod or ${named('container', silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};

/** `restricted` has stricter checks in the place of some of `baseline`. */
const CHECKS: Readonly<Record<Level, readonly Check[]>> = {
  privileged: [],
  baseline: [
    ...[appArmorProfile, capabilitiesBaseline, hostNamespaces, hostPathVolumes, hostPorts, hostProbes],
    ...[privileged, procMount, seLinuxOptions, seccompBaseline, sysctls, windowsHostProcess],
  ],
  restricted: [
    ...[appArmorProfile, hostNamespaces, hostPorts, hostProbes, privileged, procMount, seLinuxOptions, sysctls, windowsHostProcess],
    ...[allowPrivilegeEscalation, capabilitiesRestricted, restrictedVolumes, runAsNonRoot, runAsUser, seccompRestricted],
  ],
};
