import type { Field, List, Scalar, Struct, Type } from './type.ts';

/** The parts of a custom resource's OpenAPI v3 schema that shape its objects; validation reads the rest (apiextensions/v1 JSONSchemaProps). */
export interface StructuralSchema {
  type?: string;
  format?: string;
  nullable?: boolean;
  default?: unknown;
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema | boolean;
  items?: StructuralSchema;
  required?: string[];
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: 'atomic' | 'granular';
}

/**
 * The type of a custom resource's objects. At the root, and where the schema embeds a resource, apiVersion, kind and
 * metadata are there without being named.
 *
 * @param metadata the type of `metadata`.
 */
export function structuralType(schema: StructuralSchema, metadata: Struct): Struct {
  return structOf({ ...schema, 'x-kubernetes-embedded-resource': true }, metadata);
}

const STRING: Scalar = Object.freeze({ shape: 'scalar', format: 'string' });
const ANY: Scalar = Object.freeze({ shape: 'scalar', format: 'any' });

function typeOf(schema: StructuralSchema, metadata: Struct): Type {
  const nullable = schema.nullable ? { nullable: true } : {};
  if (schema['x-kubernetes-int-or-string']) return Object.freeze({ shape: 'scalar', format: 'intOrString', ...nullable });
  switch (schema.type) {
    case 'object':
      return isMap(schema) ? mapOf(schema, metadata) : structOf(schema, metadata);
    case 'array':
      return Object.freeze({ ...listOf(schema, metadata), ...nullable });
    case 'string':
    case 'boolean':
      return Object.freeze({ shape: 'scalar', format: schema.type, ...nullable });
    case 'integer':
      return Object.freeze({ shape: 'scalar', format: 'int64', ...nullable });
    case 'number':
      return Object.freeze({ shape: 'scalar', format: 'double', ...nullable });
    default:
      return ANY;
  }
}

function isMap({ properties, additionalProperties }: StructuralSchema): boolean {
  return !properties && additionalProperties !== undefined && additionalProperties !== false;
}

function mapOf(schema: StructuralSchema, metadata: Struct): Type {
  const element = typeof schema.additionalProperties === 'object' ? typeOf(schema.additionalProperties, metadata) : ANY;
  return Object.freeze({ shape: 'map', element, atomic: schema['x-kubernetes-map-type'] === 'atomic', ...(schema.nullable ? { nullable: true } : {}) });
}

function listOf(schema: StructuralSchema, metadata: Struct): List {
  return {
    shape: 'list',
    element: schema.items ? typeOf(schema.items, metadata) : ANY,
    ...(schema['x-kubernetes-list-type'] ? { listType: schema['x-kubernetes-list-type'] } : {}),
    keys: Object.freeze([...(schema['x-kubernetes-list-map-keys'] ?? [])].sort()),
  };
}

function structOf(schema: StructuralSchema, metadata: Struct): Struct {
  const required = new Set(schema.required);
  const fields = new Map<string, Field>();
  const add = (name: string, type: Type, defaultValue?: unknown): void =>
    void fields.set(
      name,
      Object.freeze({
        name,
        type,
        required: required.has(name),
        pointer: true,
        patchStrategy: '',
        ...(defaultValue === undefined ? {} : { default: defaultValue }),
      }),
    );
  for (const [name, property] of Object.entries(schema.properties ?? {})) add(name, typeOf(property, metadata), property.default);
  const embeddedResource = schema['x-kubernetes-embedded-resource'] === true;
  if (embeddedResource) {
    add('apiVersion', STRING);
    add('kind', STRING);
    add('metadata', metadata);
  }
  return Object.freeze({
    shape: 'struct',
    id: '',
    fields,
    written: [],
    atomic: schema['x-kubernetes-map-type'] === 'atomic',
    preservesUnknownFields: schema['x-kubernetes-preserve-unknown-fields'] === true,
    embeddedResource,
    ...(schema.nullable ? { nullable: true } : {}),
  });
}
