import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, type GoldenApi } from '../golden/api.mjs';
import { type ClusterFixture, startFixture } from './cluster-fixture.ts';

let fixture: ClusterFixture;
let api: GoldenApi;
beforeAll(async () => {
  fixture = await startFixture({ nodes: 1 });
  api = connect(fixture.kubeconfigFile);
  await fixture.kubectl('run web --image=app:1 --port=80');
  await fixture.kubectl('expose pod web --port=8080 --target-port=80 --name=svc');
  await fixture.kubectl('wait pod/web --for=condition=Ready');
  while (!(await fixture.kubectl('get endpoints svc -o yaml')).stdout.includes('name: web')) await new Promise((resolve) => setTimeout(resolve, 20));
});
afterAll(async () => {
  api.close();
  await fixture.stop();
});

const ROOT = '/api/v1/namespaces/default';

it.each([
  `${ROOT}/pods/web/proxy/`,
  `${ROOT}/pods/web:80/proxy/a/b?c=d`,
  `${ROOT}/pods/http:web:80/proxy/`,
  `${ROOT}/services/svc/proxy/`,
  `${ROOT}/services/svc:8080/proxy/`,
  `${ROOT}/services/http:svc:/proxy/`,
])('%s is answered by the pod, whatever the method', async (path) => {
  for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
    const body = method === 'GET' ? {} : { body: 'hello' };
    expect(await api.raw(method, path, body)).toMatchObject({ code: 200, text: 'web:80\n' });
  }
});

it.each([
  [`${ROOT}/pods/nope/proxy/`, 404, 'pods "nope" not found'],
  [`${ROOT}/services/nope/proxy/`, 404, 'services "nope" not found'],
  [`${ROOT}/services/svc:99/proxy/`, 503, 'no service port 99 found for service "svc"'],
  [`${ROOT}/services/svc:other/proxy/`, 503, 'no endpoints available for service "svc:other"'],
  [`${ROOT}/services/kubernetes/proxy/`, 503, 'no endpoints available for service "kubernetes"'],
  [`${ROOT}/pods/a:b:c:d/proxy/`, 400, 'invalid pod request "a:b:c:d"'],
])('%s is answered with %i', async (path, code, message) => {
  const answer = await api.raw('GET', path);
  expect([answer.code, (answer.json as { message?: string }).message]).toEqual([code, expect.stringContaining(message)]);
});

it('sends a path without a slash to the one with it', async () => {
  expect(await api.raw('GET', `${ROOT}/pods/web/proxy?x=1`)).toMatchObject({ code: 301, headers: { location: `${ROOT}/pods/web/proxy/?x=1` } });
});

it('is for those who may', async () => {
  const answer = await api.raw('GET', `${ROOT}/pods/web/proxy/`, { headers: { 'impersonate-user': 'somebody' } });
  expect(answer).toMatchObject({ code: 403, json: { message: expect.stringContaining('cannot get resource "pods/proxy"') } });
});
