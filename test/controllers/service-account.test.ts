import { describe, expect, it } from 'vitest';
import { ServiceAccounts } from '../../src/api/resources.ts';
import { clusters } from './virtual-cluster-fixture.ts';

describe('the service account controller', () => {
  const start = clusters();

  it('gives every active namespace its default account, and again when it is deleted', async () => {
    const { cluster, clock } = await start();
    const accounts = cluster.client.resource(ServiceAccounts);
    expect((await accounts.list({ namespace: 't' })).items.map(({ metadata }) => metadata.name)).toEqual(['default']);
    await accounts.delete('t', 'default');
    await clock.advance(100);
    expect((await accounts.list({ namespace: 't' })).items).toHaveLength(1);
  });
});
