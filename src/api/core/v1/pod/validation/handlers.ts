import { type FieldError, forbidden, invalid, required } from '../../../../field-error.ts';
import type { HTTPGetAction, Lifecycle, LifecycleHandler, Probe } from '../../../../generated/types/core.v1.ts';
import { httpHeaderNameFaults } from '../../../../names.ts';
import { checkNonNegative, checkOptionalOneOf, checkPort } from '../../../../validation.ts';

type Handler = LifecycleHandler & Pick<Probe, 'grpc'>;

function checkHttpGet({ path, port, scheme, httpHeaders }: HTTPGetAction, field: string): FieldError[] {
  return [
    ...(path ? [] : [required(`${field}.path`)]),
    ...checkPort(port, `${field}.port`),
    ...checkOptionalOneOf(scheme ?? '', ['HTTP', 'HTTPS'], `${field}.scheme`),
    ...(httpHeaders ?? []).flatMap(({ name }) => httpHeaderNameFaults(name).map((fault) => invalid(`${field}.httpHeaders`, name, fault))),
  ];
}

/** Exactly one kind of handler, and a well-formed one. @param graceSeconds the pod's grace period, which bounds a sleep */
function checkHandler({ exec, httpGet, tcpSocket, grpc, sleep }: Handler, field: string, graceSeconds: number | undefined): FieldError[] {
  const checks: [name: string, check: (() => FieldError[]) | undefined][] = [
    ['exec', exec && (() => (exec.command?.length ? [] : [required(`${field}.exec.command`)]))],
    ['httpGet', httpGet && (() => checkHttpGet(httpGet, `${field}.httpGet`))],
    ['tcpSocket', tcpSocket && (() => checkPort(tcpSocket.port, `${field}.tcpSocket.port`))],
    ['grpc', grpc && (() => checkPort(grpc.port, `${field}.grpc.port`))],
    ['sleep', sleep && (() => checkSleep(sleep.seconds, `${field}.sleep`, graceSeconds))],
  ];
  const given = checks.filter(([, check]) => check !== undefined);
  if (given.length === 0) return [required(field, 'must specify a handler type')];
  return given.flatMap(([name, check], index) => (index === 0 ? check!() : [forbidden(`${field}.${name}`, 'may not specify more than 1 handler type')]));
}

function checkSleep(seconds: number, field: string, graceSeconds: number | undefined): FieldError[] {
  if (graceSeconds === undefined || (seconds >= 0 && seconds <= graceSeconds)) return [];
  return [invalid(field, seconds, `must be non-negative and less than terminationGracePeriodSeconds (${graceSeconds})`)];
}

export function checkLifecycle({ postStart, preStop }: Lifecycle, field: string, graceSeconds: number | undefined): FieldError[] {
  return [
    ...(postStart ? checkHandler(postStart, `${field}.postStart`, graceSeconds) : []),
    ...(preStop ? checkHandler(preStop, `${field}.preStop`, graceSeconds) : []),
  ];
}

/** Upstream: validateLivenessProbe and its siblings. */
export function checkProbe(
  probe: Probe | undefined,
  kind: 'liveness' | 'readiness' | 'startup',
  field: string,
  graceSeconds: number | undefined,
): FieldError[] {
  if (!probe) return [];
  const errors = checkHandler(probe, field, graceSeconds);
  for (const key of ['initialDelaySeconds', 'timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold'] as const) {
    errors.push(...checkNonNegative(probe[key], `${field}.${key}`));
  }
  const grace = probe.terminationGracePeriodSeconds;
  if (grace !== undefined && grace <= 0) errors.push(invalid(`${field}.terminationGracePeriodSeconds`, grace, 'must be greater than 0'));
  if (kind === 'readiness') {
    if (grace !== undefined) errors.push(invalid(`${field}.terminationGracePeriodSeconds`, grace, 'must not be set for readinessProbes'));
  } else if (probe.successThreshold !== 1) errors.push(invalid(`${field}.successThreshold`, probe.successThreshold ?? 0, 'must be 1'));
  return errors;
}
