import { describe, expect, it } from 'vitest';
import type { ControllerRevision, DaemonSet, DaemonSetStatus } from '../../api/generated/types/apps.v1.ts';
import type { Node, Pod, Taint } from '../../api/generated/types/core.v1.ts';
import { timestamp } from '../../lib/clock.ts';
import { templatePatch } from '../revision-history.ts';
import { actionsOf, says, writtenStatus } from '../runtime/played-plan.ts';
import { planDaemonSet } from './plan.ts';
import type { DaemonSetSnapshot } from './rollout.ts';

const NOW = Date.UTC(2026, 0, 1);
const OWNER = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'web', uid: 'set', controller: true };

const template = (image: string, spec: object = {}) =>
  ({ metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'c', image }], ...spec } }) as unknown as DaemonSet['spec']['template'];

function daemonSet(spec: Partial<DaemonSet['spec']> = {}, metadata: DaemonSet['metadata'] = {}): DaemonSet {
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'web', namespace: 't', uid: 'set', generation: 1, ...metadata },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: template('v1'),
      updateStrategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
      revisionHistoryLimit: 10,
      ...spec,
    } as DaemonSet['spec'],
    status: { currentNumberScheduled: 0, desiredNumberScheduled: 0, numberMisscheduled: 0, numberReady: 0 },
  };
}

function revision(
  name: string,
  image: string,
  number: number,
  { hash = name, owned = true }: { hash?: string | undefined; owned?: boolean } = {},
): ControllerRevision {
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      namespace: 't',
      uid: name,
      labels: { app: 'web', ...(hash ? { 'controller-revision-hash': hash } : {}) },
      ...(owned ? { ownerReferences: [OWNER] } : {}),
    },
    revision: number,
    data: templatePatch(template(image)),
  };
}

const node = (name: string, taints: Taint[] = []): Node =>
  ({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { name } }, spec: taints.length ? { taints } : {}, status: {} }) as unknown as Node;

interface PodParts {
  on?: string;
  awaits?: string;
  ready?: boolean;
  hash?: string;
  phase?: string;
  going?: boolean;
  orphan?: boolean;
  age?: number;
  labels?: Record<string, string>;
}

function pod(name: string, { on, awaits, ready = true, hash = 'r1', phase = 'Running', going, orphan, age = 60, labels }: PodParts = {}): Pod {
  const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [awaits ?? ''] }] }];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 't',
      uid: name,
      creationTimestamp: timestamp(NOW - age * 1000),
      labels: { app: 'web', 'controller-revision-hash': hash, ...labels },
      ...(orphan ? {} : { ownerReferences: [OWNER] }),
      ...(going ? { deletionTimestamp: timestamp(NOW) } : {}),
    },
    spec: {
      containers: [],
      ...(on ? { nodeName: on } : {}),
      ...(awaits ? { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } } } : {}),
    },
    status: { phase, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: timestamp(NOW - 60_000) }] },
  };
}

const NODES = [node('n1'), node('n2'), node('n3')];

function snapshot(set: DaemonSet, pods: Pod[], parts: Partial<DaemonSetSnapshot> = {}): DaemonSetSnapshot {
  return { now: NOW, daemonSet: set, nodes: NODES, pods, revisions: [revision('r1', 'v1', 1)], expectationsMet: true, memory: {}, ...parts };
}

const done = (set: DaemonSet, pods: Pod[], parts: Partial<DaemonSetSnapshot> = {}): string[] =>
  actionsOf(planDaemonSet(snapshot(set, pods, parts)))
    .map(says)
    .filter((text) => !text.endsWith(' status'));

const statusOf = (set: DaemonSet, pods: Pod[], parts: Partial<DaemonSetSnapshot> = {}): DaemonSetStatus | undefined =>
  writtenStatus(planDaemonSet(snapshot(set, pods, parts))) as DaemonSetStatus | undefined;

const all = (parts: PodParts = {}): Pod[] => NODES.map(({ metadata }) => pod(`on-${metadata.name}`, { on: metadata.name!, ...parts }));

