import { deepEqual } from '../../equality.ts';
import { type FieldError, forbidden } from '../../field-error.ts';

const FAULT = 'field is immutable when `immutable` is set';

/** What may no longer change of a ConfigMap or Secret whose `immutable` is set. */
export function checkImmutable<T extends { immutable?: boolean }>(object: T, old: T, fields: readonly (keyof T & string)[]): FieldError[] {
  if (!old.immutable) return [];
  const errors = object.immutable ? [] : [forbidden('immutable', FAULT)];
  for (const field of fields) if (!deepEqual(object[field] ?? {}, old[field] ?? {})) errors.push(forbidden(field, FAULT));
  return errors;
}
