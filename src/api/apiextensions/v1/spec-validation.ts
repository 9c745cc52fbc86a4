import { asGiven } from '../../emptied.ts';
import { at, type FieldError, invalid, notSupported, required } from '../../field-error.ts';
import type { CustomResourceDefinitionSpec, CustomResourceDefinitionVersion } from '../../generated/types/apiextensions.v1.ts';
import { dns1035LabelFaults, dns1123SubdomainFaults } from '../../names.ts';
import { checkConversion } from './conversion-validation.ts';
import { type HoistedSpec, hoisted } from './hoisted.ts';
import { internalVersion } from './internal-names.ts';
import { checkNames } from './names-validation.ts';
import { requirementsKept, type SchemaRequirements } from './schema/open-api.ts';
import { hasDefault, type JSONSchemaProps, someSchema } from './schema/schema.ts';
import { structuralFaults, unstructurable } from './schema/structural.ts';
import { checkSchema, type SchemaOptions } from './schema-validation.ts';
import { checkColumn, checkDeprecation, checkSelectableFields, checkSubresources } from './version-validation.ts';

const SCOPES = ['Cluster', 'Namespaced'];

/** What is asked of a definition; of a change no more than what the old one keeps (upstream: validationOptions). */
export interface Requirements {
  schema: SchemaRequirements;
  everyVersionHasSchema: boolean;
  structural: boolean;
  knownReviewVersion: boolean;
}

export const STRICT: Requirements = {
  schema: { knownTypes: true, atomicSets: true, soundMapKeys: true },
  everyVersionHasSchema: true,
  structural: true,
  knownReviewVersion: true,
};

export function requirementsOf({ versions = [], conversion }: CustomResourceDefinitionSpec): Requirements {
  const schemas = versions.flatMap(({ schema }) => schema?.openAPIV3Schema ?? []);
  const reviewVersions = conversion?.webhook?.conversionReviewVersions ?? [];
  return {
    schema: requirementsKept(schemas),
    everyVersionHasSchema: schemas.length === versions.length,
    structural: schemas.every((schema) => unstructurable(schema) === undefined && structuralFaults(schema, '').length === 0),
    knownReviewVersion: reviewVersions.length === 0 || reviewVersions.some((version) => version === 'v1' || version === 'v1beta1'),
  };
}

