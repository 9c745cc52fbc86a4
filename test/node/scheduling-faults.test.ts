import { afterEach, expect, test } from 'vitest';
import type { ApiRequest } from '../../src/api/request.ts';
import { Nodes, Pods } from '../../src/api/resources.ts';
import { forbidden } from '../../src/api/status.ts';
import { Client } from '../../src/client/client.ts';
import { EventInstants, StoredEventRecorder } from '../../src/client/event-recorder.ts';
import { Informer } from '../../src/client/informer.ts';
import { silent } from '../../src/lib/log.ts';
import { defaultPlugins } from '../../src/scheduler/schedule.ts';
import { Scheduler, type SchedulerOptions } from '../../src/scheduler/scheduler.ts';
import { FaultyTransport } from '../../src/sim/faulty-transport.ts';
import { NodeFixture } from './node-fixture.ts';

const NAME = 'second-scheduler';
const spec = { schedulerName: NAME, containers: [{ name: 'c', image: 'a' }] };

let fixture: NodeFixture;
const stop: AbortController[] = [];
afterEach(() => {
  for (const one of stop.splice(0)) one.abort();
  fixture.stop();
});

/** A second scheduler beside the fixture's; `seen` is told of each of its requests, and may refuse it. */
async function startScheduler(options: Partial<SchedulerOptions>, seen: (request: ApiRequest) => Error | undefined = () => undefined): Promise<void> {
  const { clock, rng, apiServer } = fixture;
  const ending = new AbortController();
  stop.push(ending);
  const disturb = (request: ApiRequest) => {
    const error = seen(request);
    return error && ({ type: 'refuse', error } as const);
  };
  const transport = new FaultyTransport({ server: apiServer, clock, component: NAME, disturb });
  const client = new Client(transport, { name: 'admin', groups: ['system:masters'] }, NAME);
  const shared = { clock, rng, log: silent };
  const pods = new Informer({ client: client.resource(Pods), ...shared });
  const nodes = new Informer({ client: client.resource(Nodes), ...shared });
  const recorder = new StoredEventRecorder({ client, component: NAME, instants: new EventInstants(rng), ...shared });
  pods.start(ending.signal);
  nodes.start(ending.signal);
  await new Scheduler({ client, recorder, pods, nodes, name: NAME, ...shared, ...options }).start(ending.signal);
}

const conditionOf = async (name: string) => (await fixture.pod(name))?.status.conditions?.find(({ type }) => type === 'PodScheduled');

test('SCH-11: a plugin that throws stops neither the scheduler nor the other pods; its own pod is tried again', async () => {
  fixture = await NodeFixture.start();
  let broken = true;
  const errors: unknown[] = [];
  const picky = {
    name: 'Picky',
    filter: ({ pod }: { pod: { metadata: { name?: string } } }) => {
      if (broken && pod.metadata.name === 'bad') throw new Error('this plugin is broken');
      return undefined;
    },
  };
  const plugins = { ...defaultPlugins, filters: [picky, ...defaultPlugins.filters] };
  await startScheduler({ plugins, log: { ...silent, error: (_message, fields) => errors.push(String(fields?.['error'])) } });
  await fixture.create(spec, { name: 'bad' });
  await fixture.create(spec, { name: 'good' });
  await fixture.clock.advance(5000);
  expect((await fixture.pod('good'))?.status.phase).toBe('Running');
  expect(await conditionOf('bad')).toMatchObject({ status: 'False', reason: 'SchedulerError', message: 'this plugin is broken' });
  // At once, and 1 and 3 seconds later.
  expect(errors).toEqual(Array.from({ length: 3 }, () => 'Error: this plugin is broken'));
  broken = false;
  await fixture.clock.advance(10_000);
  expect((await fixture.pod('bad'))?.status.phase).toBe('Running');
});

test('SCH-12: a binding that is refused is told, and not tried again until something changes', async () => {
  fixture = await NodeFixture.start();
  let bindings = 0;
  let refuse = true;
  await startScheduler({}, ({ subresource }) => {
    if (subresource !== 'binding') return undefined;
    bindings++;
    return refuse ? forbidden({ group: '', resource: 'pods' }, 'p', 'not you') : undefined;
  });
  await fixture.create(spec);
  await fixture.clock.advance(60_000);
  expect(bindings).toBe(1);
  const message = 'running Bind plugin "DefaultBinder": pods "p" is forbidden: not you';
  expect(await conditionOf('p')).toMatchObject({ status: 'False', reason: 'SchedulerError', message });
  expect(await fixture.events()).toEqual([`FailedScheduling ${message}`]);
  refuse = false;
  await fixture.client.resource(Nodes).patch('', 'node-1', { metadata: { labels: { a: 'b' } } }, 'application/merge-patch+json');
  await fixture.clock.advance(1000);
  expect((await fixture.pod())?.status.phase).toBe('Running');
});

test('SCH-13: a binding that fails is tried again after 1, 2, 4, … 10 seconds', async () => {
  fixture = await NodeFixture.start();
  const at: number[] = [];
  const begunAt = fixture.clock.now();
  await startScheduler({}, ({ subresource }) => {
    if (subresource !== 'binding') return undefined;
    at.push((fixture.clock.now() - begunAt) / 1000);
    return new Error('the connection was reset');
  });
  await fixture.create(spec);
  await fixture.clock.advance(40_000);
  expect(at).toEqual([0, 1, 3, 7, 15, 25, 35]);
  expect(await conditionOf('p')).toBeUndefined();
});
