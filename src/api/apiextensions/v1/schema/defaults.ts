import { at, type FieldError, invalid } from '../../../field-error.ts';
import { sortedEntries } from '../../../validation.ts';
import { additionalOf, hasDefault, itemsOf, type JSONSchemaProps } from './schema.ts';
import { valueFaults } from './value.ts';

const META_FIELDS = ['metadata', 'kind', 'apiVersion'];

/**
 * Defaults are values by their own schemas, and have no fields that would be pruned (upstream:
 * apiextensions-apiserver/pkg/apiserver/schema/defaulting, ValidateDefaults). Defaults within metadata, and rules of the
 * schemas, are not looked at.
 */
export function checkDefaults(schema: JSONSchemaProps, field: string, { mustPrune }: { mustPrune: boolean }): FieldError[] {
  return check(schema, field, { mustPrune, isObject: true });
}

interface Options {
  mustPrune: boolean;
  /** A whole object stands here, with kind and metadata. */
  isObject: boolean;
}

function check(schema: JSONSchemaProps, field: string, { mustPrune, isObject }: Options): FieldError[] {
  const path = `${field}.default`;
  const items = itemsOf(schema)?.schema;
  const isWhole = (inner: JSONSchemaProps): boolean => inner['x-kubernetes-embedded-resource'] === true;
  return [
    ...(hasDefault(schema)
      ? [
          ...(mustPrune && !isPruned(schema.default, schema) ? [invalid(path, schema.default, 'must not have unknown fields')] : []),
          ...valueFaults(schema.default, schema, path),
        ]
      : []),
    ...(items ? check(items, `${field}.items`, { mustPrune, isObject: isWhole(items) }) : []),
    ...sortedEntries(schema.properties).flatMap(([name, property]) =>
      isObject && META_FIELDS.includes(name) ? [] : check(property, at(`${field}.properties`, name), { mustPrune, isObject: isWhole(property) }),
    ),
  ];
}

/** Whether nothing of the value is unknown to the schema. */
function isPruned(value: unknown, schema: JSONSchemaProps | undefined): boolean {
  if (!schema || schema['x-kubernetes-preserve-unknown-fields'] || typeof value !== 'object' || value === null) return true;
  if (Array.isArray(value)) return value.every((element) => isPruned(element, itemsOf(schema)?.schema));
  const additional = additionalOf(schema.additionalProperties);
  const isMeta = (name: string): boolean => schema['x-kubernetes-embedded-resource'] === true && META_FIELDS.includes(name);
  return Object.entries(value).every(([name, inner]) => {
    const property = schema.properties?.[name];
    if (property) return isPruned(inner, property);
    return isMeta(name) || (additional?.allows === true && isPruned(inner, additional.schema));
  });
}