function checkGroup(group: string | undefined): FieldError[] {
  if (!group) return [required('spec.group')];
  const faults = dns1123SubdomainFaults(group);
  if (faults.length) return [invalid('spec.group', group, faults.join(','))];
  return group.includes('.') ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

function checkScope(scope: string | undefined): FieldError[] {
  if (!scope) return [required('spec.scope')];
  return SCOPES.includes(scope) ? [] : [notSupported('spec.scope', scope, SCOPES)];
}

const hasExtension = (schema: JSONSchemaProps): boolean =>
  Boolean(
    schema['x-kubernetes-embedded-resource'] ||
      schema['x-kubernetes-preserve-unknown-fields'] !== undefined ||
      schema['x-kubernetes-int-or-string'] ||
      schema['x-kubernetes-list-map-keys']?.length ||
      schema['x-kubernetes-list-type'] !== undefined ||
      schema['x-kubernetes-validations']?.length,
  );

/** Schemas that prune, fill in or restrict by Kubernetes' own words are structural, whatever stood there before. */
function mustBeStructural({ versions = [], preserveUnknownFields }: CustomResourceDefinitionSpec, requirements: Requirements): boolean {
  const isLike = (schema: JSONSchemaProps): boolean => hasDefault(schema) || hasExtension(schema);
  return requirements.structural || !preserveUnknownFields || versions.some(({ schema }) => someSchema(schema?.openAPIV3Schema, isLike));
}

function checkSchemasThere(spec: CustomResourceDefinitionSpec, common: HoistedSpec, { everyVersionHasSchema }: Requirements): FieldError[] {
  if (common.schema?.openAPIV3Schema) return [];
  return common.versions.flatMap(({ schema, served }, index) => {
    const path = `${at('spec.versions', index)}.schema.openAPIV3Schema`;
    if (schema?.openAPIV3Schema) return [];
    if (everyVersionHasSchema) return [required(path)];
    return served && !spec.preserveUnknownFields ? [required(path, 'because otherwise all fields are pruned')] : [];
  });
}

interface SpecContext {
  spec: CustomResourceDefinitionSpec;
  common: HoistedSpec;
  options: Omit<SchemaOptions, 'hasStatus'>;
}

function checkVersion(version: CustomResourceDefinitionVersion, { common, options }: SpecContext, field: string): FieldError[] {
  const { name = '', schema, subresources, additionalPrinterColumns = [], selectableFields = [] } = version;
  const faults = dns1035LabelFaults(name);
  const hasStatus = (subresources ?? common.subresources)?.status !== undefined;
  return [
    ...(faults.length ? [invalid(`${field}.name`, name, faults.join(','))] : []),
    ...checkDeprecation(version, field),
    ...checkSchema(schema, `${field}.schema`, { ...options, hasStatus }),
    ...checkSubresources(subresources, `${field}.subresources`),
    ...additionalPrinterColumns.flatMap((column, index) => checkColumn(column, at(`${field}.additionalPrinterColumns`, index))),
    ...(selectableFields.length ? checkVersionFields(version, field) : []),
  ];
}

function checkVersionFields({ schema, selectableFields = [] }: CustomResourceDefinitionVersion, field: string): FieldError[] {
  if (!schema?.openAPIV3Schema) return [invalid(`${field}.selectableFields`, '', 'may only be set when `version.schema.openAPIV3Schema` is not included')];
  return checkSelectableFields(selectableFields, schema.openAPIV3Schema, `${field}.selectableFields`);
}

/** One version is stored, and no name comes twice. */
function checkVersionSet({ versions }: HoistedSpec, { isGiven }: { isGiven: boolean }): FieldError[] {
  const names = versions.map(({ name }) => name);
  const shown = versions.map(internalVersion);
  return [
    ...(new Set(names).size === names.length ? [] : [invalid('spec.versions', shown, 'must contain unique version names')]),
    ...(versions.filter(({ storage }) => storage).length === 1
      ? []
      : [invalid('spec.versions', isGiven ? shown : null, 'must have exactly one version marked as storage version')]),
  ];
}

/** The first version stands beside the versions, too. */
function checkFirstVersion({ versions: [first] }: HoistedSpec): FieldError[] {
  const faults = first?.name ? dns1035LabelFaults(first.name) : [];
  return faults.length ? [invalid('spec.version', first!.name, faults.join(','))] : [];
}

function checkNamesThere({ names }: CustomResourceDefinitionSpec): FieldError[] {
  return (['plural', 'singular', 'kind', 'listKind'] as const).flatMap((name) => (names?.[name] ? [] : [required(`spec.names.${name}`)]));
}

/** What all versions have in common. */
function checkCommon({ spec, common, options }: SpecContext): FieldError[] {
  const { schema, subresources, additionalPrinterColumns = [], selectableFields = [] } = common;
  const hasStatus = (spec.versions ?? []).some((version) => version.subresources?.status !== undefined);
  const fieldFaults = schema?.openAPIV3Schema
    ? checkSelectableFields(selectableFields, schema.openAPIV3Schema, 'spec.selectableFields')
    : [invalid('spec.selectableFields', '', 'may only be set when validations.schema is included')];
  return [
    ...checkSchema(schema, 'spec.validation', { ...options, hasStatus }),
    ...checkSubresources(subresources, 'spec.subresources'),
    ...additionalPrinterColumns.flatMap((column, index) => checkColumn(column, at('spec.additionalPrinterColumns', index))),
    ...(selectableFields.length ? fieldFaults : []),
  ];
}

function checkPreserving({ preserveUnknownFields, conversion, versions = [] }: CustomResourceDefinitionSpec): { early: FieldError[]; late: FieldError[] } {
  if (!preserveUnknownFields) return { early: [], late: [] };
  const hasDefaults = versions.some(({ schema }) => someSchema(schema?.openAPIV3Schema, hasDefault));
  const converts = conversion !== undefined && conversion.strategy !== 'None';
  return {
    early: hasDefaults ? [invalid('spec.preserveUnknownFields', true, 'must be false in order to use defaults in the schema')] : [],
    late: converts ? [invalid('spec.conversion.strategy', conversion.strategy, 'must be None if spec.preserveUnknownFields is true')] : [],
  };
}

/** Upstream: apiextensions-apiserver/pkg/apis/apiextensions/validation, validateCustomResourceDefinitionSpec. */
export function checkSpec(spec: CustomResourceDefinitionSpec, requirements: Requirements): FieldError[] {
  const common = hoisted(spec);
  const context: SpecContext = {
    spec,
    common,
    options: { requirements: requirements.schema, mustBeStructural: mustBeStructural(spec, requirements), mustPruneDefaults: true },
  };
  const preserving = checkPreserving(spec);
  return [
    ...checkGroup(spec.group),
    ...checkScope(spec.scope),
    ...checkSchemasThere(spec, common, requirements),
    ...preserving.early,
    ...common.versions.flatMap((version, index) => checkVersion(version, context, at('spec.versions', index))),
    ...checkVersionSet(common, { isGiven: asGiven(spec, 'versions') !== null }),
    ...checkFirstVersion(common),
    ...checkNamesThere(spec),
    ...checkNames(spec.names ?? {}, 'spec.names'),
    ...checkCommon(context),
    ...preserving.late,
    ...(spec.conversion ? checkConversion(spec.conversion, 'spec.conversion', { mustKnowVersion: requirements.knownReviewVersion }) : []),
  ];
}

/** An update of preserveUnknownFields, which may only be given up. */
export function checkPreserveUnknownFields(spec: CustomResourceDefinitionSpec): FieldError[] {
  const words = 'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';
  return spec.preserveUnknownFields ? [invalid('spec.preserveUnknownFields', true, words)] : [];
}
