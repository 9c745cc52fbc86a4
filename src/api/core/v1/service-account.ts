import { age } from '../../duration.ts';
import type { ServiceAccount } from '../../generated/types/core.v1.ts';
import type { KindBehaviour } from '../../kind.ts';

const ENFORCE_MOUNTABLE = 'kubernetes.io/enforce-mountable-secrets';

/** Upstream: pkg/registry/core/serviceaccount/strategy.go. */
export const serviceAccount: KindBehaviour<ServiceAccount> = {
  group: '',
  version: 'v1',
  kind: 'ServiceAccount',
  warnings: ({ metadata }, old) =>
    metadata.annotations?.[ENFORCE_MOUNTABLE] === undefined || old?.metadata.annotations?.[ENFORCE_MOUNTABLE] !== undefined
      ? []
      : [`metadata.annotations[${ENFORCE_MOUNTABLE}]: deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets`],
  returnsDeleted: true,
  updateOrder: ['metadata', 'whole'],
  prepareForCreate: (object) => {
    if (object.secrets) object.secrets = object.secrets.map(({ name }) => (name === undefined ? {} : { name }));
  },
  row: ({ metadata, secrets }, nowMs) => [metadata.name ?? '', (secrets ?? []).length, age(metadata.creationTimestamp, nowMs)],
};
