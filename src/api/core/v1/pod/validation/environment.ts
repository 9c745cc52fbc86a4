import { at, type FieldError, invalid, notSupported, required } from '../../../../field-error.ts';
import type { EnvFromSource, EnvVar, ObjectFieldSelector, ResourceFieldSelector } from '../../../../generated/types/core.v1.ts';
import { withoutTrailingDash } from '../../../../meta/validation.ts';
import { configMapKeyFaults, dns1123SubdomainFaults, envVarNameFaults, qualifiedNameFaults } from '../../../../names.ts';
import { checkSubdomain, checkWith } from '../../../../validation.ts';

const ENV_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];
const VOLUME_FIELDS = ['metadata.annotations', 'metadata.labels', 'metadata.name', 'metadata.namespace', 'metadata.uid'];
/** Labels that exist at all; those beyond the ones allowed here are refused with the list of those that are. */
const KNOWN_FIELDS = [...ENV_FIELDS, ...VOLUME_FIELDS, 'spec.restartPolicy', 'spec.schedulerName', 'status.phase'];
const RESOURCES = ['limits.cpu', 'limits.ephemeral-storage', 'limits.memory', 'requests.cpu', 'requests.ephemeral-storage', 'requests.memory'];
const SIZES = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** Upstream: validateObjectFieldSelector. */
export function checkFieldRef(ref: ObjectFieldSelector, field: string, { volume }: { volume: boolean }): FieldError[] {
  const { fieldPath } = ref;
  if (!ref.apiVersion) return [required(`${field}.apiVersion`)];
  if (!fieldPath) return [required(`${field}.fieldPath`)];
  if (ref.apiVersion !== 'v1') return [invalid(`${field}.fieldPath`, fieldPath, `error converting fieldPath: unsupported pod version: ${ref.apiVersion}`)];
  const subscript = /^(.*)\['(.*)'\]$/.exec(fieldPath);
  if (subscript) {
    const [, path = '', key = ''] = subscript;
    if (path === 'metadata.annotations') return checkWith(qualifiedNameFaults, key.toLowerCase(), field);
    if (path === 'metadata.labels') return checkWith(qualifiedNameFaults, key, field);
    return [invalid(`${field}.fieldPath`, fieldPath, `error converting fieldPath: field label does not support subscript: ${fieldPath}`)];
  }
  if (!KNOWN_FIELDS.includes(fieldPath))
    return [invalid(`${field}.fieldPath`, fieldPath, `error converting fieldPath: field label not supported: ${fieldPath}`)];
  const allowed = volume ? VOLUME_FIELDS : ENV_FIELDS;
  return allowed.includes(fieldPath) ? [] : [notSupported(`${field}.fieldPath`, fieldPath, allowed)];
}

/** Upstream: validateContainerResourceFieldSelector. */
export function checkResourceFieldRef(
  { containerName, resource, divisor }: ResourceFieldSelector,
  field: string,
  { volume }: { volume: boolean },
): FieldError[] {
  const errors: FieldError[] = [];
  if (volume && !containerName) errors.push(required(`${field}.containerName`));
  else if (!resource) errors.push(required(`${field}.resource`));
  else if (!RESOURCES.includes(resource) && !/^(requests|limits)\.hugepages-/.test(resource))
    errors.push(notSupported(`${field}.resource`, resource, RESOURCES));
  if (divisor === undefined || divisor === '0') return errors;
  const [, kind = ''] = /^(?:requests|limits)\.(.*)$/.exec(resource) ?? [];
  if (kind === 'cpu' && divisor !== '1m' && divisor !== '1') {
    errors.push(invalid(`${field}.divisor`, resource, "only divisor's values 1m and 1 are supported with the cpu resource"));
  }
  const words =
    kind === 'memory'
      ? 'memory resource'
      : kind === 'ephemeral-storage'
        ? 'local ephemeral storage resource'
        : kind.startsWith('hugepages-')
          ? 'hugepages resource'
          : undefined;
  if (words && !SIZES.includes(divisor))
    errors.push(invalid(`${field}.divisor`, resource, `only divisor's values ${SIZES.join(', ')} are supported with the ${words}`));
  return errors;
}

function checkKeyRef({ name = '', key }: { name?: string; key: string }, field: string): FieldError[] {
  return [...checkSubdomain(name, `${field}.name`), ...(key ? checkWith(configMapKeyFaults, key, `${field}.key`) : [required(`${field}.key`)])];
}

/** Upstream: validateEnvVarValueFrom. */
function checkValueFrom({ value, valueFrom }: EnvVar, field: string): FieldError[] {
  if (!valueFrom) return [];
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef } = valueFrom;
  const errors: FieldError[] = [];
  if (fieldRef) errors.push(...checkFieldRef(fieldRef, `${field}.fieldRef`, { volume: false }));
  if (resourceFieldRef) errors.push(...checkResourceFieldRef(resourceFieldRef, `${field}.resourceFieldRef`, { volume: false }));
  if (configMapKeyRef) errors.push(...checkKeyRef(configMapKeyRef, `${field}.configMapKeyRef`));
  if (secretKeyRef) errors.push(...checkKeyRef(secretKeyRef, `${field}.secretKeyRef`));
  const sources = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef, fileKeyRef].filter((source) => source !== undefined).length;
  if (sources === 0) errors.push(invalid(field, '', 'must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`'));
  else if (value) errors.push(invalid(field, '', 'may not be specified when `value` is not empty'));
  else if (sources > 1) errors.push(invalid(field, '', 'may not have more than one field specified at a time'));
  return errors;
}

export function checkEnv(variables: readonly EnvVar[] | undefined, field: string): FieldError[] {
  return (variables ?? []).flatMap((variable, index) => {
    const path = at(field, index);
    const name = variable.name ? checkWith(envVarNameFaults, variable.name, `${path}.name`) : [required(`${path}.name`)];
    return [...name, ...checkValueFrom(variable, `${path}.valueFrom`)];
  });
}

export function checkEnvFrom(sources: readonly EnvFromSource[] | undefined, field: string): FieldError[] {
  const checkName = (name: string | undefined, path: string): FieldError[] =>
    name ? dns1123SubdomainFaults(withoutTrailingDash(name)).map((fault) => invalid(`${path}.name`, name, fault)) : [required(`${path}.name`)];
  return (sources ?? []).flatMap(({ prefix, configMapRef, secretRef }, index) => {
    const path = at(field, index);
    const errors = prefix ? checkWith(envVarNameFaults, prefix, `${path}.prefix`) : [];
    if (configMapRef) errors.push(...checkName(configMapRef.name, `${path}.configMapRef`));
    if (secretRef) errors.push(...checkName(secretRef.name, `${path}.secretRef`));
    if (!configMapRef && !secretRef) errors.push(invalid(field, '', 'must specify one of: `configMapRef` or `secretRef`'));
    else if (configMapRef && secretRef) errors.push(invalid(field, '', 'may not have more than one field specified at a time'));
    return errors;
  });
}
