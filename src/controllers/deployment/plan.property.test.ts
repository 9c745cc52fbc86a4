import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import { PlanWorld } from './plan-world.ts';
import { maxReplicas, minAvailable, totals } from './strategy.ts';

// Random Deployments in the middle of anything. ReplicaSets are `size` large with `available` of them available; image 0
// is the Deployment's own.

const limit = fc.oneof(
  fc.integer({ min: 0, max: 6 }),
  fc.integer({ min: 0, max: 100 }).map((percent) => `${percent}%`),
);
const isZero = (value: number | string): boolean => Number.parseInt(String(value), 10) === 0;

const state = fc
  .record({
    replicas: fc.integer({ min: 0, max: 20 }),
    maxSurge: limit,
    maxUnavailable: limit,
    recreate: fc.boolean(),
    paused: fc.boolean(),
    desired: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
    replicaSets: fc.uniqueArray(
      fc.record({ image: fc.integer({ min: 0, max: 5 }), size: fc.integer({ min: 0, max: 15 }), available: fc.integer({ min: 0, max: 15 }) }),
      {
        selector: ({ image }) => image,
        maxLength: 5,
      },
    ),
  })
  .filter(({ maxSurge, maxUnavailable }) => !(isZero(maxSurge) && isZero(maxUnavailable)));

type State = typeof state extends fc.Arbitrary<infer T> ? T : never;

function worldOf({ replicas, maxSurge, maxUnavailable, recreate, paused, desired, replicaSets }: State, { scaling }: { scaling: boolean }): PlanWorld {
  const strategy = recreate ? { type: 'Recreate' } : { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } };
  const world = new PlanWorld({ replicas, strategy, paused });
  world.image('app:0');
  const max = maxReplicas(world.deployment);
  replicaSets.forEach(({ image, size, available }, index) => {
    const was = scaling ? (desired ?? replicas) : replicas;
    world.addReplicaSet(`app:${image}`, { replicas: size, available: Math.min(available, size), revision: index + 1, desired: was, max });
  });
  return world;
}

/** What stays available for sure: a ReplicaSet removes its unavailable pods first. */
function surelyAvailable(before: readonly ReplicaSet[], after: readonly ReplicaSet[]): number {
  const sizes = new Map(after.map(({ metadata, spec }) => [metadata.uid, spec.replicas ?? 0]));
  return before.reduce((sum, { metadata, status }) => sum + Math.min(status.availableReplicas ?? 0, sizes.get(metadata.uid) ?? 0), 0);
}

describe('properties of the plan', () => {
  it('DEP-23 DEP-33: no act of ours takes the total beyond replicas + maxSurge', () => {
    fc.assert(
      fc.property(state, fc.boolean(), (drawn, scaling) => {
        const world = worldOf(drawn, { scaling });
        for (let round = 0; round < 8; round++) {
          const before = totals.wanted(world.replicaSets);
          world.sync();
          expect(totals.wanted(world.replicaSets)).toBeLessThanOrEqual(Math.max(before, maxReplicas(world.deployment)));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('DEP-24 DEP-25: no act of a rolling update takes the available pods below replicas − maxUnavailable', () => {
    fc.assert(
      fc.property(state, (drawn) => {
        const world = worldOf({ ...drawn, recreate: false, paused: false }, { scaling: false });
        for (let round = 0; round < 8; round++) {
          const before = world.replicaSets;
          world.sync();
          const floor = Math.min(totals.available(before), minAvailable(world.deployment));
          expect(surelyAvailable(before, world.replicaSets)).toBeGreaterThanOrEqual(floor);
          world.report((replicaSet) => replicaSet.status.availableReplicas ?? 0);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('applied again and again, with pods that become available, it converges; converged, it does nothing', () => {
    fc.assert(
      fc.property(state, (drawn) => {
        const world = worldOf({ ...drawn, paused: false }, { scaling: false });
        world.settle();
        const current = world.replicaSets.filter(({ spec }) => spec.template.spec.containers[0]!.image === 'app:0');
        expect(current.map(({ spec }) => spec.replicas)).toEqual([drawn.replicas]);
        expect(totals.wanted(world.replicaSets)).toBe(drawn.replicas);
        expect(world.condition('Progressing')?.reason).toBe('NewReplicaSetAvailable');
        expect(world.sync()).toBe(false);
      }),
      { numRuns: 300 },
    );
  });

  it('every action says by which rule of SPEC.md it is planned', () => {
    const spec = readFileSync(join(import.meta.dirname, 'SPEC.md'), 'utf8');
    const used = new Set<string>();
    fc.assert(
      fc.property(state, fc.boolean(), (drawn, scaling) => {
        const world = worldOf(drawn, { scaling });
        for (let round = 0; round < 8; round++) {
          world.report();
          world.sync();
        }
        for (const rule of world.rules) used.add(rule);
      }),
      { numRuns: 200 },
    );
    for (const rule of used) expect(spec).toContain(`| ${rule} `);
    expect(used.size).toBeGreaterThan(8);
  });

  it('DEP-10: revisions only grow, and no two ReplicaSets share one', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 12 }), { minLength: 1, maxLength: 30 }), (images) => {
        const world = new PlanWorld({ replicas: 1 });
        let last = 0;
        for (const image of images) {
          world.image(`app:${image}`);
          world.settle();
          const revision = Number(world.deployment.metadata.annotations!['deployment.kubernetes.io/revision']);
          expect(revision).toBeGreaterThanOrEqual(last);
          last = revision;
          const all = world.replicaSets.map(({ metadata }) => metadata.annotations!['deployment.kubernetes.io/revision']);
          expect(new Set(all).size).toBe(all.length);
        }
      }),
      { numRuns: 100 },
    );
  });
});
