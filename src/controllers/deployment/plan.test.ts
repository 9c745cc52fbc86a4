import { describe, expect, it } from 'vitest';
import type { ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import { PlanWorld } from './plan-world.ts';
import { sameTemplate } from './template.ts';

const rolling = (maxSurge: number | string, maxUnavailable: number | string) => ({ type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } });
const imageOf = ({ spec }: ReplicaSet): string => spec.template.spec.containers[0]!.image!;
const revision = (replicaSet: ReplicaSet): string => replicaSet.metadata.annotations!['deployment.kubernetes.io/revision']!;

/** 10 replicas, surge 3, unavailable 2; B, the newest, is stuck at 5. */
function stuck(availableA = 8): PlanWorld {
  const world = new PlanWorld({ replicas: 10, strategy: rolling(3, 2) });
  world.image('app:2');
  world.addReplicaSet('app:1', { replicas: 8, available: availableA, revision: 1, desired: 10, max: 13 });
  world.addReplicaSet('app:2', { replicas: 5, available: 0, revision: 2, desired: 10, max: 13 });
  world.settle((replicaSet) => (world.letter(replicaSet) === 'A' ? availableA : 0));
  world.trace = [];
  return world;
}

describe('rolling update', () => {
  it('C007 DEP-23 DEP-24: moves in the largest steps that the limits allow', () => {
    const world = new PlanWorld({ replicas: 4 });
    world.settle();
    world.image('app:2');
    world.trace = [];
    const availableB = (count: number) => (replicaSet: ReplicaSet) => (world.letter(replicaSet) === 'B' ? count : 4);
    world.settle(availableB(0));
    expect(world.trace).toEqual(['B 0->1', 'A 4->3', 'B 1->2']);
    world.settle(availableB(2));
    expect(world.trace.slice(3)).toEqual(['A 3->1', 'B 2->4']);
    world.settle(availableB(4));
    expect(world.trace.slice(5)).toEqual(['A 1->0']);
  });

  it('C009 DEP-24: nothing shrinks for a broken old pod; an undo removes no more than may go', () => {
    const world = stuck(7);
    expect(world.sizes).toEqual({ A: 8, B: 5 });
    world.image('app:1');
    world.settle((replicaSet) => (world.letter(replicaSet) === 'A' ? 7 : 0));
    expect(world.trace).toEqual(['B 5->1', 'A 8->10']);
  });

  it('C011 DEP-25: broken old pods wait for a new one where nothing may be unavailable', () => {
    const world = new PlanWorld({ replicas: 3 });
    world.settle();
    world.image('app:2');
    world.settle(() => 0);
    expect(world.sizes).toEqual({ A: 3, B: 1 });
    world.settle((replicaSet) => (world.letter(replicaSet) === 'B' ? 1 : 0));
    expect(world.sizes).toEqual({ A: 2, B: 2 });
    world.settle((replicaSet) => (world.letter(replicaSet) === 'B' ? 3 : 0));
    expect(world.sizes).toEqual({ A: 0, B: 3 });
  });

  it('C015 DEP-21: a single replica is never given up before its successor is available', () => {
    const world = new PlanWorld({ replicas: 1 });
    world.settle();
    world.image('app:2');
    world.settle((replicaSet) => (world.letter(replicaSet) === 'B' ? 0 : 1));
    expect(world.sizes).toEqual({ A: 1, B: 1 });
    world.settle();
    expect(world.sizes).toEqual({ A: 0, B: 1 });
  });

  it('DEP-26: waits while an old ReplicaSet still has more available pods than it wants', () => {
    const world = new PlanWorld({ replicas: 4, strategy: rolling(4, 2) });
    world.image('app:2');
    world.addReplicaSet('app:1', { replicas: 2, available: 4, revision: 1, desired: 4, max: 8 });
    world.addReplicaSet('app:2', { replicas: 4, available: 2, revision: 2, desired: 4, max: 8 });
    world.sync();
    world.trace = [];
    world.sync();
    expect(world.trace).toEqual([]);
  });
});

