import { asGiven } from '../../emptied.ts';
import type { CustomResourceDefinitionVersion, CustomResourceValidation, ValidationRule } from '../../generated/types/apiextensions.v1.ts';
import { type InternalTypes, internalJson } from '../../internal-json.ts';
import { sortedEntries } from '../../validation.ts';
import { type Additional, additionalOf, dependencyOf, type Items, itemsOf, type JSONSchemaProps } from './schema/schema.ts';

/** Go's internal types (apiextensions-apiserver/pkg/apis/apiextensions/types.go and types_jsonschema.go). */
const TYPES: InternalTypes = {
  Version:
    'Name Served:? Storage:? Deprecated:? DeprecationWarning:* Schema:* Subresources:&Subresources AdditionalPrinterColumns:[Column SelectableFields:[SelectableField',
  Subresources: 'Status:* Scale:&Scale',
  Scale: 'SpecReplicasPath StatusReplicasPath LabelSelectorPath:*',
  Column: 'Name Type Format Description Priority:# JSONPath=jsonPath',
  SelectableField: 'JSONPath=jsonPath',
  JSONSchemaProps:
    'ID=id Schema Ref=$ref:* Description Type Nullable:? Format Title Default:* Maximum:* ExclusiveMaximum:? Minimum:* ExclusiveMinimum:? MaxLength:* MinLength:* Pattern MaxItems:* MinItems:* UniqueItems:? MultipleOf:* Enum:* MaxProperties:* MinProperties:* Required:* Items:* AllOf:* OneOf:* AnyOf:* Not:* Properties:* AdditionalProperties:* PatternProperties:* Dependencies:* AdditionalItems:* Definitions:* ExternalDocs:&ExternalDocumentation Example:* XPreserveUnknownFields=x-kubernetes-preserve-unknown-fields:* XEmbeddedResource=x-kubernetes-embedded-resource:? XIntOrString=x-kubernetes-int-or-string:? XListMapKeys=x-kubernetes-list-map-keys:* XListType=x-kubernetes-list-type:* XMapType=x-kubernetes-map-type:* XValidations=x-kubernetes-validations:[ValidationRule',
  ExternalDocumentation: 'Description URL=url',
  ValidationRule: 'Rule Message MessageExpression Reason:* FieldPath OptionalOldSelf:*',
};

const none = null;
const schemaOrNone = (schema: JSONSchemaProps | undefined): unknown => (schema ? internalSchema(schema) : none);
const listOrNone = (schema: JSONSchemaProps, field: 'allOf' | 'oneOf' | 'anyOf'): unknown =>
  (asGiven(schema, field) as JSONSchemaProps[] | null)?.map(internalSchema) ?? none;
const mapOrNone = (schema: JSONSchemaProps, field: 'properties' | 'patternProperties' | 'definitions'): unknown => {
  const map = asGiven(schema, field) as Record<string, JSONSchemaProps> | null;
  return map && Object.fromEntries(sortedEntries(map).map(([name, value]) => [name, internalSchema(value)]));
};
const dependenciesOrNone = ({ dependencies }: JSONSchemaProps): unknown =>
  dependencies
    ? Object.fromEntries(
        sortedEntries(dependencies).map(([name, value]) => [
          name,
          { Schema: schemaOrNone(dependencyOf(value)), Property: Array.isArray(value) ? value : none },
        ]),
      )
    : none;
const additionalOrNone = (additional: Additional | undefined): unknown =>
  additional ? { Allows: additional.allows, Schema: schemaOrNone(additional.schema) } : none;

export function internalItems({ schema, list }: Items): unknown {
  return { Schema: schemaOrNone(schema), JSONSchemas: list.length ? list.map(internalSchema) : none };
}

export function internalSchema(schema: JSONSchemaProps): unknown {
  const { $schema, not } = schema;
  const items = itemsOf(schema);
  return {
    ...internalJson(schema, 'JSONSchemaProps', TYPES),
    Schema: $schema ?? '',
    Items: items ? internalItems(items) : none,
    AllOf: listOrNone(schema, 'allOf'),
    OneOf: listOrNone(schema, 'oneOf'),
    AnyOf: listOrNone(schema, 'anyOf'),
    Not: schemaOrNone(not),
    Properties: mapOrNone(schema, 'properties'),
    AdditionalProperties: additionalOrNone(additionalOf(schema.additionalProperties)),
    PatternProperties: mapOrNone(schema, 'patternProperties'),
    Dependencies: dependenciesOrNone(schema),
    AdditionalItems: additionalOrNone(additionalOf(schema.additionalItems)),
    Definitions: mapOrNone(schema, 'definitions'),
  };
}

const internalValidation = (validation: CustomResourceValidation | undefined): unknown =>
  validation ? { OpenAPIV3Schema: schemaOrNone(validation.openAPIV3Schema) } : none;

export function internalVersion(version: CustomResourceDefinitionVersion): unknown {
  return { ...internalJson(version, 'Version', TYPES), Schema: internalValidation(version.schema) };
}

export function internalRule(rule: ValidationRule): unknown {
  return internalJson(rule, 'ValidationRule', TYPES);
}
