import { at, duplicate, type FieldError, forbidden, invalid, notFound, notSupported, required } from '../../../../field-error.ts';
import type { Container, ContainerPort, EphemeralContainer, PodSpec } from '../../../../generated/types/core.v1.ts';
import { portNameFaults } from '../../../../names.ts';
import { checkLabelName, checkOneOf, checkPortNumber } from '../../../../validation.ts';
import { checkEnv, checkEnvFrom } from './environment.ts';
import { checkLifecycle, checkProbe } from './handlers.ts';
import { checkDevices, checkMounts, type Volumes } from './mounts.ts';
import { checkResources } from './resources.ts';
import { checkSecurityContext } from './security.ts';

export interface ContainerContext {
  spec: PodSpec;
  volumes: Volumes;
  claims: ReadonlySet<string>;
}

function checkPorts(ports: readonly ContainerPort[] | undefined, field: string): FieldError[] {
  const names = new Set<string>();
  return (ports ?? []).flatMap((port, index) => {
    const path = at(field, index);
    const errors: FieldError[] = [];
    if (port.name) {
      const faults = portNameFaults(port.name);
      if (faults.length) errors.push(...faults.map((fault) => invalid(`${path}.name`, port.name, fault)));
      else if (names.has(port.name)) errors.push(duplicate(`${path}.name`, port.name));
      else names.add(port.name);
    }
    if (!port.containerPort) errors.push(required(`${path}.containerPort`));
    else errors.push(...checkPortNumber(port.containerPort, `${path}.containerPort`));
    if (port.hostPort) errors.push(...checkPortNumber(port.hostPort, `${path}.hostPort`));
    return [...errors, ...checkOneOf(port.protocol, ['SCTP', 'TCP', 'UDP'], `${path}.protocol`)];
  });
}

function checkResizePolicy({ resizePolicy }: Container | EphemeralContainer, field: string, spec: PodSpec): FieldError[] {
  const seen = new Set<string>();
  return (resizePolicy ?? []).flatMap(({ resourceName, restartPolicy }, index) => {
    const errors = seen.has(resourceName) ? [duplicate(at(field, index), resourceName)] : [];
    seen.add(resourceName);
    errors.push(...checkOneOf(resourceName, ['cpu', 'memory'], field), ...checkOneOf(restartPolicy, ['NotRequired', 'RestartContainer'], field));
    if (spec.restartPolicy === 'Never' && restartPolicy !== 'NotRequired') {
      errors.push(invalid(field, restartPolicy, "must be 'NotRequired' when `restartPolicy` is 'Never'"));
    }
    return errors;
  });
}

/** What all kinds of containers have to meet (upstream: validateContainerCommon). */
function checkCommon(container: Container | EphemeralContainer, field: string, { spec, volumes, claims }: ContainerContext): FieldError[] {
  return [
    ...(container.name ? checkLabelName(container.name, `${field}.name`) : [required(`${field}.name`)]),
    ...(container.image ? [] : [required(`${field}.image`)]),
    ...checkOneOf(container.terminationMessagePolicy, ['File', 'FallbackToLogsOnError'], `${field}.terminationMessagePolicy`),
    ...checkPorts(container.ports, `${field}.ports`),
    ...checkEnv(container.env, `${field}.env`),
    ...checkEnvFrom(container.envFrom, `${field}.envFrom`),
    ...checkMounts(container, volumes, `${field}.volumeMounts`),
    ...checkDevices(container, volumes, `${field}.volumeDevices`),
    ...checkOneOf(container.imagePullPolicy, ['Always', 'IfNotPresent', 'Never'], `${field}.imagePullPolicy`),
    ...checkResources(container.resources, claims, `${field}.resources`),
    ...checkResizePolicy(container, `${field}.resizePolicy`, spec),
    ...checkSecurityContext(container.securityContext, `${field}.securityContext`, { hostUsers: spec.hostUsers !== false }),
  ];
}

/** Hooks and probes, where a container may have them. */
function checkRunning(container: Container, field: string, graceSeconds: number | undefined): FieldError[] {
  return [
    ...(container.lifecycle ? checkLifecycle(container.lifecycle, `${field}.lifecycle`, graceSeconds) : []),
    ...checkProbe(container.livenessProbe, 'liveness', `${field}.livenessProbe`, graceSeconds),
    ...checkProbe(container.readinessProbe, 'readiness', `${field}.readinessProbe`, graceSeconds),
    ...checkProbe(container.startupProbe, 'startup', `${field}.startupProbe`, graceSeconds),
  ];
}

