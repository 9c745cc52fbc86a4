import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, type GoldenApi } from '../golden/api.mjs';
import { type ClusterFixture, startFixture } from './cluster-fixture.ts';

const SCHEMA = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: { size: { type: 'integer', minimum: 1, description: 'How many.' }, color: { type: 'string', default: 'red', enum: ['red', 'blue'] } },
      'x-kubernetes-validations': [{ rule: 'self.size < 10', message: 'too big' }],
    },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'], categories: ['all'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {}, scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' } },
        additionalPrinterColumns: [
          { name: 'Size', type: 'integer', jsonPath: '.spec.size' },
          { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
        ],
        schema: { openAPIV3Schema: SCHEMA },
      },
    ],
  },
};
const widget = (name: string, spec: object) => ({ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec });

let fixture: ClusterFixture;
let api: GoldenApi;
const file = (object: object): string => {
  const path = join(fixture.directory, 'object.json');
  writeFileSync(path, JSON.stringify(object));
  return path;
};
beforeAll(async () => {
  fixture = await startFixture({ nodes: 0 });
  api = connect(fixture.kubeconfigFile);
  await fixture.kubectl(`create -f ${file(DEFINITION)}`);
  await fixture.kubectl('wait --for=condition=Established crd/widgets.example.com');
});
afterAll(async () => {
  api.close();
  await fixture.stop();
});

it('a kind that a client defines is made, shown, scaled and explained like any other', async () => {
  const { kubectl } = fixture;
  expect((await kubectl(`create -f ${file(widget('a', { size: 3 }))}`)).stdout).toBe('widget.example.com/a created\n');
  expect((await kubectl('scale widget a --replicas=5')).stdout).toBe('widget.example.com/a scaled\n');
  const status = { status: { size: 5, conditions: [{ type: 'Ready', status: 'True' }] } };
  await kubectl(['patch', 'widget', 'a', '--subresource=status', '--type=merge', '-p', JSON.stringify(status)]);
  expect((await kubectl('get wd')).stdout).toMatch(/^NAME +SIZE +READY\na +5 +True\n$/);
  expect((await kubectl('get all')).stdout).toContain('widget.example.com/a');
  expect((await kubectl('get wd a -o jsonpath={.spec.color}/{.metadata.generation}')).stdout).toBe('red/2');
  expect((await kubectl('explain widgets.spec.size')).stdout).toContain('How many.');
});

it('what the schema or a rule does not allow is refused, field by field', async () => {
  const create = (spec: object) => fixture.kubectl(`create -f ${file(widget('b', spec))}`);
  expect((await create({ size: 0 })).stderr).toContain('spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1');
  expect((await create({ size: 10 })).stderr).toContain('spec: Invalid value: "object": too big');
  expect((await create({ size: 1, color: 'green' })).stderr).toContain('spec.color: Unsupported value: "green": supported values: "red", "blue"');
  expect((await create({ size: 1, colour: 'red' })).stderr).toContain('unknown field "spec.colour"');
});

it('paths that no definition has are no pages, and an object that says nothing of its kind is none', async () => {
  const at = '/apis/example.com/v1/namespaces/default';
  for (const path of [`${at}/gadgets`, '/apis/example.com/v1/widgets/a', '/apis/example.com/v2/widgets'])
    expect(await api.raw('GET', path)).toMatchObject({ code: 404, text: '404 page not found\n' });
  const created = await api.raw('POST', `${at}/widgets`, {
    body: JSON.stringify({ metadata: { name: 'c' } }),
    headers: { 'content-type': 'application/json' },
  });
  expect(created.json).toMatchObject({ code: 400, message: expect.stringContaining(`Object 'Kind' is missing in '{"metadata":{"name":"c"}}'`) });
});

it('the objects go with their definition', async () => {
  await fixture.kubectl('delete crd widgets.example.com');
  expect((await fixture.kubectl('get widgets')).stderr).toContain('the server could not find the requested resource');
  expect((await fixture.kubectl(`create -f ${file(DEFINITION)}`)).stdout).toContain('created');
  await fixture.kubectl('wait --for=condition=Established crd/widgets.example.com');
  expect((await fixture.kubectl('get widgets')).stderr).toContain('No resources found');
});

it('a default that comes later holds for what is stored already, and fields that no schema knows can be applied', async () => {
  const schema = (size: object): object => ({
    type: 'object',
    'x-kubernetes-preserve-unknown-fields': true,
    properties: { spec: { type: 'object', properties: { size } } },
  });
  const definition = (size: object): object => ({
    ...DEFINITION,
    metadata: { name: 'gauges.example.com' },
    spec: {
      ...DEFINITION.spec,
      names: { plural: 'gauges', kind: 'Gauge' },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema(size) } }],
    },
  });
  await fixture.kubectl(`create -f ${file(definition({ type: 'integer' }))}`);
  await fixture.kubectl('wait --for=condition=Established crd/gauges.example.com');
  const gauge = { apiVersion: 'example.com/v1', kind: 'Gauge', metadata: { name: 'g' }, spec: {}, extra: { deep: { a: 1 } } };
  expect((await fixture.kubectl(`apply --server-side -f ${file(gauge)}`)).stdout).toContain('serverside-applied');
  await fixture.kubectl(`replace -f ${file(definition({ type: 'integer', default: 7 }))}`);
  const size = async (): Promise<string> => (await fixture.kubectl('get gauge g -o jsonpath={.spec.size}/{.extra.deep.a}')).stdout;
  await expect.poll(size, { timeout: 10_000 }).toBe('7/1');
});

it('a configuration that says something twice is refused by a strict server, and warned of by another', async () => {
  const apply = (validation: string) =>
    api.raw('PATCH', `/api/v1/namespaces/default/configmaps/twice?fieldManager=x&dryRun=All&fieldValidation=${validation}`, {
      type: 'application/apply-patch+yaml',
      body: 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: twice\ndata:\n  a: "1"\n  a: "2"\n',
    });
  expect((await apply('Strict')).json).toMatchObject({ code: 400, message: expect.stringContaining('line 7: key "a" already set in map') });
  expect(await apply('Warn')).toMatchObject({ code: 201, headers: { warning: '299 - "line 7: key \\"a\\" already set in map"' } });
  expect((await apply('Ignore')).headers).not.toHaveProperty('warning');
});
