// How a test of your own uses a cluster. In your project the import is `from 'coracle'`.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Cluster, resources } from '../src/index.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await Cluster.start({ nodes: 3 });
});
afterAll(() => cluster.stop());

test('the manifest rolls out, and a new image replaces every pod', async () => {
  await cluster.apply(readFileSync(new URL('demo-api.yaml', import.meta.url), 'utf8'));
  await available('demo-api', 3);

  const deployments = cluster.client.resource(resources.Deployments);
  const template = { spec: { containers: [{ name: 'api', image: 'registry.example.com/demo-api:v1.3.0' }] } };
  await deployments.patch('default', 'demo-api', { spec: { template } }, 'application/strategic-merge-patch+json');
  await available('demo-api', 3);

  const pods = await cluster.client.resource(resources.Pods).list({ namespace: 'default', labelSelector: 'app=demo-api' });
  const running = pods.items.filter((pod) => !pod.metadata.deletionTimestamp);
  expect(running.map((pod) => pod.spec.containers[0]?.image)).toEqual(Array(3).fill('registry.example.com/demo-api:v1.3.0'));
});

/** Follows the Deployment until its latest template runs everywhere. */
async function available(name: string, replicas: number): Promise<void> {
  const stop = new AbortController();
  const watch = await cluster.client
    .resource(resources.Deployments)
    .watch({ namespace: 'default', fieldSelector: `metadata.name=${name}`, signal: stop.signal });
  for await (const { object } of watch) {
    const { status, metadata } = object;
    if (
      status.observedGeneration === metadata.generation &&
      status.updatedReplicas === replicas &&
      status.availableReplicas === replicas &&
      status.replicas === replicas
    )
      break;
  }
  stop.abort();
}
