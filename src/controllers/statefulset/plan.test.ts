import { describe, expect, it } from 'vitest';
import type { ControllerRevision, StatefulSet } from '../../api/generated/types/apps.v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/types/core.v1.ts';
import { timestamp } from '../../lib/clock.ts';
import { templatePatch } from '../revision-history.ts';
import { actionsOf, says, writtenStatus } from '../runtime/played-plan.ts';
import { planStatefulSet } from './plan.ts';
import type { StatefulSetSnapshot } from './rollout.ts';

const NOW = Date.UTC(2026, 0, 1);

const template = (image: string) =>
  ({ metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }] } }) as unknown as StatefulSet['spec']['template'];

function stateful(spec: Partial<StatefulSet['spec']> = {}, status: Partial<StatefulSet['status']> = {}, metadata: StatefulSet['metadata'] = {}): StatefulSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { name: 'web', namespace: 't', uid: 'set', generation: 1, ...metadata },
    spec: {
      replicas: 3,
      serviceName: 'svc',
      selector: { matchLabels: { app: 'web' } },
      template: template('v1'),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
      podManagementPolicy: 'OrderedReady',
      ...spec,
    } as StatefulSet['spec'],
    status: { replicas: 0, ...status },
  };
}

function revision(name: string, image: string, number: number, owned = true): ControllerRevision {
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'set', controller: true };
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name, namespace: 't', uid: name, labels: { app: 'web' }, ...(owned ? { ownerReferences: [owner] } : {}) },
    revision: number,
    data: templatePatch(template(image)),
  };
}

interface PodParts {
  phase?: string;
  ready?: boolean;
  readyAt?: number;
  revision?: string;
  going?: boolean;
  orphan?: boolean;
  labels?: Record<string, string>;
}

function pod(name: string, { phase = 'Running', ready = true, readyAt = NOW - 60_000, revision: of = 'r1', going, orphan, labels }: PodParts = {}): Pod {
  const owner = { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'web', uid: 'set', controller: true };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 't',
      uid: name,
      labels: { app: 'web', 'statefulset.kubernetes.io/pod-name': name, 'controller-revision-hash': of, ...labels },
      ...(orphan ? {} : { ownerReferences: [owner] }),
      ...(going ? { deletionTimestamp: timestamp(NOW) } : {}),
    },
    spec: { containers: [] },
    status: { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: timestamp(readyAt) }] },
  };
}

function snapshot(set: StatefulSet, pods: Pod[], parts: Partial<StatefulSetSnapshot> = {}): StatefulSetSnapshot {
  return { now: NOW, set, pods, revisions: [revision('r1', 'v1', 1)], claims: new Map(), ...parts };
}

const done = (set: StatefulSet, pods: Pod[], parts: Partial<StatefulSetSnapshot> = {}): string[] =>
  actionsOf(planStatefulSet(snapshot(set, pods, parts)))
    .map(says)
    .filter((text) => !text.endsWith(' status'));

const statusOf = (set: StatefulSet, pods: Pod[], parts: Partial<StatefulSetSnapshot> = {}): StatefulSet['status'] | undefined =>
  writtenStatus(planStatefulSet(snapshot(set, pods, parts))) as StatefulSet['status'] | undefined;

describe('what belongs to a StatefulSet', () => {
  it('SS-1: adopts pods with its name and revisions', () => {
    const orphans = [pod('web-0', { orphan: true }), pod('other-0', { orphan: true })];
    const parts = { revisions: [revision('r1', 'v1', 1, false)] };
    expect(done(stateful({ replicas: 1 }), orphans, parts).slice(0, 4)).toEqual([
      'verifyLive StatefulSet web',
      'patch ControllerRevision r1',
      'verifyLive StatefulSet web',
      'patch Pod web-0',
    ]);
  });

  it('SS-2: lets a pod go that matches no more', () => {
    expect(done(stateful({ replicas: 0 }), [pod('web-0', { labels: { app: 'x' } })])).toEqual(['patch Pod web-0']);
  });

  it('SS-3: makes a revision of the template, under another name where the first is taken', () => {
    const plan = planStatefulSet(snapshot(stateful({ replicas: 0 }), [], { revisions: [] }));
    const [create] = plan.actions;
    if (create?.type !== 'create') throw new Error('no revision is made');
    expect(create.object).toMatchObject({ metadata: { name: expect.stringMatching(/^web-[a-z0-9]+$/) }, revision: 1 });
    const again = plan.next!([{ ok: true, existed: true, object: revision(create.object.metadata!.name!, 'other', 1) }]);
    expect(again.actions[0]).toMatchObject({ type: 'create', because: { facts: { collisionCount: 1 } } });
    expect(again.actions[0]).not.toMatchObject({ object: { metadata: { name: create.object.metadata!.name } } });
  });

  it('SS-4: a template of the past becomes the latest', () => {
    const revisions = [revision('r1', 'v1', 1), revision('r2', 'v2', 2)];
    const plan = planStatefulSet(snapshot(stateful({ replicas: 0 }), [], { revisions }));
    expect(plan.actions).toMatchObject([{ type: 'update', object: { metadata: { name: 'r1' }, revision: 3 } }]);
  });

  it('SS-5: forgets revisions beyond the limit that nobody has', () => {
    const revisions = [revision('r0', 'v0', 1), revision('r2', 'v2', 2), revision('r3', 'v3', 3), revision('r1', 'v1', 4)];
    const set = stateful({ replicas: 1, revisionHistoryLimit: 1 }, { currentRevision: 'r1' });
    expect(done(set, [pod('web-0', { revision: 'r0' })], { revisions })).toContain('delete ControllerRevision r2');
    expect(done(set, [pod('web-0', { revision: 'r0' })], { revisions })).not.toContain('delete ControllerRevision r0');
  });
});

