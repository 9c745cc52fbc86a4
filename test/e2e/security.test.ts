import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, type GoldenApi } from '../golden/api.mjs';
import { type ClusterFixture, startFixture } from './cluster-fixture.ts';

let fixture: ClusterFixture;
let api: GoldenApi;
beforeAll(async () => {
  fixture = await startFixture({ nodes: 1, staticTokens: [{ token: 'static', user: { name: 'carol', groups: ['ops', 'system:authenticated'] } }] });
  api = connect(fixture.kubeconfigFile);
  await fixture.kubectl('create serviceaccount robot');
  await fixture.kubectl('create role reader --verb=get,list --resource=pods');
  await fixture.kubectl('create rolebinding reads --role=reader --serviceaccount=default:robot');
});
afterAll(async () => {
  api.close();
  await fixture.stop();
});

const as = (token: string | undefined, method = 'GET', path = '/api/v1/namespaces/default/pods') =>
  api.raw(method, path, { headers: { authorization: token === undefined ? undefined : `Bearer ${token}` } });

it('a token does what its account may, through a kubeconfig of its own, and no more', async () => {
  const token = (await fixture.kubectl('create token robot --duration=20m')).stdout.trim();
  expect(decodeJwt(token)).toMatchObject({ sub: 'system:serviceaccount:default:robot', aud: [decodeJwt(token).iss] });
  expect((await as(token)).code).toBe(200);
  expect((await as(token, 'GET', '/api/v1/namespaces/default/secrets')).json).toMatchObject({
    code: 403,
    message: 'secrets is forbidden: User "system:serviceaccount:default:robot" cannot list resource "secrets" in API group "" in the namespace "default"',
  });
  const kubeconfig = join(fixture.directory, 'robot');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: 'c', cluster: { server: fixture.cluster.server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: { token } }],
      contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
      'current-context': 'x',
    }),
  );
  const robot = (args: string) => fixture.kubectl(args, { env: { KUBECONFIG: kubeconfig } });
  expect((await robot('auth whoami')).stdout).toContain('system:serviceaccount:default:robot');
  expect((await robot('auth can-i list pods')).stdout).toBe('yes\n');
  expect((await robot('auth can-i delete pods')).stdout).toBe('no\n');
  expect((await robot('auth can-i --list')).stdout).toMatch(/^pods +\[\] +\[\] +\[get list\]$/m);
  expect((await robot('create rolebinding mine --clusterrole=cluster-admin --user=me')).stderr).toContain('cannot create resource "rolebindings"');
});

it('a token is no good without the account, for others, changed, or made up', async () => {
  await fixture.kubectl('create serviceaccount gone');
  const gone = (await fixture.kubectl('create token gone')).stdout.trim();
  await fixture.kubectl('delete serviceaccount gone');
  const elsewhere = (await fixture.kubectl('create token robot --audience=elsewhere')).stdout.trim();
  const [head, body] = elsewhere.split('.');
  for (const token of [gone, elsewhere, `${head}.${body}.`, 'x', `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`])
    expect(await as(token)).toMatchObject({ code: 401, json: { message: 'Unauthorized', reason: 'Unauthorized' } });
});

it('the tokens of a pod end with the pod', async () => {
  await fixture.kubectl('run p --image=app:1');
  const token = (await fixture.kubectl('create token default --bound-object-kind=Pod --bound-object-name=p')).stdout.trim();
  expect((await as(token)).code).toBe(403);
  await fixture.kubectl('delete pod p --force');
  expect((await as(token)).code).toBe(401);
});

it('the public keys are there for who checks tokens by himself', async () => {
  const token = (await fixture.kubectl('create token robot')).stdout.trim();
  const { jwks_uri } = (await as(token, 'GET', '/.well-known/openid-configuration')).json as { jwks_uri: string };
  const { keys } = (await as(token, 'GET', new URL(jwks_uri).pathname)).json as { keys: { kid: string }[] };
  expect(JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString())).toMatchObject({ kid: keys[0]!.kid });
});

it('static tokens, and nobody at all', async () => {
  expect(await as('static')).toMatchObject({ code: 403, json: { message: expect.stringContaining('User "carol"') } });
  expect(await as(undefined)).toMatchObject({ code: 403, json: { message: expect.stringContaining('User "system:anonymous"') } });
  expect((await as(undefined, 'GET', '/healthz')).code).toBe(200);
  expect((await as(undefined, 'GET', '/apis')).code).toBe(403);
  expect((await as('static', 'GET', '/apis')).code).toBe(200);
});

it('a review says whose a token is', async () => {
  const token = (await fixture.kubectl('create token robot')).stdout.trim();
  const review = async (spec: object) =>
    ((await api.raw('POST', '/apis/authentication.k8s.io/v1/tokenreviews', { body: { spec } })).json as { status: object }).status;
  expect(await review({ token })).toMatchObject({ authenticated: true, user: { username: 'system:serviceaccount:default:robot' } });
  expect(await review({ token, audiences: ['elsewhere'] })).toMatchObject({ error: expect.stringContaining('invalid bearer token') });
  expect(await review({ token: 'x' })).toEqual({ user: {}, error: 'invalid bearer token' });
});

it('a review has no columns: who takes nothing but a Table is told what there is', async () => {
  const ask = (accept: string) => api.raw('POST', '/apis/authentication.k8s.io/v1/selfsubjectreviews', { body: {}, accept });
  const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  expect(await ask(table)).toMatchObject({ code: 406, json: { reason: 'NotAcceptable' } });
  expect(await ask(`${table},application/json`)).toMatchObject({ code: 201, json: { kind: 'SelfSubjectReview' } });
});

it('names that a client makes up leave no figures behind', async () => {
  for (const path of ['/apis/made.up/v1/things', '/api/v1/thingummies', '/api/v1/pods/x/whatsit']) await as(undefined, 'GET', path);
  const { text } = await api.raw('GET', '/metrics');
  expect(text).toContain('apiserver_request_total');
  expect(text).not.toMatch(/made\.up|thingummies|whatsit/);
});
