import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, type GoldenApi } from '../golden/api.mjs';
import { plain, recordings, withoutManagedFields } from '../golden/recordings.ts';
import { playRequests, type RequestCase, setSite } from '../golden/requests.mjs';
import { ClusterProcess } from './cluster-process.ts';
import { ContainerdSite, missingPackages } from './containerd-site.ts';
import { eventually } from './processes.ts';
import { busyboxRoot } from './registry.ts';

const missing = missingPackages();
if (missing.length > 0) console.log(`recordings of a real kubelet are not played here: ${missing.join(', ')} missing`);

const cases = recordings<RequestCase>('kubelet.jsonl');

/** Ten at once, as they were recorded: waits are fixed, and a machine that is busy falls behind them. */
describe.skipIf(missing.length > 0)('recordings of a real kubelet', () => {
  let site: ContainerdSite;
  let cluster: ClusterProcess;
  let api: GoldenApi;

  beforeAll(async () => {
    site = await ContainerdSite.start();
    const plainRoot = busyboxRoot(site.directory);
    const config = { Cmd: ['sh'] };
    await site.open.push({ name: 'test/busybox:1', root: plainRoot, config });
    await site.open.push({ name: 'test/fresh:1', root: busyboxRoot(site.directory, { 'etc/fresh': 'fresh' }), config });
    await site.closed.push({ name: 'test/busybox:1', root: plainRoot, config });
    cluster = new ClusterProcess(site, ['--cluster-dns', '10.0.0.10']);
    await cluster.start();
    await fetchImages();
    setSite({ real: cluster.nodeName, registry: site.open.address, private: site.closed.address });
    api = connect(cluster.kubeconfig);
  }, 120_000);

  afterAll(async () => {
    api?.close();
    await cluster?.stop();
    await site?.stop();
  }, 120_000);

  /** The recordings begin with both images on the node. */
  async function fetchImages(): Promise<void> {
    for (const name of ['busybox', 'fresh']) {
      await cluster.kubectl(`run ${name} --image ${site.open.address}/test/${name}:1 --restart Never --command -- true`);
      await eventually(async () => (await cluster.value(`pod ${name}`, '.status.phase')) === 'Succeeded', `${name} has run`);
    }
  }

  describe.concurrent('agrees', () => {
    for (const recorded of cases) {
      // What a machine that is busy has been too late for is played again, as the players of recordings do.
      it(`${recorded.id}: ${recorded.title}`, { retry: 2 }, async ({ expect: expectHere }) => {
        const played = await playRequests(api, recorded);
        expectHere(withoutManagedFields(plain(played.answers))).toEqual(withoutManagedFields(plain(recorded.answers)));
      });
    }
  });
});

it('has recordings to play', () => expect(cases.length).toBe(53));
