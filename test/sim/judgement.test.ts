import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Deployment, ReplicaSet } from '../../src/api/generated/types/apps.v1.ts';
import type { Pod, PodTemplateSpec } from '../../src/api/generated/types/core.v1.ts';
import { selectorFrom } from '../../src/api/labels.ts';
import { isScalingEvent } from '../../src/controllers/deployment/scaling.ts';
import { isComplete } from '../../src/controllers/deployment/status.ts';
import { maxReplicas, minAvailable } from '../../src/controllers/deployment/strategy.ts';
import { findNewReplicaSet, sameTemplate } from '../../src/controllers/deployment/template.ts';
import { isPodActive, isPodAvailable, isPodReady } from '../../src/controllers/pod-state.ts';
import { timestamp } from '../../src/lib/clock.ts';
import { anySizedForAnotherNumber, currentOf, fewestAvailable, mostPods, saysComplete } from '../../src/sim/bounds.ts';
import { isActive, isAvailable, isReady, selects } from '../../src/sim/pods.ts';
import { makeSamePods } from '../../src/sim/templates.ts';

// The simulator judges by arithmetic of its own. Twice written, once checked: where both are right they agree.

const number = fc.integer({ min: 0, max: 12 });
const limit = fc.oneof(
  number,
  fc.integer({ min: 0, max: 100 }).map((percent) => `${percent}%`),
);
const optional = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(arbitrary, { nil: undefined });

const labels = fc.dictionary(fc.constantFrom('app', 'tier', 'pod-template-hash'), fc.constantFrom('a', 'b'));
const template = fc
  .record({ labels: optional(labels), annotations: optional(labels), image: fc.constantFrom('a', 'b'), limits: optional(fc.constantFrom({}, { cpu: '1' })) })
  .map(({ labels, annotations, image, limits }) => {
    const metadata = { ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
    return { metadata, spec: { containers: [{ name: 'c', image, ...(limits ? { resources: { limits } } : {}) }] } } as PodTemplateSpec;
  });

const deployment = fc
  .record({
    replicas: optional(number),
    rolling: fc.boolean(),
    maxSurge: limit,
    maxUnavailable: limit,
    counts: fc.array(number, { minLength: 4, maxLength: 4 }),
    template,
  })
  .map(({ replicas, rolling, maxSurge, maxUnavailable, counts, template }) => {
    const strategy = rolling ? { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } } : { type: 'Recreate' };
    const [total, updatedReplicas, availableReplicas, observedGeneration] = counts;
    const status = { replicas: total, updatedReplicas, availableReplicas, observedGeneration };
    return {
      metadata: { name: 'd', uid: 'd', generation: 6 },
      spec: { ...(replicas === undefined ? {} : { replicas }), strategy, template },
      status,
    } as Deployment;
  });

const replicaSet = fc
  .record({ replicas: optional(number), desired: optional(fc.constantFrom('0', '1', '3', '12', 'x', '')), template, age: number })
  .map(({ replicas, desired, template, age }) => {
    const annotations = desired === undefined ? {} : { 'deployment.kubernetes.io/desired-replicas': desired };
    const metadata = { name: `r${age % 3}`, annotations, creationTimestamp: timestamp(age * 1000) };
    return { metadata, spec: { ...(replicas === undefined ? {} : { replicas }), template } } as ReplicaSet;
  });

describe('the simulator’s arithmetic and the controllers’', () => {
  it('agree about the bounds of a Deployment, and about when it is complete', () => {
    fc.assert(
      fc.property(deployment, (one) => {
        expect(mostPods(one)).toBe(maxReplicas(one));
        expect(fewestAvailable(one)).toBe(minAvailable(one));
        expect(saysComplete(one)).toBe(isComplete(one, one.status));
      }),
      { numRuns: 2000 },
    );
  });

  it('agree about which ReplicaSet is of today, and which was sized for another number', () => {
    fc.assert(
      fc.property(deployment, fc.array(replicaSet, { maxLength: 4 }), (one, replicaSets) => {
        expect(currentOf(one, replicaSets)).toEqual(findNewReplicaSet(one, replicaSets));
        expect(anySizedForAnotherNumber(one, replicaSets)).toBe(isScalingEvent({ deployment: one, newReplicaSet: undefined, oldReplicaSets: replicaSets }));
      }),
      { numRuns: 1000 },
    );
  });

  it('agree about templates', () => {
    fc.assert(
      fc.property(template, template, (a, b) => makeSamePods(a, b) === sameTemplate(a, b)),
      { numRuns: 2000 },
    );
  });

  it('agree about pods', () => {
    const pod = fc.record({
      phase: fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed'),
      going: fc.boolean(),
      ready: fc.constantFrom('True', 'False'),
      since: number,
    });
    fc.assert(
      fc.property(pod, number, number, ({ phase, going, ready, since }, forSeconds, now) => {
        const conditions = [{ type: 'Ready', status: ready, lastTransitionTime: timestamp(since * 1000) }];
        const one = { metadata: going ? { deletionTimestamp: timestamp(0) } : {}, status: { phase, conditions } } as Pod;
        expect(isActive(one)).toBe(isPodActive(one));
        expect(isReady(one)).toBe(isPodReady(one));
        expect(isAvailable(one, { forSeconds, now: now * 1000 })).toBe(isPodAvailable(one, forSeconds, now * 1000));
      }),
    );
  });

  it('agree about selectors', () => {
    const values = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 2 });
    const key = fc.constantFrom('app', 'tier');
    const expression = fc.oneof(
      fc.record({ key, operator: fc.constantFrom('In', 'NotIn'), values }),
      fc.record({ key, operator: fc.constantFrom('Exists', 'DoesNotExist') }),
    );
    const selector = fc.record({ matchLabels: labels, matchExpressions: fc.array(expression, { maxLength: 2 }) });
    fc.assert(
      fc.property(selector, labels, (one, of) => selects(one, of) === selectorFrom(one).matches(of)),
      { numRuns: 1000 },
    );
  });
});
