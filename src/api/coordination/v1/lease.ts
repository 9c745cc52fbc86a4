import { age } from '../../duration.ts';
import type { Lease } from '../../generated/types/coordination.v1.ts';
import type { KindBehaviour } from '../../resource.ts';

/** Upstream: pkg/registry/coordination/lease/strategy.go. */
export const lease: KindBehaviour<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  row: ({ metadata, spec }, nowMs) => [metadata.name ?? '', spec?.holderIdentity ?? '', age(metadata.creationTimestamp, nowMs)],
};
