import { type FieldError, forbidden, invalid, notSupported, required } from '../../../../field-error.ts';
import type { PodSpec } from '../../../../generated/types/core.v1.ts';
import { containersOf } from '../containers.ts';

const NAMES = ['linux', 'windows'];

const isSet = (value: unknown): boolean => value !== undefined && !(Array.isArray(value) && value.length === 0);

/** What Windows does not have, of a pod and of a container. */
const POD_LINUX_ONLY = [
  'securityContext.appArmorProfile',
  'securityContext.seLinuxOptions',
  'hostUsers',
  'hostPID',
  'hostIPC',
  'securityContext.seccompProfile',
  'securityContext.fsGroup',
  'securityContext.fsGroupChangePolicy',
  'securityContext.sysctls',
  'shareProcessNamespace',
  'securityContext.runAsUser',
  'securityContext.runAsGroup',
  'securityContext.supplementalGroups',
  'securityContext.supplementalGroupsPolicy',
  'securityContext.seLinuxChangePolicy',
] as const;
const CONTAINER_LINUX_ONLY = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

function valueAt(spec: PodSpec, path: (typeof POD_LINUX_ONLY)[number]): unknown {
  let value: unknown = spec;
  for (const part of path.split('.')) value = (value as Record<string, unknown> | undefined)?.[part];
  return value;
}

function checkWindows(spec: PodSpec, field: string): FieldError[] {
  const fault = (path: string): FieldError => forbidden(path, 'cannot be set for a windows pod');
  return [
    ...POD_LINUX_ONLY.filter((path) => isSet(valueAt(spec, path))).map((path) => fault(`${field}.${path}`)),
    ...containersOf(spec, field).flatMap(({ container, path }) =>
      CONTAINER_LINUX_ONLY.filter((key) => isSet(container.securityContext?.[key])).map((key) => fault(`${path}.securityContext.${key}`)),
    ),
  ];
}

function checkLinux(spec: PodSpec, field: string): FieldError[] {
  return [{ container: spec, path: field }, ...containersOf(spec, field)].flatMap(({ container, path }) =>
    container.securityContext?.windowsOptions ? [forbidden(`${path}.securityContext.windowsOptions`, 'windows options cannot be set for a linux pod')] : [],
  );
}

/** The system that a pod says it is for, and what does not go with it (upstream: validateOS, validateLinux, validateWindows). */
export function checkOperatingSystem(spec: PodSpec, field: string): FieldError[] {
  if (!spec.os) return [];
  const { name } = spec.os;
  if (!name) return [required(`${field}.os.name`)];
  if (!NAMES.includes(name)) return [notSupported(`${field}.os`, name, NAMES)];
  return name === 'linux' ? checkLinux(spec, field) : checkWindows(spec, field);
}

/** Upstream: validateWindowsHostProcessPod. */
export function checkHostProcess(spec: PodSpec, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  const containers = containersOf(spec, field);
  let hostProcesses = 0;
  for (const { container, path } of containers) {
    const own = container.securityContext?.windowsOptions?.hostProcess;
    if (ofPod !== undefined && own !== undefined && own !== ofPod) {
      const words = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
      errors.push(invalid(`${path}.securityContext.windowsOptions.hostProcess`, own, words));
    }
    if (own ?? ofPod) hostProcesses += 1;
  }
  if (hostProcesses === 0) return errors;
  if (hostProcesses !== containers.length)
    errors.push(invalid(field, '', 'If pod contains any hostProcess containers then all containers must be HostProcess containers'));
  if (!spec.hostNetwork) errors.push(invalid(`${field}.hostNetwork`, false, 'hostNetwork must be true if pod contains any hostProcess containers'));
  return errors;
}
