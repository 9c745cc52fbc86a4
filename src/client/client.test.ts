import { afterEach, describe, expect, it } from 'vitest';
import type { ConfigMap } from '../api/generated/types/core.v1.ts';
import { ConfigMaps, Events } from '../api/resources.ts';
import { StatusError } from '../api/status.ts';
import { silent } from '../lib/log.ts';
import { Rng } from '../lib/rng.ts';
import { VirtualClock } from '../lib/virtual-clock.ts';
import { Client } from './client.ts';
import { StoredEventRecorder } from './event-recorder.ts';
import { FakeApiServer } from './fake-api-server.ts';
import { InformerFactory } from './informer.ts';
import { WorkQueue } from './work-queue.ts';

function world() {
  const clock = new VirtualClock();
  const rng = new Rng(1);
  const server = new FakeApiServer(clock, rng.fork('server'));
  const client = new Client(server, { name: 'test', groups: [] }, 'test');
  const informers = new InformerFactory({ client, clock, rng, log: silent });
  return { clock, rng, server, client, informers };
}

describe('WorkQueue', () => {
  it('hands out a key once, and again after done() if it was added meanwhile', async () => {
    const queue = new WorkQueue({ clock: new VirtualClock() });
    queue.add('a');
    queue.add('a');
    queue.add('b');
    expect(await queue.get()).toBe('a');
    queue.add('a');
    expect(await queue.get()).toBe('b');
    expect(queue.length).toBe(0);
    queue.done('a');
    expect(await queue.get()).toBe('a');
  });

  it('waits longer after each failure, up to the limit, until the key is forgotten', async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    const waits: number[] = [];
    for (let failure = 0; failure < 4; failure++) {
      const since = clock.now();
      queue.addRateLimited('a');
      await clock.runUntil(() => queue.length > 0, 10_000);
      waits.push(clock.now() - since);
      queue.done((await queue.get())!);
    }
    expect(waits).toEqual([5, 10, 20, 40]);
    queue.forget('a');
    expect(queue.failuresOf('a')).toBe(0);
  });

  it('of several delays the earliest counts', async () => {
    const clock = new VirtualClock();
    const queue = new WorkQueue({ clock });
    queue.addAfter('a', 5000);
    queue.addAfter('a', 1000);
    queue.addAfter('a', 3000);
    await clock.advance(1000);
    expect(queue.length).toBe(1);
    queue.done((await queue.get())!);
    await clock.advance(10_000);
    expect(queue.length).toBe(0);
  });

  it('lets everybody go at its end', async () => {
    const queue = new WorkQueue({ clock: new VirtualClock() });
    const waiting = queue.get();
    queue.shutDown();
    expect(await waiting).toBeUndefined();
    queue.add('a');
    expect(await queue.get()).toBeUndefined();
  });
});

