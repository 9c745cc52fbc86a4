import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Namespaces } from '../../src/api/resources.ts';
import { type ClusterFixture, startFixture } from '../e2e/cluster-fixture.ts';
import { connect, type GoldenApi } from '../golden/api.mjs';

/** Public trouble reports about the shape of bodies, by their ids. The words are those of a real v1.34. */
describe('cases: bodies', () => {
  let fixture: ClusterFixture;
  let api: GoldenApi;
  beforeAll(async () => {
    fixture = await startFixture({ nodes: 0 });
    api = connect(fixture.kubeconfigFile);
    await fixture.cluster.client.resource(Namespaces).create({ metadata: { name: 'x' } });
    await api.raw('POST', '/api/v1/namespaces/x/configmaps', { body: { metadata: { name: 'c' }, data: { a: '1' } } });
  });
  afterAll(async () => {
    api.close();
    await fixture.stop();
  });

  const decoding = (rest: string): string => `error decoding patch: ${rest}`;
  const refused = 'the server rejected our request due to an error in our request';

  it.each([
    ['Warn', 'json', '{}', 400, decoding('json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp')],
    ['Ignore', 'json', '{}', 400, 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
    ['Warn', 'json', '[1]', 400, decoding('json: cannot unmarshal number into Go value of type handlers.jsonPatchOp')],
    ['Ignore', 'json', '[1]', 400, 'json: cannot unmarshal number into Go value of type jsonpatch.Operation'],
    ['Warn', 'json', '[{"op":7}]', 400, decoding('json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string')],
    ['Warn', 'json', '[null]', 422, refused],
    ['Warn', 'json', '[{"op":"add","value":1}]', 422, refused],
    ['Warn', 'merge', '[]', 400, decoding('json: cannot unmarshal array into Go value of type map[string]interface {}')],
    ['Warn', 'merge', 'null', 400, 'Invalid JSON Patch'],
    ['Ignore', 'merge', '"x"', 400, 'Invalid JSON Patch'],
    ['Warn', 'merge', '{', 400, decoding('unexpected end of JSON input')],
    ['Warn', 'strategic-merge', '[]', 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
    ['Warn', 'strategic-merge', 'true', 400, 'json: cannot unmarshal bool into Go value of type map[string]interface {}'],
  ])('C212: with %s, %s patch %s', async (validation, kind, body, code, message) => {
    const answer = await api.raw('PATCH', `/api/v1/namespaces/x/configmaps/c?fieldValidation=${validation}`, { body, type: `application/${kind}-patch+json` });
    expect(answer).toMatchObject({ code, json: { message } });
  });

  it('C211: an unknown member of an operation is a fault for who asks for strictness, and a warning otherwise', async () => {
    const body = '[{"op":"test","path":"/data/a","value":"1","bogus":1,"op":"test"}]';
    const send = (validation: string) =>
      api.raw('PATCH', `/api/v1/namespaces/x/configmaps/c?fieldValidation=${validation}`, { body, type: 'application/json-patch+json' });
    const faults = ['json patch unknown field "[0].bogus"', 'json patch duplicate field "[0].op"'];
    expect(await send('Strict')).toMatchObject({
      code: 422,
      json: { message: expect.stringMatching(`strict decoding error: ${faults.join(', ').replace(/[[\].]/g, '\\$&')}$`) },
    });
    expect((await send('Warn')).headers['warning']).toBe(faults.map((fault) => `299 - ${JSON.stringify(fault)}`).join(', '));
  });

  it.each([
    [
      'application/json',
      '{"metadata":{"name":"d"},"bogus":1,"data":{"a":"b","a":"c"},"other":2,"data":{"x":"y"}}',
      'unknown field "bogus", duplicate field "data.a", unknown field "other", duplicate field "data"',
    ],
    [
      'application/yaml',
      'metadata: {name: d}\nbogus: 1\ndata: {a: b, a: c}\nother: 2\n',
      'yaml: unmarshal errors:\n  line 3: key "a" already set in map, unknown field "bogus", unknown field "other"',
    ],
    [
      'application/yaml',
      'metadata:\n  name: d\nbogus: 1\ndata:\n  a: b\ndata:\n  a: c\n',
      'yaml: unmarshal errors:\n  line 7: key "data" already set in map, unknown field "bogus"',
    ],
  ])('C243: faults of %s in the order of the text', async (type, body, faults) => {
    const answer = await api.raw('POST', '/api/v1/namespaces/x/configmaps?fieldValidation=Strict', { body, type });
    expect(answer).toMatchObject({ code: 400, json: { message: expect.stringMatching(/strict decoding error: /) } });
    expect((answer.json as { message: string }).message.split('strict decoding error: ')[1]).toBe(faults);
  });
});
