import { describe, expect, it } from 'vitest';
import type { ReplicaSet } from '../../api/generated/types/apps.v1.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import { forbidden } from '../../api/status.ts';
import { timestamp } from '../../lib/clock.ts';
import type { Action, Outcome, Plan } from '../runtime/plan.ts';
import { planReplicaSet, type ReplicaSetSnapshot } from './plan.ts';
import { podsToDelete } from './ranking.ts';
import { replicaSetWorkload } from './workload.ts';

const NOW = Date.UTC(2026, 0, 2);
const LABELS = { app: 'web' };

function replicaSet(replicas: number, parts: Partial<ReplicaSet['spec']> & { status?: ReplicaSet['status'] } = {}): ReplicaSet {
  const { status = { replicas: 0 }, ...spec } = parts;
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: { name: 'web-1', namespace: 't', uid: 'rs', generation: 1 },
    spec: { replicas, selector: { matchLabels: LABELS }, template: { metadata: { labels: LABELS }, spec: { containers: [] } }, ...spec },
    status,
  };
}

interface PodParts {
  /** '' for none. */
  owner?: string;
  labels?: Record<string, string>;
  node?: string;
  phase?: string;
  readyAgoSeconds?: number;
  createdAgoSeconds?: number;
  cost?: string;
  restarts?: number;
  deleting?: boolean;
}

function pod(name: string, parts: PodParts = {}): Pod {
  const { owner = 'rs', labels = LABELS, node = 'n1', phase = 'Running', readyAgoSeconds, createdAgoSeconds = 100, cost, restarts = 0, deleting } = parts;
  const ready = { type: 'Ready', status: 'True', lastTransitionTime: timestamp(NOW - (readyAgoSeconds ?? 0) * 1000) };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      namespace: 't',
      uid: name,
      labels,
      creationTimestamp: timestamp(NOW - createdAgoSeconds * 1000),
      ...(owner ? { ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: owner, controller: true }] } : {}),
      ...(cost ? { annotations: { 'controller.kubernetes.io/pod-deletion-cost': cost } } : {}),
      ...(deleting ? { deletionTimestamp: timestamp(NOW) } : {}),
    },
    spec: { containers: [], ...(node ? { nodeName: node } : {}) },
    status: {
      phase,
      ...(readyAgoSeconds === undefined ? {} : { conditions: [ready] }),
      containerStatuses: [{ name: 'app', image: '', imageID: '', ready: false, restartCount: restarts }],
    },
  } as unknown as Pod;
}

function snapshot(object: ReplicaSet, pods: Pod[], parts: Partial<ReplicaSetSnapshot> = {}): ReplicaSetSnapshot {
  return { now: NOW, workload: replicaSetWorkload(object), pods, relatedPods: [], expectationsMet: true, ...parts };
}

/** All actions of the plan and of its continuations, with outcomes as given. */
function run(plan: Plan, outcomeOf: (action: Action) => Outcome = () => ({ ok: true })): { actions: Action[]; requeueAfterMs: number | undefined } {
  const actions: Action[] = [];
  let requeueAfterMs: number | undefined;
  for (let current: Plan | undefined = plan; current; ) {
    const outcomes: Outcome[] = current.actions.map(outcomeOf);
    actions.push(...current.actions);
    requeueAfterMs ??= current.requeueAfterMs;
    current = current.next?.(outcomes);
  }
  return { actions, requeueAfterMs };
}

const parts = (actions: Action[]): Action[] => actions.flatMap((action) => (action.type === 'batch' ? action.actions : []));
const statusOf = (actions: Action[]): ReplicaSet['status'] | undefined => {
  const update = actions.find((action) => action.type === 'update');
  return update?.type === 'update' ? (update.object as ReplicaSet).status : undefined;
};