describe('what belongs to a DaemonSet', () => {
  it('DS-1 and DS-2: adopts what matches, lets go of what does not', () => {
    const pods = [pod('a', { on: 'n1', orphan: true }), pod('b', { on: 'n2', labels: { app: 'x' } })];
    expect(done(daemonSet(), pods, { revisions: [revision('r1', 'v1', 1, { owned: false })] }).slice(0, 5)).toEqual([
      'verifyLive DaemonSet web',
      'patch ControllerRevision r1',
      'verifyLive DaemonSet web',
      'patch Pod a',
      'patch Pod b',
    ]);
  });

  it('DS-3: the template of today has the latest revision', () => {
    expect(done(daemonSet(), all(), { revisions: [] })[0]).toMatch(/^create ControllerRevision web-[a-z0-9]+$/);
    const revisions = [revision('r1', 'v1', 1), revision('r2', 'v2', 2)];
    expect(done(daemonSet(), all(), { revisions })).toEqual(['update ControllerRevision r1']);
    expect(done(daemonSet(), all({ hash: 'old' }), { revisions: [revision('old', 'v1', 1, { hash: undefined })] })).toEqual([]);
  });

  it('DS-3: a name that another template has is a collision', () => {
    const plan = planDaemonSet(snapshot(daemonSet(), [], { revisions: [] }));
    const collision = plan.next!([{ ok: true, existed: true, object: revision('web-x', 'other', 1) }]);
    expect(collision.failure).toBe('controllerrevisions.apps "web-x" already exists');
    expect(writtenStatus(collision)).toMatchObject({ collisionCount: 1 });
  });

  it('DS-4: of several revisions with one template one stays', () => {
    const revisions = [revision('r0', 'v1', 1), revision('r1', 'v1', 2)];
    expect(done(daemonSet(), [...all().slice(1), pod('a', { on: 'n1', hash: 'r0' })], { revisions }).slice(0, 2)).toEqual([
      'patch Pod a',
      'delete ControllerRevision r0',
    ]);
  });

  it('DS-5: forgets revisions beyond the limit that no pod has', () => {
    const revisions = [revision('r2', 'v2', 1), revision('r3', 'v3', 2), revision('r1', 'v1', 3)];
    expect(done(daemonSet({ revisionHistoryLimit: 1 }), all(), { revisions })).toEqual(['delete ControllerRevision r2']);
    expect(done(daemonSet({ revisionHistoryLimit: 0, updateStrategy: { type: 'OnDelete' } }), all({ hash: 'r2' }), { revisions })).toEqual([
      'delete ControllerRevision r3',
    ]);
  });

  it('DS-6: selects not everything, and does nothing at its end', () => {
    expect(done(daemonSet({ selector: {} }), [])).toEqual(['event SelectingAll']);
    expect(done(daemonSet({}, { deletionTimestamp: timestamp(NOW) }), [])).toEqual([]);
  });
});

describe('the nodes of a DaemonSet', () => {
  const taint = (effect: string): Taint => ({ key: 'k', effect });
  it.each([
    ['DS-10: a pod on each', daemonSet(), [], NODES, ['create Pod web-', 'create Pod web-', 'create Pod web-']],
    ['DS-10: not where there is one', daemonSet(), [pod('a', { on: 'n1' }), pod('b', { awaits: 'n2' })], NODES, ['create Pod web-']],
    ['DS-10: not where affinity forbids', daemonSet({ template: template('v1', { nodeSelector: { name: 'n2' } }) }), [], NODES, ['create Pod web-']],
    ['DS-10: not where a taint keeps it away', daemonSet(), [], [node('n1', [taint('NoSchedule')])], []],
    ['DS-10: stays under NoSchedule', daemonSet(), [pod('a', { on: 'n1' })], [node('n1', [taint('NoSchedule')])], []],
    ['DS-10: goes under NoExecute', daemonSet(), [pod('a', { on: 'n1' })], [node('n1', [taint('NoExecute')])], ['delete Pod a']],
    ['DS-10: the eldest of several stays', daemonSet(), [pod('a', { on: 'n1' }), pod('b', { on: 'n1', age: 90 })], [node('n1')], ['delete Pod a']],
    ['DS-14: what has succeeded goes', daemonSet(), [pod('a', { on: 'n1', phase: 'Succeeded' })], [node('n1')], ['event SucceededDaemonPod', 'delete Pod a']],
    ['DS-15: what waits for nobody goes', daemonSet(), [pod('a', { awaits: 'gone' })], [], ['delete Pod a']],
  ])('%s', (_, set, pods, nodes, wanted) => {
    const revisions = [{ ...revision('r1', 'v1', 1), data: templatePatch(set.spec.template) }];
    expect(done(set, pods, { nodes, revisions })).toEqual(wanted);
  });

  it('DS-11: a pod is made for its node, and bears its troubles', () => {
    const [create] = actionsOf(planDaemonSet(snapshot(daemonSet(), []))).filter(({ type }) => type === 'create');
    const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }];
    expect(create).toMatchObject({
      object: {
        metadata: { labels: { 'controller-revision-hash': 'r1' } },
        spec: {
          affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } },
          tolerations: expect.arrayContaining([{ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' }]),
        },
      },
    });
  });

  it('DS-12: decides nothing upon a cache that is behind', () => {
    expect(done(daemonSet(), [], { expectationsMet: false })).toEqual([]);
    expect(statusOf(daemonSet(), [], { expectationsMet: false })).not.toHaveProperty('observedGeneration');
  });

  it('DS-13: failed pods of a node go later and later', () => {
    const failed = [pod('a', { on: 'n1', phase: 'Failed' })];
    const first = planDaemonSet(snapshot(daemonSet(), failed, { nodes: [node('n1')] }));
    expect(actionsOf(first).map(says).slice(0, 2)).toEqual(['event FailedDaemonPod', 'delete Pod a']);
    const memory = first.remember as DaemonSetSnapshot['memory'];
    const soon = planDaemonSet(snapshot(daemonSet(), failed, { nodes: [node('n1')], memory, now: NOW + 500 }));
    expect(actionsOf(soon).map(says)).not.toContain('delete Pod a');
    expect(soon.requeueAfterMs).toBe(1000);
    const later = planDaemonSet(snapshot(daemonSet(), failed, { nodes: [node('n1')], memory, now: NOW + 1000 }));
    expect(actionsOf(later).map(says)).toContain('delete Pod a');
    expect(Object.values(later.remember as DaemonSetSnapshot['memory'])).toEqual([{ lastAt: NOW + 1000, delayMs: 2000 }]);
  });
});

