import { deepEqual } from '../../equality.ts';
import { at, duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type { Service, ServicePort, ServiceSpec } from '../../generated/types/core.v1.ts';
import { ipFamily, isCIDR } from '../../ip-address.ts';
import { validateLabels } from '../../label-validation.ts';
import { qualifiedNameFaults } from '../../names.ts';
import { checkIP, checkLabelName, checkOneOf, checkOptionalOneOf, checkPort, checkPortNumber, checkSubdomain, checkWith } from '../../validation.ts';

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

function checkClusterIPs(spec: ServiceSpec): FieldError[] {
  if (spec.type === 'ExternalName') return [];
  const { clusterIP, clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  const errors: FieldError[] = [];
  if (clusterIP && clusterIPs.length === 0) errors.push(required('spec.clusterIPs'));
  else if (clusterIP !== undefined && clusterIPs.length > 0 && clusterIPs[0] !== clusterIP)
    errors.push(invalid('spec.clusterIPs', clusterIPs, 'first value must match `clusterIP`'));
  ipFamilies.forEach((family, index) => {
    const path = at('spec.ipFamilies', index);
    if (family !== 'IPv4' && family !== 'IPv6') errors.push(notSupported(path, family, ['IPv4', 'IPv6']));
    else if (ipFamilies.indexOf(family) < index) errors.push(duplicate(path, family));
  });
  errors.push(...checkOptionalOneOf(ipFamilyPolicy, ['PreferDualStack', 'RequireDualStack', 'SingleStack'], 'spec.ipFamilyPolicy'));
  clusterIPs.forEach((ip, index) => {
    const path = at('spec.clusterIPs', index);
    if (ip === 'None') {
      if (clusterIPs.length > 1) errors.push(invalid(path, ip, "'None' must be the first and only value"));
    } else if (ip !== '' && ipFamily(ip) === undefined) errors.push(...checkIP(ip, path));
  });
  return errors;
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
  const { type, loadBalancerSourceRanges = [], allocateLoadBalancerNodePorts, loadBalancerClass } = spec;
  const balanced = type === 'LoadBalancer';
  if (loadBalancerSourceRanges.length) {
    if (!balanced) errors.push(forbidden('spec.LoadBalancerSourceRanges', "may only be used when `type` is 'LoadBalancer'"));
    loadBalancerSourceRanges.forEach((range, index) => {
      if (!isCIDR(range.trim()))
        errors.push(invalid(at('spec.loadBalancerSourceRanges', index), range, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'));
    });
  }
  if (balanced && allocateLoadBalancerNodePorts === undefined) errors.push(required('spec.allocateLoadBalancerNodePorts'));
  if (!balanced && allocateLoadBalancerNodePorts !== undefined)
    errors.push(forbidden('spec.allocateLoadBalancerNodePorts', "may only be used when `type` is 'LoadBalancer'"));
  if (!balanced && loadBalancerClass !== undefined) errors.push(forbidden('spec.loadBalancerClass', "may only be used when `type` is 'LoadBalancer'"));
  if (balanced && loadBalancerClass !== undefined) errors.push(...checkWith(qualifiedNameFaults, loadBalancerClass, 'spec.loadBalancerClass'));
  return errors;
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
  return [...errors, ...checkOptionalOneOf(internalTrafficPolicy, ['Cluster', 'Local'], 'spec.internalTrafficPolicy')];
}

/** Upstream: pkg/apis/core/validation, ValidateService. */
export function validateService({ spec }: Service): FieldError[] {
  const { type, ports = [], externalIPs = [], trafficDistribution } = spec;
  return [
    ...(ports.length === 0 && !isHeadless(spec) && type !== 'ExternalName' ? [required('spec.ports')] : []),
    ...checkType(spec),
    ...checkPorts(ports),
    ...validateLabels(spec.selector, 'spec.selector'),
    ...checkAffinity(spec),
    ...checkClusterIPs(spec),
    ...externalIPs.flatMap((ip, index) => checkIP(ip, at('spec.externalIPs', index))),
    ...checkOneOf(type, TYPES, 'spec.type'),
    ...checkNodePorts(spec),
    ...checkLoadBalancer(spec),
    ...(TYPES.includes(type ?? '') ? checkTrafficPolicies(spec) : []),
    ...checkOptionalOneOf(trafficDistribution, ['PreferClose', 'PreferSameNode', 'PreferSameZone'], 'spec.trafficDistribution'),
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
    errors.push(invalid('spec.loadBalancerClass', object.spec.loadBalancerClass, 'may not change once set'));
  }
  return errors;
}