describe('the places of a StatefulSet', () => {
  it.each([
    ['SS-10: the first pod first', [], ['create Pod web-0']],
    ['SS-10: the next when the first is ready', [pod('web-0')], ['create Pod web-1']],
    ['SS-10: nothing while the first is not', [pod('web-0', { ready: false })], []],
    ['SS-10: nothing while the first is going', [pod('web-0', { going: true })], []],
    ['SS-11: what has failed goes', [pod('web-0', { phase: 'Failed' }), pod('web-1')], ['delete Pod web-0']],
    ['SS-11: what has succeeded goes', [pod('web-0', { phase: 'Succeeded' })], ['delete Pod web-0']],
  ])('%s', (_, pods, wanted) => {
    expect(done(stateful(), pods)).toEqual(wanted);
  });

  it('SS-10: Parallel makes all of them, with names of their own', () => {
    const set = stateful({ podManagementPolicy: 'Parallel', ordinals: { start: 5 } });
    expect(done(set, [pod('web-6', { ready: false })])).toEqual(['create Pod web-5', 'create Pod web-7']);
    const [create] = actionsOf(planStatefulSet(snapshot(set, []))).filter((action) => action.type === 'create');
    expect(create).toMatchObject({ object: { spec: { hostname: 'web-5', subdomain: 'svc' }, metadata: { labels: { 'apps.kubernetes.io/pod-index': '5' } } } });
  });

  const claimTemplate = { metadata: { name: 'data' }, spec: {} } as PersistentVolumeClaim;
  const claim = (name: string, metadata: PersistentVolumeClaim['metadata'] = {}): [string, PersistentVolumeClaim] => [
    name,
    { ...claimTemplate, metadata: { name, namespace: 't', ...metadata } },
  ];

  it('SS-12: claims come before their pod, and only those that are missing', () => {
    const set = stateful({ volumeClaimTemplates: [claimTemplate] });
    expect(done(set, [])).toEqual(['create PersistentVolumeClaim data-web-0', 'create Pod web-0']);
    expect(done(set, [], { claims: new Map([claim('data-web-0')]) })).toEqual(['create Pod web-0']);
    const going = planStatefulSet(snapshot(set, [], { claims: new Map([claim('data-web-0', { deletionTimestamp: timestamp(NOW) })]) }));
    expect(actionsOf(going).map(says)).not.toContain('create Pod web-0');
    expect(going.failure).toBe('pvc data-web-0 is being deleted');
  });

  it.each([
    ['SS-13: kept', { whenDeleted: 'Retain', whenScaled: 'Retain' }, 1, undefined],
    ['SS-13: gone with the set', { whenDeleted: 'Delete', whenScaled: 'Retain' }, 1, ['StatefulSet']],
    ['SS-13: gone with the scaled pod', { whenDeleted: 'Retain', whenScaled: 'Delete' }, 0, ['Pod']],
    ['SS-13: gone with either', { whenDeleted: 'Delete', whenScaled: 'Delete' }, 0, ['Pod']],
  ])('%s', (_, policy, replicas, owners) => {
    const set = stateful({ replicas, volumeClaimTemplates: [claimTemplate], persistentVolumeClaimRetentionPolicy: policy });
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data-web-0' } }];
    const member = { ...pod('web-0'), spec: { containers: [], volumes } };
    const actions = actionsOf(planStatefulSet(snapshot(set, [member], { claims: new Map([claim('data-web-0')]) })));
    const update = actions.find((action) => action.type === 'update' && action.resource.kind === 'PersistentVolumeClaim');
    expect(update?.type === 'update' ? update.object.metadata.ownerReferences?.map(({ kind }) => kind) : undefined).toEqual(owners);
  });

  it('SS-14: labels that are missing come again', () => {
    const stray = pod('web-0', { labels: { 'statefulset.kubernetes.io/pod-name': '' } });
    expect(done(stateful({ replicas: 1 }), [stray])).toEqual(['update Pod web-0']);
  });
});

