import { validatePodTemplate } from '../../core/v1/pod/validation/pod-spec.ts';
import { asGiven } from '../../emptied.ts';
import { type FieldError, forbidden, invalid, notSupported, required } from '../../field-error.ts';
import type { PodTemplateSpec } from '../../generated/types/core.v1.ts';
import type { LabelSelector } from '../../generated/types/meta.v1.ts';
import { validateLabelSelector } from '../../label-validation.ts';
import { nothing, type Selector, selectorFrom } from '../../labels.ts';
import { percentFaults } from '../../names.ts';
import { checkNonNegative } from '../../validation.ts';

const isEmpty = (selector: LabelSelector): boolean => Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;

/** Undefined where the selector cannot be used as one (upstream: LabelSelectorAsSelector). */
export function usableSelector(selector: LabelSelector | undefined): Selector | undefined {
  if (!selector) return nothing();
  return validateLabelSelector(selector, '').length ? undefined : selectorFrom(selector);
}

/** What only a selector of a kind that makes pods is held to. */
export function checkPodSelector(selector: LabelSelector | undefined, field: string, emptyFault: string): FieldError[] {
  if (!selector) return [required(field)];
  return [...validateLabelSelector(selector, field), ...(isEmpty(selector) ? [invalid(field, selector, emptyFault)] : [])];
}

/** The selector of a kind that makes pods, and its template, which must match it (upstream: ValidateDeploymentSpec and …ReplicaSetSpec). */
export function validateSelectorAndTemplate({
  selector,
  template,
}: {
  selector: LabelSelector | undefined;
  template: PodTemplateSpec | undefined;
}): FieldError[] {
  const path = 'spec.selector';
  const errors = checkPodSelector(selector, path, 'empty selector is invalid for deployment');
  const matcher = usableSelector(selector);
  return [...errors, ...(matcher ? validateTemplateFor(template, matcher, 'ReplicaSet') : [invalid(path, selector, 'invalid label selector')])];
}

/** Upstream: ValidatePodTemplateSpecForReplicaSet and …ForRC. */
export function validateTemplateFor(template: PodTemplateSpec | undefined, selector: Selector, kind: string): FieldError[] {
  const field = 'spec.template';
  if (!template) return [required(field)];
  return [...checkMatches(template, selector), ...validatePodTemplate(template, field), ...checkRunsForever(template, kind)];
}

export function checkMatches(template: PodTemplateSpec, selector: Selector): FieldError[] {
  const isEverything = !selector.nothing && selector.requirements.length === 0;
  if (isEverything || selector.matches(template.metadata?.labels)) return [];
  return [invalid('spec.template.metadata.labels', asGiven(template.metadata, 'labels'), '`selector` does not match template `labels`')];
}

/** Pods that are to be there for good start again, and have no deadline. */
export function checkRunsForever({ spec: { restartPolicy, activeDeadlineSeconds } }: PodTemplateSpec, kind: string): FieldError[] {
  const field = 'spec.template.spec';
  return [
    ...(restartPolicy === 'Always' ? [] : [notSupported(`${field}.restartPolicy`, restartPolicy ?? '', ['Always'])]),
    ...(activeDeadlineSeconds === undefined ? [] : [forbidden(`${field}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`)]),
  ];
}

type IntOrString = number | string;

export function checkIntOrPercent(value: IntOrString | undefined, field: string): FieldError[] {
  return typeof value === 'string' ? percentFaults(value).map((fault) => invalid(field, value, fault)) : checkNonNegative(value, field);
}

export function checkNotAbove100Percent(value: IntOrString | undefined, field: string): FieldError[] {
  return typeof value === 'string' && /^\d+%$/.test(value) && Number(value.slice(0, -1)) > 100 ? [invalid(field, value, 'must not be greater than 100%')] : [];
}

/** Whether it comes to nothing: 0, 0%, or text that is no number (upstream: getIntOrPercentValue). */
export function isZero(value: IntOrString | undefined): boolean {
  if (typeof value === 'number' || value === undefined) return !value;
  const match = /^([-+]?\d+|\d+%)$/.exec(value);
  return !match || Number.parseInt(value, 10) === 0;
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
