import { afterEach, expect, test } from 'vitest';
import { Pods } from '../../src/api/resources.ts';
import { NodeFixture } from './node-fixture.ts';

let fixture: NodeFixture;
afterEach(() => fixture.stop());

test('hooks by HTTP reach the programs of other simulated pods', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({ containers: [{ name: 'c', image: 'agnhost', args: ['netexec'], command: ['/agnhost'] }] });
  await fixture.clock.advance(1000);
  const host = (await fixture.pod())!.status.podIP!;
  const call = (path: string, port = 8080) => ({ httpGet: { host, port, path } });
  const caller = (name: string, lifecycle: object) =>
    fixture.client.resource(Pods).create({
      metadata: { name, namespace: 'default' },
      spec: { terminationGracePeriodSeconds: 5, containers: [{ name: 'c', image: 'a', lifecycle, resources: {} }] },
    });
  await caller('well', { postStart: call('/echo?msg=begun'), preStop: call('/echo?msg=over') });
  await caller('ill', { postStart: call('/', 81) });
  await fixture.clock.advance(2000);
  await fixture.client.resource(Pods).delete('default', 'well');
  await fixture.clock.advance(2000);
  const [server] = await fixture.runtimes[0]!.runtimeService.listContainers({ labelSelector: { 'io.kubernetes.pod.name': 'p' } });
  let log = '';
  for await (const { text } of fixture.runtimes[0]!.runtimeService.logs(server!.id, {})) log += text;
  expect(log.match(/GET \S+/g)).toEqual(['GET /echo?msg=begun', 'GET /echo?msg=over']);
  expect((await fixture.events('ill')).join('\n')).toContain('FailedPostStartHook');
});
