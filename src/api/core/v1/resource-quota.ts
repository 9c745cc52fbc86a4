import { age } from '../../duration.ts';
import { invalid } from '../../field-error.ts';
import type { ResourceQuota } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { sortedEntries } from '../../validation.ts';
import { roundUpResources } from './pod/defaults.ts';
import { validateHard, validateResourceQuota } from './resource-quota-validation.ts';

/** `pods: 3/10, requests.cpu: 1/4` of the resources given. */
function usage({ status }: ResourceQuota, wanted: (name: string) => boolean): string {
  return sortedEntries(status.hard)
    .filter(([name]) => wanted(name))
    .map(([name, hard]) => `${name}: ${status.used?.[name] ?? '0'}/${hard}`)
    .join(', ');
}

/** Upstream: pkg/registry/core/resourcequota/strategy.go. */
export const resourceQuota: KindBehaviour<ResourceQuota> = {
  group: '',
  version: 'v1',
  kind: 'ResourceQuota',
  returnsDeleted: true,
  hasStatus: true,
  setDefaults: ({ spec }) => {
    if (spec.hard) roundUpResources(spec.hard);
  },
  prepareForCreate: (object) => {
    object.status = {};
  },
  validate: validateResourceQuota,
  validateUpdate: (object, old) => {
    const same = JSON.stringify([...(object.spec.scopes ?? [])].sort()) === JSON.stringify([...(old.spec.scopes ?? [])].sort());
    return [...validateResourceQuota(object), ...(same ? [] : [invalid('spec.scopes', object.spec.scopes ?? null, 'field is immutable')])];
  },
  validateStatusUpdate: ({ status }) => [...validateHard(status?.hard, 'status.hard'), ...validateHard(status?.used, 'status.used')],
  row: (object, nowMs) => [
    object.metadata.name ?? '',
    usage(object, (name) => !name.startsWith('limits')),
    usage(object, (name) => name.startsWith('limits')),
    age(object.metadata.creationTimestamp, nowMs),
  ],
};
