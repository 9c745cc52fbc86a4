import type { ResourceFacts } from '../../../api/resource-facts.ts';
import type { Field, Type, Types } from '../../../api/type.ts';
import type { ServedResource } from '../../served-resource.ts';
import { customListSchema, customSchema } from './custom-schema.ts';

type Json = Record<string, unknown>;

export interface DocumentSources {
  types: Types;
  descriptions: Record<string, { description: string; fields: Record<string, string> }>;
  form: 'v2' | 'v3';
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const FORMATS: Record<string, Json> = {
  string: { type: 'string' },
  boolean: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  any: { type: 'object' },
};
const NAMED_SCALARS: Record<string, string> = {
  time: `${META}.Time`,
  microTime: `${META}.MicroTime`,
  quantity: 'io.k8s.apimachinery.pkg.api.resource.Quantity',
  intOrString: 'io.k8s.apimachinery.pkg.util.intstr.IntOrString',
};
const NAMED_SCALAR_SCHEMAS: Record<string, { v2: Json; v3: Json }> = {
  [`${META}.Time`]: { v2: { type: 'string', format: 'date-time' }, v3: { type: 'string', format: 'date-time' } },
  [`${META}.MicroTime`]: { v2: { type: 'string', format: 'date-time' }, v3: { type: 'string', format: 'date-time' } },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { v2: { type: 'string' }, v3: { oneOf: [{ type: 'string' }, { type: 'number' }] } },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': {
    v2: { type: 'string', format: 'int-or-string' },
    v3: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
  },
};

/**
 * The OpenAPI document of some resources: their types with all that these refer to, and for each operation what kubectl
 * reads of it (the kind it acts on, and the options it takes).
 */
