import { age } from '../../duration.ts';
import type { HorizontalPodAutoscaler, MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from '../../generated/types/autoscaling.v2.ts';
import type { KindBehaviour } from '../../kind.ts';
import { validateHorizontalPodAutoscalerSpec, validateHorizontalPodAutoscalerStatus } from './validation.ts';

/** Upstream: pkg/apis/autoscaling/v2/defaults.go. */
function setDefaults({ spec }: HorizontalPodAutoscaler): void {
  spec.minReplicas ??= 1;
  if (!spec.metrics?.length) spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }];
  if (!spec.behavior) return;
  const { behavior } = spec;
  behavior.scaleUp ??= {};
  behavior.scaleUp.stabilizationWindowSeconds ??= 0;
  behavior.scaleUp.selectPolicy ??= 'Max';
  behavior.scaleUp.policies ??= [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ];
  behavior.scaleDown ??= {};
  behavior.scaleDown.selectPolicy ??= 'Max';
  behavior.scaleDown.policies ??= [{ type: 'Percent', value: 100, periodSeconds: 15 }];
}

const SOURCES: Readonly<Record<string, keyof MetricSpec>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

const UNKNOWN = '<unknown>';

function currentOf(current: MetricValueStatus | undefined, target: MetricTarget): string {
  if (target.averageUtilization !== undefined) return current?.averageUtilization === undefined ? UNKNOWN : `${current.averageUtilization}%`;
  return (target.averageValue === undefined ? current?.value : current?.averageValue) ?? UNKNOWN;
}

function wantedOf({ averageUtilization, averageValue, value }: MetricTarget): string {
  return averageUtilization === undefined ? (averageValue ?? value ?? '<auto>') : `${averageUtilization}%`;
}

function metricText(metric: MetricSpec, status: MetricStatus | undefined): string {
  const source = SOURCES[metric.type];
  if (!source) return '<unknown type>';
  const { name, target } = metric[source] as { name?: string; target: MetricTarget };
  const current = (status?.[source] as { current?: MetricValueStatus } | undefined)?.current;
  const text = `${currentOf(current, target)}/${wantedOf(target)}`;
  if (source === 'resource' || source === 'containerResource') return `${name}: ${text}`;
  return source !== 'pods' && target.averageValue !== undefined ? `${text} (avg)` : text;
}

/** The cell TARGETS (upstream: formatHPAMetrics): two metrics, then how many more there are. */
function targetsText(metrics: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (metrics.length === 0) return '<none>';
  const all = metrics.map((metric, index) => metricText(metric, statuses[index]));
  return all.length > 2 ? `${all.slice(0, 2).join(', ')} + ${all.length - 2} more...` : all.join(', ');
}

/** Upstream: pkg/registry/autoscaling/horizontalpodautoscaler/strategy.go. */
export const horizontalPodAutoscaler: KindBehaviour<HorizontalPodAutoscaler> = {
  group: 'autoscaling',
  version: 'v2',
  kind: 'HorizontalPodAutoscaler',
  hasStatus: true,
  setDefaults,
  prepareForCreate: (object) => {
    object.status = { desiredReplicas: 0 };
  },
  validate: ({ spec }) => validateHorizontalPodAutoscalerSpec(spec),
  validateStatusUpdate: ({ status }) => validateHorizontalPodAutoscalerStatus(status),
  row: ({ metadata, spec, status }, nowMs) => [
    metadata.name ?? '',
    `${spec.scaleTargetRef.kind}/${spec.scaleTargetRef.name}`,
    targetsText(spec.metrics ?? [], status.currentMetrics ?? []),
    spec.minReplicas === undefined ? '<unset>' : String(spec.minReplicas),
    spec.maxReplicas,
    status.currentReplicas ?? 0,
    age(metadata.creationTimestamp, nowMs),
  ],
};
