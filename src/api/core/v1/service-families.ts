import { deepEqual } from '../../equality.ts';
import { at, type FieldError, invalid } from '../../field-error.ts';
import type { Service } from '../../generated/types/core.v1.ts';
import { ipFamily } from '../../ip-address.ts';
import { checkClusterIPs } from './service-validation.ts';

export const HEADLESS = 'None';
/** What a cluster of one stack has. */
const CONFIGURED = 'IPv4';

export const needsClusterIP = ({ spec }: Service): boolean => spec.type === 'ClusterIP' || spec.type === 'NodePort' || spec.type === 'LoadBalancer';
export const mayHaveNodePorts = ({ spec }: Service): boolean => spec.type === 'NodePort' || spec.type === 'LoadBalancer';
export const needsHealthCheckPort = ({ spec }: Service): boolean => spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';

/**
 * What a client leaves out of an update is what it was: a cluster IP, the node port of a port by its name, the port of health
 * checks (upstream: registry/core/service/storage, patchAllocatedValues).
 */
export function keepAllocated(service: Service, old: Service): void {
  const { spec } = service;
  if (needsClusterIP(old) && needsClusterIP(service)) {
    if (!spec.clusterIP && old.spec.clusterIP) spec.clusterIP = old.spec.clusterIP;
    if (!spec.clusterIPs?.length && old.spec.clusterIPs?.length) spec.clusterIPs = [...old.spec.clusterIPs];
  }
  if (mayHaveNodePorts(old) && mayHaveNodePorts(service)) {
    const numbers = ({ spec: { ports = [] } }: Service): number[] => ports.flatMap(({ nodePort }) => nodePort || []);
    const used = numbers(old).filter((number) => numbers(service).includes(number));
    const before = new Map((old.spec.ports ?? []).map(({ name = '', nodePort }) => [name, nodePort]));
    for (const port of spec.ports ?? []) {
      const number = before.get(port.name ?? '');
      if (!port.nodePort && number && !used.includes(number)) port.nodePort = number;
    }
  }
  if (needsHealthCheckPort(old) && needsHealthCheckPort(service) && !spec.healthCheckNodePort && old.spec.healthCheckNodePort)
    spec.healthCheckNodePort = old.spec.healthCheckNodePort;
}

/** `clusterIP` and `clusterIPs` say the same, where the client has changed one of them alone (normalizeClusterIPs). */
export function alignClusterIPs({ spec }: Service, old: Service | undefined): void {
  if (!old) {
    if (spec.clusterIP && !spec.clusterIPs?.length) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  const { clusterIP: before = '', clusterIPs: listBefore = [] } = old.spec;
  const same = deepEqual(spec.clusterIPs ?? [], listBefore);
  if (listBefore.length && !spec.clusterIPs?.length && before === (spec.clusterIP ?? '')) spec.clusterIPs = [...listBefore];
  if (before === (spec.clusterIP ?? '') || !same) return;
  if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
  else delete spec.clusterIPs;
}

/**
 * Settles `ipFamilyPolicy` and `ipFamilies` for a cluster of one stack (upstream: registry/core/service/storage/alloc.go,
 * initIPFamilyFields).
 *
 * @returns why they cannot be as they are.
 */
export function settleFamilies(service: Service, old: Service | undefined): FieldError[] {
  const { spec } = service;
  if (spec.type === 'ExternalName') return [];
  if (isUnchangedPreference(service, old)) return [];
  const isBare = spec.clusterIP === HEADLESS && Object.keys(spec.selector ?? {}).length === 0;
  spec.ipFamilyPolicy ??= old?.spec.ipFamilyPolicy ?? (isBare ? 'RequireDualStack' : 'SingleStack');
  const faults = checkClusterIPs(spec);
  if (faults.length) return faults;
  const errors = [...(old ? shrink(service, old) : []), ...checkPolicy(service)];
  for (const [index, ip] of (spec.clusterIPs ?? []).entries()) {
    if (ip === HEADLESS) break;
    if (index < (spec.ipFamilies ?? []).length) continue;
    const family = `IPv${ipFamily(ip) ?? 4}`;
    if (family === CONFIGURED) spec.ipFamilies = [...(spec.ipFamilies ?? []), family];
    else errors.push(invalid(at('spec.clusterIPs', index), spec.clusterIPs, `${family} is not configured on this cluster`));
  }
  if (errors.length) return errors;
  if (isBare) {
    const [first = CONFIGURED, second] = spec.ipFamilies ?? [];
    const other = first === 'IPv4' ? 'IPv6' : 'IPv4';
    spec.ipFamilies = second !== undefined || spec.ipFamilyPolicy === 'SingleStack' ? [first, ...(second === undefined ? [] : [second])] : [first, other];
    return [];
  }
  if (spec.ipFamilyPolicy === 'RequireDualStack')
    errors.push(invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy, 'this cluster is not configured for dual-stack services'));
  for (const [index, family] of (spec.ipFamilies ?? []).entries())
    if (family !== CONFIGURED) errors.push(invalid(at('spec.ipFamilies', index), family, 'not configured on this cluster'));
  if (errors.length === 0 && !spec.ipFamilies?.length) spec.ipFamilies = [CONFIGURED];
  return errors;
}

/** A Service that prefers two stacks is left as it is for as long as nobody touches what that means (isMatchingPreferDualStackClusterIPFields). */
function isUnchangedPreference({ spec }: Service, old: Service | undefined): boolean {
  if (!old || old.spec.type === 'ExternalName') return false;
  return [spec, old.spec].every(({ ipFamilyPolicy }) => ipFamilyPolicy === 'PreferDualStack') && deepEqual(addressing(spec), addressing(old.spec));
}

const addressing = ({ clusterIP, clusterIPs, ipFamilies }: Service['spec']): unknown => ({ clusterIP, clusterIPs, ipFamilies });

/** An update to a single stack gives up the second address and family; one that gives them up must say so. */
function shrink({ spec }: Service, { spec: old }: Service): FieldError[] {
  const [addresses, families] = [spec.clusterIPs ?? [], spec.ipFamilies ?? []];
  if (spec.ipFamilyPolicy === 'SingleStack') {
    if (addresses.length > 1 && deepEqual(addresses, old.clusterIPs)) spec.clusterIPs = addresses.slice(0, 1);
    if (families.length > 1 && deepEqual(families, old.ipFamilies)) spec.ipFamilies = families.slice(0, 1);
    return [];
  }
  const isReduced = (now: readonly string[], before: readonly string[] = []): boolean => now.length === 1 && before.length === 2 && now[0] === before[0];
  const mustBe = (what: string): FieldError => invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${what}`);
  return [...(isReduced(addresses, old.clusterIPs) ? [mustBe('cluster IP')] : []), ...(isReduced(families, old.ipFamilies) ? [mustBe('IP family')] : [])];
}

function checkPolicy({ spec }: Service): FieldError[] {
  if (spec.ipFamilyPolicy !== 'SingleStack') return [];
  const mustBe = (what: string): FieldError =>
    invalid('spec.ipFamilyPolicy', spec.ipFamilyPolicy, `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${what} are specified`);
  return [...(spec.clusterIPs?.length === 2 ? [mustBe('cluster IPs')] : []), ...(spec.ipFamilies?.length === 2 ? [mustBe('IP families')] : [])];
}
