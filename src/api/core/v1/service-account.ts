import { age } from '../../duration.ts';
import type { ServiceAccount } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';

/** Upstream: pkg/registry/core/serviceaccount/strategy.go. */
export const serviceAccount: KindBehaviour<ServiceAccount> = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  returnsDeleted: true,
  updateOrder: ['metadata', 'whole'],
  prepareForCreate: (object) => {
    if (object.secrets) object.secrets = object.secrets.map(({ name }) => (name === undefined ? {} : { name }));
  },
  row: ({ metadata, secrets }, nowMs) => [metadata.name ?? '', (secrets ?? []).length, age(metadata.creationTimestamp, nowMs)],
};
