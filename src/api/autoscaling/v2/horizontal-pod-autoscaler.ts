import { age } from '../../duration.ts';
import { at, type FieldError, invalid, notSupported, required } from '../../field-error.ts';
import type {
  HorizontalPodAutoscaler,
  HPAScalingRules,
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../generated/types/autoscaling.v2.ts';
import type { KindBehaviour } from '../../resource.ts';
import { checkNonNegative, checkPresent } from '../../validation.ts';

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

const TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const SOURCES: Readonly<Record<string, keyof MetricSpec>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
};

function checkTarget(target: MetricTarget | undefined, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (!target?.type) return [required(`${field}.type`, 'must specify a metric target type')];
  if (!['Utilization', 'Value', 'AverageValue'].includes(target.type))
    errors.push(invalid(`${field}.type`, target.type, 'must be either Utilization, Value, or AverageValue'));
  if (target.averageUtilization !== undefined && target.averageUtilization < 1)
    errors.push(invalid(`${field}.averageUtilization`, target.averageUtilization, 'must be greater than 0'));
  return errors;
}

function checkMetric(metric: MetricSpec, field: string): FieldError[] {
  if (!metric.type) return [required(`${field}.type`, 'must specify a metric source type')];
  if (!TYPES.includes(metric.type)) return [notSupported(`${field}.type`, metric.type, TYPES)];
  const source = SOURCES[metric.type]!;
  const body = metric[source] as { name?: string; target?: MetricTarget } | undefined;
  if (!body) return [required(`${field}.${source}`, 'must populate information for the given metric source')];
  const named = source === 'resource' || source === 'containerResource';
  return [
    ...(named && !body.name ? [required(`${field}.${source}.name`, 'must specify a resource name')] : []),
    ...checkTarget(body.target, `${field}.${source}.target`),
  ];
}

function checkRules(rules: HPAScalingRules | undefined, field: string): FieldError[] {
  if (!rules) return [];
  const errors = checkNonNegative(rules.stabilizationWindowSeconds, `${field}.stabilizationWindowSeconds`);
  const window = rules.stabilizationWindowSeconds ?? 0;
  if (window > 3600) errors.push(invalid(`${field}.stabilizationWindowSeconds`, window, 'must be less than or equal to 3600'));
  if (rules.selectPolicy !== undefined && !['Disabled', 'Max', 'Min'].includes(rules.selectPolicy))
    errors.push(notSupported(`${field}.selectPolicy`, rules.selectPolicy, ['Disabled', 'Max', 'Min']));
  if (!rules.policies?.length) errors.push(required(`${field}.policies`, 'must specify at least one Policy'));
  (rules.policies ?? []).forEach(({ type, value, periodSeconds }, index) => {
    const path = at(`${field}.policies`, index);
    if (type !== 'Pods' && type !== 'Percent') errors.push(notSupported(`${path}.type`, type, ['Percent', 'Pods']));
    if (value <= 0) errors.push(invalid(`${path}.value`, value, 'must be greater than zero'));
    if (periodSeconds <= 0) errors.push(invalid(`${path}.periodSeconds`, periodSeconds, 'must be greater than zero'));
    if (periodSeconds > 1800) errors.push(invalid(`${path}.periodSeconds`, periodSeconds, 'must be less than or equal to 1800'));
  });
  return errors;
}

/** What both versions check (upstream: validateHorizontalPodAutoscalerSpec). */
export function validateBounds(spec: { minReplicas?: number; maxReplicas: number; scaleTargetRef: { kind: string; name: string } }): FieldError[] {
  const { minReplicas, maxReplicas = 0, scaleTargetRef } = spec;
  const errors: FieldError[] = [];
  if (minReplicas !== undefined && minReplicas < 1) errors.push(invalid('spec.minReplicas', minReplicas, 'must be greater than or equal to 1'));
  if (maxReplicas < 1) errors.push(invalid('spec.maxReplicas', maxReplicas, 'must be greater than 0'));
  if (minReplicas !== undefined && maxReplicas < minReplicas)
    errors.push(invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'));
  return [...errors, ...checkPresent(scaleTargetRef?.kind, 'spec.scaleTargetRef.kind'), ...checkPresent(scaleTargetRef?.name, 'spec.scaleTargetRef.name')];
}

function validate({ spec }: HorizontalPodAutoscaler): FieldError[] {
  return [
    ...validateBounds(spec),
    ...(spec.metrics ?? []).flatMap((metric, index) => checkMetric(metric, at('spec.metrics', index))),
    ...checkRules(spec.behavior?.scaleUp, 'spec.behavior.scaleUp'),
    ...checkRules(spec.behavior?.scaleDown, 'spec.behavior.scaleDown'),
  ];
}

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
  validate,
  validateUpdate: validate,
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