describe('the ranking for deletion', () => {
  // Each case is of a rule, and rests on those before it.
  const first = (pods: Pod[], related: Pod[] = []): string => podsToDelete(pods, related, { count: 1, now: NOW })[0]!.metadata.name!;
  const cases: [string, Pod, Pod, Pod[]?][] = [
    ['RS-20 unscheduled before scheduled', pod('x', { node: '', phase: 'Pending' }), pod('y', { phase: 'Pending' })],
    ['RS-21 pending before running', pod('x', { phase: 'Pending' }), pod('y')],
    ['RS-22 not ready before ready', pod('x'), pod('y', { readyAgoSeconds: 50 })],
    ['RS-23 lower deletion cost', pod('x', { readyAgoSeconds: 50, cost: '-5' }), pod('y', { readyAgoSeconds: 50 })],
    [
      'RS-24 more pods on the node',
      pod('x', { readyAgoSeconds: 50, node: 'n1' }),
      pod('y', { readyAgoSeconds: 50, node: 'n2' }),
      [pod('x'), pod('r1'), pod('r2'), pod('y', { node: 'n2' })],
    ],
    ['RS-25 ready for a shorter time', pod('x', { readyAgoSeconds: 30 }), pod('y', { readyAgoSeconds: 3600 })],
    ['RS-26 more restarts', pod('x', { restarts: 5 }), pod('y')],
    ['RS-27 younger', pod('x', { phase: 'Pending', createdAgoSeconds: 10 }), pod('y', { phase: 'Pending', createdAgoSeconds: 5000 })],
    ['within a power of two, the uid decides', pod('a', { readyAgoSeconds: 3500 }), pod('b', { readyAgoSeconds: 3000 })],
  ];
  it.each(cases)('C073 RS-20 RS-21 RS-22 RS-23 RS-24 RS-25 RS-26 RS-27: %s', (_, goes, stays, related) => {
    expect(first([goes, stays], related)).toBe(goes.metadata.name);
    expect(first([stays, goes], related)).toBe(goes.metadata.name);
  });

  it('C075 RS-24: pods of sibling ReplicaSets count on a node', () => {
    const [o1, o2, w1] = [
      pod('o1', { readyAgoSeconds: 50 }),
      pod('o2', { readyAgoSeconds: 50, node: 'n2' }),
      pod('w1', { owner: 'other', readyAgoSeconds: 50 }),
    ];
    expect(first([o2, o1], [o1, o2, w1])).toBe('o1');
  });
});

