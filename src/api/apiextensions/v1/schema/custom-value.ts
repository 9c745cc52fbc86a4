import { deepEqual } from '../../../equality.ts';
import { at, duplicate, type FieldError, invalid } from '../../../field-error.ts';
import type { KubeObject } from '../../../object.ts';
import { ruleFaults } from './rule-evaluation.ts';
import { additionalOf, itemsOf, type JSONSchemaProps } from './schema.ts';
import { valueFaults } from './value.ts';

/** How upstream's errors name the object itself. */
export const ROOT = '<nil>';
/** A value that is so wrong is not held against rules. */
const BLOCKING: ReadonlySet<string> = new Set(['FieldValueRequired', 'FieldValueTypeInvalid', 'FieldValueTooLong', 'FieldValueTooMany']);

/**
 * All that is wrong with a custom resource by its schema: types and limits, lists that are sets or maps, and rules. What has
 * not changed since `old` is not looked at again (upstream: registry/customresource/strategy.go, with ratcheting).
 */
export function customFaults(object: KubeObject, schema: JSONSchemaProps, old?: KubeObject): FieldError[] {
  const errors = faultsBeforeRules(object, schema, old);
  if (errors.some(isBlocking)) {
    if (!hasRules(schema)) return errors;
    const words = 'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation';
    return [...errors, invalid(ROOT, null, words)];
  }
  return [...errors, ...ruleFaults(object, schema, old).errors];
}

/** Rules that do not hold, of values that nobody has touched: told, not enforced. */
export function ratchetedFaults(object: KubeObject, schema: JSONSchemaProps, old: KubeObject): FieldError[] {
  if (!hasRules(schema) || faultsBeforeRules(object, schema, old).some(isBlocking)) return [];
  return ruleFaults(object, schema, old).ratcheted;
}

function faultsBeforeRules(object: KubeObject, schema: JSONSchemaProps, old: KubeObject | undefined): FieldError[] {
  return [...valueFaults(object, schema, '', old), ...(old && listFaults(old, schema, '').length ? [] : listFaults(object, schema, ''))];
}

const isBlocking = ({ reason }: FieldError): boolean => BLOCKING.has(reason);

const withRules = new WeakMap<JSONSchemaProps, boolean>();

function hasRules(schema: JSONSchemaProps): boolean {
  let found = withRules.get(schema);
  if (found === undefined) {
    const additional = additionalOf(schema.additionalProperties)?.schema;
    const inner = [
      ...Object.values(schema.properties ?? {}),
      ...(additional ? [additional] : []),
      ...(itemsOf(schema)?.schema ? [itemsOf(schema)!.schema!] : []),
    ];
    found = (schema['x-kubernetes-validations']?.length ?? 0) > 0 || inner.some(hasRules);
    withRules.set(schema, found);
  }
  return found;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
const below = (field: string, name: string): string => (field ? `${field}.${name}` : name);

/** Elements that stand twice in a list that is a set or a map (apiserver/schema/listtype). */
function listFaults(value: unknown, schema: JSONSchemaProps, field: string): FieldError[] {
  if (Array.isArray(value)) {
    const element = itemsOf(schema)?.schema;
    return [
      ...(schema['x-kubernetes-list-type'] === 'set' ? repeats(value, (one) => one, field) : []),
      ...(schema['x-kubernetes-list-type'] === 'map' ? mapRepeats(value, schema, field) : []),
      ...(element ? value.flatMap((one, index) => listFaults(one, element, at(field, index))) : []),
    ];
  }
  if (!isObject(value)) return [];
  const additional = additionalOf(schema.additionalProperties)?.schema;
  return Object.entries(value).flatMap(([name, one]) => {
    const property = schema.properties?.[name];
    if (property) return listFaults(one, property, below(field, name));
    return additional ? listFaults(one, additional, at(field, name)) : [];
  });
}

function mapRepeats(list: readonly unknown[], schema: JSONSchemaProps, field: string): FieldError[] {
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const odd = list.findIndex((one) => one !== null && !isObject(one));
  if (odd >= 0) return [invalid(at(field, odd), list[odd], 'must be an object for an array of list-type map')];
  return repeats(list, (one) => Object.fromEntries(keys.map((key) => [key, (one as Record<string, unknown> | null)?.[key]])), field);
}

/** Each value that comes again, at its second place. */
function repeats(list: readonly unknown[], keyOf: (one: unknown) => unknown, field: string): FieldError[] {
  const keys = list.map(keyOf);
  return list.flatMap((_one, index) => {
    const before = keys.slice(0, index).filter((key) => deepEqual(key, keys[index])).length;
    return before === 1 ? [duplicate(at(field, index), keys[index])] : [];
  });
}
