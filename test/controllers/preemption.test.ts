import { expect, it } from 'vitest';
import { Events, PriorityClasses } from '../../src/api/resources.ts';
import { clusters, deploymentDraft } from './virtual-cluster-fixture.ts';

const start = clusters();

it('C201: a pod that has made room for itself gets it, and the successor of its victim waits', async () => {
  const test = await start();
  for (const [name, value] of [
    ['low', 10],
    ['high', 1000],
  ] as const)
    await test.client.resource(PriorityClasses).create({ metadata: { name }, value });
  const template = (app: string, priorityClassName: string) => ({
    metadata: { labels: { app } },
    spec: { priorityClassName, containers: [{ name: 'app', image: 'a', resources: { requests: { cpu: '6' } } }] },
  });
  const draft = (app: string, replicas: number, priority: string) => ({
    ...deploymentDraft(replicas, { selector: { matchLabels: { app } }, template: template(app, priority) }),
    metadata: { name: app, namespace: 't' },
  });
  await test.deployments.create(draft('lowp', 3, 'low'));
  await test.clock.advance(10_000);
  await test.deployments.create(draft('highp', 1, 'high'));
  await test.clock.advance(120_000);
  const pods = (await test.pods.list({ namespace: 't' })).items.map(({ metadata, status }) => `${metadata.labels?.['app']} ${status.phase}`).sort();
  expect(pods).toEqual(['highp Running', 'lowp Pending', 'lowp Running', 'lowp Running']);
  const events = (await test.client.resource(Events).list({ namespace: 't' })).items;
  expect(events.filter(({ reason }) => reason === 'Preempted')).toHaveLength(1);
});
