import { age } from '../../duration.ts';
import { deepEqual } from '../../equality.ts';
import type { Service, ServiceSpec } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { selectorFromMap } from '../../labels.ts';
import { nameCheck } from '../../meta/validation.ts';
import { dns1035LabelFaults } from '../../names.ts';
import { validateService, validateServiceUpdate } from './service-validation.ts';

/** Three hours: how long ClientIP affinity lasts by default. */
const AFFINITY_SECONDS = 10800;

const TOPOLOGY_HINTS = 'service.kubernetes.io/topology-aware-hints';

function setDefaults(object: Service): void {
  const { spec, status } = object;
  spec.sessionAffinity ||= 'None';
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP' && spec.sessionAffinityConfig?.clientIP?.timeoutSeconds === undefined) {
    spec.sessionAffinityConfig = { clientIP: { timeoutSeconds: AFFINITY_SECONDS } };
  }
  spec.type ||= 'ClusterIP';
  for (const port of spec.ports ?? []) {
    port.protocol ||= 'TCP';
    if (port.targetPort === undefined || port.targetPort === 0 || port.targetPort === '') port.targetPort = port.port;
  }
  if (isReachedFromOutside(object)) spec.externalTrafficPolicy ||= 'Cluster';
  if (spec.type === 'NodePort' || spec.type === 'LoadBalancer' || spec.type === 'ClusterIP') spec.internalTrafficPolicy ??= 'Cluster';
  if (spec.type === 'LoadBalancer') {
    spec.allocateLoadBalancerNodePorts ??= true;
    for (const ingress of status.loadBalancer?.ingress ?? []) if (ingress.ip) ingress.ipMode ??= 'VIP';
  }
}

const hasClusterIP = ({ spec }: Service): boolean => spec.type !== 'ExternalName';
const hasNodePorts = ({ spec }: Service): boolean => spec.type === 'NodePort' || (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);
const hasHealthCheckPort = ({ spec }: Service): boolean => spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
const isReachedFromOutside = ({ spec }: Service): boolean =>
  spec.type === 'LoadBalancer' || spec.type === 'NodePort' || (spec.type === 'ClusterIP' && (spec.externalIPs ?? []).length > 0);
const isBalanced = ({ spec }: Service): boolean => spec.type === 'LoadBalancer';

/** What only the former type had goes with it, unless the client changed it (upstream: dropTypeDependentFields). */
function dropFieldsOfType(object: Service, old: Service): void {
  const drop = (needs: (service: Service) => boolean, fields: readonly (keyof ServiceSpec)[]): void => {
    if (!needs(old) || needs(object) || !fields.every((field) => deepEqual(object.spec[field], old.spec[field]))) return;
    for (const field of fields) delete object.spec[field];
  };
  drop(hasClusterIP, ['clusterIP', 'clusterIPs']);
  drop(hasClusterIP, ['ipFamilies']);
  drop(hasClusterIP, ['ipFamilyPolicy']);
  const nodePorts = ({ spec }: Service): string => [...new Set((spec.ports ?? []).map(({ nodePort = 0 }) => nodePort))].sort().join();
  if (hasNodePorts(old) && !hasNodePorts(object) && nodePorts(object) === nodePorts(old)) {
    for (const port of object.spec.ports ?? []) delete port.nodePort;
  }
  drop(hasHealthCheckPort, ['healthCheckNodePort']);
  drop(isBalanced, ['allocateLoadBalancerNodePorts']);
  drop(isBalanced, ['loadBalancerClass']);
  drop(isReachedFromOutside, ['externalTrafficPolicy']);
}

/** Upstream: pkg/api/service, GetWarningsForService, but for addresses in forms that are not canonical. */
function warnings({ metadata, spec }: Service): string[] {
  const { type, clusterIP, loadBalancerIP, externalIPs, externalName, sessionAffinity } = spec;
  const isHeadless = type === 'ClusterIP' && clusterIP === 'None';
  return [
    ...(metadata.annotations?.[TOPOLOGY_HINTS] === undefined
      ? []
      : [`annotation ${TOPOLOGY_HINTS} is deprecated, please use service.kubernetes.io/topology-mode instead`]),
    ...(isHeadless && loadBalancerIP ? ['spec.loadBalancerIP is ignored for headless services'] : []),
    ...(isHeadless && externalIPs?.length ? ['spec.externalIPs is ignored for headless services'] : []),
    ...(isHeadless && sessionAffinity !== 'None' ? ['spec.SessionAffinity is ignored for headless services'] : []),
    ...(type === 'ExternalName' && externalIPs?.length ? ['spec.externalIPs is ignored when spec.type is "ExternalName"'] : []),
    ...(type !== 'ExternalName' && externalName ? ['spec.externalName is ignored when spec.type is not "ExternalName"'] : []),
  ];
}

function externalAddress({ spec, status }: Service): string {
  const external = spec.externalIPs ?? [];
  switch (spec.type) {
    case 'ClusterIP':
    case 'NodePort':
      return external.join(',') || '<none>';
    case 'LoadBalancer': {
      const balanced = [...new Set((status.loadBalancer?.ingress ?? []).map((i) => i.ip || i.hostname || '').filter(Boolean))].sort();
      return [...balanced, ...external].join(',') || '<pending>';
    }
    case 'ExternalName':
      return spec.externalName ?? '';
    default:
      return '<unknown>';
  }
}

/** Upstream: pkg/apis/core/v1/defaults.go, pkg/registry/core/service/strategy.go. */
export const service: KindBehaviour<Service> = {
  group: '',
  version: 'v1',
  kind: 'Service',
  storagePrefix: 'services/specs',
  returnsDeleted: true,
  hasStatus: true,
  validateName: nameCheck(dns1035LabelFaults),
  setDefaults,
  prepareForCreate: (object) => {
    object.status = { loadBalancer: {} };
  },
  prepareForUpdate: dropFieldsOfType,
  validate: validateService,
  validateUpdate: validateServiceUpdate,
  warnings,
  row: (object, nowMs) => [
    object.metadata.name ?? '',
    object.spec.type ?? '',
    object.spec.clusterIPs?.[0] || '<none>',
    externalAddress(object),
    (object.spec.ports ?? []).map((p) => `${p.port}${p.nodePort ? `:${p.nodePort}` : ''}/${p.protocol}`).join(',') || '<none>',
    age(object.metadata.creationTimestamp, nowMs),
    selectorFromMap(object.spec.selector).toString() || '<none>',
  ],
  selectableFields: {
    'spec.clusterIP': ({ spec }) => spec.clusterIP ?? '',
    'spec.type': ({ spec }) => spec.type ?? '',
  },
};
