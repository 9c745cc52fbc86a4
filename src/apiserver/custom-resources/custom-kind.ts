import { parseJsonPath, printed } from '../../api/apiextensions/v1/json-path.ts';
import { customFaults, ratchetedFaults } from '../../api/apiextensions/v1/schema/custom-value.ts';
import { age } from '../../api/duration.ts';
import { deepEqual } from '../../api/equality.ts';
import type {
  CustomResourceColumnDefinition,
  CustomResourceDefinition,
  CustomResourceDefinitionVersion,
  CustomResourceSubresourceScale,
  JSONSchemaProps,
  SelectableField,
} from '../../api/generated/types/apiextensions.v1.ts';
import type { Cell, KindBehaviour, Scalable } from '../../api/kind.ts';
import { qualifiedNameFaults } from '../../api/names.ts';
import type { KubeObject } from '../../api/object.ts';
import type { Column, ResourceFacts } from '../../api/resource-facts.ts';
import { forbidden } from '../../api/status.ts';
import type { StructuralSchema } from '../../api/structural-type.ts';
import { parseTime } from '../../lib/clock.ts';

/** A custom resource in one of its versions, as its definition has it. */
export interface CustomKind {
  facts: ResourceFacts;
  behaviour: KindBehaviour;
  schema: StructuralSchema;
}

type Custom = KubeObject & Record<string, unknown>;

const VERBS: ResourceFacts['verbs'] = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
const NAME_DESCRIPTION = { of: 'io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta.name' };

/** @param isDeleted the definition is on its way out: nothing new may be created. */
export function customKind(definition: CustomResourceDefinition, version: CustomResourceDefinitionVersion, { isDeleted }: { isDeleted: boolean }): CustomKind {
  const { spec, status } = definition;
  const { group } = spec;
  const names = status?.acceptedNames ?? spec.names;
  const schema = (version.schema?.openAPIV3Schema ?? { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }) as JSONSchemaProps;
  const { status: hasStatus, scale } = version.subresources ?? {};
  const columns = version.additionalPrinterColumns ?? [];
  const own = { group, version: version.name, kind: names.kind };
  const subresources: NonNullable<ResourceFacts['subresources']> = [
    ...(hasStatus ? [{ name: 'status', ...own, verbs: ['get', 'patch', 'update'] as const }] : []),
    ...(scale ? [{ name: 'scale', group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] as const }] : []),
  ].map((one) => ({ ...one, verbs: [...one.verbs] }));
  return {
    schema: schema as StructuralSchema,
    facts: {
      ...own,
      resource: names.plural,
      schema: [...group.split('.').reverse(), version.name, names.kind].join('.'),
      scope: spec.scope === 'Cluster' ? 'Cluster' : 'Namespaced',
      singular: names.singular ?? names.kind.toLowerCase(),
      verbs: VERBS,
      subresources,
      columns: [['Name', 'string', 'name', null, NAME_DESCRIPTION], ...(columns.length ? columns : [AGE]).map(columnOf)],
      ...(names.shortNames ? { shortNames: names.shortNames } : {}),
      ...(names.categories ? { categories: names.categories } : {}),
    },
    behaviour: behaviourOf(definition, version, { schema, columns: columns.length ? columns : [AGE], scale, hasStatus: hasStatus !== undefined, isDeleted }),
  };
}

const AGE: CustomResourceColumnDefinition = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: 'CreationTimestamp is a timestamp representing the server time when this object was created.',
};

const columnOf = ({ name, type, format, priority, description, jsonPath }: CustomResourceColumnDefinition): Column => [
  name,
  type,
  format ?? null,
  priority ?? null,
  description ?? `Custom resource definition column (in JSONPath format): ${jsonPath}`,
];

interface Shape {
  schema: JSONSchemaProps;
  columns: readonly CustomResourceColumnDefinition[];
  scale: CustomResourceSubresourceScale | undefined;
  hasStatus: boolean;
  isDeleted: boolean;
}

