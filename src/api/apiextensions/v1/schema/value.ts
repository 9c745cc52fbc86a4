import { stringifyExact } from '../../../../lib/exact-json.ts';
import { deepEqual } from '../../../equality.ts';
import { type FieldError, invalid, notSupported, required, tooLong, tooMany, typeInvalid } from '../../../field-error.ts';
import { sortedEntries } from '../../../validation.ts';
import { hasFormat } from './formats.ts';
import { additionalOf, itemsOf, type JSONSchemaProps } from './schema.ts';

/** A fault of a value, before its path is known. */
interface ValueFault {
  /** Within the value: `.spec.size`; empty for the value itself. */
  path: string;
  at(field: string): FieldError;
}

/**
 * What is wrong with a value by a schema (upstream: kube-openapi/pkg/validation/validate, in the words that
 * apiextensions-apiserver/pkg/apiserver/validation makes of its findings).
 *
 * @param old what the value was before: parts that have not changed are let through.
 */
export function valueFaults(value: unknown, schema: JSONSchemaProps, field: string, old?: unknown): FieldError[] {
  return faultsOf(value, schema, '', old).map(({ path, at }) => at(path && field ? `${field}.${path}` : path || field || '<nil>'));
}

function jsonType(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function faultsOf(value: unknown, schema: JSONSchemaProps, path: string, old?: unknown): ValueFault[] {
  if (old !== undefined && deepEqual(value, old)) return [];
  const type = typeFaults(value, schema, path);
  if (value === null) return [...type, ...enumFaults(value, schema, path)];
  return [
    ...type,
    ...logicFaults(value, schema, path),
    ...(typeof value === 'string' ? stringFaults(value, schema, path) : []),
    ...(typeof value === 'number' ? numberFaults(value, schema, path) : []),
    ...(Array.isArray(value) ? listFaults(value, schema, path, old) : []),
    ...enumFaults(value, schema, path),
    ...(isObject(value) ? objectFaults(value, schema, path, old) : []),
  ];
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A fault whose words begin with the place. */
const fault = (path: string, value: unknown, words: string): ValueFault => ({ path, at: (field) => invalid(field, value, `${path} in body ${words}`) });

function typeFaults(value: unknown, schema: JSONSchemaProps, path: string): ValueFault[] {
  const types = schema['x-kubernetes-int-or-string'] ? ['integer', 'string'] : schema.type ? [schema.type] : [];
  const actual = jsonType(value);
  if (types.length === 0 || types.includes(actual) || (actual === 'null' && schema.nullable) || (actual === 'integer' && types.includes('number'))) return [];
  const words = `${path} in body must be of type ${types.join(',')}: "${actual}"`;
  return [{ path, at: (field) => typeInvalid(field, actual, words) }];
}

function enumFaults(value: unknown, { enum: values = [] }: JSONSchemaProps, path: string): ValueFault[] {
  if (values.length === 0 || values.some((one) => deepEqual(one, value))) return [];
  const shown = values.map((one) => (typeof one === 'string' ? one : stringifyExact(one)));
  return [{ path, at: (field) => notSupported(field, value, shown) }];
}

function stringFaults(value: string, { maxLength, minLength, pattern, format }: JSONSchemaProps, path: string): ValueFault[] {
  const length = [...value].length;
  if (maxLength !== undefined && length > maxLength) return [{ path, at: (field) => tooLong(field, maxLength) }];
  if (minLength !== undefined && length < minLength) return [fault(path, value, `should be at least ${minLength} chars long`)];
  if (pattern && !patternOf(pattern).test(value)) return [fault(path, value, `should match '${pattern}'`)];
  if (!format || hasFormat(value, format)) return [];
  return [{ path, at: (field) => typeInvalid(field, value, `${path} in body must be of type ${format}: ${JSON.stringify(value)}`) }];
}

/** Go's way to name a group is not JavaScript's; a pattern that cannot be read here is taken without its strictness. */
function patternOf(pattern: string): RegExp {
  const text = pattern.replaceAll('(?P<', '(?<');
  try {
    return new RegExp(text, 'u');
  } catch {
    return new RegExp(text);
  }
}

function numberFaults(value: number, schema: JSONSchemaProps, path: string): ValueFault[] {
  const { multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum } = schema;
  const isAbove = maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum);
  const isBelow = minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum);
  return [
    ...(multipleOf !== undefined && !Number.isInteger(value / multipleOf) ? [fault(path, value, `should be a multiple of ${multipleOf}`)] : []),
    ...(isAbove ? [fault(path, value, `should be less than ${exclusiveMaximum ? '' : 'or equal to '}${maximum}`)] : []),
    ...(isBelow ? [fault(path, value, `should be greater than ${exclusiveMinimum ? '' : 'or equal to '}${minimum}`)] : []),
  ];
}

