import { at, type FieldError, forbidden, invalid, required } from './field-error.ts';
import type { LabelSelector } from './generated/types/meta.v1.ts';
import type { Labels } from './labels.ts';
import { labelValueFaults, qualifiedNameFaults } from './names.ts';

export interface SelectorValidation {
  /** Values that are no label values are let through (objects written before that was checked). */
  allowInvalidValues?: boolean;
}

/** Upstream: apimachinery/pkg/apis/meta/v1/validation.ValidateLabelSelector. */
export function validateLabelSelector(selector: LabelSelector | undefined, field: string, options: SelectorValidation = {}): FieldError[] {
  if (!selector) return [];
  const errors = validateLabels(selector.matchLabels, `${field}.matchLabels`);
  (selector.matchExpressions ?? []).forEach((expression, index) => {
    const path = at(`${field}.matchExpressions`, index);
    const values = expression.values ?? [];
    if (expression.operator === 'In' || expression.operator === 'NotIn') {
      if (values.length === 0) errors.push(required(`${path}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
    } else if (expression.operator === 'Exists' || expression.operator === 'DoesNotExist') {
      if (values.length > 0) errors.push(forbidden(`${path}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
    } else errors.push(invalid(`${path}.operator`, expression.operator ?? '', 'not a valid selector operator'));
    errors.push(...validateLabelName(expression.key ?? '', `${path}.key`));
    if (options.allowInvalidValues) return;
    values.forEach((value, i) => {
      for (const fault of labelValueFaults(value)) errors.push(invalid(at(`${path}.values`, i), value, fault));
    });
  });
  return errors;
}

export function validateLabelName(name: string, field: string): FieldError[] {
  return qualifiedNameFaults(name).map((fault) => invalid(field, name, fault));
}

/** Upstream: apimachinery/pkg/apis/meta/v1/validation.ValidateLabels; keys in order, all reported on the field itself. */
export function validateLabels(labels: Labels | undefined, field: string): FieldError[] {
  return Object.entries(labels ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([key, value]) => [...validateLabelName(key, field), ...labelValueFaults(value).map((fault) => invalid(field, value, fault))]);
}
