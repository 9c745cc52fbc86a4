import { age } from '../../duration.ts';
import { type FieldError, invalid } from '../../field-error.ts';
import type { Lease } from '../../generated/types/coordination.v1.ts';
import type { KindBehaviour } from '../../kind.ts';

/** Upstream: ValidateLeaseSpec. */
function validate({ spec }: Lease): FieldError[] {
  const { leaseDurationSeconds: duration, leaseTransitions: transitions = 0 } = spec ?? {};
  const errors: FieldError[] = [];
  if (duration !== undefined && duration <= 0) errors.push(invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0'));
  if (transitions < 0) errors.push(invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0'));
  return errors;
}

/** Parts of a feature that is off by default (CoordinatedLeaderElection). */
function dropCoordination(object: Lease, old?: Lease): void {
  for (const field of ['strategy', 'preferredHolder'] as const) if (object.spec && old?.spec?.[field] === undefined) delete object.spec[field];
}

/** Upstream: pkg/registry/coordination/lease/strategy.go. */
export const lease: KindBehaviour<Lease> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  allowCreateOnUpdate: true,
  allowUnconditionalUpdate: false,
  metadataRules: 'general',
  prepareForCreate: (object) => dropCoordination(object),
  prepareForUpdate: dropCoordination,
  validate,
  row: ({ metadata, spec }, nowMs) => [metadata.name ?? '', spec?.holderIdentity ?? '', age(metadata.creationTimestamp, nowMs)],
};
