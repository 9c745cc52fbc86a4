import { at, duplicate, type FieldError, forbidden, invalid } from '../../field-error.ts';
import type { LimitRange, LimitRangeItem } from '../../generated/types/core.v1.ts';
import { compareQuantities } from '../../quantity.ts';
import type { KindBehaviour } from '../../resource.ts';
import { checkPresent } from '../../validation.ts';
import { roundUpResources } from './pod/defaults.ts';
import { checkResourceName } from './pod/validation/resources.ts';

/** Upstream: SetDefaults_LimitRangeItem: the maximum is the default limit, that the default request; else the minimum is. */
function setItemDefaults(item: LimitRangeItem): void {
  for (const map of [item.max, item.min, item.default, item.defaultRequest, item.maxLimitRequestRatio]) if (map) roundUpResources(map);
  if (item.type !== 'Container') return;
  const limit = { ...item.max, ...item.default };
  const request = { ...item.min, ...limit, ...item.defaultRequest };
  if (Object.keys(limit).length) item.default = limit;
  if (Object.keys(request).length) item.defaultRequest = request;
}

const CHECKS: readonly [low: keyof LimitRangeItem, high: keyof LimitRangeItem, words: (low: string, high: string) => string][] = [
  ['min', 'max', (low, high) => `min value ${low} is greater than max value ${high}`],
  ['min', 'defaultRequest', (low, high) => `min value ${low} is greater than default request value ${high}`],
  ['defaultRequest', 'max', (low, high) => `default request value ${low} is greater than max value ${high}`],
  ['defaultRequest', 'default', (low, high) => `default request value ${low} is greater than default limit value ${high}`],
  ['min', 'default', (low, high) => `min value ${low} is greater than default value ${high}`],
  ['default', 'max', (low, high) => `default value ${low} is greater than max value ${high}`],
];

const mapOf = (item: LimitRangeItem, key: keyof LimitRangeItem): Record<string, string> => (item[key] as Record<string, string> | undefined) ?? {};

function validateItem(item: LimitRangeItem, path: string): FieldError[] {
  const errors = checkPresent(item.type, `${path}.type`);
  const names = new Set(
    ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'].flatMap((key) => Object.keys(mapOf(item, key as keyof LimitRangeItem))),
  );
  for (const name of [...names].sort()) {
    errors.push(...checkResourceName(name, at(`${path}.limits`, name)));
    for (const [low, high, words] of CHECKS) {
      const a = mapOf(item, low)[name];
      const b = mapOf(item, high)[name];
      const on = low === 'min' ? 'min' : low;
      if (a !== undefined && b !== undefined && compareQuantities(a, b) > 0) errors.push(invalid(at(`${path}.${on}`, name), a, words(a, b)));
    }
  }
  if (item.type === 'Pod') {
    if (Object.keys(item.default ?? {}).length) errors.push(forbidden(`${path}.default`, 'may not be specified when `type` is Pod'));
    if (Object.keys(item.defaultRequest ?? {}).length) errors.push(forbidden(`${path}.defaultRequest`, 'may not be specified when `type` is Pod'));
  }
  return errors;
}

/** Upstream: ValidateLimitRange. */
function validate({ spec }: LimitRange): FieldError[] {
  const types = new Set<string>();
  return (spec.limits ?? []).flatMap((item, index) => {
    const path = at('spec.limits', index);
    const errors = types.has(item.type) ? [duplicate(`${path}.type`, item.type)] : [];
    types.add(item.type);
    return [...errors, ...validateItem(item, path)];
  });
}

export const limitRange: KindBehaviour<LimitRange> = {
  group: '',
  version: 'v1',
  kind: 'LimitRange',
  setDefaults: ({ spec }) => {
    for (const item of spec.limits ?? []) setItemDefaults(item);
  },
  validate,
  validateUpdate: validate,
  row: ({ metadata }) => [metadata.name ?? '', metadata.creationTimestamp ?? ''],
};
