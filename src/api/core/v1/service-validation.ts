import { deepEqual } from '../../equality.ts';
import { at, duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type { Service, ServicePort, ServiceSpec } from '../../generated/types/core.v1.ts';
import { ipFamily, isCIDR } from '../../ip-address.ts';
import { validateLabels } from '../../label-validation.ts';
import { qualifiedNameFaults } from '../../names.ts';
import {
  checkEndpointIP,
  checkIP,
  checkLabelName,
  checkOneOf,
  checkOptionalOneOf,
  checkPort,
  checkPortNumber,
  checkSubdomain,
  checkWith,
} from '../../validation.ts';

const TYPES = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const MAX_AFFINITY_SECONDS = 86400;

const isHeadless = ({ clusterIP, clusterIPs }: ServiceSpec): boolean => clusterIP === 'None' || clusterIPs?.[0] === 'None';

function checkType(spec: ServiceSpec): FieldError[] {
  const ips = spec.clusterIPs ?? [];
  switch (spec.type) {
    case 'LoadBalancer':
    case 'NodePort':
      return isHeadless(spec) ? [invalid('spec.clusterIPs[0]', 'None', `may not be set to 'None' for ${spec.type} services`)] : [];
    case 'ExternalName': {
      const name = (spec.externalName ?? '').replace(/\.$/, '');
      return [
        ...(ips.length ? [forbidden('spec.clusterIPs', 'may not be set for ExternalName services')] : []),
        ...(spec.ipFamilies?.length ? [forbidden('spec.ipFamilies', 'may not be set for ExternalName services')] : []),
        ...(spec.ipFamilyPolicy ? [forbidden('spec.ipFamilyPolicy', 'may not be set for ExternalName services')] : []),
        ...(name ? checkSubdomain(name, 'spec.externalName') : [required('spec.externalName')]),
      ];
    }
    default:
      return [];
  }
}

function checkPorts(ports: readonly ServicePort[]): FieldError[] {
  const names = new Set<string>();
  return ports.flatMap(({ name, port, protocol, targetPort, appProtocol }, index) => {
    const path = at('spec.ports', index);
    const errors: FieldError[] = [];
    if (!name) {
      if (ports.length > 1) errors.push(required(`${path}.name`));
    } else {
      errors.push(...checkLabelName(name, `${path}.name`));
      if (names.has(name)) errors.push(duplicate(`${path}.name`, name));
      names.add(name);
    }
    errors.push(...checkPortNumber(port ?? 0, `${path}.port`), ...checkOneOf(protocol, ['SCTP', 'TCP', 'UDP'], `${path}.protocol`));
    errors.push(...checkPort(targetPort ?? 0, `${path}.targetPort`));
    if (appProtocol !== undefined) errors.push(...checkWith(qualifiedNameFaults, appProtocol, `${path}.appProtocol`));
    return errors;
  });
}

function checkAffinity({ sessionAffinity, sessionAffinityConfig: config }: ServiceSpec): FieldError[] {
  const errors = checkOneOf(sessionAffinity, ['ClientIP', 'None'], 'spec.sessionAffinity');
  const path = 'spec.sessionAffinityConfig';
  if (sessionAffinity === 'None' && config) return [...errors, forbidden(path, 'must not be set when session affinity is None')];
  if (sessionAffinity !== 'ClientIP') return errors;
  const detail = 'when session affinity type is ClientIP';
  if (!config) return [...errors, required(path, detail)];
  const seconds = config.clientIP?.timeoutSeconds;
  if (seconds === undefined) return [...errors, required(`${path}.clientIP.timeoutSeconds`, detail)];
  if (seconds > 0 && seconds <= MAX_AFFINITY_SECONDS) return errors;
  return [...errors, invalid(`${path}.clientIP.timeoutSeconds`, seconds, `must be greater than 0 and less than ${MAX_AFFINITY_SECONDS}`)];
}

/** Faults of the addresses and families, one by one and together (upstream: ValidateServiceClusterIPsRelatedFields). */
export function checkClusterIPs(spec: ServiceSpec): FieldError[] {
  if (spec.type === 'ExternalName') return [];
  const { clusterIP, clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const field = 'spec.clusterIPs';
  const errors: FieldError[] = [];
  if (clusterIP && clusterIPs.length === 0) errors.push(required(field));
  else if (clusterIP && clusterIPs[0] !== clusterIP) errors.push(invalid(field, clusterIPs, 'first value must match `clusterIP`'));
  else if (!clusterIP && clusterIPs.length) errors.push(invalid(field, clusterIPs, 'must be empty when `clusterIP` is not specified'));
  ipFamilies.forEach((family, index) => {
    const path = at('spec.ipFamilies', index);
    if (family !== 'IPv4' && family !== 'IPv6') errors.push(notSupported(path, family, ['IPv4', 'IPv6']));
    if (ipFamilies.indexOf(family) < index) errors.push(duplicate(path, family));
  });
  errors.push(...checkOptionalOneOf(ipFamilyPolicy, ['PreferDualStack', 'RequireDualStack', 'SingleStack'], 'spec.ipFamilyPolicy'));
  const isNone = clusterIPs[0] === 'None';
  const wrong = clusterIPs.flatMap((ip, index) => (index === 0 && isNone ? [] : checkIP(ip, at(field, index))));
  if (isNone && clusterIPs.length > 1) wrong.unshift(invalid(field, clusterIPs, "'None' must be the first and only value"));
  errors.push(...wrong);
  if (clusterIPs.length > 2) errors.push(invalid(field, clusterIPs, 'may only hold up to 2 values'));
  return wrong.length || isNone ? errors : [...errors, ...checkFamilies(clusterIPs, ipFamilies)];
}

function checkFamilies(clusterIPs: readonly string[], ipFamilies: readonly string[]): FieldError[] {
  const field = 'spec.clusterIPs';
  const families = clusterIPs.map((ip) => `IPv${ipFamily(ip) ?? 4}`);
  const isTwice = clusterIPs.length > 1 && new Set(families).size < 2;
  return [
    ...(isTwice ? [invalid(field, clusterIPs, 'may specify no more than one IP for each IP family')] : []),
    ...clusterIPs.flatMap((ip, index) => {
      const wanted = ipFamilies[index];
      if ((wanted !== 'IPv4' && wanted !== 'IPv6') || wanted === families[index]) return [];
      return [invalid(at(field, index), ip, `expected an ${wanted} value as indicated by \`ipFamilies[${index}]\``)];
    }),
  ];
}

function checkNodePorts({ type, ports = [] }: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  ports.forEach(({ nodePort }, index) => {
    if (type === 'ClusterIP' && nodePort) errors.push(forbidden(`${at('spec.ports', index)}.nodePort`, "may not be used when `type` is 'ClusterIP'"));
  });
  const nodePorts = new Set<string>();
  const numbers = new Set<string>();
  ports.forEach(({ nodePort, protocol }, index) => {
    const key = `${protocol}/${nodePort}`;
    if (nodePort && nodePorts.has(key)) errors.push(duplicate(`${at('spec.ports', index)}.nodePort`, nodePort));
    nodePorts.add(key);
  });
  ports.forEach(({ port, protocol }, index) => {
    const key = `${protocol}/${port}`;
    if (numbers.has(key))
      errors.push(duplicate(at('spec.ports', index), { Name: '', Protocol: protocol, AppProtocol: null, Port: port, TargetPort: 0, NodePort: 0 }));
    numbers.add(key);
  });
  return errors;
}

function checkLoadBalancer(spec: ServiceSpec): FieldError[] {
  const errors: FieldError[] = [];
  const { type, loadBalancerSourceRanges = [], allocateLoadBalancerNodePorts } = spec;
  const balanced = type === 'LoadBalancer';
  if (loadBalancerSourceRanges.length) {
    if (!balanced) errors.push(forbidden('spec.LoadBalancerSourceRanges', "may only be used when `type` is 'LoadBalancer'"));
    loadBalancerSourceRanges.forEach((range, index) => {
      if (!isCIDR(range.trim()))
        errors.push(invalid(at('spec.LoadBalancerSourceRanges', index), range.trim(), 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'));
    });
  }
  if (!balanced && allocateLoadBalancerNodePorts !== undefined)
    errors.push(forbidden('spec.allocateLoadBalancerNodePorts', "may only be used when `type` is 'LoadBalancer'"));
  if (balanced && allocateLoadBalancerNodePorts === undefined) errors.push(required('allocateLoadBalancerNodePorts'));
  return [...errors, ...checkLoadBalancerClass(spec)];
}

function checkLoadBalancerClass({ type, loadBalancerClass }: ServiceSpec): FieldError[] {
  if (loadBalancerClass === undefined) return [];
  const field = 'spec.loadBalancerClass';
  if (type !== 'LoadBalancer') return [forbidden(field, "may only be used when `type` is 'LoadBalancer'")];
  return checkWith(qualifiedNameFaults, loadBalancerClass, field);
}

function checkExternalIPs(externalIPs: readonly string[], old: readonly string[]): FieldError[] {
  return externalIPs.flatMap((ip, index) => {
    const path = at('spec.externalIPs', index);
    const faults = old.includes(ip) ? [] : checkIP(ip, path);
    return faults.length ? faults : checkEndpointIP(ip, path, {});
  });
}

function checkTrafficPolicies(spec: ServiceSpec): FieldError[] {
  const { type, externalTrafficPolicy, internalTrafficPolicy, healthCheckNodePort, externalIPs = [] } = spec;
  const outside = type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && externalIPs.length > 0);
  const errors: FieldError[] = [];
  if (!outside) {
    if (externalTrafficPolicy) errors.push(invalid('spec.externalTrafficPolicy', externalTrafficPolicy, 'may only be set for externally-accessible services'));
  } else errors.push(...checkOneOf(externalTrafficPolicy, ['Cluster', 'Local'], 'spec.externalTrafficPolicy'));
  const needsHealthCheck = type === 'LoadBalancer' && externalTrafficPolicy === 'Local';
  if (!needsHealthCheck && healthCheckNodePort) {
    errors.push(
      invalid('spec.healthCheckNodePort', healthCheckNodePort, "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"),
    );
  }
  const needsInternal = type === 'NodePort' || type === 'LoadBalancer' || type === 'ClusterIP';
  if (internalTrafficPolicy === undefined && needsInternal) errors.push(required('spec.internalTrafficPolicy'));
  return [...errors, ...checkOptionalOneOf(internalTrafficPolicy, ['Cluster', 'Local'], 'spec.internalTrafficPolicy')];
}

/** Upstream: pkg/apis/core/validation, ValidateService. */
export function validateService({ spec }: Service, old?: Service): FieldError[] {
  const { type, ports = [], externalIPs = [], trafficDistribution } = spec;
  return [
    ...(ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName' ? [required('spec.ports')] : []),
    ...checkType(spec),
    ...checkPorts(ports),
    ...validateLabels(spec.selector, 'spec.selector'),
    ...checkAffinity(spec),
    ...checkClusterIPs(spec),
    ...checkExternalIPs(externalIPs, old?.spec.externalIPs ?? []),
    ...checkOneOf(type, TYPES, 'spec.type'),
    ...checkNodePorts(spec),
    ...checkLoadBalancer(spec),
    ...checkTrafficPolicies(spec),
    ...checkOptionalOneOf(trafficDistribution, ['PreferClose', 'PreferSameZone', 'PreferSameNode'], 'spec.trafficDistribution'),
  ];
}

/** Upstream: ValidateServiceUpdate: addresses stay once they are given. */
export function validateServiceUpdate(object: Service, old: Service): FieldError[] {
  const errors: FieldError[] = [];
  const before = old.spec.clusterIPs ?? [];
  const now = object.spec.clusterIPs ?? [];
  const same = old.spec.type !== 'ExternalName' && object.spec.type !== 'ExternalName';
  if (same && before[0] && now[0] !== before[0]) errors.push(invalid('spec.clusterIPs[0]', now, 'may not change once set'));
  if (old.spec.type === 'LoadBalancer' && object.spec.type === 'LoadBalancer' && !deepEqual(old.spec.loadBalancerClass, object.spec.loadBalancerClass)) {
    errors.push(invalid('spec.loadBalancerClass', object.spec.loadBalancerClass ?? null, 'may not change once set'));
  }
  return [...errors, ...checkLoadBalancerClass(object.spec), ...validateService(object, old)];
}