describe('scaling', () => {
  it('C017 DEP-30 DEP-33: a scale and a new template in one update: sizes first, in proportion', () => {
    const world = stuck();
    world.edit({ replicas: 30 });
    world.image('app:3');
    world.sync();
    expect(world.sizes).toEqual({ A: 20, B: 13 });
    world.settle((replicaSet) => (world.letter(replicaSet) === 'A' ? 8 : 0));
    expect(world.sizes).toEqual({ A: 15, B: 13, C: 5 });
    world.edit({ paused: true, replicas: 50 });
    world.image('app:4');
    world.settle((replicaSet) => (world.letter(replicaSet) === 'A' ? 15 : 0));
    expect(world.sizes).toEqual({ A: 24, B: 21, C: 8 });
    world.edit({ paused: false });
    world.settle((replicaSet) => (world.letter(replicaSet) === 'A' ? 15 : 0));
    expect(Object.keys(world.sizes)).toEqual(['A', 'B', 'C', 'D']);
  });

  it('C019 DEP-31: scaled to zero in mid-rollout, it comes back on the newest template', () => {
    const world = stuck();
    world.edit({ replicas: 0 });
    world.settle();
    expect(world.sizes).toEqual({ A: 0, B: 0 });
    world.edit({ replicas: 10 });
    world.settle();
    expect(world.sizes).toEqual({ A: 0, B: 10 });
  });

  it('C021 DEP-33: a reduction keeps the share of the good pods', () => {
    const world = new PlanWorld({ replicas: 10, strategy: rolling(1, 1) });
    world.image('app:2');
    world.addReplicaSet('app:1', { replicas: 9, available: 9, revision: 1, desired: 10, max: 11 });
    world.addReplicaSet('app:2', { replicas: 2, available: 0, revision: 2, desired: 10, max: 11 });
    const bad = (replicaSet: ReplicaSet): number => (world.letter(replicaSet) === 'A' ? 9 : 0);
    world.settle(bad);
    world.edit({ replicas: 2 });
    world.trace = [];
    world.sync();
    expect(world.trace.toSorted()).toEqual(['A 9->2', 'B 2->1']);

    const other = stuck();
    other.edit({ replicas: 5 });
    other.sync();
    expect(other.sizes).toEqual({ A: 5, B: 3 });
    other.settle((replicaSet) => (other.letter(replicaSet) === 'A' ? 8 : 0));
    expect(other.sizes).toEqual({ A: 3, B: 5 });
  });

  it('C023 DEP-35: a stale annotation blocks every rollout, as upstream; the switch repairs it', () => {
    for (const refreshStaleAnnotations of [false, true]) {
      const world = new PlanWorld({ replicas: 2 });
      world.settle();
      const [only] = world.replicaSets;
      const annotations = { ...only!.metadata.annotations, 'deployment.kubernetes.io/desired-replicas': '3' };
      world.replicaSets = [{ ...only!, metadata: { ...only!.metadata, annotations } }];
      world.options = { refreshStaleAnnotations };
      world.image('app:2');
      world.settle();
      expect(Object.keys(world.sizes)).toEqual(refreshStaleAnnotations ? ['A', 'B'] : ['A']);
    }
  });

  it('DEP-34: without the annotation and without pods nothing is scaled', () => {
    const world = stuck();
    world.replicaSets = world.replicaSets.map((one) => {
      const { 'deployment.kubernetes.io/max-replicas': _, ...annotations } = one.metadata.annotations!;
      return { ...one, metadata: { ...one.metadata, annotations } };
    });
    world.deployment = { ...world.deployment, status: {} };
    world.edit({ replicas: 20, paused: true });
    world.sync();
    // The leftover alone goes to the largest.
    expect(world.sizes).toEqual({ A: 18, B: 5 });
  });

  it('DEP-14: a ReplicaSet tells what the Deployment wanted when it was sized', () => {
    const world = new PlanWorld({ replicas: 4 });
    world.settle();
    const told = (): unknown => world.replicaSets[0]!.metadata.annotations;
    expect(told()).toMatchObject({ 'deployment.kubernetes.io/desired-replicas': '4', 'deployment.kubernetes.io/max-replicas': '5' });
    world.edit({ replicas: 9 });
    world.sync();
    expect(told()).toMatchObject({ 'deployment.kubernetes.io/desired-replicas': '9', 'deployment.kubernetes.io/max-replicas': '12' });
  });

  it('DEP-32: old ones go when the new one has all its pods, at the size wanted now', () => {
    for (const available of [4, 5]) {
      const world = new PlanWorld({ replicas: 5, strategy: rolling(2, 0) });
      world.image('app:2');
      world.addReplicaSet('app:1', { replicas: 2, available: 2, revision: 1, desired: 4, max: 6 });
      world.addReplicaSet('app:2', { replicas: 5, available, revision: 2, desired: 5, max: 7 });
      world.sync();
      expect(world.sizes).toEqual({ A: available === 5 ? 0 : 2, B: 5 });
    }
  });
});

