import { afterEach, expect, test } from 'vitest';
import { Pods } from '../../src/api/resources.ts';
import { NodeFixture } from './node-fixture.ts';

let fixture: NodeFixture;
afterEach(() => fixture.stop());

const cpu = (amount: string) => ({ resources: { requests: { cpu: amount }, limits: { cpu: amount } } });

test.each([
  ['in place', 'NotRequired', 0],
  ['with a restart', 'RestartContainer', 1],
])('KUB-33: a container is resized %s', async (_name, restartPolicy, restarts) => {
  fixture = await NodeFixture.start();
  const resizePolicy = [{ resourceName: 'cpu', restartPolicy }];
  await fixture.create({ containers: [{ name: 'c', image: 'a', resizePolicy, ...cpu('1') }] });
  await fixture.clock.advance(2000);
  const patch = { spec: { containers: [{ name: 'c', ...cpu('2') }] } };
  await fixture.client.resource(Pods).patch('default', 'p', patch, 'application/strategic-merge-patch+json', { subresource: 'resize' });
  await fixture.clock.advance(2000);
  const status = (await fixture.pod())?.status.containerStatuses?.[0];
  expect(status).toMatchObject({ ready: true, restartCount: restarts, ...cpu('2') });
});
