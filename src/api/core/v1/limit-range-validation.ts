import { at, duplicate, type FieldError, forbidden, invalid, required } from '../../field-error.ts';
import type { LimitRange, LimitRangeItem } from '../../generated/types/core.v1.ts';
import { qualifiedNameFaults } from '../../names.ts';
import { asMilli, compareQuantities } from '../../quantity.ts';
import { checkWith, sortedEntries } from '../../validation.ts';
import { checkContainerResourceName, checkResourceName, mayOvercommit } from './pod/validation/resources.ts';

const TYPES = ['Container', 'PersistentVolumeClaim', 'Pod'];

/** Upstream: validateLimitRangeTypeName. */
function checkType(type: string, field: string): FieldError[] {
  const errors = checkWith(qualifiedNameFaults, type, field);
  if (errors.length || type.includes('/') || TYPES.includes(type)) return errors;
  return [invalid(field, type, 'must be a standard limit type or fully qualified')];
}

type Amounts = Readonly<Record<string, string>>;

/** The amounts that an item gives one resource. */
interface Given {
  max: string | undefined;
  min: string | undefined;
  default: string | undefined;
  defaultRequest: string | undefined;
  maxLimitRequestRatio: string | undefined;
}

interface Comparison {
  low: keyof Given;
  high: keyof Given;
  /** Where the fault is told, and which amount is shown. */
  on: keyof Given;
  shown: keyof Given;
  words: readonly [low: string, high: string];
}

const COMPARISONS: readonly Comparison[] = [
  { low: 'min', high: 'max', on: 'min', shown: 'min', words: ['min value', 'max value'] },
  { low: 'min', high: 'defaultRequest', on: 'defaultRequest', shown: 'defaultRequest', words: ['min value', 'default request value'] },
  { low: 'defaultRequest', high: 'max', on: 'defaultRequest', shown: 'defaultRequest', words: ['default request value', 'max value'] },
  { low: 'defaultRequest', high: 'default', on: 'defaultRequest', shown: 'defaultRequest', words: ['default request value', 'default limit value'] },
  { low: 'min', high: 'default', on: 'default', shown: 'min', words: ['min value', 'default value'] },
  { low: 'default', high: 'max', on: 'default', shown: 'max', words: ['default value', 'max value'] },
];

function checkRatio({ maxLimitRequestRatio: ratio, min, max }: Given, field: string): FieldError[] {
  if (ratio === undefined) return [];
  const errors: FieldError[] = [];
  if (compareQuantities(ratio, '1') < 0) errors.push(invalid(field, ratio, `ratio ${ratio} is less than 1`));
  if (min === undefined || max === undefined) return errors;
  const limit = asMilli(max) / asMilli(min);
  if (asMilli(ratio) / 1000 > limit) errors.push(invalid(field, ratio, `ratio ${ratio} is greater than max/min = ${limit.toFixed(6)}`));
  return errors;
}

function checkAmounts(name: string, given: Given, field: string): FieldError[] {
  const path = (key: keyof Given): string => at(`${field}.${key}`, name);
  const errors = COMPARISONS.flatMap(({ low, high, on, shown, words }) => {
    const a = given[low];
    const b = given[high];
    if (a === undefined || b === undefined || compareQuantities(a, b) <= 0) return [];
    return [invalid(path(on), given[shown], `${words[0]} ${a} is greater than ${words[1]} ${b}`)];
  });
  errors.push(...checkRatio(given, path('maxLimitRequestRatio')));
  const { default: limit, defaultRequest: request } = given;
  if (!mayOvercommit(name) && limit !== undefined && request !== undefined && compareQuantities(limit, request) !== 0)
    errors.push(invalid(path('defaultRequest'), request, `default value ${limit} must equal to defaultRequest value ${request} in ${name}`));
  return errors;
}

function validateItem(item: LimitRangeItem, field: string): FieldError[] {
  const isPod = item.type === 'Pod';
  const checkName = isPod || item.type === 'Container' ? checkContainerResourceName : checkResourceName;
  const errors: FieldError[] = [];
  const names = new Set<string>();
  const read = (key: keyof Given): Amounts => {
    const amounts = item[key] ?? {};
    for (const [name] of sortedEntries(amounts)) {
      errors.push(...checkName(name, at(`${field}.${key}`, name)));
      names.add(name);
    }
    return amounts;
  };
  const refuse = (key: 'default' | 'defaultRequest'): Amounts => {
    if (Object.keys(item[key] ?? {}).length) errors.push(forbidden(`${field}.${key}`, "may not be specified when `type` is 'Pod'"));
    return {};
  };
  const max = read('max');
  const min = read('min');
  const limits = isPod ? refuse('default') : read('default');
  const requests = isPod ? refuse('defaultRequest') : read('defaultRequest');
  if (item.type === 'PersistentVolumeClaim' && min['storage'] === undefined && max['storage'] === undefined)
    errors.push(required(`${field}.limits`, 'either minimum or maximum storage value is required, but neither was provided'));
  const ratios = read('maxLimitRequestRatio');
  for (const name of [...names].sort()) {
    const given = { max: max[name], min: min[name], default: limits[name], defaultRequest: requests[name], maxLimitRequestRatio: ratios[name] };
    errors.push(...checkAmounts(name, given, field));
  }
  return errors;
}

/** Upstream: pkg/apis/core/validation, ValidateLimitRange. */
export function validateLimitRange({ spec }: LimitRange): FieldError[] {
  const types = new Set<string>();
  return (spec?.limits ?? []).flatMap((item, index) => {
    const path = at('spec.limits', index);
    const errors = checkType(item.type ?? '', `${path}.type`);
    if (types.has(item.type)) errors.push(duplicate(`${path}.type`, item.type));
    types.add(item.type);
    return [...errors, ...validateItem(item, path)];
  });
}
