import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterFixture, startFixture } from '../e2e/cluster-fixture.ts';
import { connect, type GoldenApi } from './api.mjs';
import { plain, recordings, withoutManagedFields } from './recordings.ts';
import { playRequests, type RequestCase } from './requests.mjs';

/** Cases that cordon or fill nodes have a cluster for themselves. */
const ALONE = /^S-/;

const cases = recordings<RequestCase>('requests.jsonl').map(patient);

/** Owners of fields are sorted by the second in which they wrote: what was recorded in two must not fall into one here. */
function patient(recorded: RequestCase): RequestCase {
  if (!recorded.id.startsWith('A-')) return recorded;
  return { ...recorded, requests: recorded.requests.map((request) => (request.sleep ? { ...request, sleep: Math.max(request.sleep, 1050) } : request)) };
}

function suite(name: string, members: RequestCase[], describeWith: typeof describe.concurrent): void {
  describe(name, () => {
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
    describeWith('agrees with the recording', () => {
      for (const recorded of members) {
        it(`${recorded.id}: ${recorded.title}`, async ({ expect: expectHere }) => {
          const keep = recorded.id.startsWith('A-') ? (value: unknown) => value : withoutManagedFields;
          const played = await playRequests(api, recorded);
          expectHere(keep(plain(played.answers))).toEqual(keep(plain(recorded.answers)));
        });
      }
    });
  });
}

suite(
  'recorded requests',
  cases.filter(({ id }) => !ALONE.test(id)),
  describe.concurrent,
);
suite(
  'recorded requests that want the nodes for themselves',
  cases.filter(({ id }) => ALONE.test(id)),
  describe,
);

it('has recordings to play', () => expect(cases.length).toBeGreaterThan(80));