describe('Informer', () => {
  let stop: () => Promise<void> = async () => {};
  afterEach(() => stop());

  async function started() {
    const all = world();
    stop = () => all.informers.stop();
    const configMaps = all.client.resource(ConfigMaps);
    const seen: string[] = [];
    await configMaps.create({ metadata: { name: 'a', namespace: 'x' } });
    const informer = all.informers.informer(ConfigMaps);
    informer.addIndex('team', ({ metadata }: ConfigMap) => (metadata.labels?.team ? [metadata.labels.team] : []));
    informer.addHandler({
      added: ({ metadata }) => void seen.push(`+${metadata.name}`),
      updated: (old, { metadata }) => void seen.push(`~${metadata.name} ${old.metadata.resourceVersion}->${metadata.resourceVersion}`),
      deleted: ({ metadata }) => void seen.push(`-${metadata.name}`),
    });
    all.informers.start();
    await all.clock.advance(1);
    return { ...all, configMaps, informer, seen };
  }

  it('follows creations, updates and deletions', async () => {
    const { clock, configMaps, informer, seen } = await started();
    expect(informer.hasSynced).toBe(true);
    await configMaps.create({ metadata: { name: 'b', namespace: 'y', labels: { team: 'red' } } });
    await configMaps.patch('x', 'a', { data: { k: 'v' } }, 'application/merge-patch+json');
    await clock.advance(1);
    expect(informer.lister.by('team', 'red').map(({ metadata }) => metadata.name)).toEqual(['b']);
    expect(informer.lister.list({ namespace: 'x' })).toHaveLength(1);
    await configMaps.delete('y', 'b');
    await clock.advance(1);
    expect(informer.lister.get('y', 'b')).toBeUndefined();
    expect(informer.lister.by('team', 'red')).toEqual([]);
    expect(seen).toEqual(['+a', '+b', '~a 2->4', '-b']);
  });

  it('missed event: after a cut watch it sees what happened meanwhile, without a new list', async () => {
    const { clock, configMaps, server, seen } = await started();
    server.breakWatches();
    await configMaps.create({ metadata: { name: 'b', namespace: 'x' } });
    await clock.advance(5000);
    expect(seen).toEqual(['+a', '+b']);
    expect(server.requests.filter(({ verb }) => verb === 'list')).toHaveLength(1);
  });

  it('lists anew where the past is gone, and tells of what was deleted and made anew', async () => {
    const { clock, configMaps, server, seen } = await started();
    server.intercept = ({ verb }) => {
      if (verb === 'watch') throw new StatusError(410, 'Expired', 'too old resource version');
    };
    server.breakWatches();
    await clock.advance(10);
    await configMaps.delete('x', 'a');
    await configMaps.create({ metadata: { name: 'a', namespace: 'x' } });
    await clock.advance(60_000);
    expect(seen).toEqual(['+a', '-a', '+a']);
  });

  it('a handler that comes late is told of everything', async () => {
    const { informer } = await started();
    const late: string[] = [];
    informer.addHandler({ added: ({ metadata }) => void late.push(metadata.name!) });
    expect(late).toEqual(['a']);
  });
});

describe('StoredEventRecorder', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', namespace: 'x', uid: 'u' } };

  async function recorded(notes: string[], { gapMs = 0 }: { gapMs?: number } = {}) {
    const { clock, rng, client, server } = world();
    const recorder = new StoredEventRecorder({ client, clock, rng, log: silent, component: 'tester' });
    for (const message of notes) {
      recorder.event(pod, { type: 'Normal', reason: 'Told', message });
      await recorder.flush();
      await clock.advance(gapMs);
    }
    const { items } = await client.resource(Events).list({ namespace: 'x' });
    return { server, events: items.map(({ message, count }) => `${message} x${count}`), first: items[0] };
  }

  it('writes an event with its source and a name after the object', async () => {
    const { first } = await recorded(['hello']);
    expect(first).toMatchObject({ involvedObject: { kind: 'Pod', name: 'p' }, source: { component: 'tester' }, reportingComponent: 'tester', count: 1 });
    expect(first!.metadata.name).toMatch(/^p\.[0-9a-f]{16}$/);
  });

  it('counts equal events', async () => {
    expect((await recorded(['a', 'a', 'b', 'a'])).events).toEqual(['a x3', 'b x1']);
  });

  it('combines similar events after ten in ten minutes', async () => {
    const { events } = await recorded(Array.from({ length: 12 }, (_, index) => `m${index}`));
    expect(events).toHaveLength(10);
    expect(events.at(-1)).toBe('(combined from similar events): m11 x3');
  });

  it('lets 25 through at once, then one in five minutes; those that were dropped count', async () => {
    const { events } = await recorded(Array.from({ length: 40 }, () => 'a'));
    expect(events).toEqual(['a x25']);
    const slow = await recorded(
      Array.from({ length: 31 }, () => 'a'),
      { gapMs: 60_000 },
    );
    expect(slow.events).toEqual(['a x31']);
  });

  it('a refused event disturbs nobody', async () => {
    const { clock, rng, client, server } = world();
    server.intercept = () => {
      throw new StatusError(403, 'Forbidden', 'no');
    };
    const recorder = new StoredEventRecorder({ client, clock, rng, log: silent, component: 'tester' });
    recorder.event(pod, { type: 'Normal', reason: 'Told', message: 'a' });
    await recorder.flush();
  });
});
