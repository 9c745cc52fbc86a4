import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Cluster } from '../../src/cluster/cluster.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import { connect, type GoldenApi } from '../golden/api.mjs';
import { plain, recordings, withoutManagedFields } from '../golden/recordings.ts';
import { playRequests, type RequestCase } from '../golden/requests.mjs';

// What a real control plane did with StatefulSets, DaemonSets, Jobs, CronJobs, volumes and budgets, played over https against
// a cluster on virtual time: waits cost nothing.

/** A request there comes before the controllers have looked; here they are as fast as the request. */
const RACES = new Set(['SS-scale', 'RS-cost']);

const cases = recordings<RequestCase>('workloads.jsonl').filter(({ id }) => !RACES.has(id));

describe('recorded workloads', () => {
  const clock = new VirtualClock();
  let cluster: Cluster;
  let api: GoldenApi;
  let directory: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'coracle-test-'));
    const kubeconfigFile = join(directory, 'kubeconfig');
    cluster = await Cluster.start({ nodes: 3, freeze: true, seed: 1, clock, kubeconfigFile });
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
});
