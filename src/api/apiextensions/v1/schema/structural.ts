import { deepEqual } from '../../../equality.ts';
import { at, type FieldError, forbidden, invalid, required } from '../../../field-error.ts';
import { sortedEntries } from '../../../validation.ts';
import { goRegexFault } from './go-regex.ts';
import { additionalOf, hasDefault, itemsOf, type JSONSchemaProps } from './schema.ts';

type Level = 'root' | 'item' | 'field';

const TYPE_WORDS: Readonly<Record<Level, string>> = {
  root: 'must not be empty at the root',
  item: 'must not be empty for specified array items',
  field: 'must not be empty for specified object fields',
};
/** What `x-kubernetes-int-or-string` may be spelled out with. */
const INT_OR_STRING = [{ type: 'integer' }, { type: 'string' }];

const within = (field: string, name: string): string => at(`${field}.properties`, name);

/**
 * Why no structural schema can be made at all; the first reason that is found (upstream:
 * apiextensions-apiserver/pkg/apiserver/schema, NewStructural).
 */
export function unstructurable(schema: JSONSchemaProps): string | undefined {
  const unsupported = unsupportedField(schema);
  if (unsupported) return `OpenAPIV3Schema '${unsupported}' is not supported`;
  const { not, allOf = [], anyOf = [], oneOf = [], properties } = schema;
  for (const nested of [...(not ? [not] : []), ...allOf, ...anyOf, ...oneOf]) {
    const reason = unstructurable(nested);
    if (reason) return reason;
  }
  if (schema['x-kubernetes-preserve-unknown-fields'] === false) return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined";
  const items = itemsOf(schema);
  if (items?.list.length) return "OpenAPIV3Schema 'items' must be a schema, but is an array";
  const additional = additionalOf(schema.additionalProperties)?.schema;
  const inner = [...(items?.schema ? [items.schema] : []), ...sortedEntries(properties).map(([, property]) => property), ...(additional ? [additional] : [])];
  for (const part of inner) {
    const reason = unstructurable(part);
    if (reason) return reason;
  }
  return undefined;
}

function unsupportedField(schema: JSONSchemaProps): string | undefined {
  const isSet = (map: object | undefined): boolean => Object.keys(map ?? {}).length > 0;
  if (schema.id) return 'id';
  if (schema.$schema) return 'schema';
  if (schema.$ref) return '$ref';
  if (isSet(schema.patternProperties)) return 'patternProperties';
  if (isSet(schema.dependencies)) return 'dependencies';
  if (schema.additionalItems !== undefined && schema.additionalItems !== null) return 'additionalItems';
  return isSet(schema.definitions) ? 'definitions' : undefined;
}

/**
 * What keeps a schema from being structural: every field has a type, and logic (`allOf`, `anyOf`, `oneOf`, `not`) only
 * restricts what is described outside of it (upstream: ValidateStructural). In the order of their texts, as upstream.
 */
export function structuralFaults(schema: JSONSchemaProps, field: string): FieldError[] {
  const text = (error: FieldError): string => `${error.field}: ${error.message}`;
  return [...invariantFaults(schema, 'root', field), ...undescribed(schema, schema, { described: field, restricting: field })].sort((a, b) =>
    text(a) < text(b) ? -1 : 1,
  );
}

function invariantFaults(schema: JSONSchemaProps, level: Level, field: string): FieldError[] {
  const items = itemsOf(schema)?.schema;
  return [
    ...(schema.type === 'array' && !items ? [required(`${field}.items`, 'must be specified')] : []),
    ...(items ? invariantFaults(items, 'item', `${field}.items`) : []),
    ...sortedEntries(schema.properties).flatMap(([name, property]) => invariantFaults(property, 'field', within(field, name))),
    ...additionalFaults(schema, level, field),
    ...intOrStringFaults(schema, field),
    ...logicFaults(schema, field, { mayAnyOf: isIntOrString(schema.anyOf), mayFirstAllOf: isIntOrString(schema.allOf?.[0]?.anyOf) }),
    ...typeFaults(schema, level, field),
    ...metaFaults(schema, level, field),
    ...emptyEmbeddedFaults(schema, field),
  ];
}

const isIntOrString = (anyOf: readonly JSONSchemaProps[] | undefined): boolean => deepEqual(anyOf, INT_OR_STRING);