describe('scaling and updates of a StatefulSet', () => {
  it.each([
    ['SS-20: the highest first', 1, [pod('web-0'), pod('web-1'), pod('web-2')], ['delete Pod web-2']],
    ['SS-20: waits for one that is going', 1, [pod('web-0'), pod('web-1'), pod('web-2', { going: true })], []],
    ['SS-20: not while another is ill', 1, [pod('web-0'), pod('web-1', { ready: false }), pod('web-2', { ready: false })], []],
    ['SS-20: the ill one itself', 1, [pod('web-0'), pod('web-1'), pod('web-2', { ready: false })], ['delete Pod web-2']],
  ])('%s', (_, replicas, pods, wanted) => {
    expect(done(stateful({ replicas }), pods)).toEqual(wanted);
  });

  const revisions = [revision('r1', 'v1', 1), revision('r2', 'v2', 2)];
  const updating = (spec: Partial<StatefulSet['spec']> = {}): StatefulSet =>
    stateful({ template: template('v2'), ...spec }, { currentRevision: 'r1', currentReplicas: 3 });

  it.each([
    ['SS-21: the highest first', {}, [pod('web-0'), pod('web-1'), pod('web-2')], ['delete Pod web-2']],
    ['SS-21: the next when that is ready', {}, [pod('web-0'), pod('web-1'), pod('web-2', { revision: 'r2' })], ['delete Pod web-1']],
    [
      'SS-21: not below the partition',
      { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } } },
      [pod('web-0'), pod('web-1'), pod('web-2', { revision: 'r2' })],
      [],
    ],
    ['SS-21: OnDelete none', { updateStrategy: { type: 'OnDelete' } }, [pod('web-0'), pod('web-1'), pod('web-2')], []],
    [
      'SS-22: a pod below the partition is of the old revision',
      { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } },
      [],
      ['create Pod web-0'],
    ],
  ])('%s', (_, spec, pods, wanted) => {
    expect(done(updating(spec), pods, { revisions })).toEqual(wanted);
  });

  it('SS-22: says of which revision a new pod is', () => {
    const made = (partition: number): unknown => {
      const set = updating({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } } });
      const create = actionsOf(planStatefulSet(snapshot(set, [], { revisions }))).find((action) => action.type === 'create');
      return create?.type === 'create' ? create.object.metadata?.labels?.['controller-revision-hash'] : undefined;
    };
    expect([made(0), made(1)]).toEqual(['r2', 'r1']);
  });
});

describe('the status of a StatefulSet', () => {
  it('SS-30: counts pods as they were, and completes an update', () => {
    expect(statusOf(stateful(), [])).toEqual({
      observedGeneration: 1,
      replicas: 0,
      currentRevision: 'r1',
      updateRevision: 'r1',
      collisionCount: 0,
      availableReplicas: 0,
    });
    const revisions = [revision('r1', 'v1', 1), revision('r2', 'v2', 2)];
    const set = stateful({ template: template('v2'), replicas: 1 }, { currentRevision: 'r1' });
    const complete = statusOf(set, [pod('web-0', { revision: 'r2' })], { revisions });
    expect(complete).toMatchObject({ currentRevision: 'r2', currentReplicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 });
    expect(statusOf({ ...set, status: complete! }, [pod('web-0', { revision: 'r2' })], { revisions })).toBeUndefined();
  });

  it('SS-30: looks again when a ready pod becomes available', () => {
    const plan = planStatefulSet(snapshot(stateful({ replicas: 1, minReadySeconds: 15 }), [pod('web-0', { readyAt: NOW - 5000 })]));
    expect(plan.requeueAfterMs).toBe(10_000);
  });

  it('SS-31: one that is being deleted gets its status and nothing else', () => {
    const set = stateful({}, {}, { deletionTimestamp: timestamp(NOW) });
    expect(done(set, [pod('web-0', { phase: 'Failed' })])).toEqual([]);
    expect(statusOf(set, [pod('web-0')])).toMatchObject({ replicas: 1 });
  });
});
