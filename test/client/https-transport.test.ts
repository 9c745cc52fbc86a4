import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigMaps } from '../../src/api/resources.ts';
import { Client } from '../../src/client/client.ts';
import { HttpsTransport } from '../../src/client/https-transport.ts';
import { InformerFactory } from '../../src/client/informer.ts';
import { readKubeconfig } from '../../src/client/kubeconfig.ts';
import { Cluster } from '../../src/cluster/cluster.ts';
import { SystemClock } from '../../src/lib/clock.ts';
import { silent } from '../../src/lib/log.ts';
import { Rng } from '../../src/lib/rng.ts';

describe('the client over https, against a cluster', () => {
  const folder = mkdtempSync(join(tmpdir(), 'coracle-client-'));
  const kubeconfigFile = join(folder, 'config');
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await Cluster.start({ nodes: 0, kubeconfigFile });
  });
  afterAll(async () => {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function connect(): Client {
    const { connection } = readKubeconfig(kubeconfigFile);
    return new Client(new HttpsTransport(connection), { name: 'ignored', groups: [] }, 'test');
  }

  it('a kubeconfig leads to the server, with its certificates and the default namespace', () => {
    const { connection, namespace } = readKubeconfig(kubeconfigFile);
    expect(namespace).toBe('default');
    expect(connection.server).toBe(cluster.server);
    expect(String(connection.certificateAuthority)).toContain('BEGIN CERTIFICATE');
    expect(() => readKubeconfig(kubeconfigFile, 'another')).toThrow('context "another" does not exist');
  });

  it('creates, reads, changes and deletes', async () => {
    const configMaps = connect().resource(ConfigMaps);
    await configMaps.create({ metadata: { name: 'a', namespace: 'default' }, data: { key: 'one' } });
    await configMaps.patch('default', 'a', { data: { key: 'two' } }, 'application/merge-patch+json');
    const read = await configMaps.get('default', 'a');
    expect(read).toMatchObject({ apiVersion: 'v1', kind: 'ConfigMap', data: { key: 'two' } });
    expect(read.metadata.uid).toBe((await cluster.client.resource(ConfigMaps).get('default', 'a')).metadata.uid);
    await configMaps.delete('default', 'a');
    await expect(configMaps.get('default', 'a')).rejects.toMatchObject({ name: 'StatusError', code: 404, reason: 'NotFound' });
  });

  it('failures come as the same StatusError as in process', async () => {
    const bad = { metadata: { name: 'Not A Name', namespace: 'default' } };
    const failure = async (client: Client): Promise<unknown> =>
      client
        .resource(ConfigMaps)
        .create(bad)
        .catch((error: { status: unknown }) => error.status);
    expect(await failure(connect())).toEqual(await failure(cluster.client));
  });

  it('an informer follows a watch', async () => {
    const client = connect();
    const informers = new InformerFactory({ client, clock: new SystemClock(), rng: new Rng(1), log: silent });
    const seen: string[] = [];
    let wake = (): void => {};
    const told = (text: string): void => {
      seen.push(text);
      wake();
    };
    informers.informer(ConfigMaps).addHandler({
      added: ({ metadata }) => metadata.name === 'watched' && told('added'),
      deleted: ({ metadata }) => metadata.name === 'watched' && told('deleted'),
    });
    informers.start();
    await informers.whenSynced();
    const configMaps = cluster.client.resource(ConfigMaps);
    await configMaps.create({ metadata: { name: 'watched', namespace: 'default' } });
    await configMaps.delete('default', 'watched');
    while (seen.length < 2) await new Promise<void>((resolve) => (wake = resolve));
    expect(seen).toEqual(['added', 'deleted']);
    await informers.stop();
  });

  it('a server that is not there is no StatusError', async () => {
    const { connection } = readKubeconfig(kubeconfigFile);
    const nobody = new Client(new HttpsTransport({ ...connection, server: 'https://127.0.0.1:1' }), { name: '', groups: [] }, 'test');
    await expect(nobody.resource(ConfigMaps).get('default', 'a')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });
});
