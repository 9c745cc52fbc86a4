import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Namespaces } from '../../src/api/resources.ts';
import { type ClusterFixture, startFixture } from '../e2e/cluster-fixture.ts';
import { connect, type GoldenApi } from '../golden/api.mjs';

interface Answer {
  code: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are picked apart freely here
  json: any;
  text: string;
}

/** Public trouble reports about options, versions and large numbers, by their ids. */
describe('cases: requests', () => {
  let fixture: ClusterFixture;
  let api: GoldenApi;
  beforeAll(async () => {
    fixture = await startFixture({ nodes: 0 });
    api = connect(fixture.kubeconfigFile);
    await fixture.cluster.client.resource(Namespaces).create({ metadata: { name: 'x' } });
    for (const name of ['a', 'b']) await send('POST', CONFIGMAPS, { metadata: { name } });
  });
  afterAll(async () => {
    api.close();
    await fixture.stop();
  });
  const CONFIGMAPS = '/api/v1/namespaces/x/configmaps';
  const send = async (method: string, path: string, body?: unknown, type?: string): Promise<Answer> => {
    const answer = (await api.raw(method, path, { ...(body === undefined ? {} : { body }), ...(type ? { type } : {}) })) as Answer;
    return answer;
  };
  const names = ({ json, text }: Answer): string[] =>
    (
      json?.items ??
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).object)
    ).map((object: { metadata: { name: string } }) => object.metadata.name);

  it.each(['True', 'yes', '1', ''])('C202: watch=%s is a watch', async (value) => {
    const { text } = await send('GET', `${CONFIGMAPS}?watch=${value}&timeoutSeconds=1`);
    expect(text).toContain('"type":"ADDED"');
  });

  it.each(['0', 'false', 'False'])('C202: watch=%s is a list', async (value) => {
    expect((await send('GET', `${CONFIGMAPS}?watch=${value}`)).json.kind).toBe('ConfigMapList');
  });

  it('C204: a watch by the path of one object shows that one, a get with ?watch is a get', async () => {
    expect(names(await send('GET', '/api/v1/watch/namespaces/x/configmaps/a?timeoutSeconds=1'))).toEqual(['a']);
    expect((await send('GET', `${CONFIGMAPS}/a?watch=true`)).json.metadata.name).toBe('a');
  });

  it.each([
    ['DELETE', `${CONFIGMAPS}/a?gracePeriodSeconds=abc`, 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ['DELETE', `${CONFIGMAPS}/a?gracePeriodSeconds=1.5`, 'strconv.ParseInt: parsing "1.5": invalid syntax'],
    ['DELETE', `${CONFIGMAPS}?gracePeriodSeconds=abc`, 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ['GET', `${CONFIGMAPS}?watch=1&timeoutSeconds=abc`, 'strconv.ParseInt: parsing "abc": invalid syntax'],
    ['GET', `${CONFIGMAPS}?limit=x`, 'strconv.ParseInt: parsing "x": invalid syntax'],
    ['GET', `${CONFIGMAPS}?limit=9223372036854775808`, 'strconv.ParseInt: parsing "9223372036854775808": value out of range'],
    ['GET', `${CONFIGMAPS}?timeout=abc`, 'invalid timeout specified in the request URL - time: invalid duration "abc"'],
    ['GET', `${CONFIGMAPS}?timeout=5`, 'invalid timeout specified in the request URL - time: missing unit in duration "5"'],
    ['GET', `${CONFIGMAPS}?continue=e30`, 'invalid continue token: continue key is not valid: server does not recognize this encoded version '],
    ['GET', `${CONFIGMAPS}?continue=a!`, 'invalid continue token: continue key is not valid: illegal base64 data at input byte 1'],
    [
      'GET',
      `${CONFIGMAPS}?resourceVersion=abc`,
      'invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax',
    ],
  ])('C205: %s %s is refused, and nothing is done', async (method, path, message) => {
    expect(await send(method, path)).toMatchObject({ code: 400, json: { reason: 'BadRequest', message } });
    expect(names(await send('GET', CONFIGMAPS))).toEqual(expect.arrayContaining(['a', 'b']));
  });

  it('C236: a read waits for a version of the future, a watch from there is open and silent', async () => {
    const { json } = await send('GET', CONFIGMAPS);
    const next = Number(json.metadata.resourceVersion) + 1;
    const [answer] = await Promise.all([send('GET', `${CONFIGMAPS}?resourceVersion=${next}`), send('POST', CONFIGMAPS, { metadata: { name: 'c' } })]);
    expect(answer.code).toBe(200);
    expect(Number(answer.json.metadata.resourceVersion)).toBeGreaterThanOrEqual(next);
    expect(await send('GET', `${CONFIGMAPS}?watch=1&timeoutSeconds=1&resourceVersion=${next + 100_000}`)).toMatchObject({ code: 200, text: '' });
  });

  it('C241: a list at any version knows no pages', async () => {
    const { json } = await send('GET', `${CONFIGMAPS}?limit=1&resourceVersion=0`);
    expect(json.items.length).toBeGreaterThan(1);
    expect(json.metadata.continue).toBeUndefined();
  });

  describe('64-bit integers', () => {
    const pod = (seconds: string): string =>
      `{"metadata":{"name":"long"},"spec":{"activeDeadlineSeconds":${seconds},"containers":[{"name":"c","image":"i"}],"securityContext":{"fsGroup":5}}}`;

    it('an int64 is exact in and out, and refused beyond its range', async () => {
      const leases = '/apis/coordination.k8s.io/v1/namespaces/x/leases';
      const events = '/api/v1/namespaces/x/events';
      const revision = '/apis/apps/v1/namespaces/x/controllerrevisions';
      expect((await send('POST', leases, '{"metadata":{"name":"l"},"spec":{"leaseDurationSeconds":9007199254740993}}')).json.message).toContain(
        'cannot unmarshal number 9007199254740993 into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32',
      );
      const created = await send('POST', revision, '{"metadata":{"name":"r"},"revision":3546343826724305832,"data":{"n":9223372036854775807}}');
      expect(created.text).toContain('"revision":3546343826724305832');
      expect(created.text).toContain('"n":9223372036854775807');
      expect((await send('GET', `${revision}/r`)).text).toContain('"revision":3546343826724305832');
      expect((await send('PATCH', `${revision}/r`, '{"revision":3546343826724305833}', 'application/merge-patch+json')).text).toContain(
        '"revision":3546343826724305833',
      );
      expect((await send('POST', revision, '{"metadata":{"name":"q"},"revision":9223372036854775808}')).code).toBe(400);
      expect((await send('POST', `${events.replace('events', 'pods')}?dryRun=All`, pod('9223372036854775807'))).code).toBe(422);
    });

    it('a revision that does not fit a number goes up by one', async () => {
      const { kubectl } = fixture;
      expect(await kubectl('-n x create deployment web --image=app:1')).toMatchObject({ code: 0 });
      const replicaSets = async (): Promise<string> =>
        (await kubectl('-n x get rs -o custom-columns=R:.metadata.annotations.deployment\\.kubernetes\\.io/revision')).stdout;
      while (!(await replicaSets()).includes('1')) await new Promise((resolve) => setTimeout(resolve, 20));
      await kubectl('-n x annotate rs --all --overwrite deployment.kubernetes.io/revision=3546343826724305832');
      await kubectl('-n x set image deployment/web app=app:2');
      while ((await replicaSets()).trim().split('\n').length < 3) await new Promise((resolve) => setTimeout(resolve, 20));
      expect((await replicaSets()).split('\n').sort().join(' ')).toContain('3546343826724305832 3546343826724305833');
    });
  });
});
