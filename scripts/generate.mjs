#!/usr/bin/env node
// Makes src/api/generated from two sources: the models of the official JavaScript client (fields, types, which are
// required, descriptions) and the tables in src/api/facts (resources, list types, merge keys).
//   types/<group>.<version>.ts   the TypeScript interfaces
//   schema.ts                    what the API server walks at run time: decode, defaults, patches, server-side apply
//   descriptions.ts              the prose of OpenAPI and `kubectl explain`; loaded only when somebody asks
//   resource-facts.ts               the discovery and column tables, as code
//   bootstrap-facts.ts           the roles, bindings, flow schemas and priority levels that are there from the start
//   protobuf.ts                  field numbers of the binary form, which Go clients send
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const models = join(dirname(createRequire(import.meta.url).resolve('@kubernetes/client-node')), 'gen', 'models');
const out = join(root, 'src/api/generated');
const facts = (name) => JSON.parse(readFileSync(join(root, 'src/api/facts', `${name}.json`), 'utf8'));
const discovery = facts('discovery');
const fieldFacts = facts('fields');

/** @typedef {{ name: string, type: string, format: string, required: boolean, description: string }} Field */
/** @type {Map<string, { description: string, fields: Field[] }>} */
const read = new Map();
for (const file of readdirSync(models)) {
  const name = file.match(/^((?:[A-Z][a-z]+)?V\d\w*|VersionInfo)\.d\.ts$/)?.[1];
  if (!name || /V\d(alpha|beta)\d/.test(name)) continue;
  const declaration = readFileSync(join(models, file), 'utf8');
  const script = readFileSync(join(models, file.replace('.d.ts', '.js')), 'utf8');
  const attributes = JSON.parse(script.match(/attributeTypeMap = (\[[\s\S]*?\]);/)?.[1] ?? '[]');
  const [head, ...body] = declaration.split('export declare class');
  const clean = (text) =>
    text
      .replaceAll('\\"', '"')
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&')
      .replaceAll("\\'", "'")
      .replaceAll('.  Populated by the system.', '.\n\nPopulated by the system.')
      .trim();
  const description = clean(head.match(/\/\*\*\n\*? ?([^\n]*)\n\*\/\n$/)?.[1] ?? '');
  const declared = new Map();
  for (const match of body.join('').matchAll(/(?:\/\*\*\n\s*\* ?([^\n]*)\n\s*\*\/\n\s*)?'(\w+)'(\??): /g))
    declared.set(match[2], { description: clean(match[1] ?? ''), required: match[3] === '' });
  read.set(name, { description, fields: attributes.map((a) => ({ name: a.baseName, type: a.type, format: a.format, ...declared.get(a.name) })) });
}

// Which API group a model belongs to: named in the facts, or reached from a kind that is served.
const META =
  'ObjectMeta ListMeta OwnerReference ManagedFieldsEntry LabelSelector LabelSelectorRequirement FieldSelectorRequirement Status StatusCause StatusDetails Condition DeleteOptions Preconditions APIResource APIResourceList APIGroup APIGroupList APIVersions GroupVersionForDiscovery ServerAddressByClientCIDR WatchEvent'.split(
    ' ',
  );
const PREFIXED = {
  Core: 'core',
  Events: 'events',
  Authentication: 'authentication',
  Storage: 'storage',
  Rbac: 'rbac',
  Flowcontrol: 'flowcontrol',
  Discovery: 'discovery',
  Apiextensions: 'apiextensions',
  Apiregistration: 'apiregistration',
  Admissionregistration: 'admissionregistration',
  Resource: 'resource',
};
const packageOf = (group) => (group === '' ? 'core' : group.split('.')[0]);
const idOf = (pkg, version, name) =>
  pkg === 'meta'
    ? `io.k8s.apimachinery.pkg.apis.meta.v1.${name}`
    : pkg === 'apiextensions'
      ? `io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.${version}.${name}`
      : pkg === 'apiregistration'
        ? `io.k8s.kube-aggregator.pkg.apis.apiregistration.${version}.${name}`
        : `io.k8s.api.${pkg}.${version}.${name}`;