function additionalFaults(schema: JSONSchemaProps, level: Level, field: string): FieldError[] {
  const path = `${field}.additionalProperties`;
  const additional = additionalOf(schema.additionalProperties);
  if (!additional) return [];
  return [
    ...(level === 'root' ? [forbidden(path, 'must not be used at the root')] : []),
    ...(additional.schema ? invariantFaults(additional.schema, 'field', path) : []),
    ...(schema['x-kubernetes-embedded-resource'] ? [forbidden(path, 'must not be used if x-kubernetes-embedded-resource is set')] : []),
  ];
}

function intOrStringFaults(schema: JSONSchemaProps, field: string): FieldError[] {
  if (!schema['x-kubernetes-int-or-string']) return [];
  return (['x-kubernetes-preserve-unknown-fields', 'x-kubernetes-embedded-resource'] as const)
    .filter((extension) => schema[extension])
    .map((extension) => invalid(`${field}.${extension}`, true, 'must be false if x-kubernetes-int-or-string is true'));
}

function typeFaults(schema: JSONSchemaProps, level: Level, field: string): FieldError[] {
  const { type = '' } = schema;
  const path = `${field}.type`;
  const EMBEDDED = 'must be object if x-kubernetes-embedded-resource is true';
  const errors: FieldError[] = [];
  if (schema['x-kubernetes-embedded-resource'] && type !== 'object') errors.push(type ? invalid(path, type, EMBEDDED) : required(path, EMBEDDED));
  else if (!type && !schema['x-kubernetes-int-or-string'] && !schema['x-kubernetes-preserve-unknown-fields']) errors.push(required(path, TYPE_WORDS[level]));
  if (level === 'root' && type && type !== 'object') errors.push(invalid(path, type, 'must be object at the root'));
  return errors;
}

/** kind, apiVersion and metadata are what they are in every object; only names may be restricted. */
function metaFaults(schema: JSONSchemaProps, level: Level, field: string): FieldError[] {
  const { kind, apiVersion, metadata } = schema.properties ?? {};
  const isObject = level === 'root' || schema['x-kubernetes-embedded-resource'] === true;
  const check = (name: string, property: JSONSchemaProps | undefined, type: string): FieldError[] =>
    property && isObject && property.type !== type ? [invalid(`${within(field, name)}.type`, property.type ?? '', `must be ${type}`)] : [];
  const ONLY_NAMES = 'must not specify anything other than name and generateName, but metadata is implicitly specified';
  return [
    ...check('kind', kind, 'string'),
    ...check('apiVersion', apiVersion, 'string'),
    ...check('metadata', metadata, 'object'),
    ...(metadata && level === 'root' && !restrictsOnlyNames(metadata) ? [forbidden(within(field, 'metadata'), ONLY_NAMES)] : []),
  ];
}

function restrictsOnlyNames({ type: _t, default: _d, example: _e, externalDocs: _x, properties = {}, ...rest }: JSONSchemaProps): boolean {
  const hasOther = Object.keys(properties).some((name) => name !== 'name' && name !== 'generateName');
  return !hasOther && Object.keys(rest).length === 0;
}

function emptyEmbeddedFaults(schema: JSONSchemaProps, field: string): FieldError[] {
  const isEmpty = schema['x-kubernetes-embedded-resource'] && !schema['x-kubernetes-preserve-unknown-fields'] && !Object.keys(schema.properties ?? {}).length;
  const words = 'must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields';
  return isEmpty ? [required(`${field}.properties`, words)] : [];
}

interface LogicOptions {
  /** anyOf spells out int-or-string. */
  mayAnyOf: boolean;
  /** The first of allOf does. */
  mayFirstAllOf: boolean;
}

const STRICT: LogicOptions = { mayAnyOf: false, mayFirstAllOf: false };

/** Upstream: validateValueValidation. */
function logicFaults(
  { anyOf = [], allOf = [], oneOf = [], not, pattern }: JSONSchemaProps,
  field: string,
  { mayAnyOf, mayFirstAllOf }: LogicOptions,
): FieldError[] {
  const fault = pattern ? goRegexFault(pattern) : undefined;
  return [
    ...(mayAnyOf ? [] : anyOf.flatMap((clause, index) => clauseFaults(clause, at(`${field}.anyOf`, index)))),
    ...allOf.flatMap((clause, index) => clauseFaults(clause, at(`${field}.allOf`, index), { ...STRICT, mayAnyOf: mayFirstAllOf && index === 0 })),
    ...oneOf.flatMap((clause, index) => clauseFaults(clause, at(`${field}.oneOf`, index))),
    ...(not ? clauseFaults(not, `${field}.not`) : []),
    ...(fault ? [invalid(`${field}.pattern`, pattern, `must be a valid regular expression, but isn't: ${fault}`)] : []),
  ];
}

