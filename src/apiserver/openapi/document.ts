import type { ResourceFacts } from '../../api/resource.ts';
import type { FieldSchema, TypeSchema } from '../../api/schema.ts';

type Json = Record<string, unknown>;

export interface DocumentSources {
  schema: Record<string, TypeSchema>;
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
export function buildDocument(resources: readonly ResourceFacts[], sources: DocumentSources): Json {
  const types: Json = {};
  const refPrefix = sources.form === 'v2' ? '#/definitions/' : '#/components/schemas/';
  const need = [`${META}.DeleteOptions`, `${META}.Status`, ...resources.flatMap((r) => (r.schema ? [r.schema, `${r.schema}List`] : []))];
  for (const facts of resources) for (const sub of facts.subresources ?? []) if (sub.kind === 'Scale') need.push('io.k8s.api.autoscaling.v1.Scale');
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
    const type = sources.schema[id];
    if (!type) continue;
    const described = sources.descriptions[id];
    const kinds = kindsOf(id);
    const properties: Json = {};
    for (const [name, field] of Object.entries(type.fields)) {
      properties[name] = fieldDocument(field, described?.fields[name] ?? '', { refPrefix, form: sources.form, need });
    }
    const required = Object.entries(type.fields)
      .filter(([, f]) => f.required)
      .map(([name]) => name);
    types[id] = {
      ...(described?.description ? { description: described.description } : {}),
      type: 'object',
      ...(required.length ? { required } : {}),
      properties,
      ...(type.mapType ? { 'x-kubernetes-map-type': type.mapType } : {}),
      ...(kinds.length ? { 'x-kubernetes-group-version-kind': kinds } : {}),
    };
  }
  const paths = Object.fromEntries(resources.flatMap((facts) => pathsOf(facts, sources.form, refPrefix)));
  const info = { title: 'Kubernetes', version: 'v1.34.0' };
  return sources.form === 'v2' ? { swagger: '2.0', info, paths, definitions: types } : { openapi: '3.0.0', info, paths, components: { schemas: types } };
}

function fieldDocument(field: FieldSchema, description: string, context: { refPrefix: string; form: 'v2' | 'v3'; need: string[] }): Json {
  const extensions: Json = {
    ...(field.listType ? { 'x-kubernetes-list-type': field.listType } : {}),
    ...(field.listMapKeys ? { 'x-kubernetes-list-map-keys': field.listMapKeys } : {}),
    ...(field.mapType ? { 'x-kubernetes-map-type': field.mapType } : {}),
    ...(field.patchStrategy ? { 'x-kubernetes-patch-strategy': field.patchStrategy } : {}),
    ...(field.patchMergeKey ? { 'x-kubernetes-patch-merge-key': field.patchMergeKey } : {}),
  };
  const prose = description ? { description } : {};
  if (field.list) return { ...prose, type: 'array', items: elementDocument(field, context), ...extensions };
  if (field.map) return { ...prose, type: 'object', additionalProperties: elementDocument(field, context), ...extensions };
  const element = elementDocument(field, context);
  // OpenAPI 3.0 allows nothing beside a $ref; the description goes around it.
  if ('$ref' in element)
    return context.form === 'v3'
      ? { ...prose, allOf: [element], ...(field.embedded ? { default: {} } : {}), ...extensions }
      : { ...prose, ...element, ...extensions };
  return { ...prose, ...element, ...extensions };
}

function elementDocument(field: FieldSchema, context: { refPrefix: string; form: 'v2' | 'v3'; need: string[] }): Json {
  if (field.of) return fieldDocument(field.of, '', context);
  const id = field.ref ?? NAMED_SCALARS[field.type!];
  if (!id) return FORMATS[field.type!]!;
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