const plain = (model) => model.replace(/^([A-Z][a-z]+)??V\d/, '');
const versionOf = (model) => model.match(/^(?:[A-Z][a-z]+)??V(\d)/)?.[1] ?? '1';
const references = (type) => type.match(/(?:[A-Z][a-z]+)?V\d\w+/g) ?? [];
/** @type {Map<string, string>} */
const packages = new Map();
for (const name of META) packages.set(`V1${name}`, 'meta');
packages.set('VersionInfo', 'meta');
for (const model of read.keys()) {
  const prefix = model.match(/^([A-Z][a-z]+)V\d/)?.[1];
  if (prefix && PREFIXED[prefix]) packages.set(model, PREFIXED[prefix]);
}
for (const key of Object.keys(fieldFacts)) {
  const m = key.match(/^io\.k8s\.(?:api|apiextensions-apiserver\.pkg\.apis|kube-aggregator\.pkg\.apis)\.(\w+)\.v(\d)\.(\w+)/);
  if (m && read.has(`V${m[2]}${m[3]}`) && !packages.has(`V${m[2]}${m[3]}`)) packages.set(`V${m[2]}${m[3]}`, m[1]);
}
const claim = (model, pkg) => {
  if (!read.has(model)) return;
  if (!packages.has(model)) packages.set(model, pkg);
  if (packages.get(model) !== pkg) return;
  const todo = [model],
    seen = new Set(todo);
  for (let m = todo.pop(); m; m = todo.pop())
    for (const f of read.get(m)?.fields ?? [])
      for (const r of references(f.type)) {
        if (seen.has(r) || !read.has(r)) continue;
        seen.add(r);
        if (!packages.has(r)) packages.set(r, pkg);
        if (packages.get(r) === pkg) todo.push(r);
      }
};
const modelOf = ({ group, version, kind }) => {
  const v = version.toUpperCase();
  const prefix = Object.keys(PREFIXED).find((p) => PREFIXED[p] === packageOf(group));
  return [`${prefix}${v}${kind}`, `${v}${kind}`].find((m) => read.has(m));
};
for (const r of [...discovery].sort((a, b) => (a.group === '' ? -1 : b.group === '' ? 1 : 0))) {
  const model = modelOf(r);
  if (model) for (const m of [model, `${model}List`]) claim(m, packageOf(r.group));
}
claim('V1Scale', 'autoscaling');
claim('V1Eviction', 'policy');
claim('AuthenticationV1TokenRequest', 'authentication');
for (const model of [...read.keys()]) if (!packages.has(model)) read.delete(model);

// What only Go's types tell of a field: `pointer` (its zero is a value), `zero` or `null` (what is written where it is
// unset), and formats that the client's declarations do not have. Source: staging/src/k8s.io/api/*/types.go.
const goFacts = facts('go');
// Go's name of a field's type, or of its elements', where it is not the plain one; messages tell it. Same source.
const goNames = facts('go-names');
const goFactsOf = (owner, field) => [goFacts[schemaId(owner)]?.[field.name] ?? []].flat();
const FORMATS = ['quantity', 'microTime'];
const INT_OR_STRING = 'IntOrString';

const kinds = new Map(discovery.map((r) => [modelOf(r), r]));
const schemaId = (model) => idOf(packages.get(model), `v${versionOf(model)}`, plain(model));
const shape = (type) => {
  const list = type.match(/^Array<(.*)>$/)?.[1];
  if (list) return { list: true, ...shape(list) };
  const map = type.match(/^\{ \[key: string\]: (.*); \}$/)?.[1];
  if (map) return { map: true, ...nest(shape(map)) };
  return { type };
};
// A map of lists (Role annotations of CSR extras, scopes …) keeps its inner list under `of`.
const nest = (inner) => (inner.list || inner.map ? { of: inner } : inner);
const leaf = (owner, field, type) => {
  const format = goFactsOf(owner, field).find((fact) => FORMATS.includes(fact));
  if (format) return { type: format };
  if (type === INT_OR_STRING) return { type: 'intOrString' };
  if (type === 'Date') return { type: 'time' };
  if (type === 'number') return field.format === 'int64' ? { type: 'int64' } : field.format === 'double' ? { type: 'double' } : { type: 'int32' };
  if (type === 'string') return field.format === 'byte' ? { type: 'bytes' } : { type: 'string' };
  if (type === 'boolean' || type === 'any') return { type };
  if (read.has(type)) return { ref: schemaId(type) };
  return { type: 'any' };
};
const fieldSchema = (owner, field) => {
  const build = ({ list, map, of, type }) => ({ ...(list ? { list } : map ? { map } : {}), ...(of ? { of: build(of) } : leaf(owner, field, type)) });
  const go = goFactsOf(owner, field);
  const built = build(shape(field.type));
  // A required list shows as [] where Go would show null: those that may be empty are listed among the facts.
  const unset = go.includes('null') ? 'null' : go.includes('zero') || (built.list && field.required) ? 'zero' : undefined;
  return {
    ...built,
    ...(field.required ? { required: true } : {}),
    ...(go.includes('pointer') ? { pointer: true } : {}),
    ...(unset ? { unset } : {}),
    ...(goNames[schemaId(owner)]?.[field.name] ? { goName: goNames[schemaId(owner)][field.name] } : {}),
    ...fieldFacts[`${schemaId(owner)}.${field.name}`],
  };
};

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, 'types'), { recursive: true });
const banner = '// Generated by scripts/generate.mjs from the type declarations of @kubernetes/client-node. Not committed; do not edit.\n';

