import type { StructuralSchema } from '../../../api/structural-type.ts';

type Json = Record<string, unknown>;

/** The schema of a custom kind, and where its words go beyond those that shape its objects. */
type Schema = StructuralSchema & Json;

export interface CustomSchemaContext {
  form: 'v2' | 'v3';
  /** The document of a field that refers to ObjectMeta or ListMeta. */
  refer: (id: string, description: string) => Json;
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const CONVENTIONS = 'https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md';

/** Words of JSON Schema that clients of OpenAPI v2 cannot read. */
const NOT_IN_V2 = new Set(['default', 'allOf', 'anyOf', 'oneOf', 'not', 'nullable']);

/**
 * How a custom kind's schema is published: with the fields that every object has, and in OpenAPI v2 without what kubectl
 * cannot read there (apiextensions-apiserver/pkg/controller/openapi/builder, openapi/v2.ToStructuralOpenAPIV2).
 */
export function customSchema(schema: StructuralSchema, kind: Json, context: CustomSchemaContext): Json {
  const own = { 'x-kubernetes-group-version-kind': [kind] };
  if (context.form === 'v2' && schema['x-kubernetes-preserve-unknown-fields']) return { type: 'object', ...own };
  const document = published(schema as Schema, context) as Schema;
  return { ...document, properties: { ...typeFields(), ...document.properties, metadata: metadataField(context) }, ...own };
}

/** The list of a custom kind. @param item the reference to the kind's own schema. */
export function customListSchema({ kind, plural, item }: { kind: Json & { kind: string }; plural: string; item: Json }, { refer }: CustomSchemaContext): Json {
  const properties = {
    ...typeFields(),
    items: { description: `List of ${plural}. More info: ${CONVENTIONS}`, type: 'array', items: item },
    metadata: refer(`${META}.ListMeta`, `Standard list metadata. More info: ${CONVENTIONS}#types-kinds`),
  };
  return {
    description: `${kind.kind}List is a list of ${kind.kind}`,
    type: 'object',
    required: ['items'],
    properties,
    'x-kubernetes-group-version-kind': [{ ...kind, kind: `${kind.kind}List` }],
  };
}

function typeFields(): Json {
  return {
    apiVersion: {
      description: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${CONVENTIONS}#resources`,
      type: 'string',
    },
    kind: {
      description: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${CONVENTIONS}#types-kinds`,
      type: 'string',
    },
  };
}

function metadataField({ refer }: CustomSchemaContext): Json {
  return refer(`${META}.ObjectMeta`, `Standard object's metadata. More info: ${CONVENTIONS}#metadata`);
}

function published(schema: Schema, context: CustomSchemaContext): Json {
  const { properties, items, additionalProperties, ...words } = context.form === 'v2' ? readableInV2(schema) : schema;
  const inner = (one: StructuralSchema): Json => published(one as Schema, context);
  const fields = properties && Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, inner(one)]));
  const isOpen = context.form === 'v2' && schema['x-kubernetes-preserve-unknown-fields'] === true;
  const isEmbedded = schema['x-kubernetes-embedded-resource'] === true && !isOpen;
  return {
    ...words,
    ...(isEmbedded ? { required: [...new Set([...(schema.required ?? []), 'kind', 'apiVersion'])] } : {}),
    ...(fields || isEmbedded ? { properties: { ...(isEmbedded ? { ...typeFields(), metadata: metadataField(context) } : {}), ...fields } } : {}),
    ...(items ? { items: inner(items) } : {}),
    ...(additionalProperties === undefined
      ? {}
      : { additionalProperties: typeof additionalProperties === 'object' ? inner(additionalProperties) : additionalProperties }),
  };
}

function readableInV2(schema: Schema): Schema {
  const readable = Object.fromEntries(Object.entries(schema).filter(([word]) => !NOT_IN_V2.has(word))) as Schema;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true;
  if (schema.nullable || isOpen) {
    delete readable.items;
    delete readable.properties;
  }
  if (schema.nullable || (isOpen && schema.type === 'object') || (schema.type === 'array' && !readable.items)) delete readable.type;
  const required = schema.required?.filter((name) => !schema.properties?.[name]?.nullable);
  const inner = schema.additionalProperties;
  if (!required?.length || (typeof inner === 'object' && inner.nullable)) delete readable.required;
  else readable.required = required;
  return readable;
}