/** What a clause of logic may not say, since that is for the schema around it (upstream: validateNestedValueValidation). */
const DESCRIPTIVE: readonly { key: keyof JSONSchemaProps; must: string }[] = [
  { key: 'type', must: 'be empty' },
  { key: 'additionalProperties', must: 'be undefined' },
  { key: 'default', must: 'be undefined' },
  { key: 'title', must: 'be empty' },
  { key: 'description', must: 'be empty' },
  { key: 'nullable', must: 'be false' },
  { key: 'x-kubernetes-preserve-unknown-fields', must: 'be false' },
  { key: 'x-kubernetes-embedded-resource', must: 'be false' },
  { key: 'x-kubernetes-int-or-string', must: 'be false' },
  { key: 'x-kubernetes-list-map-keys', must: 'be empty' },
  { key: 'x-kubernetes-list-type', must: 'be undefined' },
  { key: 'x-kubernetes-map-type', must: 'be undefined' },
  { key: 'x-kubernetes-validations', must: 'be empty' },
];

function clauseFaults(clause: JSONSchemaProps, field: string, options = STRICT): FieldError[] {
  const items = itemsOf(clause)?.schema;
  return [
    ...logicFaults(clause, field, options),
    ...(items ? clauseFaults(items, `${field}.items`) : []),
    ...sortedEntries(clause.properties).flatMap(([name, property]) => clauseFaults(property, within(field, name))),
    ...DESCRIPTIVE.filter(({ key }) => saysSomething(clause, key)).map(({ key, must }) => forbidden(`${field}.${key}`, `must ${must} to be structural`)),
    ...(clause.properties?.['metadata'] ? [forbidden(within(field, 'metadata'), 'must not be specified in a nested context')] : []),
  ];
}

function saysSomething(clause: JSONSchemaProps, key: keyof JSONSchemaProps): boolean {
  if (key === 'default') return hasDefault(clause);
  if (key === 'additionalProperties') return additionalOf(clause.additionalProperties)?.allows ?? false;
  const value = clause[key];
  if (key === 'x-kubernetes-list-type' || key === 'x-kubernetes-map-type') return value !== undefined;
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

interface Paths {
  described: string;
  restricting: string;
}

/** Fields that logic at the root restricts and nothing describes (upstream: validateStructuralCompleteness). */
function undescribed(clause: JSONSchemaProps, schema: JSONSchemaProps | undefined, { described, restricting }: Paths): FieldError[] {
  if (!schema) return [required(described, `because it is defined in ${restricting}`)];
  const { not, allOf = [], anyOf = [], oneOf = [] } = clause;
  const nested = (inner: JSONSchemaProps, path: string): FieldError[] => undescribedIn(inner, schema, { described, restricting: `${restricting}.${path}` });
  return [
    ...(not ? nested(not, 'not') : []),
    ...allOf.flatMap((inner, index) => nested(inner, at('allOf', index))),
    ...anyOf.flatMap((inner, index) => nested(inner, at('anyOf', index))),
    ...oneOf.flatMap((inner, index) => nested(inner, at('oneOf', index))),
  ];
}

function undescribedIn(clause: JSONSchemaProps, schema: JSONSchemaProps | undefined, paths: Paths): FieldError[] {
  if (!schema) return undescribed(clause, schema, paths);
  const items = itemsOf(clause)?.schema;
  const deeper = (path: string): Paths => ({ described: `${paths.described}.${path}`, restricting: `${paths.restricting}.${path}` });
  return [
    ...undescribed(clause, schema, paths),
    ...(items ? undescribedIn(items, itemsOf(schema)?.schema, deeper('items')) : []),
    ...sortedEntries(clause.properties).flatMap(([name, property]) => undescribedIn(property, schema.properties?.[name], deeper(at('properties', name)))),
  ];
}
