import { age } from '../../duration.ts';
import { asGiven } from '../../emptied.ts';
import type {
  HorizontalPodAutoscaler,
  HPAScalingPolicy,
  HPAScalingRules,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../generated/types/autoscaling.v2.ts';
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
  setRuleDefaults(behavior.scaleUp, [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ]);
  behavior.scaleDown ??= {};
  setRuleDefaults(behavior.scaleDown, [{ type: 'Percent', value: 100, periodSeconds: 15 }]);
}

/** Policies that are given empty stay so, and are refused. */
function setRuleDefaults(rules: HPAScalingRules, policies: HPAScalingPolicy[]): void {
  rules.selectPolicy ??= 'Max';
  if (asGiven(rules, 'policies') === null) rules.policies = policies;
}

/** Part of a feature that is off by default (HPAConfigurableTolerance). */
function dropTolerance({ spec: { behavior } }: HorizontalPodAutoscaler, old?: HorizontalPodAutoscaler): void {
  for (const key of ['scaleUp', 'scaleDown'] as const) {
    const inUse = old?.spec.behavior?.scaleUp?.tolerance ?? old?.spec.behavior?.scaleDown?.tolerance;
    if (inUse === undefined) delete behavior?.[key]?.tolerance;
  }
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
    // Go writes null for a list that it does not leave out.
    object.status = { desiredReplicas: 0, currentMetrics: null as unknown as MetricStatus[] };
    dropTolerance(object);
  },
  prepareForUpdate: dropTolerance,
  validate: ({ spec }, old) => validateHorizontalPodAutoscalerSpec(spec, old?.spec),
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
