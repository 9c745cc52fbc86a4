import { asGiven } from '../../../emptied.ts';
import { at, type FieldError, forbidden, invalid, notSupported, required } from '../../../field-error.ts';
import { sortedEntries } from '../../../validation.ts';
import { internalItems } from '../internal-names.ts';
import { ruleFaults, ruleFormFaults } from './rules.ts';
import { additionalOf, dependencyOf, hasDefault, itemsOf, type JSONSchemaProps, someSchema } from './schema.ts';

/** Sorted, as upstream lists them. */
const TYPES = ['array', 'boolean', 'integer', 'number', 'object', 'string'];
const LIST_TYPES = ['atomic', 'set', 'map'];
const MAP_TYPES = ['atomic', 'granular'];
const META_FIELDS = ['metadata', 'kind', 'apiVersion'];

/** What is asked of schemas; an update asks no more than what the old schemas keep. */
export interface SchemaRequirements {
  knownTypes: boolean;
  atomicSets: boolean;
  soundMapKeys: boolean;
}

/** Where in a schema the rules are. */
interface Place {
  /** Why there may be no defaults; undefined: there may. */
  noDefaults?: string;
  insideMeta: boolean;
  /** The first schema around, of which old and new values cannot be told to be the same. */
  uncorrelated?: string;
  /** Expressions are looked at: the schema is structural, and no logic is around. */
  hasExpressions: boolean;
}

interface Found {
  schema: FieldError[];
  /** Of expressions; they come last, and only of schemas that are sound. */
  expressions: FieldError[];
}

interface Options {
  requirements: SchemaRequirements;
  isStructural: boolean;
}

/**
 * What is wrong with a schema apart from its structure (upstream: apiextensions-apiserver/pkg/apis/apiextensions/validation,
 * ValidateCustomResourceDefinitionOpenAPISchema).
 */
export function openApiFaults(schema: JSONSchemaProps, field: string, { requirements, isStructural }: Options): FieldError[] {
  const { schema: faults, expressions } = visit(schema, field, { requirements, isRoot: true, place: { insideMeta: false, hasExpressions: isStructural } });
  return [...faults, ...expressions];
}

interface Visit {
  requirements: SchemaRequirements;
  isRoot: boolean;
  place: Place;
}

function visit(schema: JSONSchemaProps, field: string, { requirements, isRoot, place }: Visit): Found {
  const inner = innerSchemas(schema, field, { isRoot, place }).map(([part, path, partPlace]) =>
    visit(part, path, { requirements, isRoot: false, place: partPlace }),
  );
  const additional = additionalOf(schema.additionalProperties);
  const isBoth = additional && Object.keys(schema.properties ?? {}).length > 0 && (!additional.allows || additional.schema);
  const own = [
    ...supportFaults(schema, field, { requirements, place }),
    ...(schema.uniqueItems ? [forbidden(`${field}.uniqueItems`, 'uniqueItems cannot be set to true since the runtime complexity becomes quadratic')] : []),
    ...(isBoth ? [forbidden(`${field}.additionalProperties`, 'additionalProperties and properties are mutual exclusive')] : []),
  ];
  const faults = [
    ...own,
    ...inner.flatMap((found) => found.schema),
    ...extensionFaults(schema, field, requirements),
    ...(requirements.soundMapKeys ? keyFaults(schema, field) : []),
    ...ruleFormFaults(schema, field),
  ];
  const ofRules = faults.length === 0 && place.hasExpressions ? ruleFaults(schema, field, place.uncorrelated) : [];
  return { schema: faults, expressions: [...inner.flatMap((found) => found.expressions), ...ofRules] };
}

/** What is within a schema, with its path and place, in the order in which upstream goes. */
function innerSchemas(schema: JSONSchemaProps, field: string, { isRoot, place }: Pick<Visit, 'isRoot' | 'place'>): [JSONSchemaProps, string, Place][] {
  const { not, allOf = [], oneOf = [], anyOf = [], definitions, dependencies } = schema;
  const logic: Place = { ...place, hasExpressions: false };
  const additional = additionalOf(schema.additionalProperties)?.schema;
  const items = itemsOf(schema);
  const itemPlace = schema['x-kubernetes-list-type'] === 'map' ? place : uncorrelatedWithin(place, field);
  const one = (part: JSONSchemaProps | undefined, path: string, partPlace: Place): [JSONSchemaProps, string, Place][] =>
    part ? [[part, path, partPlace]] : [];
  return [
    ...one(
      additional,
      `${field}.additionalProperties`,
      place.insideMeta ? { ...place, noDefaults: 'inside additionalProperties applying to object metadata' } : place,
    ),
    ...sortedEntries(schema.properties).flatMap(([name, part]) =>
      one(part, at(`${field}.properties`, name), propertyPlace(schema, { name, field, isRoot, place })),
    ),
    ...one(not, `${field}.not`, logic),
    ...allOf.flatMap((part, index) => one(part, at(`${field}.allOf`, index), logic)),
    ...oneOf.flatMap((part, index) => one(part, at(`${field}.oneOf`, index), logic)),
    ...anyOf.flatMap((part, index) => one(part, at(`${field}.anyOf`, index), logic)),
    ...sortedEntries(definitions).flatMap(([name, part]) => one(part, at(`${field}.definitions`, name), logic)),
    ...one(items?.schema, `${field}.items`, itemPlace),
    ...(items?.list ?? []).flatMap((part, index) => one(part, at(`${field}.items`, index), itemPlace)),
    ...sortedEntries(dependencies).flatMap(([name, part]) => one(dependencyOf(part), at(`${field}.dependencies`, name), logic)),
  ];
}