/** Upstream: apiextensions-apiserver/pkg/registry/customresource/strategy.go. */
function behaviourOf(
  definition: CustomResourceDefinition,
  version: CustomResourceDefinitionVersion,
  { schema, columns, scale, hasStatus, isDeleted }: Shape,
): KindBehaviour {
  const { spec, status } = definition;
  const { group } = spec;
  const { kind, plural } = status?.acceptedNames ?? spec.names;
  const stored = spec.versions.find(({ storage }) => storage)?.name ?? version.name;
  const validate = (object: Custom, old?: Custom) => customFaults(object, schema, old);
  return {
    group,
    version: version.name,
    kind,
    hasGeneration: true,
    hasStatus,
    storagePrefix: `${group}/${plural}`,
    allowUnconditionalUpdate: false,
    metadataRules: 'general',
    prepareForCreate(object) {
      if (isDeleted)
        throw forbidden({ group, resource: plural }, object.metadata.name ?? '', 'create not allowed while custom resource definition is terminating');
      if (hasStatus) delete (object as Custom)['status'];
    },
    validate: (object) => validate(object as Custom),
    validateUpdate: (object, old) => validate(object as Custom, old as Custom),
    validateStatusUpdate: (object, old) => validate(object as Custom, old as Custom),
    ...(version.deprecated ? { deprecation: version.deprecationWarning ?? `${group}/${version.name} ${kind} is deprecated` } : {}),
    warnings: finalizerWarnings,
    tolerated: (object, old) => ratchetedFaults(object, schema, old),
    row: rowOf(columns),
    selectableFields: selectableFields(version.selectableFields ?? []),
    ...(stored === version.name
      ? {}
      : { storedAs: { group, version: stored, toStorage: reversioned(group, stored), fromStorage: reversioned(group, version.name) } }),
    ...(scale ? { scale: scalable(scale) as Scalable<KubeObject> } : {}),
  };
}

/** The strategy `None` changes nothing but the version. */
const reversioned =
  (group: string, version: string) =>
  (object: KubeObject): KubeObject => ({ ...object, apiVersion: `${group}/${version}` });

/** A finalizer of a name that is not qualified may clash with somebody else's. */
function finalizerWarnings({ metadata }: KubeObject, old: KubeObject | undefined): string[] {
  const before = old?.metadata.finalizers ?? [];
  return [...new Set(metadata.finalizers ?? [])]
    .filter((name) => !before.includes(name) && !name.includes('/') && !['orphan', 'foregroundDeletion', 'kubernetes'].includes(name))
    .sort()
    .flatMap((name) => {
      const path = name.includes('.') ? ' including a path (/)' : '';
      return [...qualifiedNameFaults(name), `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`].map(
        (why) => `metadata.finalizers: "${name}": ${why}`,
      );
    });
}

function rowOf(columns: readonly CustomResourceColumnDefinition[]): NonNullable<KindBehaviour['row']> {
  const paths = columns.map(({ jsonPath, type }) => ({ path: parseJsonPath(jsonPath), type }));
  return (object, nowMs) => [object.metadata.name ?? '', ...paths.map(({ path, type }) => cellOf(path?.(object)[0], type, nowMs))];
}

/** What does not fit its column's type stays empty (customresource/tableconvertor: cellForJSONValue). */
function cellOf(value: unknown, type: string, nowMs: number): Cell {
  if (value === undefined || value === null) return null;
  switch (type) {
    case 'string':
      return printed(value);
    case 'integer':
      return typeof value === 'number' ? Math.trunc(value) : null;
    case 'number':
      return typeof value === 'number' ? value : null;
    case 'boolean':
      return typeof value === 'boolean' ? value : null;
    case 'date':
      if (typeof value !== 'string') return null;
      return Number.isNaN(parseTime(value)) ? '<invalid>' : age(value, nowMs);
    default:
      return null;
  }
}

function selectableFields(fields: readonly SelectableField[]): Record<string, (object: KubeObject) => string> {
  return Object.fromEntries(
    fields.map(({ jsonPath }) => {
      const path = parseJsonPath(jsonPath);
      return [jsonPath.replace(/^\./, ''), (object: KubeObject) => printed(path?.(object)[0])];
    }),
  );
}

/** Where a definition says that the numbers of its scale are. */
function scalable({ specReplicasPath, statusReplicasPath, labelSelectorPath }: CustomResourceSubresourceScale): Scalable<Custom> {
  const at = (path: string | undefined, object: unknown): unknown => (path === undefined ? undefined : parseJsonPath(path)?.(object)[0]);
  const names = specReplicasPath.split('.').filter((name) => name !== '');
  return {
    specReplicas: (object) => Number(at(specReplicasPath, object) ?? 0),
    withSpecReplicas: (object, replicas) => withValue(object, names, replicas) as Custom,
    statusReplicas: (object) => Number(at(statusReplicasPath, object) ?? 0),
    selector: (object) => printed(at(labelSelectorPath, object)),
  };
}

function withValue(object: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const record = (typeof object === 'object' && object !== null ? object : {}) as Record<string, unknown>;
  return { ...record, [name]: withValue(record[name], rest, value) };
}

/** Whether two definitions come to the same kinds. */
export function servesTheSame(a: CustomResourceDefinition, b: CustomResourceDefinition): boolean {
  const what = ({ spec, status, metadata }: CustomResourceDefinition): unknown => ({
    spec,
    names: status?.acceptedNames,
    conditions: status?.conditions?.map(({ type, status: value }) => ({ type, value })),
    isDeleted: metadata.deletionTimestamp !== undefined,
  });
  return deepEqual(what(a), what(b));
}
