import { checkContainerResourceName } from '../../core/v1/pod/validation/resources.ts';
import { at, type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type {
  CrossVersionObjectReference,
  HorizontalPodAutoscaler,
  HorizontalPodAutoscalerSpec,
  HPAScalingRules,
  MetricSpec,
  MetricTarget,
} from '../../generated/types/autoscaling.v2.ts';
import { pathSegmentFaults } from '../../meta/validation.ts';
import { parseQuantity } from '../../quantity.ts';
import { checkLabelName, checkNonNegative, checkNonNegativeQuantity, checkWith } from '../../validation.ts';

const TYPES = ['ContainerResource', 'External', 'Object', 'Pods', 'Resource'];
const TARGET_TYPES = ['Utilization', 'Value', 'AverageValue'];
const MAX_WINDOW_SECONDS = 3600;
const MAX_PERIOD_SECONDS = 1800;

/** The core group may be named where something of it is meant, and nothing is asked of what was there before. */
type ApiVersionRule = 'any' | 'group or core' | 'group';

/** Upstream: ValidateCrossVersionObjectReference. */
function checkReference(reference: Partial<CrossVersionObjectReference> | undefined, field: string, rule: ApiVersionRule): FieldError[] {
  const errors = (['kind', 'name'] as const).flatMap((key) => {
    const value = reference?.[key];
    return value ? checkWith(pathSegmentFaults, value, `${field}.${key}`) : [required(`${field}.${key}`)];
  });
  return [...errors, ...checkApiVersion(reference?.apiVersion ?? '', `${field}.apiVersion`, rule)];
}

function checkApiVersion(apiVersion: string, field: string, rule: ApiVersionRule): FieldError[] {
  if (rule === 'any') return [];
  const parts = apiVersion.split('/');
  if (parts.length > 2) return [invalid(field, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  const hasGroup = parts.length === 2 && parts[0] !== '';
  return hasGroup || rule === 'group or core' ? [] : [invalid(field, apiVersion, 'apiVersion must specify API group')];
}

function checkIdentifier(metric: { name?: string } | undefined, field: string): FieldError[] {
  return metric?.name ? checkWith(pathSegmentFaults, metric.name, `${field}.name`) : [required(`${field}.name`, 'must specify a metric name')];
}

const isPositive = (quantity: string): boolean => parseQuantity(quantity).nano > 0n;

function checkTarget(target: Partial<MetricTarget>, field: string): FieldError[] {
  const { type = '', value, averageValue, averageUtilization } = target;
  const errors = type ? [] : [required(`${field}.type`, 'must specify a metric target type')];
  if (!TARGET_TYPES.includes(type)) errors.push(invalid(`${field}.type`, type, 'must be either Utilization, Value, or AverageValue'));
  if (value !== undefined && !isPositive(value)) errors.push(invalid(`${field}.value`, value, 'must be positive'));
  if (averageValue !== undefined && !isPositive(averageValue)) errors.push(invalid(`${field}.averageValue`, averageValue, 'must be positive'));
  if (averageUtilization !== undefined && averageUtilization < 1)
    errors.push(invalid(`${field}.averageUtilization`, averageUtilization, 'must be greater than 0'));
  return errors;
}

/** What a metric may be made of, by the field that holds it. */
interface Source {
  name?: string;
  container?: string;
  describedObject?: Partial<CrossVersionObjectReference>;
  metric?: { name?: string };
  target?: Partial<MetricTarget>;
}

function checkRawOrPercent({ target = {} }: Source, field: string): FieldError[] {
  const errors = checkTarget(target, `${field}.target`);
  const { averageValue, averageUtilization } = target;
  if (averageUtilization === undefined && averageValue === undefined)
    errors.push(required(`${field}.target.averageUtilization`, 'must set either a target raw value or a target utilization'));
  if (averageUtilization !== undefined && averageValue !== undefined)
    errors.push(forbidden(`${field}.target.averageValue`, 'may not set both a target raw value and a target utilization'));
  return errors;
}

function checkValueOrAverage({ metric, target = {} }: Source, field: string, words: string): FieldError[] {
  const errors = [...checkIdentifier(metric, `${field}.metric`), ...checkTarget(target, `${field}.target`)];
  if (target.value === undefined && target.averageValue === undefined) errors.push(required(`${field}.target.averageValue`, words));
  return errors;
}

/** In the order in which upstream looks at them; only the first that is there is checked itself. */
const SOURCES: Readonly<Record<string, { type: string; check: (source: Source, field: string) => FieldError[] }>> = {
  object: {
    type: 'Object',
    check: (source, field) => [
      ...checkReference(source.describedObject, `${field}.describedObject`, 'group or core'),
      ...checkValueOrAverage(source, field, 'must set either a target value or averageValue'),
    ],
  },
  external: {
    type: 'External',
    check: (source, field) => {
      const both = source.target?.value !== undefined && source.target.averageValue !== undefined;
      const words = 'may not set both a target value for metric and a per-pod target';
      return [
        ...checkValueOrAverage(source, field, 'must set either a target value for metric or a per-pod target'),
        ...(both ? [forbidden(`${field}.target.value`, words)] : []),
      ];
    },
  },
  pods: {
    type: 'Pods',
    check: ({ metric, target = {} }, field) => {
      const errors = [...checkIdentifier(metric, `${field}.metric`), ...checkTarget(target, `${field}.target`)];
      if (target.averageValue === undefined) errors.push(required(`${field}.target.averageValue`, 'must specify a positive target averageValue'));
      return errors;
    },
  },
  resource: {
    type: 'Resource',
    check: (source, field) => [...(source.name ? [] : [required(`${field}.name`, 'must specify a resource name')]), ...checkRawOrPercent(source, field)],
  },
  containerResource: {
    type: 'ContainerResource',
    check: (source, field) => [
      ...(source.name ? checkContainerResourceName(source.name, `${field}.name`) : [required(`${field}.name`, 'must specify a resource name')]),
      ...(source.container ? checkLabelName(source.container, `${field}.container`) : [required(`${field}.container`, 'must specify a container')]),
      ...checkRawOrPercent(source, field),
    ],
  },
};

/** Upstream: validateMetricSpec. */
function checkMetric(metric: MetricSpec, field: string): FieldError[] {
  const type: string = metric.type ?? '';
  const unknown = notSupported(`${field}.type`, type, TYPES);
  const errors = type ? [] : [required(`${field}.type`, 'must specify a metric source type')];
  if (!TYPES.includes(type)) errors.push(unknown);
  const present = Object.keys(SOURCES).filter((key) => metric[key as keyof MetricSpec] !== undefined);
  const first = present[0];
  if (first) errors.push(...SOURCES[first]!.check(metric[first as keyof MetricSpec] as Source, `${field}.${first}`));
  const expected = Object.keys(SOURCES).find((key) => SOURCES[key]!.type === type);
  if (!expected) errors.push(unknown);
  else if (!present.includes(expected)) errors.push(required(`${field}.${expected}`, 'must populate information for the given metric source'));
  if (present.length !== 1) {
    for (const key of present) if (key !== expected) errors.push(forbidden(`${field}.${key}`, 'must populate the given metric source only'));
  }
  return errors;
}

/** Upstream: validateScalingRules. */
function checkRules(rules: HPAScalingRules | undefined, field: string): FieldError[] {
  if (!rules) return [];
  const { stabilizationWindowSeconds: window = 0, selectPolicy, policies = [], tolerance } = rules;
  const errors: FieldError[] = [];
  if (window < 0) errors.push(invalid(`${field}.stabilizationWindowSeconds`, window, 'must be greater than or equal to zero'));
  if (window > MAX_WINDOW_SECONDS) errors.push(invalid(`${field}.stabilizationWindowSeconds`, window, `must be less than or equal to ${MAX_WINDOW_SECONDS}`));
  if (selectPolicy !== undefined && !['Disabled', 'Max', 'Min'].includes(selectPolicy))
    errors.push(notSupported(`${field}.selectPolicy`, selectPolicy, ['Disabled', 'Max', 'Min']));
  if (policies.length === 0) errors.push(required(`${field}.policies`, 'must specify at least one Policy'));
  policies.forEach(({ type, value, periodSeconds }, index) => {
    const path = at(`${field}.policies`, index);
    if (type !== 'Pods' && type !== 'Percent') errors.push(notSupported(`${path}.type`, type, ['Percent', 'Pods']));
    if (value <= 0) errors.push(invalid(`${path}.value`, value, 'must be greater than zero'));
    if (periodSeconds <= 0) errors.push(invalid(`${path}.periodSeconds`, periodSeconds, 'must be greater than zero'));
    if (periodSeconds > MAX_PERIOD_SECONDS) errors.push(invalid(`${path}.periodSeconds`, periodSeconds, `must be less than or equal to ${MAX_PERIOD_SECONDS}`));
  });
  return [...errors, ...checkNonNegativeQuantity(tolerance, `${field}.tolerance`)];
}

type Spec = HorizontalPodAutoscalerSpec;

/** None is a number of replicas that only an autoscaler which has it already may keep (HPAScaleToZero is off by default). */
function checkBounds({ minReplicas, maxReplicas = 0 }: Spec, old: Spec | undefined): FieldError[] {
  const least = old?.minReplicas === 0 ? 0 : 1;
  const errors: FieldError[] = [];
  if (minReplicas !== undefined && minReplicas < least) errors.push(invalid('spec.minReplicas', minReplicas, `must be greater than or equal to ${least}`));
  if (maxReplicas < 1) errors.push(invalid('spec.maxReplicas', maxReplicas, 'must be greater than 0'));
  if (minReplicas !== undefined && maxReplicas < minReplicas)
    errors.push(invalid('spec.maxReplicas', maxReplicas, 'must be greater than or equal to `minReplicas`'));
  return errors;
}

function apiVersionRule({ scaleTargetRef: target }: Spec, old: Spec | undefined): ApiVersionRule {
  const before = old?.scaleTargetRef;
  if (before && before.apiVersion === target?.apiVersion && before.kind === target?.kind) return 'any';
  return target?.kind === 'ReplicationController' ? 'group or core' : 'group';
}

function checkMetrics({ metrics = [], minReplicas }: Spec): FieldError[] {
  const errors = metrics.flatMap((metric, index) => checkMetric(metric, at('spec.metrics', index)));
  if (minReplicas !== 0 || metrics.some(({ type }) => type === 'Object' || type === 'External')) return errors;
  return [...errors, forbidden('spec.metrics', 'must specify at least one Object or External metric to support scaling to zero replicas')];
}

/** Whichever version a client speaks, it is told of v2's fields (upstream: pkg/apis/autoscaling/validation). */
export function validateHorizontalPodAutoscalerSpec(spec: Spec, old?: Spec): FieldError[] {
  return [
    ...checkBounds(spec, old),
    ...checkReference(spec.scaleTargetRef, 'spec.scaleTargetRef', apiVersionRule(spec, old)),
    ...checkMetrics(spec),
    ...checkRules(spec.behavior?.scaleUp, 'spec.behavior.scaleUp'),
    ...checkRules(spec.behavior?.scaleDown, 'spec.behavior.scaleDown'),
  ];
}

/** Upstream: ValidateHorizontalPodAutoscalerStatusUpdate. */
export function validateHorizontalPodAutoscalerStatus(status: Partial<HorizontalPodAutoscaler['status']> | undefined): FieldError[] {
  return (['currentReplicas', 'desiredReplicas'] as const).flatMap((key) => checkNonNegative(status?.[key], `status.${key}`));
}
