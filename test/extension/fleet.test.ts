import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KindBehaviour } from '../../src/api/kind.ts';
import { ConfigMaps } from '../../src/api/resources.ts';
import { controllers, run } from '../../src/controllers/index.ts';
import { type ClusterFixture, startFixture } from '../e2e/cluster-fixture.ts';
import { fleetController, planFleet } from './fleet/controller.ts';
import { type Fleet, Fleets, fleet } from './fleet/fleet.ts';

let fixture: ClusterFixture;
beforeAll(async () => {
  fixture = await startFixture({
    kinds: [fleet as unknown as KindBehaviour],
    controllers: (options) => [...controllers(options), run(fleetController(options.informers), options)],
  });
});
afterAll(() => fixture.stop());

const manifest = (name: string, spec: string): string => `apiVersion: example.dev/v1\nkind: Fleet\nmetadata: {name: ${name}}\nspec: ${spec}\n`;

async function launched(name: string, count: number): Promise<void> {
  const stop = new AbortController();
  const watch = await fixture.cluster.client.resource(Fleets).watch({ namespace: 'default', fieldSelector: `metadata.name=${name}`, signal: stop.signal });
  for await (const { object } of watch) if (object.status?.launched === count) break;
  stop.abort();
}

describe('a kind and a controller of one’s own', () => {
  it('is defaulted, ruled, shown, scaled and controlled', async () => {
    const { kubectl } = fixture;
    expect(await kubectl('apply -f -', { input: manifest('red', '{}') })).toMatchObject({ code: 0, stdout: 'fleet.example.dev/red created\n' });
    await launched('red', 1);
    expect((await kubectl('get fl')).stdout.split('\n').map((line) => line.trim().split(/ +/))).toMatchObject([
      ['NAME', 'BOATS', 'LAUNCHED'],
      ['red', '1', '1'],
      [''],
    ]);
    expect(await kubectl('scale fleet red --replicas 3')).toMatchObject({ code: 0 });
    await launched('red', 3);
    const refused = await kubectl('apply -f -', { input: manifest('blue', '{boats: 10}') });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('spec.boats: Invalid value: 10: the harbour has nine berths') });
    expect((await kubectl('apply --server-side -f -', { input: manifest('red', '{boats: 4}') })).stderr).toContain(
      'conflict with "kubectl" with subresource "scale"',
    );
  });

  it('is told of fields that it does not have, and collected like any other', async () => {
    const { kubectl, cluster } = fixture;
    expect((await kubectl('apply -f -', { input: manifest('green', '{boats: 2, crew: 5}') })).stderr).toContain('unknown field "spec.crew"');
    expect(await kubectl('create -f -', { input: manifest('green', '{boats: 2}') })).toMatchObject({ code: 0 });
    await launched('green', 2);
    expect(await kubectl('delete fleet green --cascade=foreground')).toMatchObject({ code: 0 });
    const left = (await cluster.client.resource(ConfigMaps).list({ namespace: 'default' })).items.map(({ metadata }) => metadata.name);
    expect(left.filter((name) => name?.startsWith('green-'))).toEqual([]);
  });

  it('goes while the server runs, and comes back', async () => {
    const { kubectl, cluster } = fixture;
    const { registry } = cluster.apiServer;
    const served = registry.get(Fleets);
    registry.remove(Fleets);
    expect((await kubectl('get --raw /apis/example.dev/v1')).code).toBe(1);
    registry.add(served);
    expect((await kubectl('get --raw /apis/example.dev/v1')).stdout).toContain('"fleets/scale"');
    expect(await kubectl('create -f -', { input: manifest('late', '{boats: 1}') })).toMatchObject({ code: 0 });
  });

  it('plans what is missing, and says how many there are', () => {
    const object = { metadata: { name: 'a', namespace: 'n', uid: 'u' }, spec: { boats: 2 }, status: { launched: 0 } } as unknown as Fleet;
    expect(planFleet({ fleet: object, boats: [] }).actions).toMatchObject([{ type: 'create' }, { type: 'create' }]);
  });
});
