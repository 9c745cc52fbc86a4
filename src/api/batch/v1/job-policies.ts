import { asGiven } from '../../emptied.ts';
import { at, duplicate, type FieldError, invalid, notSupported, required, tooLong, tooMany } from '../../field-error.ts';
import type {
  JobSpec,
  PodFailurePolicyOnExitCodesRequirement,
  PodFailurePolicyOnPodConditionsPattern,
  PodFailurePolicyRule,
  SuccessPolicyRule,
} from '../../generated/types/batch.v1.ts';
import { qualifiedNameFaults } from '../../names.ts';
import { checkNonNegative, checkWith } from '../../validation.ts';
import { countIndexes } from './job-indexes.ts';

const MAX_RULES = 20;
const MAX_PATTERNS = 20;
const MAX_EXIT_CODES = 255;
const MAX_INDEXES_LENGTH = 64 * 1024;
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];

/** A value of a fixed set that must be there, and tells the set where it is not. */
function checkChoice(value: string | undefined, choices: readonly string[], field: string): FieldError[] {
  if (!value) return [required(field, `valid values: [${choices.map((choice) => JSON.stringify(choice)).join(' ')}]`)];
  return choices.includes(value) ? [] : [notSupported(field, value, choices)];
}

function checkExitCodes(onExitCodes: PodFailurePolicyOnExitCodesRequirement, containers: readonly string[], field: string): FieldError[] {
  const { operator, values = [], containerName } = onExitCodes;
  const path = `${field}.values`;
  const errors = checkChoice(operator, OPERATORS, `${field}.operator`);
  if (containerName !== undefined && !containers.includes(containerName)) {
    errors.push(invalid(`${field}.containerName`, containerName, 'must be one of the container or initContainer names in the pod template'));
  }
  if (values.length === 0) errors.push(invalid(path, asGiven(onExitCodes, 'values'), 'at least one value is required'));
  else if (values.length > MAX_EXIT_CODES) errors.push(tooMany(path, values.length, MAX_EXIT_CODES));
  values.forEach((value, index) => {
    const place = at(path, index);
    if (operator === 'In' && value === 0) errors.push(invalid(place, value, 'must not be 0 for the In operator'));
    if (values.indexOf(value) < index) errors.push(duplicate(place, value));
  });
  if (values.some((value, index) => index > 0 && value < values[index - 1]!)) errors.push(invalid(path, values, 'must be ordered'));
  return errors;
}

function checkConditions(patterns: readonly PodFailurePolicyOnPodConditionsPattern[], field: string): FieldError[] {
  const errors = patterns.length > MAX_PATTERNS ? [tooMany(field, patterns.length, MAX_PATTERNS)] : [];
  patterns.forEach(({ type, status }, index) => {
    const path = at(field, index);
    errors.push(...checkWith(qualifiedNameFaults, type ?? '', `${path}.type`), ...checkChoice(status, STATUSES, `${path}.status`));
  });
  return errors;
}

/** Without the value, as upstream leaves it out here. */
const misformed = (field: string, words: string): FieldError => ({ reason: 'FieldValueInvalid', field, message: `Invalid value: ${words}` });

/** Upstream: validatePodFailurePolicyRule. */
function checkFailureRule(rule: PodFailurePolicyRule, spec: JobSpec, field: string): FieldError[] {
  const { action, onExitCodes, onPodConditions = [] } = rule;
  const path = `${field}.action`;
  const errors = checkChoice(action, ACTIONS, path);
  if (action === 'FailIndex' && spec.backoffLimitPerIndex === undefined) errors.push(invalid(path, action, 'requires the backoffLimitPerIndex to be set'));
  const containers = [...(spec.template.spec.containers ?? []), ...(spec.template.spec.initContainers ?? [])].map(({ name }) => name);
  if (onExitCodes) errors.push(...checkExitCodes(onExitCodes, containers, `${field}.onExitCodes`));
  errors.push(...checkConditions(onPodConditions, `${field}.onPodConditions`));
  if (onExitCodes && onPodConditions.length) errors.push(misformed(field, 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (!onExitCodes && !onPodConditions.length) errors.push(misformed(field, 'specifying one of OnExitCodes and OnPodConditions is required'));
  return errors;
}

/** Upstream: validatePodFailurePolicy. */
export function checkFailurePolicy(spec: JobSpec, field: string): FieldError[] {
  if (!spec.podFailurePolicy) return [];
  const rules = spec.podFailurePolicy.rules ?? [];
  const errors = rules.length > MAX_RULES ? [tooMany(field, rules.length, MAX_RULES)] : [];
  return [...errors, ...rules.flatMap((rule, index) => checkFailureRule(rule, spec, at(field, index)))];
}

/** Upstream: validateSuccessPolicyRule. */
function checkSuccessRule({ succeededCount, succeededIndexes }: SuccessPolicyRule, completions: number, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (succeededCount === undefined && succeededIndexes === undefined)
    errors.push(required(field, 'at least one of succeededCount or succeededIndexes must be specified'));
  let indexes = 0;
  if (succeededIndexes !== undefined) {
    const path = `${field}.succeededIndexes`;
    if (succeededIndexes.length > MAX_INDEXES_LENGTH) errors.push(tooLong(path, MAX_INDEXES_LENGTH));
    const counted = countIndexes(succeededIndexes, completions);
    if (typeof counted === 'number') indexes = counted;
    else errors.push(invalid(path, succeededIndexes, `error parsing succeededIndexes: ${counted.fault}`));
  }
  if (succeededCount === undefined) return errors;
  const path = `${field}.succeededCount`;
  const limit = (most: number, what: string): void => {
    if (succeededCount > most) errors.push(invalid(path, succeededCount, `must be less than or equal to ${most} (the number of ${what})`));
  };
  errors.push(...checkNonNegative(succeededCount, path));
  limit(completions, 'specified completions');
  if (succeededIndexes !== undefined) limit(indexes, 'indexes in the specified succeededIndexes field');
  return errors;
}

/** Upstream: validateSuccessPolicy, of an indexed Job. */
export function checkSuccessPolicy({ successPolicy, completions = 0 }: JobSpec, field: string): FieldError[] {
  const rules = successPolicy?.rules ?? [];
  const errors: FieldError[] = [];
  if (rules.length === 0) errors.push(required(field, 'at least one rules must be specified when the successPolicy is specified'));
  if (rules.length > MAX_RULES) errors.push(tooMany(field, rules.length, MAX_RULES));
  return [...errors, ...rules.flatMap((rule, index) => checkSuccessRule(rule, completions, at(field, index)))];
}
