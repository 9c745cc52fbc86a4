import { at, duplicate, type FieldError, invalid, required, tooMany } from '../../field-error.ts';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresources,
  SelectableField,
} from '../../generated/types/apiextensions.v1.ts';
import { byteLength } from '../../names.ts';
import { followPath } from './schema/field-path.ts';
import type { JSONSchemaProps } from './schema/schema.ts';

/** Sorted, as upstream lists them. */
const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const SELECTABLE_TYPES = ['string', 'boolean', 'integer'];
const MOST_SELECTABLE_FIELDS = 8;
const LONGEST_WARNING = 256;

/** Upstream: validateDeprecationWarning. */
export function checkDeprecation({ deprecated, deprecationWarning: warning }: CustomResourceDefinitionVersion, field: string): FieldError[] {
  if (warning === undefined) return [];
  return warningFaults(warning, { isDeprecated: deprecated === true }).map((fault) => invalid(`${field}.deprecationWarning`, warning, fault));
}

function warningFaults(warning: string, { isDeprecated }: { isDeprecated: boolean }): string[] {
  if (!isDeprecated) return ['can only be set for deprecated versions'];
  const bad = [...warning].find((char) => char !== ' ' && /[\p{C}\p{Z}]/u.test(char));
  const place = bad === undefined ? '' : byteLength(warning.slice(0, warning.indexOf(bad)));
  return [
    ...(byteLength(warning) > LONGEST_WARNING ? [`must be <= ${LONGEST_WARNING} characters long`] : []),
    ...(warning ? [] : ['must not be an empty string']),
    ...(bad === undefined ? [] : [`must only contain printable UTF-8 characters; non-printable character found at index ${place}`]),
  ];
}

/** A path of names: `.spec.replicas` (upstream: validateSimpleJSONPath). */
function checkSimplePath(path: string, field: string): FieldError[] {
  return path.startsWith('.') ? [] : [invalid(field, path, 'must be a simple json path starting with .')];
}

/** Upstream: ValidateCustomResourceColumnDefinition. */
export function checkColumn({ name, type, format, jsonPath }: CustomResourceColumnDefinition, field: string): FieldError[] {
  const oneOf = (values: readonly string[]): string => `must be one of ${values.join(',')}`;
  return [
    ...(name ? [] : [required(`${field}.name`)]),
    ...(type ? [] : [required(`${field}.type`, oneOf(COLUMN_TYPES))]),
    ...(type && !COLUMN_TYPES.includes(type) ? [invalid(`${field}.type`, type, oneOf(COLUMN_TYPES))] : []),
    ...(format && !COLUMN_FORMATS.includes(format) ? [invalid(`${field}.format`, format, oneOf(COLUMN_FORMATS))] : []),
    ...(jsonPath ? checkSimplePath(jsonPath, `${field}.JSONPath`) : [required(`${field}.JSONPath`)]),
  ];
}

function checkPathUnder(path: string, field: string, { roots, words }: { roots: readonly string[]; words: string }): FieldError[] {
  const errors = checkSimplePath(path, field);
  if (errors.length) return errors;
  return roots.some((root) => path.startsWith(root)) ? [] : [invalid(field, path, `should be a json path under ${words}`)];
}

/** Upstream: ValidateCustomResourceDefinitionSubresources. */
export function checkSubresources(subresources: CustomResourceSubresources | undefined, field: string): FieldError[] {
  const { scale } = subresources ?? {};
  if (!scale) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  const replicas = (path: string | undefined, name: string, root: string): FieldError[] =>
    path ? checkPathUnder(path, `${field}.scale.${name}`, { roots: [`${root}.`], words: root }) : [required(`${field}.scale.${name}`)];
  return [
    ...replicas(specReplicasPath, 'specReplicasPath', '.spec'),
    ...replicas(statusReplicasPath, 'statusReplicasPath', '.status'),
    ...(labelSelectorPath
      ? checkPathUnder(labelSelectorPath, `${field}.scale.labelSelectorPath`, { roots: ['.spec.', '.status.'], words: 'either .spec or .status' })
      : []),
  ];
}

/** Upstream: ValidateCustomResourceSelectableFields. */
export function checkSelectableFields(fields: readonly SelectableField[], schema: JSONSchemaProps, field: string): FieldError[] {
  const seen = new Set<string>();
  const errors = fields.flatMap(({ jsonPath }, index) => {
    const path = `${at(field, index)}.jsonPath`;
    if (!jsonPath) return [required(path)];
    const found = followPath(jsonPath, schema, { mayQuote: false });
    if (typeof found === 'string') return [invalid(path, jsonPath, `is an invalid path: ${found}`)];
    const isSecond = seen.has(found.text);
    seen.add(found.text);
    const WRONG_TYPE = 'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
    return [
      ...(found.root === 'metadata' ? [invalid(path, jsonPath, 'must not point to fields in metadata')] : []),
      ...(SELECTABLE_TYPES.includes(found.schema?.type ?? '') ? [] : [invalid(path, jsonPath, WRONG_TYPE)]),
      ...(isSecond ? [duplicate(path, jsonPath)] : []),
    ];
  });
  return [...errors, ...(seen.size > MOST_SELECTABLE_FIELDS ? [tooMany(field, seen.size, MOST_SELECTABLE_FIELDS)] : [])];
}
