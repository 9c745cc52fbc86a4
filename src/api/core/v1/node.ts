import { age } from '../../duration.ts';
import { at, duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type { Node } from '../../generated/types/core.v1.ts';
import { isCIDR } from '../../ip-address.ts';
import type { Cell, KindBehaviour } from '../../kind.ts';
import { validateLabelName } from '../../label-validation.ts';
import { labelValueFaults } from '../../names.ts';
import { sortedEntries } from '../../validation.ts';
import { roundUpResources } from './pod/defaults.ts';
import { checkQuantityValue } from './pod/validation/resources.ts';

const ROLE_PREFIX = 'node-role.kubernetes.io/';

function rolesOf({ metadata }: Node): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(ROLE_PREFIX) && key.length > ROLE_PREFIX.length) roles.add(key.slice(ROLE_PREFIX.length));
    else if (key === 'kubernetes.io/role' && value) roles.add(value);
  }
  return [...roles].sort().join(',') || '<none>';
}

function row(node: Node, nowMs: number): Cell[] {
  const ready = node.status.conditions?.find((c) => c.type === 'Ready');
  const status = ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  const address = (type: string): string => node.status.addresses?.find((a) => a.type === type)?.address ?? '<none>';
  const info = node.status.nodeInfo;
  return [
    node.metadata.name ?? '',
    node.spec.unschedulable ? `${status},SchedulingDisabled` : status,
    rolesOf(node),
    age(node.metadata.creationTimestamp, nowMs),
    info?.kubeletVersion ?? '',
    address('InternalIP'),
    address('ExternalIP'),
    info?.osImage || '<unknown>',
    info?.kernelVersion || '<unknown>',
    info?.containerRuntimeVersion || '<unknown>',
  ];
}

function twice(path: string, taint: object): FieldError {
  const error = duplicate(path, taint);
  return { ...error, message: `${error.message}: taints must be unique by key and effect pair` };
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Upstream: validateNodeTaints and ValidateNode. Taints are told of as if they stood in metadata, as upstream does. */
function validate({ spec, status }: Node): FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  (spec.taints ?? []).forEach(({ key, value = '', effect }, index) => {
    const path = at('metadata.taints', index);
    errors.push(...validateLabelName(key ?? '', `${path}.key`));
    const faults = labelValueFaults(value);
    if (faults.length) errors.push(invalid(`${path}.value`, value, faults.join(';')));
    if (!effect) errors.push(required(`${path}.effect`));
    else if (!EFFECTS.includes(effect)) errors.push(notSupported(`${path}.effect`, effect, EFFECTS));
    if (seen.has(`${key}:${effect}`)) errors.push(twice(path, { Key: key, Value: value, Effect: effect, TimeAdded: null }));
    seen.add(`${key}:${effect}`);
  });
  for (const list of ['capacity', 'allocatable'] as const) {
    for (const [name, quantity] of sortedEntries(status?.[list])) errors.push(...checkQuantityValue(name, quantity, at(`status.${list}`, name)));
  }
  (spec.podCIDRs ?? []).forEach((range, index) => {
    if (!isCIDR(range)) errors.push(invalid(at('spec.podCIDRs', index), range, 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)'));
  });
  return errors;
}

function validateUpdate(object: Node, old: Node): FieldError[] {
  const errors: FieldError[] = [];
  const before = old.spec.podCIDRs ?? [];
  if (before.length && before.join() !== (object.spec.podCIDRs ?? []).join())
    errors.push(forbidden('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  if (old.spec.providerID && old.spec.providerID !== object.spec.providerID)
    errors.push(forbidden('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  return errors;
}

/** Upstream: pkg/registry/core/node/strategy.go. */
export const node: KindBehaviour<Node> = {
  group: '',
  version: 'v1',
  kind: 'Node',
  storagePrefix: 'minions',
  hasStatus: true,
  allowCreateOnUpdate: false,
  setDefaults: ({ spec, status }) => {
    // The first of the ranges has a field of its own, which counts where the two differ.
    if (spec.podCIDR && spec.podCIDRs?.[0] !== spec.podCIDR) spec.podCIDRs = [spec.podCIDR];
    if (status.capacity) {
      roundUpResources(status.capacity);
      status.allocatable ??= { ...status.capacity };
    }
    if (status.allocatable) roundUpResources(status.allocatable);
  },
  prepareForCreate: ({ spec }) => {
    delete spec.configSource;
  },
  validate,
  validateUpdate,
  warnings: ({ spec }) => [
    ...(spec.configSource ? ['spec.configSource: the feature is removed'] : []),
    ...(spec.externalID ? ['spec.externalID: this field is deprecated, and is unused by Kubernetes'] : []),
  ],
  updateOrder: ['whole', 'metadata', 'change'],
  row,
  selectableFields: { 'spec.unschedulable': ({ spec }) => String(spec.unschedulable ?? false) },
};
