import { age } from '../../duration.ts';
import { type FieldError, invalid } from '../../field-error.ts';
import type { HorizontalPodAutoscaler } from '../../generated/types/autoscaling.v1.ts';
import type { HorizontalPodAutoscaler as HorizontalPodAutoscalerV2, MetricSpec } from '../../generated/types/autoscaling.v2.ts';
import type { KindBehaviour } from '../../resource.ts';
import { targetsText, validateBounds } from '../v2/horizontal-pod-autoscaler.ts';

const METRICS = 'autoscaling.alpha.kubernetes.io/metrics';
const BEHAVIOR = 'autoscaling.alpha.kubernetes.io/behavior';

const cpu = (averageUtilization: number): MetricSpec => ({ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } });

const isCpuUtilization = ({ type, resource }: MetricSpec): boolean =>
  type === 'Resource' && resource?.name === 'cpu' && resource.target.averageUtilization !== undefined;

/** The same autoscaler as v2, in which it is stored, spells it; what v1 has no field for travels in annotations. */
export function toV2(object: HorizontalPodAutoscaler): HorizontalPodAutoscalerV2 {
  const { targetCPUUtilizationPercentage: percent, ...spec } = object.spec;
  const { [METRICS]: metrics, [BEHAVIOR]: behavior, ...annotations } = object.metadata.annotations ?? {};
  const { currentCPUUtilizationPercentage: current, ...status } = object.status;
  const others = metrics === undefined ? [] : (JSON.parse(metrics) as MetricSpec[]);
  const { annotations: _, ...metadata } = object.metadata;
  return {
    ...object,
    apiVersion: 'autoscaling/v2',
    metadata: { ...metadata, ...(Object.keys(annotations).length ? { annotations } : {}) },
    spec: {
      ...spec,
      ...(percent === undefined && others.length === 0 ? {} : { metrics: [...(percent === undefined ? [] : [cpu(percent)]), ...others] }),
      ...(behavior === undefined ? {} : { behavior: JSON.parse(behavior) }),
    },
    status: {
      ...status,
      ...(current === undefined ? {} : { currentMetrics: [{ type: 'Resource', resource: { name: 'cpu', current: { averageUtilization: current } } }] }),
    },
  };
}

export function fromV2(object: HorizontalPodAutoscalerV2): HorizontalPodAutoscaler {
  const { metrics = [], behavior, ...spec } = object.spec;
  const { conditions: _, currentMetrics = [], ...status } = object.status;
  const first = metrics.findIndex(isCpuUtilization);
  const percent = metrics[first]?.resource?.target.averageUtilization;
  const others = metrics.filter((_, index) => index !== first);
  const current = currentMetrics.find(({ resource }) => resource?.name === 'cpu')?.resource?.current.averageUtilization;
  const extra = {
    ...(others.length ? { [METRICS]: JSON.stringify(others) } : {}),
    ...(behavior ? { [BEHAVIOR]: JSON.stringify(behavior) } : {}),
  };
  const annotations = { ...object.metadata.annotations, ...extra };
  return {
    ...object,
    apiVersion: 'autoscaling/v1',
    metadata: { ...object.metadata, ...(Object.keys(annotations).length ? { annotations } : {}) },
    spec: { ...spec, ...(percent === undefined ? {} : { targetCPUUtilizationPercentage: percent }) },
    status: { ...status, currentReplicas: status.currentReplicas ?? 0, ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }) },
  };
}

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
  row: (object, nowMs) => {
    const { metadata, spec, status } = toV2(object);
    return [
      metadata.name ?? '',
      `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
      targetsText(spec.metrics ?? [], status.currentMetrics ?? []),
      spec.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
      spec.maxReplicas,
      status.currentReplicas ?? 0,
      age(metadata.creationTimestamp, nowMs),
    ];
  },
};
