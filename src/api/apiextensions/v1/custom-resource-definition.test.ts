import { expect, test } from 'vitest';
import type { FieldError } from '../../field-error.ts';
import type { CustomResourceDefinition } from '../../generated/types/apiextensions.v1.ts';
import { customResourceDefinition } from './custom-resource-definition.ts';

const shown = (errors: readonly FieldError[] | undefined): string[] => (errors ?? []).map(({ field, message }) => `${field}: ${message}`);
const VERSION = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
const made = (spec: object, more: object = {}): CustomResourceDefinition => {
  const object = {
    apiVersion: '',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'bases.a.b' },
    spec: { group: 'a.b', scope: 'Namespaced', names: { plural: 'bases', kind: 'Base' }, versions: [VERSION], ...structuredClone(spec) },
    ...more,
  } as CustomResourceDefinition;
  customResourceDefinition.setDefaults?.(object);
  customResourceDefinition.prepareForCreate?.(object);
  return object;
};
const version = (more: object): object => ({ versions: [{ ...VERSION, ...more }] });
const schema = (openAPIV3Schema: object): object => version({ schema: { openAPIV3Schema } });
const property = (size: object): object => schema({ type: 'object', properties: { size } });
const faults = (spec: object): string[] => shown(customResourceDefinition.validate?.(made(spec)));
const SCHEMA = 'spec.validation.openAPIV3Schema';
const SIZE = `${SCHEMA}.properties[size]`;

