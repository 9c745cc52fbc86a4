import https from 'node:https';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Pod } from '../../src/api/generated/types/core.v1.ts';
import { Nodes, Pods } from '../../src/api/resources.ts';
import { KubeletProcess } from '../../src/cluster/kubelet-process.ts';
import { silent } from '../../src/lib/log.ts';
import { type ClusterFixture, startFixture } from '../e2e/cluster-fixture.ts';

let fixture: ClusterFixture;
let kubelet: KubeletProcess;

beforeAll(async () => {
  fixture = await startFixture({ nodes: 0 });
  kubelet = await KubeletProcess.start({
    kubeconfigFile: fixture.kubeconfigFile,
    nodeName: 'apart',
    hostIP: '127.0.0.1',
    port: 0,
    openAccess: false,
    relistPeriodMs: 0,
    log: silent,
  });
  const command = ['sh', '-c', 'echo one; echo two; sleep 1000'];
  await fixture.cluster.apply({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'p', namespace: 'default' },
    spec: { containers: [{ name: 'c', image: 'busybox', command }] },
  } as never);
  expect(await fixture.kubectl('wait pod/p --for=condition=Ready --timeout=20s')).toMatchObject({ code: 0 });
});

afterAll(async () => {
  await kubelet?.stop();
  await fixture?.stop();
});

/** What the kubelet's own port answers to somebody with this token. */
function ask(path: string, token?: string): Promise<{ code: number; text: string }> {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return new Promise((resolve, reject) => {
    https
      .get({ host: '127.0.0.1', port: kubelet.port, path, headers, rejectUnauthorized: false, agent: false }, (answer) => {
        let text = '';
        answer.on('data', (chunk: Buffer) => {
          text += chunk.toString();
        });
        answer.once('end', () => resolve({ code: answer.statusCode ?? 0, text }));
      })
      .once('error', reject);
  });
}

test('it registers its node with its own port', async () => {
  const node = await fixture.cluster.client.resource(Nodes).get('', 'apart');
  expect(node.status.daemonEndpoints?.kubeletEndpoint?.Port).toBe(kubelet.port);
  expect((await fixture.cluster.client.resource(Pods).get('default', 'p')).spec.nodeName).toBe('apart');
});

test('the API server reaches into its pods', async () => {
  expect((await fixture.kubectl('logs p --tail 1')).stdout).toBe('two\n');
  expect((await fixture.kubectl('logs p --timestamps --tail 1')).stdout).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z two\n$/);
  expect(await fixture.kubectl(['exec', 'p', '--', 'sh', '-c', 'echo out; exit 3'])).toMatchObject({ code: 3, stdout: 'out\n' });
  expect((await fixture.kubectl('exec -i p -- cat', { input: 'abc' })).stdout).toBe('abc');
  expect((await fixture.kubectl('exec p -c nobody -- true')).stderr).toContain('container nobody is not valid for pod p');
  expect((await fixture.kubectl('logs p --previous')).stderr).toContain('previous terminated container "c" in pod "p" not found');
});

test('its port answers those whom the API server lets', async () => {
  expect(await ask('/pods')).toEqual({ code: 401, text: 'Unauthorized' });
  const token = (await fixture.kubectl('create token default')).stdout.trim();
  expect(await ask('/pods', token)).toEqual({
    code: 403,
    text: 'Forbidden (user=system:serviceaccount:default:default, verb=get, resource=nodes, subresource(s)=[pods])',
  });
  await fixture.kubectl('create clusterrole reader --verb=get --resource=nodes/pods,nodes/stats,nodes/log');
  await fixture.kubectl('create clusterrolebinding reader --clusterrole=reader --serviceaccount=default:default');
  const { items } = JSON.parse((await ask('/pods', token)).text) as { items: Pod[] };
  expect(items.map(({ metadata }) => metadata.name)).toEqual(['p']);
  const summary = JSON.parse((await ask('/stats/summary', token)).text) as { pods: { podRef: { name: string } }[] };
  expect(summary.pods.map(({ podRef }) => podRef.name)).toEqual(['p']);
  expect(await ask('/containerLogs/default/p/c?tailLines=1', token)).toEqual({ code: 200, text: 'two\n' });
  expect((await ask('/metrics/resource', token)).code).toBe(403);
});