describe('updates of a DaemonSet', () => {
  const revisions = [revision('r1', 'v1', 1), revision('r2', 'v2', 2)];
  const updating = (rollingUpdate: object): DaemonSet => daemonSet({ template: template('v2'), updateStrategy: { type: 'RollingUpdate', rollingUpdate } });
  const [, ...others] = all();

  it.each([
    ['DS-20: one at a time', updating({ maxUnavailable: 1, maxSurge: 0 }), all(), ['delete Pod on-n1']],
    ['DS-20: 40% of three are two', updating({ maxUnavailable: '40%', maxSurge: 0 }), all(), ['delete Pod on-n1', 'delete Pod on-n2']],
    ['DS-20: what is ill goes at once', updating({ maxUnavailable: 1, maxSurge: 0 }), [pod('a', { on: 'n1', ready: false }), ...others], ['delete Pod a']],
    ['DS-20: not while a new one is ill', updating({ maxUnavailable: 1, maxSurge: 0 }), [pod('a', { on: 'n1', hash: 'r2', ready: false }), ...others], []],
    ['DS-21: a new one beside an old one', updating({ maxUnavailable: 0, maxSurge: 1 }), all(), ['create Pod web-']],
    [
      'DS-21: the old one goes when the new one is available',
      updating({ maxUnavailable: 0, maxSurge: 1 }),
      [...all(), pod('a', { on: 'n1', hash: 'r2' })],
      ['delete Pod on-n1'],
    ],
    ['DS-21: waits for the new one', updating({ maxUnavailable: 0, maxSurge: 1 }), [...all(), pod('a', { on: 'n1', hash: 'r2', ready: false })], []],
    ['DS-22: OnDelete leaves pods', daemonSet({ template: template('v2'), updateStrategy: { type: 'OnDelete' } }), all(), []],
  ])('%s', (_, set, pods, wanted) => {
    expect(done(set, pods, { revisions })).toEqual(wanted);
  });
});

it('DS-30: the status of a DaemonSet counts nodes', () => {
  const taints = [{ key: 'k', effect: 'NoSchedule' }];
  const nodes = [node('n1'), node('n2'), node('n3'), node('n4', taints)];
  const pods = [pod('a', { on: 'n1' }), pod('b', { on: 'n2', ready: false, hash: 'r0' }), pod('d', { on: 'n4' })];
  const status = statusOf(daemonSet({ updateStrategy: { type: 'OnDelete' } }), pods, { nodes });
  expect(status).toEqual({
    desiredNumberScheduled: 3,
    currentNumberScheduled: 2,
    numberMisscheduled: 1,
    numberReady: 1,
    numberAvailable: 1,
    numberUnavailable: 2,
    updatedNumberScheduled: 1,
    observedGeneration: 1,
  });
  expect(statusOf({ ...daemonSet({ updateStrategy: { type: 'OnDelete' } }), status: status! }, pods, { nodes })).toBeUndefined();
});
