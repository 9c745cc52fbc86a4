import { afterAll, beforeAll, describe, it } from 'vitest';
import { clientBinary } from '../e2e/client-binaries.ts';
import { type ClusterFixture, startFixture } from '../e2e/cluster-fixture.ts';
import { connect, type GoldenApi } from './api.mjs';
import { plain, recordings } from './recordings.ts';
import { playTranscript, type Transcript } from './transcripts.mjs';

describe.concurrent('kubectl 1.35 prints what it printed against a real control plane', () => {
  let fixture: ClusterFixture;
  let api: GoldenApi;
  beforeAll(async () => {
    fixture = await startFixture();
    api = connect(fixture.kubeconfigFile);
  });
  afterAll(async () => {
    api.close();
    await fixture.stop();
  });
  for (const recorded of recordings<Transcript>('transcripts.jsonl')) {
    it(`${recorded.id}: ${recorded.title}`, { timeout: 120_000 }, async ({ expect }) => {
      const played = await playTranscript(api, recorded, clientBinary('kubectl'), fixture.kubeconfigFile);
      expect(plain(played.commands)).toEqual(plain(recorded.commands));
    });
  }
});
