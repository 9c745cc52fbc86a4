import { checkCounts, checkIntOrPercent, checkNotAbove100Percent } from '../../apps/v1/replica-validation.ts';
import { age } from '../../duration.ts';
import { type FieldError, invalid } from '../../field-error.ts';
import type { PodDisruptionBudget } from '../../generated/types/policy.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { validateLabelSelector } from '../../label-validation.ts';
import { checkOptionalOneOf } from '../../validation.ts';

/** Upstream: ValidatePodDisruptionBudgetSpec. */
function validate({ spec }: PodDisruptionBudget): FieldError[] {
  const { minAvailable, maxUnavailable, selector, unhealthyPodEvictionPolicy } = spec;
  const errors: FieldError[] = [];
  if (minAvailable !== undefined && maxUnavailable !== undefined) {
    errors.push(
      invalid(
        'spec',
        {
          MinAvailable: minAvailable,
          Selector: selector ?? null,
          MaxUnavailable: maxUnavailable,
          UnhealthyPodEvictionPolicy: unhealthyPodEvictionPolicy ?? null,
        },
        'minAvailable and maxUnavailable cannot be both set',
      ),
    );
  }
  for (const [name, value] of [
    ['minAvailable', minAvailable],
    ['maxUnavailable', maxUnavailable],
  ] as const) {
    if (value !== undefined) errors.push(...checkIntOrPercent(value, `spec.${name}`), ...checkNotAbove100Percent(value, `spec.${name}`));
  }
  errors.push(...validateLabelSelector(selector, 'spec.selector'));
  return [...errors, ...checkOptionalOneOf(unhealthyPodEvictionPolicy, ['AlwaysAllow', 'IfHealthyBudget'], 'spec.unhealthyPodEvictionPolicy')];
}

/** Upstream: pkg/registry/policy/poddisruptionbudget/strategy.go. */
export const podDisruptionBudget: KindBehaviour<PodDisruptionBudget> = {
  group: 'policy',
  version: 'v1',
  kind: 'PodDisruptionBudget',
  hasGeneration: true,
  hasStatus: true,
  allowUnconditionalUpdate: false,
  prepareForCreate: (object) => {
    object.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  },
  metadataRules: 'none',
  validate,
  validateStatusUpdate: ({ status }) => checkCounts({ ...status }, ['disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'], []),
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    spec.minAvailable === undefined ? 'N/A' : String(spec.minAvailable),
    spec.maxUnavailable === undefined ? 'N/A' : String(spec.maxUnavailable),
    status.disruptionsAllowed ?? 0,
    age(metadata.creationTimestamp, nowMs),
  ],
};
