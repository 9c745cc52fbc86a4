import { age } from '../../duration.ts';
import { at, type FieldError, invalid, notSupported } from '../../field-error.ts';
import type { ResourceQuota } from '../../generated/types/core.v1.ts';
import { qualifiedNameFaults } from '../../names.ts';
import type { KindBehaviour } from '../../resource.ts';
import { checkWith, sortedEntries } from '../../validation.ts';
import { roundUpResources } from './pod/defaults.ts';
import { checkQuantityValue } from './pod/validation/resources.ts';

const SCOPES = ['BestEffort', 'CrossNamespacePodAffinity', 'NotBestEffort', 'NotTerminating', 'PriorityClass', 'Terminating', 'VolumeAttributesClass'];

/** `pods: 3/10, requests.cpu: 1/4` of the resources given. */
function usage({ status }: ResourceQuota, wanted: (name: string) => boolean): string {
  return sortedEntries(status.hard)
    .filter(([name]) => wanted(name))
    .map(([name, hard]) => `${name}: ${status.used?.[name] ?? '0'}/${hard}`)
    .join(', ');
}

/** Upstream: ValidateResourceQuotaSpec. */
function validate({ spec }: ResourceQuota): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, quantity] of sortedEntries(spec.hard)) {
    const path = at('spec.hard', name);
    errors.push(...checkWith(qualifiedNameFaults, name, path), ...checkQuantityValue(name, quantity, path));
  }
  for (const scope of spec.scopes ?? []) if (!SCOPES.includes(scope)) errors.push(notSupported('spec.scopes', scope, SCOPES));
  const scopes = spec.scopes ?? [];
  for (const [a, b] of [
    ['BestEffort', 'NotBestEffort'],
    ['Terminating', 'NotTerminating'],
  ] as const) {
    if (scopes.includes(a) && scopes.includes(b)) errors.push(invalid('spec.scopes', [...scopes].sort(), 'conflicting scopes'));
  }
  return errors;
}

/** Upstream: pkg/registry/core/resourcequota/strategy.go. */
export const resourceQuota: KindBehaviour<ResourceQuota> = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  hasStatus: true,
  setDefaults: ({ spec }) => {
    if (spec.hard) roundUpResources(spec.hard);
  },
  prepareForCreate: (object) => {
    object.status = {};
  },
  validate,
  validateUpdate: (object, old) => {
    const same = JSON.stringify([...(object.spec.scopes ?? [])].sort()) === JSON.stringify([...(old.spec.scopes ?? [])].sort());
    return [...validate(object), ...(same ? [] : [invalid('spec.scopes', object.spec.scopes ?? null, 'field is immutable')])];
  },
  row: (object, nowMs) => [
    object.metadata.name ?? '',
    usage(object, (name) => !name.startsWith('limits')),
    usage(object, (name) => name.startsWith('limits')),
    age(object.metadata.creationTimestamp, nowMs),
  ],
};
