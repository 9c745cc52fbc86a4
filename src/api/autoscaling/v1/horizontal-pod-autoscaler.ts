import { age } from '../../duration.ts';
import { type FieldError, invalid } from '../../field-error.ts';
import type { HorizontalPodAutoscaler } from '../../generated/types/autoscaling.v1.ts';
import type { KindBehaviour } from '../../resource.ts';
import { validateBounds } from '../v2/horizontal-pod-autoscaler.ts';

function validate({ spec }: HorizontalPodAutoscaler): FieldError[] {
  const percent = spec.targetCPUUtilizationPercentage;
  return [
    ...validateBounds(spec),
    ...(percent !== undefined && percent < 1 ? [invalid('spec.targetCPUUtilizationPercentage', percent, 'must be greater than 0')] : []),
  ];
}

/** Upstream: pkg/apis/autoscaling/v1/defaults.go. */
export const horizontalPodAutoscalerV1: KindBehaviour<HorizontalPodAutoscaler> = {
  group: 'autoscaling',
  version: 'v1',
  kind: 'HorizontalPodAutoscaler',
  hasStatus: true,
  setDefaults: ({ spec }) => {
    spec.minReplicas ??= 1;
  },
  prepareForCreate: (object) => {
    object.status = { currentReplicas: 0, desiredReplicas: 0 };
  },
  validate,
  validateUpdate: validate,
  row: ({ metadata, spec, status }, nowMs) => {
    const percent = spec.targetCPUUtilizationPercentage;
    const current = status.currentCPUUtilizationPercentage;
    return [
      metadata.name ?? '',
      `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
      percent === undefined ? '<none>' : `cpu: ${current === undefined ? '<unknown>' : `${current}%`}/${percent}%`,
      spec.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
      spec.maxReplicas,
      status.currentReplicas ?? 0,
      age(metadata.creationTimestamp, nowMs),
    ];
  },
};