export function buildDocument(served: readonly ServedResource[], sources: DocumentSources): Json {
  const resources = served.map(({ facts }) => facts);
  const refPrefix = sources.form === 'v2' ? '#/definitions/' : '#/components/schemas/';
  const need = [`${META}.DeleteOptions`, `${META}.Status`, ...resources.flatMap((r) => (r.schema ? [r.schema, `${r.schema}List`] : []))];
  for (const facts of resources) for (const sub of facts.subresources ?? []) if (sub.kind === 'Scale') need.push('io.k8s.api.autoscaling.v1.Scale');
  const types = customTypes(served, { refPrefix, form: sources.form, types: sources.types, need });
  const kindsOf = (id: string): Json[] =>
    resources
      .filter((r) => r.schema === id || `${r.schema}List` === id)
      .map((r) => ({ group: r.group, version: r.version, kind: r.schema === id ? r.kind : `${r.kind}List` }));
  while (need.length) {
    const id = need.pop()!;
    if (types[id]) continue;
    const scalar = NAMED_SCALAR_SCHEMAS[id];
    if (scalar) {
      types[id] = scalar[sources.form];
      continue;
    }
    const type = sources.types.get(id);
    if (!type) continue;
    const described = sources.descriptions[id];
    const kinds = kindsOf(id);
    const properties: Json = {};
    for (const field of type.fields.values()) {
      properties[field.name] = fieldDocument(field, described?.fields[field.name] ?? '', { refPrefix, form: sources.form, types: sources.types, need });
    }
    const required = [...type.fields.values()].filter((field) => field.required).map(({ name }) => name);
    types[id] = {
      ...(described?.description ? { description: described.description } : {}),
      type: 'object',
      ...(required.length ? { required } : {}),
      properties,
      ...(type.atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
      ...(kinds.length ? { 'x-kubernetes-group-version-kind': kinds } : {}),
    };
  }
  const paths = Object.fromEntries(resources.flatMap((facts) => pathsOf(facts, sources.form, refPrefix)));
  const info = { title: 'Kubernetes', version: 'v1.34.0' };
  return sources.form === 'v2' ? { swagger: '2.0', info, paths, definitions: types } : { openapi: '3.0.0', info, paths, components: { schemas: types } };
}

/** The types of custom resources, by id. */
function customTypes(served: readonly ServedResource[], context: DocumentContext): Json {
  const { form, refPrefix } = context;
  const refer = (id: string, description: string): Json => referTo(id, { description }, context);
  const types: Json = {};
  for (const { facts, customSchema: schema } of served) {
    if (!schema || !facts.schema) continue;
    const kind = { group: facts.group, kind: facts.kind, version: facts.version };
    types[facts.schema] = customSchema(schema, kind, { form, refer });
    types[`${facts.schema}List`] = customListSchema({ kind, plural: facts.resource, item: { $ref: refPrefix + facts.schema } }, { form, refer });
  }
  return types;
}

/** OpenAPI 3.0 allows nothing beside a $ref; the description goes around it. */
function referTo(id: string, around: Json, { form, refPrefix, need }: DocumentContext): Json {
  need.push(id);
  const reference = { $ref: refPrefix + id };
  return form === 'v3' ? { ...around, allOf: [reference] } : { ...around, ...reference };
}

interface DocumentContext {
  refPrefix: string;
  form: 'v2' | 'v3';
  types: Types;
  /** Ids of the types that are still to be written. */
  need: string[];
}

function fieldDocument(field: Field, description: string, context: DocumentContext): Json {
  const { type, unset, patchStrategy, patchMergeKey, default: value } = field;
  const extensions: Json = {
    ...(value === undefined ? {} : { default: value }),
    ...mergeExtensions(type, context),
    ...(patchStrategy ? { 'x-kubernetes-patch-strategy': patchStrategy } : {}),
    ...(patchMergeKey ? { 'x-kubernetes-patch-merge-key': patchMergeKey } : {}),
  };
  const prose = description ? { description } : {};
  const body = typeDocument(type, context);
  // OpenAPI 3.0 allows nothing beside a $ref; the description goes around it.
  if ('$ref' in body && context.form === 'v3')
    return { ...prose, allOf: [body], ...(type.shape === 'struct' && unset === 'zero' ? { default: {} } : {}), ...extensions };
  return { ...prose, ...body, ...extensions };
}

/** How server-side apply merges the field's value, where the API says so there and not with the type. */
function mergeExtensions(type: Type, { types }: DocumentContext): Json {
  if (type.shape === 'list')
    return type.listType ? { 'x-kubernetes-list-type': type.listType, ...(type.listType === 'map' ? { 'x-kubernetes-list-map-keys': type.keys } : {}) } : {};
  const isSaid = type.shape === 'map' ? type.atomic : type.shape === 'struct' && type.atomic && !types.get(type.id)?.atomic;
  return isSaid ? { 'x-kubernetes-map-type': 'atomic' } : {};
}

function typeDocument(type: Type, context: DocumentContext): Json {
  if (type.shape === 'list') return { type: 'array', items: typeDocument(type.element, context) };
  if (type.shape === 'map') return { type: 'object', additionalProperties: typeDocument(type.element, context) };
  const id = type.shape === 'struct' ? type.id : NAMED_SCALARS[type.format];
  if (!id) return FORMATS[(type as { format: string }).format]!;
  context.need.push(id);
  return { $ref: context.refPrefix + id };
}

const ACTIONS: Record<string, string> = {
  get: 'get',
  list: 'list',
  create: 'post',
  update: 'put',
  patch: 'patch',
  delete: 'delete',
  deletecollection: 'deletecollection',
};

function pathsOf(facts: ResourceFacts, form: 'v2' | 'v3', refPrefix: string): [string, Json][] {
  const { group, version, kind } = facts;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const base = facts.scope === 'Namespaced' ? `${root}/namespaces/{namespace}/${facts.resource}` : `${root}/${facts.resource}`;
  const operation = (verb: string, gvk: Json, schemaId: string | undefined): Json => operationDocument({ verb, gvk, schemaId, form, refPrefix });
  const gvk = { group, kind, version };
  const collect = (verbs: Record<string, string>): Json =>
    Object.fromEntries(
      Object.entries(verbs)
        .filter(([verb]) => facts.verbs.includes(verb as ResourceFacts['verbs'][number]))
        .map(([verb, method]) => [method, operation(verb, gvk, verb === 'list' ? `${facts.schema}List` : facts.schema)]),
    );
  const out: [string, Json][] = [
    [base, collect({ list: 'get', create: 'post', deletecollection: 'delete' })],
    [`${base}/{name}`, collect({ get: 'get', update: 'put', patch: 'patch', delete: 'delete' })],
  ];
  if (facts.scope === 'Namespaced' && facts.verbs.includes('list'))
    out.push([`${root}/${facts.resource}`, { get: operation('list', gvk, `${facts.schema}List`) }]);
  for (const sub of facts.subresources ?? []) {
    const subGvk = { group: sub.version ? sub.group : group, kind: sub.kind, version: sub.version || version };
    const schemaId = sub.kind === 'Scale' ? 'io.k8s.api.autoscaling.v1.Scale' : sub.kind === kind ? facts.schema : undefined;
    const methods = Object.fromEntries(
      sub.verbs.filter((verb) => ACTIONS[verb] && verb !== 'deletecollection').map((verb) => [ACTIONS[verb]!, operation(verb, subGvk, schemaId)]),
    );
    out.push([`${base}/{name}/${sub.name}`, methods]);
  }
  return out.filter(([, methods]) => Object.keys(methods).length > 0);
}

function operationDocument({
  verb,
  gvk,
  schemaId,
  form,
  refPrefix,
}: {
  verb: string;
  gvk: Json;
  schemaId: string | undefined;
  form: 'v2' | 'v3';
  refPrefix: string;
}): Json {
  const names = [
    'pretty',
    ...(['create', 'update', 'patch', 'delete', 'deletecollection'].includes(verb) ? ['dryRun'] : []),
    ...(['create', 'update', 'patch'].includes(verb) ? ['fieldManager', 'fieldValidation'] : []),
    ...(verb === 'patch' ? ['force'] : []),
    ...(verb === 'list'
      ? [
          'labelSelector',
          'fieldSelector',
          'limit',
          'continue',
          'resourceVersion',
          'resourceVersionMatch',
          'watch',
          'timeoutSeconds',
          'allowWatchBookmarks',
          'sendInitialEvents',
        ]
      : []),
  ];
  const parameters = names.map((name) =>
    form === 'v2' ? { name, in: 'query', type: 'string', uniqueItems: true } : { name, in: 'query', schema: { type: 'string', uniqueItems: true } },
  );
  const schemaRef = schemaId ? { schema: { $ref: refPrefix + schemaId } } : {};
  const response = form === 'v2' ? { description: 'OK', ...schemaRef } : { description: 'OK', content: { 'application/json': schemaRef } };
  return { parameters, responses: { 200: response }, 'x-kubernetes-action': ACTIONS[verb] ?? verb, 'x-kubernetes-group-version-kind': gvk };
}
