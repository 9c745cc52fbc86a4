import { age } from '../../duration.ts';
import type { FieldError } from '../../field-error.ts';
import type { HorizontalPodAutoscaler } from '../../generated/types/autoscaling.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { validateHorizontalPodAutoscalerSpec, validateHorizontalPodAutoscalerStatus } from '../v2/validation.ts';
import { storedAsV2 } from './stored-as-v2.ts';

/** As v2 has it: the percentage is the target of a metric of cpu. */
function validate({ spec }: HorizontalPodAutoscaler, old?: HorizontalPodAutoscaler): FieldError[] {
  const { targetCPUUtilizationPercentage: averageUtilization, ...rest } = spec;
  if (averageUtilization === undefined) return validateHorizontalPodAutoscalerSpec(rest, old?.spec);
  const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } }];
  return validateHorizontalPodAutoscalerSpec({ ...rest, metrics }, old?.spec);
}

/** Upstream: pkg/apis/autoscaling/v1/defaults.go. */
export const horizontalPodAutoscalerV1: KindBehaviour<HorizontalPodAutoscaler> = {
  group: 'autoscaling',
  version: 'v1',
  kind: 'HorizontalPodAutoscaler',
  storedAs: storedAsV2,
  hasStatus: true,
  setDefaults: ({ spec }) => {
    spec.minReplicas ??= 1;
  },
  prepareForCreate: (object) => {
    object.status = { currentReplicas: 0, desiredReplicas: 0 };
  },
  validate,
  validateStatusUpdate: ({ status }) => validateHorizontalPodAutoscalerStatus(status),
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
