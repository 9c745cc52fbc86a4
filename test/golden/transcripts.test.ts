import { describe, it } from 'vitest';
import { type Clock, SystemClock, type Timer } from '../../src/lib/clock.ts';
import { clientBinary } from '../e2e/client-binaries.ts';
import { startFixture } from '../e2e/cluster-fixture.ts';
import { connect } from './api.mjs';
import { plain, recordings } from './recordings.ts';
import { playTranscript, type Transcript } from './transcripts.mjs';

/** Time at half speed: what a transcript asks within a deadline of three seconds is asked in time on a busy machine too. */
class HalfSpeedClock implements Clock {
  readonly #system = new SystemClock();
  readonly #start = this.#system.now();

  now(): number {
    return Math.floor((this.#start + this.#system.now()) / 2);
  }

  schedule(afterMs: number, fire: () => void): Timer {
    return this.#system.schedule(afterMs * 2, fire);
  }
}

describe.concurrent('kubectl 1.35 prints what it printed against a real control plane', () => {
  for (const recorded of recordings<Transcript>('transcripts.jsonl')) {
    it(`${recorded.id}: ${recorded.title}`, { timeout: 120_000 }, async ({ expect, onTestFinished }) => {
      const fixture = await startFixture(recorded.id === 'K-stuck' ? { clock: new HalfSpeedClock() } : {});
      onTestFinished(() => fixture.stop());
      const api = connect(fixture.kubeconfigFile);
      onTestFinished(() => api.close());
      const played = await playTranscript(api, recorded, clientBinary('kubectl'), fixture.kubeconfigFile);
      expect(plain(played.commands)).toEqual(plain(recorded.commands));
    });
  }
});
