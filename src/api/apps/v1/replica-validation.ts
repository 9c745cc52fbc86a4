import { validatePodTemplate } from '../../core/v1/pod/validation/pod-spec.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type { PodTemplateSpec } from '../../generated/types/core.v1.ts';
import type { LabelSelector } from '../../generated/types/meta.v1.ts';
import { validateLabelSelector } from '../../label-validation.ts';
import { nothing, type Selector, selectorFrom } from '../../labels.ts';
import { percentFaults } from '../../names.ts';
import { checkNonNegative } from '../../validation.ts';

const isEmpty = (selector: LabelSelector): boolean => Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;

/** Undefined where the selector cannot be used as one. */
function usable(selector: LabelSelector | undefined): Selector | undefined {
  if (!selector) return nothing();
  for (const { operator, values = [] } of selector.matchExpressions ?? []) {
    const wantsValues = operator === 'In' || operator === 'NotIn';
    if (!wantsValues && operator !== 'Exists' && operator !== 'DoesNotExist') return undefined;
    if (wantsValues !== values.length > 0) return undefined;
  }
  return selectorFrom(selector);
}

/** The selector of a kind that makes pods, and its template, which must match it. */
export function validateSelectorAndTemplate(
  spec: { selector: LabelSelector | undefined; template: PodTemplateSpec },
  field: string,
  words: string,
  kind = 'ReplicaSet',
): FieldError[] {
  const { selector, template } = spec;
  const path = `${field}.selector`;
  const errors = selector ? validateLabelSelector(selector, path) : [required(path)];
  if (selector && isEmpty(selector)) errors.push(invalid(path, selector, words));
  const matcher = usable(selector);
  if (!matcher) return [...errors, invalid(path, selector, 'invalid label selector')];
  return [...errors, ...validateTemplateFor(template, matcher, `${field}.template`, kind)];
}

/** Upstream: ValidatePodTemplateSpecForReplicaSet and …ForRC. */
export function validateTemplateFor(template: PodTemplateSpec | undefined, selector: Selector, field: string, kind: string): FieldError[] {
  if (!template) return [required(field)];
  const errors: FieldError[] = [];
  const { labels } = template.metadata ?? {};
  if ((selector.nothing || selector.requirements.length > 0) && !selector.matches(labels)) {
    errors.push(invalid(`${field}.metadata.labels`, labels, '`selector` does not match template `labels`'));
  }
  errors.push(...validatePodTemplate(template, field));
  const { restartPolicy, activeDeadlineSeconds } = template.spec;
  if (restartPolicy !== 'Always') errors.push(notSupported(`${field}.spec.restartPolicy`, restartPolicy ?? '', ['Always']));
  if (activeDeadlineSeconds !== undefined) errors.push(forbidden(`${field}.spec.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`));
  return errors;
}

type IntOrString = number | string;

export function checkIntOrPercent(value: IntOrString | undefined, field: string): FieldError[] {
  return typeof value === 'string' ? percentFaults(value).map((fault) => invalid(field, value, fault)) : checkNonNegative(value, field);
}

export function checkNotAbove100Percent(value: IntOrString | undefined, field: string): FieldError[] {
  return typeof value === 'string' && /^\d+%$/.test(value) && Number(value.slice(0, -1)) > 100 ? [invalid(field, value, 'must not be greater than 100%')] : [];
}

/** Whether it comes to nothing: 0, 0%, or text that is no number. */
export function isZero(value: IntOrString | undefined): boolean {
  if (typeof value === 'number' || value === undefined) return !value;
  const match = /^(\d+)%?$/.exec(value);
  return !match || Number(match[1]) === 0;
}

/** Counts of a status: none negative, and none above what it is a part of. */
export function checkCounts(
  status: Readonly<Record<string, unknown>>,
  names: readonly string[],
  limits: readonly (readonly [part: string, whole: string, words: string])[],
): FieldError[] {
  const count = (name: string): number => (status[name] as number | undefined) ?? 0;
  return [
    ...names.flatMap((name) => checkNonNegative(count(name), `status.${name}`)),
    ...limits.flatMap(([part, whole, words]) =>
      count(part) > count(whole) ? [invalid(`status.${part}`, count(part), `cannot be greater than ${words}`)] : [],
    ),
  ];
}

/** A status of the ReplicaSet family: no pods are more than those they are a part of (upstream: ValidateReplicaSetStatus). */
export function checkReplicaSetCounts(status: Readonly<Record<string, unknown>>, names: readonly string[]): FieldError[] {
  return checkCounts(status, names, [
    ['fullyLabeledReplicas', 'replicas', 'status.replicas'],
    ['readyReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'replicas', 'status.replicas'],
    ['availableReplicas', 'readyReplicas', 'readyReplicas'],
  ]);
}

/** The count is part of names, so it only grows. */
export function checkCollisionCount(status: { collisionCount?: number } | undefined, old: { collisionCount?: number } | undefined): FieldError[] {
  const count = status?.collisionCount ?? 0;
  return count < (old?.collisionCount ?? 0) ? [invalid('status.collisionCount', count, 'cannot be decremented')] : [];
}