test.each<[string, object, string[]]>([
  ['as it should be', {}, []],
  ['no group, no scope', { group: '', scope: '' }, ['spec.group: Required value', 'spec.scope: Required value']],
  [
    'a group and a scope',
    { group: 'a', scope: 'A' },
    [
      'spec.group: Invalid value: "a": should be a domain with at least one dot',
      'spec.scope: Unsupported value: "A": supported values: "Cluster", "Namespaced"',
    ],
  ],
  [
    'names',
    { names: { plural: 'bases', kind: 'a', listKind: 'a', singular: 'A' } },
    [
      expect.stringMatching(/^spec.names.singular: Invalid value: "A": a DNS-1035 label/),
      'spec.names.listKind: Invalid value: "a": kind and listKind may not be the same',
    ] as string[],
  ],
  ['no names', { names: {} }, ['plural', 'singular', 'kind', 'listKind'].map((name) => `spec.names.${name}: Required value`)],
  [
    'a community group',
    { group: 'a.k8s.io' },
    [
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  ],
  [
    'nothing is stored',
    version({ storage: false }),
    [
      expect.stringMatching(
        /^spec.versions: Invalid value: \[\{"Name":"v1","Served":true,"Storage":false,.*"Schema":null.*\}\]: must have exactly one version marked as storage version$/,
      ),
      'status.storedVersions: Invalid value: null: must have at least one stored version',
    ] as string[],
  ],
  ['a version without a schema', version({ schema: undefined }), ['spec.versions[0].schema.openAPIV3Schema: Required value']],
  [
    'different versions are told apart',
    { versions: [VERSION, { name: 'v2', served: true, schema: { openAPIV3Schema: { type: 'array' } } }] },
    [
      'spec.versions[1].schema.openAPIV3Schema.items: Required value: must be specified',
      'spec.versions[1].schema.openAPIV3Schema.type: Invalid value: "array": must be object at the root',
    ],
  ],
  [
    'a warning of what is not deprecated',
    version({ deprecationWarning: 'x' }),
    ['spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions'],
  ],
  [
    'an empty warning',
    version({ deprecated: true, deprecationWarning: '' }),
    ['spec.versions[0].deprecationWarning: Invalid value: "": must not be an empty string'],
  ],
  [
    'columns',
    version({ additionalPrinterColumns: [{ name: '', type: 'a', format: 'b', jsonPath: 'c' }] }),
    [
      'spec.additionalPrinterColumns[0].name: Required value',
      'spec.additionalPrinterColumns[0].type: Invalid value: "a": must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[0].format: Invalid value: "b": must be one of byte,date,date-time,double,float,int32,int64,password',
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "c": must be a simple json path starting with .',
    ],
  ],
  [
    'a scale',
    version({ subresources: { scale: { specReplicasPath: '.a', statusReplicasPath: '', labelSelectorPath: '.a' } } }),
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".a": should be a json path under .spec',
      'spec.subresources.scale.statusReplicasPath: Required value',
      'spec.subresources.scale.labelSelectorPath: Invalid value: ".a": should be a json path under either .spec or .status',
    ],
  ],
  [
    'selectable fields',
    {
      versions: [
        {
          ...VERSION,
          schema: { openAPIV3Schema: { type: 'object', properties: { a: { type: 'string' }, b: { type: 'object' } } } },
          selectableFields: [{ jsonPath: '.a' }, { jsonPath: '.a' }, { jsonPath: '.b' }, { jsonPath: '.c' }, { jsonPath: 'a' }, { jsonPath: '' }],
        },
      ],
    },
    [
      'spec.selectableFields[1].jsonPath: Duplicate value: ".a"',
      'spec.selectableFields[2].jsonPath: Invalid value: ".b": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      'spec.selectableFields[3].jsonPath: Invalid value: ".c": is an invalid path: does not refer to a valid field',
      'spec.selectableFields[4].jsonPath: Invalid value: "a": is an invalid path: expected [ or . but got: a',
      'spec.selectableFields[5].jsonPath: Required value',
    ],
  ],
  ['a conversion', { conversion: { strategy: 'A' } }, ['spec.conversion.strategy: Unsupported value: "A": supported values: "None", "Webhook"']],
  [
    'a webhook that converts',
    { conversion: { strategy: 'Webhook', webhook: { clientConfig: {}, conversionReviewVersions: ['v3'] } } },
    [
      'spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required',
      'spec.conversion.conversionReviewVersions: Invalid value: ["v3"]: must include at least one of v1, v1beta1',
    ],
  ],
  [
    'a webhook that does not',
    { conversion: { strategy: 'None', webhook: { conversionReviewVersions: ['v1'] } } },
    ['spec.conversion.conversionReviewVersions: Forbidden: should not be set when strategy is not set to Webhook'],
  ],
  [
    'unknown fields that stay',
    { preserveUnknownFields: true },
    [
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
  ],
  [
    'a status of its own leaves little at the root',
    { versions: [{ ...VERSION, subresources: { status: {} }, schema: { openAPIV3Schema: { type: 'object', enum: ['a'] } } }] },
    [
      expect.stringMatching(
        /^spec.validation.openAPIV3Schema: Invalid value: \{"ID":"",.*\}: only \[Description Type .* XValidations\] fields are allowed at the root of the schema if the status subresource is enabled$/,
      ),
    ] as string[],
  ],
])('%s', (_name, spec, wanted) => {
  expect(faults(spec)).toEqual(wanted);
});

test.each<[string, object, string[]]>([
  ['no type', property({}), [`${SIZE}.type: Required value: must not be empty for specified object fields`]],
  [
    'an unknown type',
    property({ type: 'a' }),
    [`${SIZE}.type: Unsupported value: "a": supported values: "array", "boolean", "integer", "number", "object", "string"`],
  ],
  ['a list of nothing', property({ type: 'array' }), [`${SIZE}.items: Required value: must be specified`]],
  ['a map at the root', schema({ type: 'object', additionalProperties: true }), [`${SCHEMA}.additionalProperties: Forbidden: must not be used at the root`]],
  [
    'fields and a map',
    property({ type: 'object', properties: { a: { type: 'string' } }, additionalProperties: { type: 'string' } }),
    [`${SIZE}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`],
  ],
  [
    'what is not supported',
    property({ type: 'string', id: 'a', patternProperties: { a: {} }, uniqueItems: true }),
    [
      `${SIZE}.id: Forbidden: id is not supported`,
      `${SIZE}.patternProperties: Forbidden: patternProperties is not supported`,
      `${SIZE}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
    ],
  ],
  [
    'what only structural schemas do not have',
    property({ type: 'string', $schema: 'a' }),
    [`${SCHEMA}: Invalid value: "": OpenAPIV3Schema 'schema' is not supported`],
  ],
  [
    'logic that describes',
    schema({ type: 'object', anyOf: [{ type: 'object', description: 'a', properties: { a: { minimum: 1 } } }] }),
    [
      `${SCHEMA}.anyOf[0].description: Forbidden: must be empty to be structural`,
      `${SCHEMA}.anyOf[0].type: Forbidden: must be empty to be structural`,
      `${SCHEMA}.properties[a]: Required value: because it is defined in ${SCHEMA}.anyOf[0].properties[a]`,
    ],
  ],
  ['a number or a text, spelled out', property({ 'x-kubernetes-int-or-string': true, anyOf: [{ type: 'integer' }, { type: 'string' }] }), []],
  [
    'a pattern',
    property({ type: 'string', pattern: '[' }),
    [`${SIZE}.pattern: Invalid value: "[": must be a valid regular expression, but isn't: error parsing regexp: missing closing ]: \`[\``],
  ],
  [
    'metadata',
    schema({ type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } }),
    [`${SCHEMA}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`],
  ],
  ['names in metadata', schema({ type: 'object', properties: { metadata: { type: 'object', properties: { name: { type: 'string', maxLength: 5 } } } } }), []],
  [
    'an object within',
    property({ type: 'string', 'x-kubernetes-embedded-resource': true }),
    [
      `${SIZE}.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`,
      `${SIZE}.type: Invalid value: "string": must be object if x-kubernetes-embedded-resource is true`,
    ],
  ],
  [
    'kinds of lists and maps',
    property({ type: 'string', 'x-kubernetes-list-type': 'a', 'x-kubernetes-map-type': 'b' }),
    [
      `${SIZE}.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified`,
      `${SIZE}.x-kubernetes-map-type: Unsupported value: "b": supported values: "atomic", "granular"`,
      `${SIZE}.type: Invalid value: "string": must be array if x-kubernetes-list-type is specified`,
      `${SIZE}.x-kubernetes-list-type: Unsupported value: "a": supported values: "atomic", "set", "map"`,
    ],
  ],
  [
    'keys of a list',
    property({
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a', 'a', 'b'],
      items: { type: 'object', properties: { a: { type: 'string', nullable: true } } },
    }),
    [
      `${SIZE}.x-kubernetes-list-map-keys: Invalid value: ["a","a","b"]: must not contain duplicate entries`,
      `${SIZE}.x-kubernetes-list-map-keys: Invalid value: ["a","a","b"]: entries must all be names of item properties`,
      ...[1, 2].flatMap(() => [
        `${SIZE}.items.properties[a].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
        `${SIZE}.items.properties[a].nullable: Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot be nullable`,
      ]),
    ],
  ],
  [
    'a set of objects',
    property({ type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'object' } }),
    [`${SIZE}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`],
  ],
  [
    'defaults',
    property({ type: 'object', properties: { a: { type: 'integer', minimum: 2 } }, default: { a: 'x', b: 1 } }),
    [
      `${SIZE}.default: Invalid value: {"a":"x","b":1}: must not have unknown fields`,
      `${SIZE}.default.a: Invalid value: "string": a in body must be of type integer: "string"`,
    ],
  ],
  [
    'defaults of metadata',
    schema({ type: 'object', properties: { metadata: { type: 'object', default: {} } } }),
    [`${SCHEMA}.properties[metadata].default: Forbidden: must not be set in top-level metadata`],
  ],
  [
    'rules',
    property({ type: 'string', 'x-kubernetes-validations': [{ rule: ' ' }, { rule: 'true', message: ' ', reason: 'A', fieldPath: '.a' }] }),
    [
      `${SIZE}.x-kubernetes-validations[0].rule: Required value: rule is not specified`,
      `${SIZE}.x-kubernetes-validations[1].message: Invalid value: " ": must be non-empty if specified`,
      `${SIZE}.x-kubernetes-validations[1].reason: Unsupported value: "A": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
      `${SIZE}.x-kubernetes-validations[1].fieldPath: Invalid value: ".a": must be a valid path`,
    ],
  ],
  [
    'expressions of rules',
    property({
      type: 'string',
      'x-kubernetes-validations': [{ rule: 'a' }, { rule: '1' }, { rule: 'self == oldSelf', messageExpression: '1' }, { rule: 'true', optionalOldSelf: true }],
    }),
    [
      `${SIZE}.x-kubernetes-validations[0].rule: Invalid value: {"Rule":"a","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: compilation failed: ERROR: <input>:1:1: undeclared reference to 'a' (in container '')\n | a\n | ^`,
      `${SIZE}.x-kubernetes-validations[1].rule: Invalid value: {"Rule":"1","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}: cel expression must evaluate to a bool`,
      `${SIZE}.x-kubernetes-validations[2].messageExpression: Invalid value: {"Rule":"self == oldSelf","Message":"","MessageExpression":"1","Reason":null,"FieldPath":"","OptionalOldSelf":null}: messageExpression must evaluate to a string`,
      `${SIZE}.x-kubernetes-validations[3].optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule`,
    ],
  ],
  [
    'old values of elements of a list',
    property({ type: 'array', items: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf' }] } }),
    [
      `${SIZE}.items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${SIZE}`,
    ],
  ],
])('a schema with %s', (_name, spec, wanted) => {
  expect(faults(spec)).toEqual(wanted);
});

test('the name is that of the resource', () => {
  const object = made({});
  expect(customResourceDefinition.validateName?.('other', { prefix: false, object })).toEqual(['must be spec.names.plural+"."+spec.group']);
  expect(customResourceDefinition.validateName?.('bases.a.b', { prefix: false, object })).toEqual([]);
});

test('what is stored keeps its place', () => {
  const old = made({}, {});
  const established = { ...old, status: { ...old.status, conditions: [{ type: 'Established', status: 'True' }] } } as CustomResourceDefinition;
  const after = made({ scope: 'Cluster', names: { plural: 'basis', kind: 'Basis' }, versions: [{ ...VERSION, name: 'v2' }] });
  customResourceDefinition.prepareForUpdate?.(after, established);
  expect(shown(customResourceDefinition.validateUpdate?.(after, established))).toEqual([
    'spec.scope: Invalid value: "Cluster": field is immutable',
    'spec.names.kind: Invalid value: "Basis": field is immutable',
    'spec.names.plural: Invalid value: "basis": field is immutable',
    'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v1 and removes v1 from status.storedVersions',
  ]);
});

test('what a definition is when little is said', () => {
  expect(made({})).toMatchObject({
    spec: { names: { singular: 'base', listKind: 'BaseList' }, conversion: { strategy: 'None' } },
    status: { storedVersions: ['v1'] },
  });
});

test('formats that nothing checks are told once', () => {
  const object = made(property({ type: 'string', format: 'a' }));
  expect(customResourceDefinition.warnings?.(object, undefined)).toEqual(['unrecognized format "a"']);
  expect(customResourceDefinition.warnings?.(object, object)).toEqual([]);
  expect(customResourceDefinition.warnings?.(made(property({ type: 'string', format: 'date-time' })), undefined)).toEqual([]);
});
