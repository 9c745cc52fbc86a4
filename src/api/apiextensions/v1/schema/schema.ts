import type { JSONSchemaProps } from '../../../generated/types/apiextensions.v1.ts';

export type { JSONSchemaProps };

/** `items` of a schema: one schema for all elements, or one each. Neither, where it is something else. */
export interface Items {
  schema?: JSONSchemaProps;
  list: readonly JSONSchemaProps[];
}

/** `additionalProperties` of a schema. */
export interface Additional {
  allows: boolean;
  schema?: JSONSchemaProps;
}

const isObject = (value: unknown): value is JSONSchemaProps => typeof value === 'object' && value !== null && !Array.isArray(value);

export function itemsOf({ items }: JSONSchemaProps): Items | undefined {
  if (items === undefined || items === null) return undefined;
  if (Array.isArray(items)) return { list: items as JSONSchemaProps[] };
  return isObject(items) ? { schema: items, list: [] } : { list: [] };
}

export function additionalOf(value: unknown): Additional | undefined {
  if (value === undefined || value === null) return undefined;
  return isObject(value) ? { allows: true, schema: value } : { allows: value === true };
}

/** The schema that a dependency comes to, where it is no list of names. */
export function dependencyOf(value: unknown): JSONSchemaProps | undefined {
  return isObject(value) ? value : undefined;
}

/** A default that is there; null counts as none. */
export function hasDefault(schema: JSONSchemaProps): boolean {
  return schema.default !== undefined && schema.default !== null;
}

/** Whether the schema, or one within it, is like that (upstream: validation.SchemaHas). */
export function someSchema(schema: JSONSchemaProps | undefined, isLike: (schema: JSONSchemaProps) => boolean): boolean {
  if (!schema) return false;
  return isLike(schema) || within(schema).some((inner) => someSchema(inner, isLike));
}

function within(schema: JSONSchemaProps): JSONSchemaProps[] {
  const { allOf = [], anyOf = [], oneOf = [], not, properties, patternProperties, definitions, dependencies } = schema;
  const items = itemsOf(schema);
  const one = (inner: JSONSchemaProps | undefined): JSONSchemaProps[] => (inner ? [inner] : []);
  return [
    ...one(items?.schema),
    ...(items?.list ?? []),
    ...allOf,
    ...anyOf,
    ...oneOf,
    ...one(not),
    ...Object.values(properties ?? {}),
    ...one(additionalOf(schema.additionalProperties)?.schema),
    ...Object.values(patternProperties ?? {}),
    ...one(additionalOf(schema.additionalItems)?.schema),
    ...Object.values(definitions ?? {}),
    ...Object.values(dependencies ?? {}).flatMap((dependency) => one(dependencyOf(dependency))),
  ];
}
