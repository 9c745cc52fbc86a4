import { age } from '../../duration.ts';
import { type FieldError, forbidden } from '../../field-error.ts';
import type { PriorityClass } from '../../generated/types/scheduling.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { checkImmutable, checkOneOf } from '../../validation.ts';

const HIGHEST_OF_USERS = 1_000_000_000;

/** The system's own classes, which alone may stand above what users may ask for. */
const SYSTEM: Readonly<Record<string, number>> = { 'system-node-critical': 2_000_001_000, 'system-cluster-critical': 2_000_000_000 };

/** What keeps a class from being one of the system's own; undefined if it is one (upstream: IsKnownSystemPriorityClass). */
function systemFault({ metadata: { name = '' }, value, globalDefault }: PriorityClass): string | undefined {
  const known = SYSTEM[name];
  if (known === undefined) return `${name} is not a known system priority class`;
  if (known !== value) return `value of ${name} PriorityClass must be ${known}`;
  return globalDefault ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

function checkRank(object: PriorityClass): FieldError[] {
  if (!object.metadata.name?.startsWith('system-')) {
    const isTooHigh = (object.value ?? 0) > HIGHEST_OF_USERS;
    return isTooHigh ? [forbidden('value', `maximum allowed value of a user defined priority is ${HIGHEST_OF_USERS}`)] : [];
  }
  const fault = systemFault(object);
  return fault ? [forbidden('metadata.name', `priority class names with 'system-' prefix are reserved for system use only. error: ${fault}`)] : [];
}

/** Upstream: pkg/apis/scheduling/validation, ValidatePriorityClass. */
const validate = (object: PriorityClass): FieldError[] => [
  ...checkRank(object),
  ...checkOneOf(object.preemptionPolicy, ['PreemptLowerPriority', 'Never'], 'preemptionPolicy'),
];

/** Upstream: ValidatePriorityClassUpdate, which looks at nothing else again. */
const validateUpdate = (object: PriorityClass, old: PriorityClass): FieldError[] => [
  ...(object.value === old.value ? [] : [forbidden('value', 'may not be changed in an update.')]),
  ...checkImmutable(object.preemptionPolicy, old.preemptionPolicy, 'preemptionPolicy'),
];

export const priorityClass: KindBehaviour<PriorityClass> = {
  group: 'scheduling.k8s.io',
  version: 'v1',
  kind: 'PriorityClass',
  setDefaults: (object) => {
    object.preemptionPolicy ??= 'PreemptLowerPriority';
  },
  prepareForCreate: ({ metadata }) => {
    // What counts cannot change.
    metadata.generation = 1;
  },
  validate,
  validateUpdate,
  row: ({ metadata, value, globalDefault, preemptionPolicy }, nowMs) => [
    metadata.name ?? '',
    value ?? 0,
    globalDefault ?? false,
    age(metadata.creationTimestamp, nowMs),
    preemptionPolicy ?? '',
  ],
};
