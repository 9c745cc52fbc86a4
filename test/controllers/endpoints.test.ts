import { describe, expect, it } from 'vitest';
import type { Pod } from '../../src/api/generated/types/core.v1.ts';
import { EndpointSlices, Pods, Services } from '../../src/api/resources.ts';
import { InformerFactory } from '../../src/client/informer.ts';
import { endpointsController } from '../../src/controllers/endpoints/controller.ts';
import { silent } from '../../src/lib/log.ts';
import { Rng } from '../../src/lib/rng.ts';
import { type ClusterUnderTest, clusters, deploymentDraft } from './virtual-cluster-fixture.ts';

describe('the controllers of endpoints', () => {
  const start = clusters();

  async function withService(): Promise<ClusterUnderTest> {
    const test = await start();
    const spec = { selector: { app: 'web' }, ports: [{ port: 80, protocol: 'TCP' }] };
    await test.cluster.client.resource(Services).create({ metadata: { name: 's', namespace: 't' }, spec });
    return test;
  }

  it('EP-7: only a change of a pod that shows concerns the Services that select it, or did before', async () => {
    const test = await withService();
    const { client, clock } = test.cluster;
    const informers = new InformerFactory({ client, clock, rng: new Rng(1), log: silent });
    const rule = endpointsController(informers).watches.find(({ resource }) => resource === Pods)!;
    informers.start();
    await clock.advance(1000);
    const pod = (labels: Record<string, string>, more: { annotations?: Record<string, string>; podIP?: string } = {}): Pod => {
      const { annotations = {}, podIP = '10.0.0.1' } = more;
      return { metadata: { name: 'p', namespace: 't', labels, annotations }, spec: { containers: [] }, status: { phase: 'Running', podIP } } as unknown as Pod;
    };
    const [web, other] = [{ app: 'web' }, { app: 'other' }];
    const keys = (old: Pod, object: Pod): readonly string[] => rule.keys({ type: 'updated', object, old });
    expect(keys(pod(web), pod(web, { annotations: { a: 'b' } }))).toEqual([]);
    expect(keys(pod(web), pod(web, { podIP: '10.0.0.2' }))).toEqual(['t/s']);
    expect(keys(pod(web), pod(other))).toEqual(['t/s']);
    expect(keys(pod(other), pod(other, { podIP: '10.0.0.2' }))).toEqual([]);
    expect(rule.keys({ type: 'added', object: pod(web) })).toEqual(['t/s']);
    await informers.stop();
  });

  it('EP-24: makes no slice twice, though the watch shows them late', async () => {
    const test = await start();
    await test.deployments.create(deploymentDraft(3));
    await test.settled();
    for (const transport of test.cluster.transports('kube-controller-manager')) transport.stall('endpointslices', 10_000);
    const spec = { selector: { app: 'web' }, ports: [{ port: 80, protocol: 'TCP' }] };
    await test.cluster.client.resource(Services).create({ metadata: { name: 's', namespace: 't' }, spec });
    await test.clock.advance(1000);
    await test.deployments.patch('t', 'web', { spec: { replicas: 4 } }, 'application/merge-patch+json');
    await test.clock.advance(60_000);
    const slices = (await test.cluster.client.resource(EndpointSlices).list({ namespace: 't' })).items;
    expect(slices.map(({ endpoints }) => endpoints.length)).toEqual([4]);
    expect(test.requests.filter(({ verb, resource, namespace }) => verb === 'create' && resource === 'endpointslices' && namespace === 't')).toHaveLength(1);
  });
});
