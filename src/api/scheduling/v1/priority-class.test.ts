import { expect, test } from 'vitest';
import type { PriorityClass } from '../../generated/types/scheduling.v1.ts';
import { priorityClass } from './priority-class.ts';

const made = (name: string, value: number, more: object = {}): PriorityClass => {
  const object: PriorityClass = { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, ...more };
  priorityClass.setDefaults?.(object);
  return object;
};
const RESERVED = "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: ";

test.each<[PriorityClass, string[]]>([
  [made('a', 1_000_000_000), []],
  [made('a', 1_000_000_001), ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000']],
  [made('a', 1, { preemptionPolicy: '' }), ['preemptionPolicy: Required value']],
  [made('a', 1, { preemptionPolicy: 'A' }), ['preemptionPolicy: Unsupported value: "A": supported values: "PreemptLowerPriority", "Never"']],
  [made('system-a', 1), [`${RESERVED}system-a is not a known system priority class`]],
  [made('system-node-critical', 1), [`${RESERVED}value of system-node-critical PriorityClass must be 2000001000`]],
  [made('system-node-critical', 2_000_001_000), []],
  [made('system-node-critical', 2_000_001_000, { globalDefault: true }), [`${RESERVED}globalDefault of system-node-critical PriorityClass must be false`]],
])('%j', (object, wanted) => {
  expect((priorityClass.validate?.(object) ?? []).map(({ field, message }) => `${field}: ${message}`)).toEqual(wanted);
});

test('a class keeps its value and its policy', () => {
  const errors = priorityClass.validateUpdate?.(made('a', 2, { preemptionPolicy: 'Never' }), made('a', 1)) ?? [];
  expect(errors.map(({ field, message }) => `${field}: ${message}`)).toEqual([
    'value: Forbidden: may not be changed in an update.',
    'preemptionPolicy: Invalid value: "Never": field is immutable',
  ]);
});