function checkHostPortConflicts(containers: readonly Container[], field: string): FieldError[] {
  const taken = new Set<string>();
  return containers.flatMap((container, i) =>
    (container.ports ?? []).flatMap(({ protocol, hostIP = '', hostPort }, j) => {
      if (!hostPort) return [];
      const port = `${protocol}/${hostIP}/${hostPort}`;
      if (taken.has(port)) return [duplicate(`${at(`${at(field, i)}.ports`, j)}.hostPort`, port)];
      taken.add(port);
      return [];
    }),
  );
}

export function checkContainers(context: ContainerContext, field: string): FieldError[] {
  const containers = context.spec.containers ?? [];
  if (containers.length === 0) return [required(field)];
  const names = new Set<string>();
  const errors = containers.flatMap((container, index) => {
    const path = at(field, index);
    const found = checkCommon(container, path, context);
    if (names.has(container.name)) found.push(duplicate(`${path}.name`, container.name));
    names.add(container.name);
    found.push(...checkRunning(container, path, context.spec.terminationGracePeriodSeconds));
    if (container.restartPolicy !== undefined) found.push(forbidden(`${path}.restartPolicy`, 'may not be set for non-init containers'));
    return found;
  });
  return [...errors, ...checkHostPortConflicts(containers, field)];
}

export function checkInitContainers(context: ContainerContext, field: string): FieldError[] {
  const names = new Set((context.spec.containers ?? []).map(({ name }) => name));
  return (context.spec.initContainers ?? []).flatMap((container, index) => {
    const path = at(field, index);
    const errors = checkCommon(container, path, context);
    if (container.restartPolicy !== undefined && container.restartPolicy !== 'Always') {
      errors.push(notSupported(`${path}.restartPolicy`, container.restartPolicy, ['Always']));
    }
    if (names.has(container.name)) errors.push(duplicate(`${path}.name`, container.name));
    else if (container.name) names.add(container.name);
    errors.push(...checkHostPortConflicts([container], field));
    if (container.restartPolicy === 'Always') return [...errors, ...checkRunning(container, path, context.spec.terminationGracePeriodSeconds)];
    for (const key of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const) {
      if (container[key]) errors.push(forbidden(`${path}.${key}`, 'may not be set for init containers without restartPolicy=Always'));
    }
    return errors;
  });
}

const EPHEMERAL_ALLOWED = new Set([
  'name',
  'image',
  'command',
  'args',
  'workingDir',
  'envFrom',
  'env',
  'volumeMounts',
  'volumeDevices',
  'terminationMessagePath',
  'terminationMessagePolicy',
  'imagePullPolicy',
  'securityContext',
  'stdin',
  'stdinOnce',
  'tty',
  'targetContainerName',
]);

const isSet = (value: unknown): boolean => value !== undefined && !(typeof value === 'object' && value !== null && Object.keys(value).length === 0);

export function checkEphemeralContainers(context: ContainerContext, field: string): FieldError[] {
  const others = new Set([...(context.spec.containers ?? []), ...(context.spec.initContainers ?? [])].map(({ name }) => name));
  const names = new Set(others);
  return (context.spec.ephemeralContainers ?? []).flatMap((container, index) => {
    const path = at(field, index);
    const errors = checkCommon(container, path, context);
    if (names.has(container.name)) errors.push(duplicate(`${path}.name`, container.name));
    names.add(container.name);
    if (container.targetContainerName && !others.has(container.targetContainerName))
      errors.push(notFound(`${path}.targetContainerName`, container.targetContainerName));
    for (const [key, value] of Object.entries(container)) {
      if (!EPHEMERAL_ALLOWED.has(key) && isSet(value)) errors.push(forbidden(`${path}.${key}`, 'cannot be set for an Ephemeral Container'));
    }
    (container.volumeMounts ?? []).forEach((mount, i) => {
      for (const key of ['subPath', 'subPathExpr'] as const) {
        if (mount[key]) errors.push(forbidden(`${at(`${path}.volumeMounts`, i)}.${key}`, 'cannot be set for an Ephemeral Container'));
      }
    });
    return errors;
  });
}
