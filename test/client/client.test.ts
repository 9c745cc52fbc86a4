import { afterEach, describe, expect, it } from 'vitest';
import type { ConfigMap } from '../../src/api/generated/types/core.v1.ts';
import type { ApiRequest } from '../../src/api/request.ts';
import { ConfigMaps, Events, Namespaces } from '../../src/api/resources.ts';
import { StatusError } from '../../src/api/status.ts';
import { ApiServer } from '../../src/apiserver/api-server.ts';
import { Client } from '../../src/client/client.ts';
import { EventInstants, StoredEventRecorder } from '../../src/client/event-recorder.ts';
import { InformerFactory } from '../../src/client/informer.ts';
import { administrator } from '../../src/cluster/users.ts';
import { silent } from '../../src/lib/log.ts';
import { Rng } from '../../src/lib/rng.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import { type Disturbance, FaultyTransport } from '../../src/sim/faulty-transport.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';

/** An API server with a transport in front of it that a test can listen to and disturb. */
async function world() {
  const clock = new VirtualClock();
  const rng = new Rng(1);
  const server = new ApiServer({ store: new MemoryStore(), clock, rng: rng.fork('server'), admission: () => [], freeze: true });
  const requests: ApiRequest[] = [];
  const faults: { disturb: (request: ApiRequest) => Disturbance | undefined } = { disturb: () => undefined };
  const disturb = (request: ApiRequest): Disturbance | undefined => {
    requests.push(request);
    return faults.disturb(request);
  };
  const transport = new FaultyTransport({ server, clock, component: 'test', disturb });
  const direct = new Client(server, administrator, 'test');
  for (const name of ['x', 'y']) await direct.resource(Namespaces).create({ metadata: { name } });
  const client = new Client(transport, administrator, 'test');
  const informers = new InformerFactory({ client, clock, rng, log: silent });
  return { clock, rng, server, transport, requests, faults, client, direct, informers };
}

describe('Informer', () => {
  let stop: () => Promise<void> = async () => {};
  afterEach(() => stop());

  async function started() {
    const all = await world();
    stop = () => all.informers.stop();
    const configMaps = all.direct.resource(ConfigMaps);
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
    expect(seen.map((line) => line.split(' ')[0])).toEqual(['+a', '+b', '~a', '-b']);
  });

  it('missed event: after a cut watch it sees what happened meanwhile, without a new list', async () => {
    const { clock, configMaps, requests, transport, seen } = await started();
    transport.cutWatches();
    await configMaps.create({ metadata: { name: 'b', namespace: 'x' } });
    await clock.advance(5000);
    expect(seen).toEqual(['+a', '+b']);
    expect(requests.filter(({ verb }) => verb === 'list')).toHaveLength(1);
  });

  it('lists anew where the past is gone, and tells of what was deleted and made anew', async () => {
    const { clock, configMaps, server, transport, seen } = await started();
    transport.cutWatches();
    await clock.advance(10);
    await configMaps.delete('x', 'a');
    await configMaps.create({ metadata: { name: 'a', namespace: 'x' } });
    await server.storage.compact();
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
    const { clock, rng, client } = await world();
    const recorder = new StoredEventRecorder({ client, clock, instants: new EventInstants(rng), log: silent, component: 'tester' });
    for (const message of notes) {
      recorder.event(pod, { type: 'Normal', reason: 'Told', message });
      await recorder.flush();
      await clock.advance(gapMs);
    }
    const { items } = await client.resource(Events).list({ namespace: 'x' });
    return { events: items.map(({ message, count }) => `${message} x${count}`), first: items[0] };
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
    expect(events).toContain('(combined from similar events): m11 x3');
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
    const { clock, rng, client, faults } = await world();
    faults.disturb = () => ({ type: 'refuse', error: new StatusError(403, 'Forbidden', 'no') });
    const recorder = new StoredEventRecorder({ client, clock, instants: new EventInstants(rng), log: silent, component: 'tester' });
    recorder.event(pod, { type: 'Normal', reason: 'Told', message: 'a' });
    await recorder.flush();
  });
});
