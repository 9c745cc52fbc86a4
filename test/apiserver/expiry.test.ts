import { describe, expect, it } from 'vitest';
import { ConfigMaps, Events, Namespaces } from '../../src/api/resources.ts';
import { ApiServer } from '../../src/apiserver/api-server.ts';
import { Expiry } from '../../src/apiserver/storage/expiry.ts';
import { Client } from '../../src/client/client.ts';
import { administrator } from '../../src/cluster/users.ts';
import { timestamp } from '../../src/lib/clock.ts';
import { Rng } from '../../src/lib/rng.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import { MemoryStore } from '../../src/store/memory/memory-store.ts';

const MINUTE = 60_000;

describe('events', () => {
  it('go an hour after they were last told; nothing else goes', async () => {
    const clock = new VirtualClock();
    const apiServer = new ApiServer({ store: new MemoryStore(), clock, rng: new Rng(1), admission: () => [], freeze: true });
    const client = new Client(apiServer, administrator, 'test');
    const expiry = new Expiry(apiServer);
    expiry.start();
    await client.resource(Namespaces).create({ metadata: { name: 'n' } });
    await client.resource(ConfigMaps).create({ metadata: { name: 'stays', namespace: 'n' } });
    const events = client.resource(Events);
    const involvedObject = { kind: 'Pod', name: 'p', namespace: 'n' };
    for (const name of ['once', 'again']) await events.create({ metadata: { name, namespace: 'n' }, involvedObject, lastTimestamp: timestamp(clock.now()) });
    await clock.advance(40 * MINUTE);
    await events.patch('n', 'again', { count: 2, lastTimestamp: timestamp(clock.now()) }, 'application/merge-patch+json');
    const names = async (): Promise<(string | undefined)[]> => (await events.list({ namespace: 'n' })).items.map((event) => event.metadata.name);
    await clock.advance(19 * MINUTE);
    expect(await names()).toEqual(['again', 'once']);
    await clock.advance(3 * MINUTE);
    expect(await names()).toEqual(['again']);
    await clock.advance(40 * MINUTE);
    expect(await names()).toEqual([]);
    expect((await client.resource(ConfigMaps).list({ namespace: 'n' })).items).toHaveLength(1);
    expiry.stop();
  });
});
