import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Cluster, type ClusterOptions } from '../../src/cluster/cluster.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import { connect, type GoldenApi } from '../golden/api.mjs';
import { plain, withoutManagedFields } from '../golden/recordings.ts';
import { playRequests, type RequestCase } from '../golden/requests.mjs';

/** Plays cases over https against a cluster on virtual time, in which waits cost nothing. */
export function playOnVirtualTime(cases: readonly RequestCase[], options: ClusterOptions = {}): void {
  const clock = new VirtualClock();
  let cluster: Cluster;
  let api: GoldenApi;
  let directory: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'coracle-test-'));
    const kubeconfigFile = join(directory, 'kubeconfig');
    cluster = await Cluster.start({ nodes: 3, freeze: true, seed: 1, clock, kubeconfigFile, ...options });
    await clock.advance(1000);
    api = Object.assign(connect(kubeconfigFile), { sleep: (ms: number) => clock.advance(ms) });
  });

  afterAll(async () => {
    api.close();
    await cluster.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  for (const recorded of cases) {
    it(`${recorded.id}: ${recorded.title}`, async () => {
      const played = await playRequests(api, recorded);
      expect(withoutManagedFields(plain(played.answers))).toEqual(withoutManagedFields(plain(recorded.answers)));
    });
  }
}