// --- types, a file per group and version
const home = (model) => `${packages.get(model)}.v${versionOf(model)}`;
/** @type {Map<string, string[]>} */
const byHome = new Map();
for (const model of read.keys()) (byHome.get(home(model)) ?? byHome.set(home(model), []).get(home(model))).push(model);
const printType = (here, field, imports) => {
  const print = (type) => {
    const { list, map, of, type: inner } = shape(type);
    const element = of ? print(type.match(/^(?:Array<|\{ \[key: string\]: )(.*?)(?:>|; \})$/)[1]) : scalar(inner);
    return list ? `${element}[]` : map ? `Record<string, ${element}>` : element;
  };
  const scalar = (type) => {
    if (type === INT_OR_STRING) return '(number | string)';
    if (type === 'Date' || type === 'V1MicroTime') return 'string';
    if (type === 'any') return 'unknown';
    if (read.has(type)) {
      if (home(type) === here) return plain(type);
      imports[home(type)] ??= new Set();
      imports[home(type)].add(plain(type));
      return plain(type);
    }
    return ['string', 'number', 'boolean'].includes(type) ? type : 'unknown';
  };
  return print(field.type);
};
for (const [file, list] of byHome) {
  const imports = {};
  const local = new Set(list.map(plain));
  const bodies = list.sort().map((model) => {
    const { description, fields } = read.get(model);
    const isKind = kinds.has(model);
    const lines = fields.map((f) => {
      let type = printType(file, f, imports);
      const isStruct = read.has(f.type) && goFactsOf(model, f).includes('zero');
      const must = f.required || isStruct || (isKind && ['apiVersion', 'kind', 'metadata', 'spec', 'status'].includes(f.name));
      if (isKind && f.name === 'kind') type = `'${kinds.get(model).kind}'`;
      const comment = f.description ? `  /** ${f.description.replaceAll('*/', '*\\/')} */\n` : '';
      return `${comment}  ${/^\w+$/.test(f.name) && !f.name.includes('-') ? f.name : `'${f.name}'`}${must ? '' : '?'}: ${type};`;
    });
    return `${description ? `/** ${description.replaceAll('*/', '*\\/')} */\n` : ''}export interface ${plain(model)} {\n${lines.join('\n')}\n}\n`;
  });
  for (const names of Object.values(imports)) for (const n of names) if (local.has(n)) throw new Error(`${file}: ${n} is both local and imported`);
  const head = Object.entries(imports)
    .sort()
    .map(([from, names]) => `import type { ${[...names].sort().join(', ')} } from './${from}.ts';\n`)
    .join('');
  writeFileSync(join(out, 'types', `${file}.ts`), `${banner}${head}\n${bodies.join('\n')}`);
}

// --- schema and descriptions
const schema = {},
  descriptions = {};
for (const model of read.keys()) {
  const id = schemaId(model);
  const { fields, description } = read.get(model);
  const own = fieldFacts[id] ?? {};
  schema[id] = { ...own, fields: Object.fromEntries(fields.map((f) => [f.name, fieldSchema(model, f)])) };
  descriptions[id] = { description, fields: Object.fromEntries(fields.map((f) => [f.name, f.description ?? ''])) };
}
for (const [key, value] of Object.entries(fieldFacts))
  if (!schema[key]) {
    const dot = key.lastIndexOf('.');
    if (!schema[key.slice(0, dot)]?.fields[key.slice(dot + 1)] && Object.keys(value).length) {
      if (process.env.DEBUG_GENERATE) console.error('fact without a field:', key);
    }
  }
const asCode = (name, type, value) =>
  `${banner}${type}export const ${name} = JSON.parse(${JSON.stringify(JSON.stringify(value))}) as ${name === 'schema' ? 'Record<string, TypeSchema>' : name === 'descriptions' ? 'Record<string, { description: string; fields: Record<string, string> }>' : 'never'};\n`;
writeFileSync(join(out, 'schema.ts'), asCode('schema', "import type { TypeSchema } from '../schema.ts';\n\n", schema));
writeFileSync(join(out, 'descriptions.ts'), asCode('descriptions', '', descriptions));
const resources = discovery.map((r) => ({
  ...r,
  schema: modelOf(r) ? schemaId(modelOf(r)) : undefined,
  columns: facts('columns')[`${r.resource}.${r.version}.${r.group}`],
}));
writeFileSync(
  join(out, 'resource-facts.ts'),
  `${banner}import type { ResourceFacts } from '../resource-facts.ts';\n\nexport const resourceFacts = JSON.parse(${JSON.stringify(JSON.stringify(resources))}) as ResourceFacts[];\n`,
);
writeFileSync(
  join(out, 'bootstrap-facts.ts'),
  `${banner}import type { BootstrapFacts } from '../bootstrap-facts.ts';\n\nexport const bootstrapFacts = JSON.parse(${JSON.stringify(JSON.stringify(facts('bootstrap')))}) as BootstrapFacts;\n`,
);
writeFileSync(
  join(out, 'protobuf.ts'),
  `${banner}export const messages = JSON.parse(${JSON.stringify(JSON.stringify(facts('protobuf')))}) as Record<string, Record<string, [name: string, type: string, message?: string]>>;\n`,
);
console.log(`generated ${read.size} types in ${byHome.size} files`);
