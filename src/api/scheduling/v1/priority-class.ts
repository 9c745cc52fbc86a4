import { age } from '../../duration.ts';
import { type FieldError, forbidden } from '../../field-error.ts';
import type { PriorityClass } from '../../generated/types/scheduling.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { checkOptionalOneOf } from '../../validation.ts';

const HIGHEST_OF_USERS = 1_000_000_000;

/** The system's own classes, which alone may stand above what users may ask for. */
const SYSTEM: Readonly<Record<string, number>> = { 'system-node-critical': 2_000_001_000, 'system-cluster-critical': 2_000_000_000 };

/** Upstream: ValidatePriorityClass. */
function validate({ metadata, value, preemptionPolicy }: PriorityClass): FieldError[] {
  const errors: FieldError[] = [];
  const name = metadata.name ?? '';
  if (name.startsWith('system-')) {
    if (SYSTEM[name] !== value)
      errors.push(
        forbidden(
          'metadata.name',
          "priority class names with 'system-' prefix are reserved for system use only. error: " +
            (SYSTEM[name] === undefined ? `${name} is not a known system priority class` : `value of ${name} PriorityClass must be ${SYSTEM[name]}`),
        ),
      );
  } else if (value > HIGHEST_OF_USERS) errors.push(forbidden('value', `maximum allowed value of a user defined priority is ${HIGHEST_OF_USERS}`));
  return [...errors, ...checkOptionalOneOf(preemptionPolicy, ['PreemptLowerPriority', 'Never'], 'preemptionPolicy')];
}

export const priorityClass: KindBehaviour<PriorityClass> = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  hasGeneration: true,
  setDefaults: (object) => {
    object.preemptionPolicy ??= 'PreemptLowerPriority';
  },
  validate,
  validateUpdate: (object, old) => [
    ...(object.value === old.value ? [] : [forbidden('value', 'may not be changed in an update.')]),
    ...(object.preemptionPolicy === old.preemptionPolicy ? [] : [forbidden('preemptionPolicy', 'field is immutable')]),
  ],
  row: ({ metadata, value, globalDefault, preemptionPolicy }, nowMs) => [
    metadata.name ?? '',
    value ?? 0,
    globalDefault ?? false,
    age(metadata.creationTimestamp, nowMs),
    preemptionPolicy ?? '',
  ],
};
