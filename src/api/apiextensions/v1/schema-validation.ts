import { type FieldError, forbidden, invalid } from '../../field-error.ts';
import type { CustomResourceValidation } from '../../generated/types/apiextensions.v1.ts';
import { internalSchema } from './internal-names.ts';
import { checkDefaults } from './schema/defaults.ts';
import { openApiFaults, type SchemaRequirements } from './schema/open-api.ts';
import type { JSONSchemaProps } from './schema/schema.ts';
import { structuralFaults, unstructurable } from './schema/structural.ts';

/** What may stand at the root beside a status that is a part of its own, in upstream's order and names. */
const ALLOWED_AT_ROOT: readonly [goName: string, field: keyof JSONSchemaProps][] = [
  ['Description', 'description'],
  ['Type', 'type'],
  ['Format', 'format'],
  ['Title', 'title'],
  ['Maximum', 'maximum'],
  ['ExclusiveMaximum', 'exclusiveMaximum'],
  ['Minimum', 'minimum'],
  ['ExclusiveMinimum', 'exclusiveMinimum'],
  ['MaxLength', 'maxLength'],
  ['MinLength', 'minLength'],
  ['Pattern', 'pattern'],
  ['MaxItems', 'maxItems'],
  ['MinItems', 'minItems'],
  ['UniqueItems', 'uniqueItems'],
  ['MultipleOf', 'multipleOf'],
  ['Required', 'required'],
  ['Items', 'items'],
  ['Properties', 'properties'],
  ['ExternalDocs', 'externalDocs'],
  ['Example', 'example'],
  ['XPreserveUnknownFields', 'x-kubernetes-preserve-unknown-fields'],
  ['XValidations', 'x-kubernetes-validations'],
];
/** Fields that upstream meets before the type, as far as they are not allowed. */
const BEFORE_TYPE: readonly (keyof JSONSchemaProps)[] = ['id', '$schema', '$ref'];

export interface SchemaOptions {
  requirements: SchemaRequirements;
  mustBeStructural: boolean;
  mustPruneDefaults: boolean;
  hasStatus: boolean;
}

/** A status that is written by itself takes `properties.status` out of the schema: nothing may be said of it elsewhere. */
function rootFaults(schema: JSONSchemaProps, field: string): FieldError[] {
  const allowed = ALLOWED_AT_ROOT.map(([, name]) => name);
  const others = (Object.keys(schema) as (keyof JSONSchemaProps)[]).filter((name) => !allowed.includes(name));
  const ONLY = `only [${ALLOWED_AT_ROOT.map(([goName]) => goName).join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
  const notAllowed = invalid(field, internalSchema(schema), ONLY);
  if (others.some((name) => BEFORE_TYPE.includes(name))) return [notAllowed];
  if (schema.type && schema.type !== 'object')
    return [invalid(`${field}.type`, schema.type, 'only "object" is allowed as the type at the root of the schema if the status subresource is enabled')];
  return others.length ? [notAllowed] : [];
}

/** Upstream: validateCustomResourceDefinitionValidation. */
export function checkSchema(validation: CustomResourceValidation | undefined, field: string, options: SchemaOptions): FieldError[] {
  const schema = validation?.openAPIV3Schema;
  if (!schema) return [];
  const path = `${field}.openAPIV3Schema`;
  const reason = options.mustBeStructural ? unstructurable(schema) : undefined;
  const isStructural = options.mustBeStructural && reason === undefined;
  const structure = isStructural ? structuralFaults(schema, path) : [];
  const defaults = isStructural && structure.length === 0 ? checkDefaults(schema, path, { mustPrune: options.mustPruneDefaults }) : [];
  const errors = [
    ...(options.hasStatus ? rootFaults(schema, path) : []),
    ...(schema.nullable ? [forbidden(`${path}.nullable`, 'nullable cannot be true at the root')] : []),
    ...structure,
    ...defaults,
    ...openApiFaults(schema, path, {
      requirements: options.requirements,
      isStructural: isStructural && structure.length === 0 && defaults.length === 0,
    }),
  ];
  return errors.length === 0 && reason !== undefined ? [invalid(path, '', reason)] : errors;
}
