import { at, duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../../../../field-error.ts';
import type { AppArmorProfile, PodSpec, SeccompProfile, SecurityContext } from '../../../../generated/types/core.v1.ts';
import { userIdFaults } from '../../../../names.ts';
import { checkLocalDescendingPath, checkOptionalOneOf } from '../../../../validation.ts';
import { asInternal } from '../../internal-types.ts';
import { containersOf } from '../containers.ts';

const PROFILE_TYPES = ['Localhost', 'RuntimeDefault', 'Unconfined'];
const SYSCTL = /^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$/;
const SYSCTL_FAULT = 'must have at most 253 characters and match regex ^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';

const checkId = (id: number | undefined, field: string): FieldError[] => (id === undefined ? [] : userIdFaults(id).map((fault) => invalid(field, id, fault)));

function checkSeccomp(profile: SeccompProfile | undefined, field: string): FieldError[] {
  if (!profile) return [];
  const { type, localhostProfile } = profile;
  const errors: FieldError[] = [];
  if (!type) errors.push(required(`${field}.type`, 'type is required when seccompProfile is set'));
  else if (!PROFILE_TYPES.includes(type)) errors.push(notSupported(`${field}.type`, type, PROFILE_TYPES));
  if (type === 'Localhost') {
    if (localhostProfile === undefined) errors.push(required(`${field}.localhostProfile`, 'must be set when seccomp type is Localhost'));
    else errors.push(...checkLocalDescendingPath(localhostProfile, `${field}.localhostProfile`));
  } else if (localhostProfile !== undefined) {
    errors.push(invalid(`${field}.localhostProfile`, { Type: type, LocalhostProfile: localhostProfile }, 'can only be set when seccomp type is Localhost'));
  }
  return errors;
}

function checkAppArmor(profile: AppArmorProfile | undefined, field: string): FieldError[] {
  if (!profile) return [];
  const { type, localhostProfile } = profile;
  if (!type) return [required(`${field}.type`, 'type is required when appArmorProfile is set')];
  if (!PROFILE_TYPES.includes(type)) return [notSupported(`${field}.type`, type, PROFILE_TYPES)];
  if (type !== 'Localhost')
    return localhostProfile === undefined ? [] : [invalid(`${field}.localhostProfile`, localhostProfile, 'can only be set when AppArmor type is Localhost')];
  if (!localhostProfile) return [required(`${field}.localhostProfile`, 'must be set when AppArmor type is Localhost')];
  return localhostProfile.trim() === localhostProfile ? [] : [invalid(`${field}.localhostProfile`, localhostProfile, 'must not be padded with whitespace')];
}

/** A container's security context (upstream: ValidateSecurityContext). */
export function checkSecurityContext(context: SecurityContext | undefined, field: string, { hostUsers }: { hostUsers: boolean }): FieldError[] {
  if (!context) return [];
  const errors = [...checkId(context.runAsUser, `${field}.runAsUser`), ...checkId(context.runAsGroup, `${field}.runAsGroup`)];
  const { procMount, allowPrivilegeEscalation, privileged, capabilities } = context;
  errors.push(...checkOptionalOneOf(procMount, ['Default', 'Unmasked'], `${field}.procMount`));
  if (procMount === 'Unmasked' && hostUsers) errors.push(invalid(`${field}.procMount`, procMount, '`hostUsers` must be false to use `Unmasked`'));
  errors.push(...checkSeccomp(context.seccompProfile, `${field}.seccompProfile`));
  if (allowPrivilegeEscalation === false) {
    if (privileged)
      errors.push(invalid(field, asInternal('SecurityContext', context), 'cannot set `allowPrivilegeEscalation` to false and `privileged` to true'));
    if (capabilities?.add?.includes('CAP_SYS_ADMIN')) {
      errors.push(
        invalid(field, asInternal('SecurityContext', context), 'cannot set `allowPrivilegeEscalation` to false and `capabilities.Add` CAP_SYS_ADMIN'),
      );
    }
  }
  errors.push(...checkAppArmor(context.appArmorProfile, `${field}.appArmorProfile`));
  return errors;
}

/** The pod's own security context (upstream: validatePodSpecSecurityContext). */
export function checkPodSecurityContext(spec: PodSpec, specField: string): FieldError[] {
  const context = spec.securityContext;
  const field = `${specField}.securityContext`;
  if (!context) return [];
  const errors = [
    ...checkId(context.fsGroup, `${field}.fsGroup`),
    ...checkId(context.runAsUser, `${field}.runAsUser`),
    ...checkId(context.runAsGroup, `${field}.runAsGroup`),
  ];
  (context.supplementalGroups ?? []).forEach((group, index) => {
    errors.push(...checkId(group, at(`${field}.supplementalGroups`, index)));
  });
  if (spec.shareProcessNamespace && spec.hostPID) {
    errors.push(invalid(`${field}.shareProcessNamespace`, true, 'ShareProcessNamespace and HostPID cannot both be enabled'));
  }
  const seen = new Set<string>();
  (context.sysctls ?? []).forEach(({ name }, index) => {
    const path = `${at(`${field}.sysctls`, index)}.name`;
    if (!name) errors.push(required(path));
    else if (name.length > 253 || !SYSCTL.test(name)) errors.push(invalid(path, name, SYSCTL_FAULT));
    else if (seen.has(name)) errors.push(duplicate(path, name));
    seen.add(name);
  });
  errors.push(...checkOptionalOneOf(context.fsGroupChangePolicy, ['Always', 'OnRootMismatch'], `${field}.fsGroupChangePolicy`));
  errors.push(...checkSeccomp(context.seccompProfile, `${field}.seccompProfile`), ...checkAppArmor(context.appArmorProfile, `${field}.appArmorProfile`));
  errors.push(...checkOptionalOneOf(context.supplementalGroupsPolicy, ['Merge', 'Strict'], `${field}.supplementalGroupsPolicy`));
  errors.push(...checkOptionalOneOf(context.seLinuxChangePolicy, ['Recursive'], `${field}.seLinuxChangePolicy`));
  return errors;
}

/** Host namespaces and a user namespace of its own exclude each other. */
export function checkHostUsers(spec: PodSpec, field: string): FieldError[] {
  if (spec.hostUsers !== false) return [];
  const detail = 'when `hostUsers` is false';
  return [
    ...(spec.hostNetwork ? [forbidden(`${field}.hostNetwork`, detail)] : []),
    ...(spec.hostPID ? [forbidden(`${field}.HostPID`, detail)] : []),
    ...(spec.hostIPC ? [forbidden(`${field}.HostIPC`, detail)] : []),
    ...containersOf(spec, field).flatMap(({ container, path }) => (container.volumeDevices?.length ? [forbidden(`${path}.volumeDevices`, detail)] : [])),
  ];
}