const uncorrelatedWithin = (place: Place, field: string): Place => ({ ...place, uncorrelated: place.uncorrelated ?? field });

function propertyPlace(schema: JSONSchemaProps, { name, field, isRoot, place }: { name: string; field: string } & Pick<Visit, 'isRoot' | 'place'>): Place {
  const correlated = schema['x-kubernetes-map-type'] === 'atomic' ? uncorrelatedWithin(place, field) : place;
  if (!META_FIELDS.includes(name) || !(isRoot || schema['x-kubernetes-embedded-resource'])) return correlated;
  return { ...correlated, insideMeta: true, ...(isRoot ? { noDefaults: `in top-level ${name}` } : {}) };
}

/** Parts of JSON schema that are not supported, or not at this place (upstream: specStandardValidatorV3). */
function supportFaults(schema: JSONSchemaProps, field: string, { requirements, place }: Pick<Visit, 'requirements' | 'place'>): FieldError[] {
  const { type } = schema;
  const items = itemsOf(schema);
  const isSet = (value: unknown): boolean => value !== undefined && value !== null;
  const hasKeys = (map: object | undefined): boolean => Object.keys(map ?? {}).length > 0;
  const unsupported = (name: string, is: boolean): FieldError[] => (is ? [forbidden(`${field}.${name}`, `${name} is not supported`)] : []);
  return [
    ...(requirements.knownTypes && type && !TYPES.includes(type) ? [notSupported(`${field}.type`, type, TYPES)] : []),
    ...(place.noDefaults && hasDefault(schema) ? [forbidden(`${field}.default`, `must not be set ${place.noDefaults}`)] : []),
    ...unsupported('id', Boolean(schema.id)),
    ...unsupported('additionalItems', isSet(schema.additionalItems)),
    ...unsupported('patternProperties', hasKeys(schema.patternProperties)),
    ...unsupported('definitions', hasKeys(schema.definitions)),
    ...unsupported('dependencies', asGiven(schema, 'dependencies') !== null),
    ...unsupported('$ref', schema.$ref !== undefined),
    ...(type === 'null' ? [forbidden(`${field}.type`, 'type cannot be set to null, use nullable as an alternative')] : []),
    ...(items?.list.length ? [forbidden(`${field}.items`, 'items must be a schema object and not an array')] : []),
    ...(place.insideMeta && schema['x-kubernetes-embedded-resource']
      ? [forbidden(`${field}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta')]
      : []),
  ];
}

/** Kubernetes' own words about lists, maps and unknown fields. */
function extensionFaults(schema: JSONSchemaProps, field: string, requirements: SchemaRequirements): FieldError[] {
  const mapType = schema['x-kubernetes-map-type'];
  const preserves = schema['x-kubernetes-preserve-unknown-fields'];
  return [
    ...(preserves === false ? [invalid(`${field}.x-kubernetes-preserve-unknown-fields`, false, 'must be true or undefined')] : []),
    ...(mapType === undefined ? [] : typeFaults(schema, field, { type: 'object', because: 'x-kubernetes-map-type is specified' })),
    ...(mapType === undefined || MAP_TYPES.includes(mapType) ? [] : [notSupported(`${field}.x-kubernetes-map-type`, mapType, MAP_TYPES)]),
    ...listTypeFaults(schema, field, requirements),
    ...mapKeyFaults(schema, field),
  ];
}

function typeFaults(schema: JSONSchemaProps, field: string, { type, because }: { type: string; because: string }): FieldError[] {
  if (schema.type === type) return [];
  const words = `must be ${type} if ${because}`;
  return [schema.type ? invalid(`${field}.type`, schema.type, words) : required(`${field}.type`, words)];
}

function listTypeFaults(schema: JSONSchemaProps, field: string, { atomicSets }: SchemaRequirements): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  if (listType === undefined) return [];
  return [
    ...typeFaults(schema, field, { type: 'array', because: 'x-kubernetes-list-type is specified' }),
    ...(atomicSets && schema.type === 'array' ? setFaults(schema, field) : []),
    ...(LIST_TYPES.includes(listType) ? [] : [notSupported(`${field}.x-kubernetes-list-type`, listType, LIST_TYPES)]),
  ];
}

/** The elements of a set are compared as wholes. */
function setFaults(schema: JSONSchemaProps, field: string): FieldError[] {
  const element = itemsOf(schema)?.schema;
  if (!element || schema['x-kubernetes-list-type'] !== 'set') return [];
  const listType = element['x-kubernetes-list-type'];
  const words = 'must be atomic as item of a list with x-kubernetes-list-type=set';
  if (element.type === 'array' && listType !== undefined && listType !== 'atomic') return [invalid(`${field}.items.x-kubernetes-list-type`, listType, words)];
  // The value that is shown is upstream's.
  if (element.type === 'object' && element['x-kubernetes-map-type'] !== 'atomic') return [invalid(`${field}.items.x-kubernetes-map-type`, listType, words)];
  return [];
}

function mapKeyFaults(schema: JSONSchemaProps, field: string): FieldError[] {
  const listType = schema['x-kubernetes-list-type'];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const path = `${field}.x-kubernetes-list-type`;
  const MUST_BE_MAP = 'must be map if x-kubernetes-list-map-keys is non-empty';
  const errors: FieldError[] = [];
  if (keys.length && listType === undefined) errors.push(required(path, MUST_BE_MAP));
  else if (keys.length && listType !== 'map') errors.push(invalid(path, listType, MUST_BE_MAP));
  if (listType !== 'map') return errors;
  const items = itemsOf(schema);
  if (!keys.length) errors.push(required(`${field}.x-kubernetes-list-map-keys`, 'must not be empty if x-kubernetes-list-type is map'));
  if (!items) return [...errors, required(`${field}.items`, 'must have a schema if x-kubernetes-list-type is map')];
  if (!items.schema) return [...errors, invalid(`${field}.items`, internalItems(items), 'must only have a single schema if x-kubernetes-list-type is map')];
  if (items.schema.type !== 'object')
    return [...errors, invalid(`${field}.items.type`, items.schema.type ?? '', "must be object if parent array's x-kubernetes-list-type is map")];
  return [...errors, ...keysOfElements(keys, items.schema, field)];
}

function keysOfElements(keys: readonly string[], element: JSONSchemaProps, field: string): FieldError[] {
  const path = `${field}.x-kubernetes-list-map-keys`;
  return keys.flatMap((key, index) => {
    const property = element.properties?.[key];
    const isScalar = property?.type !== 'array' && property?.type !== 'object';
    return [
      ...(property ? [] : [invalid(path, keys, 'entries must all be names of item properties')]),
      // The type that is shown is upstream's.
      ...(isScalar
        ? []
        : [invalid(`${at(`${field}.items.properties`, key)}.type`, element.type, "must be a scalar type if parent array's x-kubernetes-list-type is map")]),
      ...(keys.indexOf(key) < index ? [invalid(path, keys, 'must not contain duplicate entries')] : []),
    ];
  });
}

/** What identifies an element is there, and no element is null (upstream: validateMapListKeysMapSet). */
function keyFaults(schema: JSONSchemaProps, field: string): FieldError[] {
  const element = itemsOf(schema)?.schema;
  const listType = schema['x-kubernetes-list-type'];
  if (!element || (listType !== 'set' && listType !== 'map')) return [];
  const OF_KEYS = 'this property is in x-kubernetes-list-map-keys, so it';
  const keys = listType === 'map' ? (schema['x-kubernetes-list-map-keys'] ?? []) : [];
  return [
    ...(element.nullable ? [forbidden(`${field}.items.nullable`, `cannot be nullable when x-kubernetes-list-type is ${listType}`)] : []),
    ...keys.flatMap((key) => {
      const property = element.properties?.[key];
      if (!property) return [];
      const path = at(`${field}.items.properties`, key);
      const isThere = element.required?.includes(key) || hasDefault(property);
      return [
        ...(isThere ? [] : [required(`${path}.default`, `${OF_KEYS} must have a default or be a required property`)]),
        ...(property.nullable ? [forbidden(`${path}.nullable`, `${OF_KEYS} cannot be nullable`)] : []),
      ];
    }),
  ];
}

/** What the schemas of an old object keep, so that it may be asked of the new ones. */
export function requirementsKept(schemas: readonly JSONSchemaProps[]): SchemaRequirements {
  const none = (isLike: (schema: JSONSchemaProps) => boolean): boolean => !schemas.some((schema) => someSchema(schema, isLike));
  return {
    knownTypes: none(({ type }) => Boolean(type) && !TYPES.includes(type!)),
    atomicSets: none((schema) => setFaults(schema, '').length > 0),
    soundMapKeys: none((schema) => keyFaults(schema, '').length > 0),
  };
}