function listFaults(value: readonly unknown[], schema: JSONSchemaProps, path: string, old: unknown): ValueFault[] {
  const { maxItems, minItems } = schema;
  const element = itemsOf(schema)?.schema;
  return [
    ...(element ? value.flatMap((one, index) => faultsOf(one, element, `${path}[${index}]`, counterpart(one, old, schema))) : []),
    ...(maxItems !== undefined && value.length > maxItems ? [{ path, at: (field: string) => tooMany(field, value.length, maxItems) }] : []),
    ...(minItems !== undefined && value.length < minItems ? [fault(path, value.length, `should have at least ${minItems} items`)] : []),
  ];
}

function objectFaults(value: Record<string, unknown>, schema: JSONSchemaProps, path: string, old: unknown): ValueFault[] {
  const before = isObject(old) ? old : {};
  const { maxProperties, minProperties, properties = {}, required: names = [] } = schema;
  const count = Object.keys(value).length;
  if (minProperties !== undefined && count < minProperties) return [fault(path, minProperties, `should have at least ${minProperties} properties`)];
  if (maxProperties !== undefined && count > maxProperties) return [{ path, at: (field) => tooMany(field, maxProperties, -1) }];
  const within = (name: string): string => (path ? `${path}.${name}` : name);
  const additional = additionalOf(schema.additionalProperties)?.schema;
  return [
    ...(additional ? sortedEntries(value).flatMap(([name, one]) => (name in properties ? [] : faultsOf(one, additional, within(name), before[name]))) : []),
    ...sortedEntries(properties).flatMap(([name, property]) => (name in value ? faultsOf(value[name], property, within(name), before[name]) : [])),
    ...names.flatMap((name) => (name in value ? [] : [{ path: within(name), at: (field: string) => required(field) }])),
  ];
}

/** The element of before that has the same keys; elements of lists that are no maps have none. */
export function counterpart(one: unknown, old: unknown, schema: JSONSchemaProps): unknown {
  if (!Array.isArray(old) || schema['x-kubernetes-list-type'] !== 'map') return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  return old.find((other) => keys.every((key) => deepEqual((other as Record<string, unknown>)?.[key], (one as Record<string, unknown>)?.[key])));
}

function logicFaults(value: unknown, { anyOf = [], oneOf = [], allOf = [], not }: JSONSchemaProps, path: string): ValueFault[] {
  const holds = (clause: JSONSchemaProps): boolean => faultsOf(value, clause, path).length === 0;
  const ofSchema = (words: string): ValueFault => ({ path, at: (field) => invalid(field, '', `"${path}" must validate ${words}`) });
  return [
    ...(anyOf.length && !anyOf.some(holds) ? [ofSchema('at least one schema (anyOf)')] : []),
    ...(oneOf.length && oneOf.filter(holds).length !== 1 ? [ofSchema('one and only one schema (oneOf)')] : []),
    ...allOf.flatMap((clause) => faultsOf(value, clause, path)),
    ...(allOf.length && !allOf.every(holds) ? [ofSchema('all the schemas (allOf)')] : []),
    ...(not && holds(not) ? [{ path, at: (field: string) => invalid(field, '', `"${path}" must not validate the schema (not)`) }] : []),
  ];
}
