import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/object.ts';
import { ConfigMaps } from '../../src/api/resources.ts';
import { clusters } from './virtual-cluster-fixture.ts';

describe('the garbage collector', () => {
  const start = clusters();

  async function world() {
    const { cluster, clock } = await start();
    const configMaps = cluster.client.resource(ConfigMaps);
    const make = async (name: string, owners: KubeObject[] = [], finalizers: string[] = []): Promise<KubeObject> => {
      const ownerReferences = owners.map(({ metadata }) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: metadata.name!,
        uid: metadata.uid!,
        blockOwnerDeletion: true,
      }));
      return configMaps.create({ metadata: { name, namespace: 't', ownerReferences, ...(finalizers.length ? { finalizers } : {}) } });
    };
    const names = async (): Promise<string[]> => {
      await clock.advance(20_000);
      const { items } = await configMaps.list({ namespace: 't' });
      return items.flatMap(({ metadata }) => (metadata.name === 'kube-root-ca.crt' ? [] : [metadata.name!])).toSorted();
    };
    return { clock, configMaps, make, names };
  }

  it('background: dependents follow, and theirs', async () => {
    const { configMaps, make, names } = await world();
    const owner = await make('owner');
    const child = await make('child', [owner]);
    await make('grandchild', [child]);
    await make('other');
    expect(await names()).toEqual(['child', 'grandchild', 'other', 'owner']);
    await configMaps.delete('t', 'owner');
    expect(await names()).toEqual(['other']);
  });

  it('one owner that lives keeps a dependent, which lets go of the other', async () => {
    const { configMaps, make, names } = await world();
    const owners = [await make('one'), await make('two')];
    await make('child', owners);
    await names();
    await configMaps.delete('t', 'one');
    expect(await names()).toEqual(['child', 'two']);
    expect((await configMaps.get('t', 'child')).metadata.ownerReferences?.map(({ name }) => name)).toEqual(['two']);
  });

  it('an owner counts as gone only if the API server has nothing of its uid', async () => {
    const { make, names } = await world();
    const ghost: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'owner', uid: 'another' } };
    const owner = await make('owner');
    await make('child-of-a-namesake', [ghost]);
    await make('child', [owner]);
    expect(await names()).toEqual(['child', 'owner']);
  });

  it('foreground: the owner waits for dependents that block it', async () => {
    const { configMaps, make, names } = await world();
    const owner = await make('owner');
    await make('child', [owner], ['example.com/hold']);
    await names();
    await configMaps.delete('t', 'owner', { propagationPolicy: 'Foreground' });
    expect(await names()).toEqual(['child', 'owner']);
    await configMaps.patch('t', 'child', { metadata: { finalizers: null } }, 'application/merge-patch+json');
    expect(await names()).toEqual([]);
  });

  it('orphan: dependents are let go, then the owner goes', async () => {
    const { configMaps, make, names } = await world();
    const owner = await make('owner');
    await make('child', [owner]);
    await names();
    await configMaps.delete('t', 'owner', { propagationPolicy: 'Orphan' });
    expect(await names()).toEqual(['child']);
    expect((await configMaps.get('t', 'child')).metadata.ownerReferences ?? []).toEqual([]);
  });
});
