import { age } from '../../duration.ts';
import { at, type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type { IPBlock, NetworkPolicy, NetworkPolicyPeer, NetworkPolicyPort } from '../../generated/types/networking.v1.ts';
import { cidrContains, isCIDR } from '../../ip-address.ts';
import type { KindBehaviour } from '../../kind.ts';
import { validateLabelSelector } from '../../label-validation.ts';
import { formatSelector } from '../../labels.ts';
import { checkOptionalOneOf, checkPort, checkPortNumber } from '../../validation.ts';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const TYPES = ['Ingress', 'Egress'];
const CIDR_FAULT = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** Upstream: ValidateNetworkPolicyPort. */
function checkPolicyPort({ protocol, port, endPort }: NetworkPolicyPort, field: string): FieldError[] {
  const errors = checkOptionalOneOf(protocol, PROTOCOLS, `${field}.protocol`);
  const end = `${field}.endPort`;
  if (port === undefined) return endPort === undefined ? errors : [...errors, invalid(end, endPort, 'may not be specified when `port` is not specified')];
  if (typeof port === 'string') {
    if (endPort !== undefined) errors.push(invalid(end, endPort, 'may not be specified when `port` is non-numeric'));
    return [...errors, ...checkPort(port, `${field}.port`)];
  }
  errors.push(...checkPortNumber(port, `${field}.port`));
  if (endPort === undefined) return errors;
  if (endPort < port) errors.push(invalid(end, port, 'must be greater than or equal to `port`'));
  return [...errors, ...checkPortNumber(endPort, end)];
}

/** Upstream: ValidateIPBlock. */
function checkBlock({ cidr, except = [] }: IPBlock, field: string): FieldError[] {
  if (!cidr) return [required(`${field}.cidr`)];
  if (!isCIDR(cidr)) return [invalid(`${field}.cidr`, cidr, CIDR_FAULT)];
  return except.flatMap((range, index) => {
    const path = at(`${field}.except`, index);
    if (!isCIDR(range)) return [invalid(path, range, CIDR_FAULT)];
    return cidrContains(cidr, range) ? [] : [invalid(path, range, 'must be a strict subset of `cidr`')];
  });
}

/** Upstream: ValidateNetworkPolicyPeer. */
function checkPeer({ podSelector, namespaceSelector, ipBlock }: NetworkPolicyPeer, field: string): FieldError[] {
  const errors = [
    ...validateLabelSelector(podSelector, `${field}.podSelector`),
    ...validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`),
    ...(ipBlock ? checkBlock(ipBlock, `${field}.ipBlock`) : []),
  ];
  if (!podSelector && !namespaceSelector && !ipBlock) errors.push(required(field, 'must specify a peer'));
  else if (ipBlock && (podSelector || namespaceSelector)) errors.push(forbidden(field, 'may not specify both ipBlock and another peer'));
  return errors;
}

function checkRule(
  { ports = [], peers = [] }: { ports: NetworkPolicyPort[] | undefined; peers: NetworkPolicyPeer[] | undefined },
  field: string,
  side: string,
): FieldError[] {
  return [
    ...ports.flatMap((port, index) => checkPolicyPort(port, at(`${field}.ports`, index))),
    ...peers.flatMap((peer, index) => checkPeer(peer, at(`${field}.${side}`, index))),
  ];
}

/** Upstream: pkg/apis/networking/validation, ValidateNetworkPolicySpec. */
function validate({ spec }: NetworkPolicy): FieldError[] {
  const { podSelector, ingress = [], egress = [], policyTypes = [] } = spec ?? {};
  const errors = [
    ...validateLabelSelector(podSelector, 'spec.podSelector'),
    ...ingress.flatMap(({ ports, from }, index) => checkRule({ ports, peers: from }, at('spec.ingress', index), 'from')),
    ...egress.flatMap(({ ports, to }, index) => checkRule({ ports, peers: to }, at('spec.egress', index), 'to')),
  ];
  if (policyTypes.length > TYPES.length) return [...errors, invalid('spec.policyTypes', policyTypes, 'may not specify more than two policyTypes')];
  const unknown = policyTypes.flatMap((type, index) => (TYPES.includes(type) ? [] : [notSupported(at('spec.policyTypes', index), type, TYPES)]));
  return [...errors, ...unknown];
}

export const networkPolicy: KindBehaviour<NetworkPolicy> = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'NetworkPolicy',
  hasGeneration: true,
  validate,
  validateUpdate: validate,
  updateOrder: ['whole', 'metadata', 'change'],
  setDefaults: ({ spec }) => {
    for (const rule of [...(spec?.ingress ?? []), ...(spec?.egress ?? [])]) for (const port of rule.ports ?? []) port.protocol ??= 'TCP';
    if (spec && !spec.policyTypes?.length) spec.policyTypes = spec.egress?.length ? ['Ingress', 'Egress'] : ['Ingress'];
  },
  row: ({ metadata, spec }, nowMs) => [metadata.name ?? '', formatSelector(spec?.podSelector ?? {}), age(metadata.creationTimestamp, nowMs)],
};
