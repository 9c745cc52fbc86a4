import type { CustomResourceDefinitionVersion, CustomResourceValidation, ValidationRule } from '../../generated/types/apiextensions.v1.ts';
import { type InternalNames, internalJson } from '../../internal-json.ts';
import { sortedEntries } from '../../validation.ts';
import { type Additional, additionalOf, dependencyOf, type Items, itemsOf, type JSONSchemaProps } from './schema/schema.ts';

/** Go's internal types (apiextensions-apiserver/pkg/apis/apiextensions/types.go and types_jsonschema.go). */
const NAMES: InternalNames = {
  types: {
    Version:
      'Name Served? Storage? Deprecated? DeprecationWarning* Schema* Subresources&Subresources AdditionalPrinterColumns[Column SelectableFields[SelectableField',
    Subresources: 'Status* Scale&Scale',
    Scale: 'SpecReplicasPath StatusReplicasPath LabelSelectorPath*',
    Column: 'Name Type Format Description Priority# JSONPath',
    SelectableField: 'JSONPath',
    JSONSchemaProps:
      'ID Schema Ref* Description Type Nullable? Format Title Default* Maximum* ExclusiveMaximum? Minimum* ExclusiveMinimum? MaxLength* MinLength* Pattern MaxItems* MinItems* UniqueItems? MultipleOf* Enum* MaxProperties* MinProperties* Required* Items* AllOf* OneOf* AnyOf* Not* Properties* AdditionalProperties* PatternProperties* Dependencies* AdditionalItems* Definitions* ExternalDocs&ExternalDocumentation Example* XPreserveUnknownFields* XEmbeddedResource? XIntOrString? XListMapKeys* XListType* XMapType* XValidations[ValidationRule',
    ExternalDocumentation: 'Description URL',
    ValidationRule: 'Rule Message MessageExpression Reason* FieldPath OptionalOldSelf*',
  },
  jsonNames: {
    ID: 'id',
    Ref: '$ref',
    URL: 'url',
    JSONPath: 'jsonPath',
    XPreserveUnknownFields: 'x-kubernetes-preserve-unknown-fields',
    XEmbeddedResource: 'x-kubernetes-embedded-resource',
    XIntOrString: 'x-kubernetes-int-or-string',
    XListMapKeys: 'x-kubernetes-list-map-keys',
    XListType: 'x-kubernetes-list-type',
    XMapType: 'x-kubernetes-map-type',
    XValidations: 'x-kubernetes-validations',
  },
};

const none = null;
const schemaOrNone = (schema: JSONSchemaProps | undefined): unknown => (schema ? internalSchema(schema) : none);
const listOrNone = (schemas: readonly JSONSchemaProps[] | undefined): unknown => schemas?.map(internalSchema) ?? none;
const mapOrNone = <T>(map: Readonly<Record<string, T>> | undefined, shown: (value: T) => unknown): unknown =>
  map ? Object.fromEntries(sortedEntries(map).map(([name, value]) => [name, shown(value)])) : none;
const additionalOrNone = (additional: Additional | undefined): unknown =>
  additional ? { Allows: additional.allows, Schema: schemaOrNone(additional.schema) } : none;

export function internalItems({ schema, list }: Items): unknown {
  return { Schema: schemaOrNone(schema), JSONSchemas: list.length ? listOrNone(list) : none };
}

export function internalSchema(schema: JSONSchemaProps): unknown {
  const { $schema, allOf, oneOf, anyOf, not, properties, patternProperties, dependencies, definitions } = schema;
  const items = itemsOf(schema);
  return {
    ...internalJson(schema, 'JSONSchemaProps', NAMES),
    Schema: $schema ?? '',
    Items: items ? internalItems(items) : none,
    AllOf: listOrNone(allOf),
    OneOf: listOrNone(oneOf),
    AnyOf: listOrNone(anyOf),
    Not: schemaOrNone(not),
    Properties: mapOrNone(properties, internalSchema),
    AdditionalProperties: additionalOrNone(additionalOf(schema.additionalProperties)),
    PatternProperties: mapOrNone(patternProperties, internalSchema),
    Dependencies: mapOrNone(dependencies, (value) => ({ Schema: schemaOrNone(dependencyOf(value)), Property: Array.isArray(value) ? value : none })),
    AdditionalItems: additionalOrNone(additionalOf(schema.additionalItems)),
    Definitions: mapOrNone(definitions, internalSchema),
  };
}

const internalValidation = (validation: CustomResourceValidation | undefined): unknown =>
  validation ? { OpenAPIV3Schema: schemaOrNone(validation.openAPIV3Schema) } : none;

export function internalVersion(version: CustomResourceDefinitionVersion): unknown {
  return { ...internalJson(version, 'Version', NAMES), Schema: internalValidation(version.schema) };
}

export function internalRule(rule: ValidationRule): unknown {
  return internalJson(rule, 'ValidationRule', NAMES);
}