describe('recreate', () => {
  it('DEP-40 DEP-41 DEP-42: waits for old pods that terminate', () => {
    const world = new PlanWorld({ replicas: 2, strategy: { type: 'Recreate' } });
    world.settle();
    world.image('app:2');
    const [old] = world.replicaSets;
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'a', uid: old!.metadata.uid!, controller: true };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod' as const,
      metadata: { name: 'p', ownerReferences: [owner], deletionTimestamp: 'soon' },
      spec: { containers: [] },
    };
    world.pods = [{ ...pod, status: { phase: 'Running' } }];
    world.settle();
    expect(world.sizes).toEqual({ A: 0 });
    world.pods = [{ ...pod, status: { phase: 'Succeeded' } }];
    world.settle();
    expect(world.sizes).toEqual({ A: 0, B: 2 });
  });

  it('C070: a pod that is deleted by hand is no business of the Deployment', () => {
    const world = new PlanWorld({ replicas: 1, strategy: { type: 'Recreate' } });
    world.settle();
    world.trace = [];
    world.report(() => 0);
    world.sync();
    expect(world.trace).toEqual([]);
  });
});

describe('pause, undo, history', () => {
  it('C024 DEP-50 DEP-51: born paused, it has no ReplicaSet', () => {
    const world = new PlanWorld({ replicas: 3, paused: true });
    world.settle();
    expect(world.replicaSets).toEqual([]);
    expect(world.deployment.metadata.annotations).toBeUndefined();
    expect(world.deployment.status.observedGeneration).toBe(1);
    expect(world.condition('Progressing')).toEqual({ status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' });
    expect(world.condition('Available')?.status).toBe('False');
    world.edit({ paused: false });
    world.settle();
    expect(world.sizes).toEqual({ A: 3 });
    expect(world.deployment.metadata.annotations).toEqual({ 'deployment.kubernetes.io/revision': '1' });
  });

  it('C026 DEP-50: several edits while paused make one revision', () => {
    const world = new PlanWorld({ replicas: 3 });
    world.settle();
    world.edit({ paused: true });
    world.settle();
    for (const image of ['app:2', 'app:2b', 'app:3']) {
      world.image(image);
      world.settle();
    }
    world.edit({ paused: false });
    world.settle();
    expect(world.replicaSets.map(imageOf)).toEqual(['app:1', 'app:3']);
    expect(world.replicaSets.map(revision)).toEqual(['1', '2']);
  });

  it('C034 DEP-10 DEP-11 DEP-27: a template that returns is renumbered', () => {
    const world = new PlanWorld({ replicas: 1 });
    world.settle();
    for (const image of ['app:2', 'app:3', 'app:2', 'app:3', 'app:2']) {
      world.image(image);
      world.settle();
    }
    expect(world.replicaSets.map((one) => [imageOf(one), revision(one)])).toEqual([
      ['app:1', '1'],
      ['app:2', '6'],
      ['app:3', '5'],
    ]);
    expect(world.replicaSets[1]!.metadata.annotations!['deployment.kubernetes.io/revision-history']).toBe('2,4');
  });

  it('DEP-10: revisions compare as numbers', () => {
    const world = new PlanWorld({ replicas: 1 });
    world.image('app:10');
    world.addReplicaSet('app:9', { replicas: 0, available: 0, revision: 9, desired: 1, max: 2 });
    world.addReplicaSet('app:10', { replicas: 1, available: 1, revision: 10, desired: 1, max: 2 });
    world.settle();
    world.image('app:9');
    world.settle();
    expect(world.replicaSets.map(revision)).toEqual(['11', '10']);
  });

  it('C036 DEP-15: the lowest revisions go first, not the eldest ReplicaSets', () => {
    const world = new PlanWorld({ replicas: 1, revisionHistoryLimit: 2 });
    world.settle();
    for (const image of ['app:2', 'app:3', 'app:4', 'app:2', 'app:5']) {
      world.image(image);
      world.settle();
    }
    expect(world.replicaSets.map(imageOf).toSorted()).toEqual(['app:2', 'app:4', 'app:5']);
  });

  it('DEP-15: one that still has pods is passed over, not replaced', () => {
    const world = new PlanWorld({ replicas: 1, revisionHistoryLimit: 1 });
    world.image('app:3');
    world.addReplicaSet('app:1', { replicas: 0, available: 0, revision: 1, desired: 1, max: 2 });
    world.addReplicaSet('app:2', { replicas: 0, available: 0, revision: 2, desired: 1, max: 2 });
    world.addReplicaSet('app:3', { replicas: 1, available: 1, revision: 3, desired: 1, max: 2 });
    world.replicaSets = world.replicaSets.map((one) => (world.letter(one) === 'A' ? { ...one, status: { ...one.status, replicas: 1 } } : one));
    for (let round = 0; round < 5; round++) world.sync();
    expect(Object.keys(world.sizes)).toEqual(['A', 'B', 'C']);
  });

  it('C038 DEP-12 DEP-16: a rollback brings the annotations of the revision back', () => {
    const world = new PlanWorld({ replicas: 1 });
    world.annotate({ 'kubernetes.io/change-cause': 'first' });
    world.settle();
    world.annotate({ 'kubernetes.io/change-cause': 'second', team: 'x' });
    world.image('app:2');
    world.settle();
    world.annotate({ 'deprecated.deployment.rollback.to': '0' });
    world.settle();
    expect(world.deployment.metadata.annotations).toMatchObject({ 'kubernetes.io/change-cause': 'first', 'deployment.kubernetes.io/revision': '3' });
    expect(world.deployment.metadata.annotations).not.toHaveProperty('team');
    expect(world.events).toContain('Normal DeploymentRollback Rolled back deployment "web" to revision 1');
  });

  it('C032 DEP-16: only the number a ReplicaSet has now can be gone back to', () => {
    const world = new PlanWorld({ replicas: 1 });
    world.settle();
    for (const image of ['app:2', 'app:1']) {
      world.image(image);
      world.settle();
    }
    world.annotate({ 'deprecated.deployment.rollback.to': '1' });
    world.settle();
    expect(world.events.at(-1)).toBe('Warning DeploymentRollbackRevisionNotFound Unable to find the revision to rollback to.');
    world.annotate({ 'deprecated.deployment.rollback.to': '3' });
    world.settle();
    expect(world.events.at(-1)).toBe(
      'Warning DeploymentRollbackTemplateUnchanged The rollback revision contains the same template as current deployment "web"',
    );
    expect(world.deployment.metadata.annotations).not.toHaveProperty(['deprecated.deployment.rollback.to']);
  });

  it('DEP-13: the Deployment has the revision of its new ReplicaSet, which has the minReadySeconds of the Deployment', () => {
    const world = new PlanWorld({ replicas: 1 });
    for (const [image, seconds] of [
      ['app:1', 0],
      ['app:2', 7],
      ['app:1', 3],
    ] as const) {
      world.image(image);
      world.edit({ minReadySeconds: seconds });
      world.settle();
      const current = world.replicaSets.find((one) => imageOf(one) === image)!;
      expect(current.spec.minReadySeconds ?? 0).toBe(seconds);
      expect(world.deployment.metadata.annotations!['deployment.kubernetes.io/revision']).toBe(revision(current));
    }
    expect(world.deployment.metadata.annotations!['deployment.kubernetes.io/revision']).toBe('3');
  });

  it('DEP-52: while paused, one that has just grown from 0 may be cleaned up in the same sync', () => {
    const world = new PlanWorld({ replicas: 2, paused: true, revisionHistoryLimit: 0 });
    world.image('app:2');
    world.addReplicaSet('app:1', { replicas: 0, available: 0, revision: 1, desired: 0, max: 0 });
    world.sync();
    expect(world.trace.at(-1)).toBe('A 0->2');
    expect(world.replicaSets).toEqual([]);
  });

  it('C040 DEP-4: templates that differ by a removed label differ', () => {
    const base = { metadata: { labels: { app: 'web' } }, spec: { containers: [] } };
    const more = { ...base, metadata: { labels: { app: 'web', tier: 'x' } } };
    expect(sameTemplate(base, more)).toBe(false);
    expect(sameTemplate(more, base)).toBe(false);
    expect(sameTemplate(base, { ...base, metadata: { labels: { app: 'web', 'pod-template-hash': 'h' } } })).toBe(true);
  });
});