describe('the plan of a ReplicaSet', () => {
  it('RS-10 RS-14 RS-30: creates what is missing in a slow start, and reports what it saw', () => {
    const { actions } = run(planReplicaSet(snapshot(replicaSet(3), [pod('a', { readyAgoSeconds: 1 })])));
    expect(actions[0]).toMatchObject({ type: 'batch', slowStart: true });
    expect(parts(actions)).toHaveLength(2);
    expect(parts(actions)[0]).toMatchObject({ object: { metadata: { generateName: 'web-1-', labels: LABELS } } });
    expect(statusOf(actions)).toEqual({ replicas: 1, fullyLabeledReplicas: 1, readyReplicas: 1, availableReplicas: 1, observedGeneration: 1 });
  });

  it('RS-10: never more than 500 at once', () => {
    expect(parts(run(planReplicaSet(snapshot(replicaSet(2000), []))).actions)).toHaveLength(500);
  });

  it('RS-12 stale cache: decides nothing while the cache has not shown what was done before', () => {
    const { actions } = run(planReplicaSet(snapshot(replicaSet(3), [], { expectationsMet: false })));
    expect(actions.map((action) => action.type)).toEqual(['update']);
  });

  it('C068 RS-3: a pod being deleted is replaced at once, a failed one too and is left lying', () => {
    const { actions } = run(planReplicaSet(snapshot(replicaSet(3), [pod('a'), pod('b', { deleting: true }), pod('c', { phase: 'Failed' })])));
    expect(parts(actions)).toHaveLength(2);
    expect(parts(actions).every((action) => action.type === 'create')).toBe(true);
    expect(statusOf(actions)?.replicas).toBe(1);
  });

  it('C046 RS-1 RS-2: a bare pod that matches is adopted after a look at the live owner', () => {
    const { actions } = run(planReplicaSet(snapshot(replicaSet(2), [pod('a'), pod('bare', { owner: '' })])));
    expect(actions.map((action) => action.type).slice(0, 2)).toEqual(['verifyLive', 'patch']);
    const without = run(planReplicaSet(snapshot(replicaSet(1), [pod('a', { labels: { app: 'other' } })]))).actions;
    expect(without[0]).toMatchObject({ type: 'patch', name: 'a', body: { metadata: { ownerReferences: [{ $patch: 'delete', uid: 'rs' }] } } });
  });

  it('C064 RS-31: a refused pod becomes the ReplicaFailure condition, and goes with the first clean sync', () => {
    const error = forbidden({ group: '', resource: 'pods' }, 'web-1-x', 'exceeded quota: q');
    const { actions } = run(planReplicaSet(snapshot(replicaSet(3), [])), (action) => (action.type === 'batch' ? { ok: false, error } : { ok: true }));
    expect(statusOf(actions)?.conditions).toEqual([
      { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: error.message, lastTransitionTime: timestamp(NOW) },
    ]);
    const failing = replicaSet(0, { status: statusOf(actions)! });
    expect(statusOf(run(planReplicaSet(snapshot(failing, []))).actions)?.conditions).toBeUndefined();
  });

  it('C066 RS-32: each pod becomes available in its own time, exactly then', () => {
    const object = replicaSet(3, { minReadySeconds: 60 });
    const ages = [60, 40, 20].map((readyAgoSeconds, index) => pod(`p${index}`, { readyAgoSeconds }));
    const { actions, requeueAfterMs } = run(planReplicaSet(snapshot(object, ages)));
    expect(statusOf(actions)).toMatchObject({ readyReplicas: 3, availableReplicas: 1 });
    expect(requeueAfterMs).toBe(20_000);
  });

  it('RS-11: what is too much goes side by side, the least of harm first, never more than 500 at once', () => {
    const pods = [pod('a', { readyAgoSeconds: 50 }), pod('b'), pod('c', { readyAgoSeconds: 50 })];
    const { actions } = run(planReplicaSet(snapshot(replicaSet(2), pods)));
    expect(actions[0]).toMatchObject({ type: 'batch', slowStart: false });
    expect(parts(actions)).toMatchObject([{ type: 'delete', name: 'b', uid: 'b', because: { rule: 'RS-11', facts: { replicas: 2, active: 3 } } }]);
    const many = Array.from({ length: 600 }, (_, index) => pod(`p${index}`));
    expect(parts(run(planReplicaSet(snapshot(replicaSet(0), many))).actions)).toHaveLength(500);
  });

  it('RS-15: every creation and deletion is to be told of; in a namespace that goes, no failure', () => {
    const [creation] = parts(run(planReplicaSet(snapshot(replicaSet(1), []))).actions);
    expect(creation).toMatchObject({
      ignoreTerminatingNamespace: true,
      events: { success: { reason: 'SuccessfulCreate' }, failure: { reason: 'FailedCreate' } },
    });
    const [deletion] = parts(run(planReplicaSet(snapshot(replicaSet(0), [pod('a')]))).actions);
    expect(deletion).toMatchObject({ events: { success: { reason: 'SuccessfulDelete' }, failure: { reason: 'FailedDelete' } } });
  });

  it('RS-33: pods on their way out are counted where the gate is open', () => {
    const pods = [pod('a', { readyAgoSeconds: 1 }), pod('b', { deleting: true })];
    for (const countTerminating of [false, true]) {
      const { actions } = run(planReplicaSet(snapshot(replicaSet(1), pods, { countTerminating })));
      expect(statusOf(actions)?.terminatingReplicas).toBe(countTerminating ? 1 : undefined);
    }
  });

  it('RS-30: a settled ReplicaSet does nothing', () => {
    const status = { replicas: 1, fullyLabeledReplicas: 1, readyReplicas: 1, availableReplicas: 1, observedGeneration: 1 };
    expect(run(planReplicaSet(snapshot(replicaSet(1, { status }), [pod('a', { readyAgoSeconds: 1 })]))).actions).toEqual([]);
  });

  it('RS-13: one that is being deleted neither creates nor adopts', () => {
    const object = replicaSet(3);
    const deleting = { ...object, metadata: { ...object.metadata, deletionTimestamp: timestamp(NOW) } };
    expect(run(planReplicaSet(snapshot(deleting, []))).actions.map((action) => action.type)).toEqual(['update']);
  });
});
