import type { DaemonSet, DaemonSetStatus } from '../../api/generated/types/apps.v1.ts';
import { selectorFrom } from '../../api/labels.ts';
import { ControllerRevisions, DaemonSets, Pods } from '../../api/resources.ts';
import { claim } from '../ownership.ts';
import { isPodAvailable, isPodReady } from '../pod-state.ts';
import { nextAvailabilityCheck } from '../replicaset/status.ts';
import { type Action, andThen, NOTHING_TO_DO, type Outcome, type Plan } from '../runtime/plan.ts';
import { beyondHistoryLimit, planHistory } from './history.ts';
import { changesOf, syncNodes } from './manage.ts';
import { planRollingUpdate } from './rolling.ts';
import { bySeniority, type DaemonSetSnapshot, fitOn, isUpdated, podsByNode, type Rollout } from './rollout.ts';

/** What to do about a DaemonSet now. The rules, numbered: SPEC.md. Upstream: daemon_controller.go (syncDaemonSet). */
export function planDaemonSet(snapshot: DaemonSetSnapshot): Plan {
  const { daemonSet } = snapshot;
  const { selector } = daemonSet.spec;
  if (!selector.matchLabels && !selector.matchExpressions) return { actions: [selectingAll(daemonSet)] };
  if (daemonSet.metadata.deletionTimestamp !== undefined) return NOTHING_TO_DO;
  const owner = { owner: daemonSet, ownerResource: DaemonSets, selector: selectorFrom(selector), rules: { adoption: 'DS-1', release: 'DS-2' } };
  return claim({ ...owner, resource: ControllerRevisions, candidates: snapshot.revisions }, (revisions) =>
    claim({ ...owner, resource: Pods, candidates: snapshot.pods }, (pods) =>
      planHistory(daemonSet, revisions, pods, ({ current, old }) => {
        const rollout: Rollout = { snapshot, daemonSet, current, old, pods, podsByNode: podsByNode(pods) };
        return snapshot.expectationsMet ? planPods(rollout) : planStatus(rollout, false);
      }),
    ),
  );
}

function selectingAll(about: DaemonSet): Action {
  const message = 'This daemon set is selecting all pods. A non-empty selector is required.';
  return { type: 'event', about, note: { type: 'Warning', reason: 'SelectingAll', message }, because: { rule: 'DS-6' } };
}

/** Pods by node first; where nothing is to be done for them, a step of the update. The status comes whatever becomes of it. */
function planPods(rollout: Rollout): Plan {
  const { memory, events, requeueAfterMs, ...changes } = changesOf(rollout);
  const managed = syncNodes(rollout, changes, { rule: 'DS-10', facts: { create: changes.create.length, remove: changes.remove.length } });
  const isRolling = rollout.daemonSet.spec.updateStrategy?.type === 'RollingUpdate';
  const updated = managed.length === 0 && isRolling ? planRollingUpdate(rollout) : [];
  const cleanUp = beyondHistoryLimit(rollout.daemonSet, rollout.old, rollout.pods);
  const report = (): Plan => planStatus(rollout, true);
  return {
    actions: events,
    remember: memory,
    ...(requeueAfterMs === undefined ? {} : { requeueAfterMs }),
    next: () => inOrder([managed, updated, cleanUp], report),
  };
}

/** Each group after the one before, unless that failed; then `last`, in any case. */
function inOrder([actions = [], ...rest]: Action[][], last: () => Plan): Plan {
  if (actions.length === 0) return rest.length > 0 ? inOrder(rest, last) : last();
  return { actions, next: (outcomes: Outcome[]) => (outcomes.every(({ ok }) => ok) && rest.length > 0 ? inOrder(rest, last) : last()) };
}

/** @param processed whether this look took up the latest generation. Upstream: updateDaemonSetStatus. */
function planStatus(rollout: Rollout, processed: boolean): Plan {
  const { daemonSet, snapshot } = rollout;
  const { minReadySeconds = 0 } = daemonSet.spec;
  const status = nextStatus(rollout, processed);
  const because = { rule: 'DS-30', facts: { desired: status.desiredNumberScheduled, ready: status.numberReady } };
  const actions: Action[] = isReported(daemonSet, status)
    ? []
    : [{ type: 'update', resource: DaemonSets, subresource: 'status', object: { ...daemonSet, status } as DaemonSet, because }];
  if (minReadySeconds === 0 || status.numberReady === (status.numberAvailable ?? 0)) return { actions };
  return andThenAfter(actions, nextAvailabilityCheck(rollout.pods, minReadySeconds, snapshot.now) ?? minReadySeconds * 1000);
}

function andThenAfter(actions: Action[], requeueAfterMs: number): Plan {
  return actions.length === 0 ? { actions, requeueAfterMs } : andThen(actions, () => ({ actions: [], requeueAfterMs }));
}

function nextStatus(rollout: Rollout, processed: boolean): DaemonSetStatus {
  const { daemonSet, snapshot, podsByNode: byNode } = rollout;
  const { minReadySeconds = 0 } = daemonSet.spec;
  const count = { desired: 0, current: 0, misscheduled: 0, ready: 0, available: 0, updated: 0 };
  for (const node of snapshot.nodes) {
    const [pod] = (byNode.get(node.metadata.name!) ?? []).toSorted(bySeniority);
    const { run } = fitOn(rollout, node);
    if (run) count.desired++;
    else if (pod) count.misscheduled++;
    if (!run || !pod) continue;
    count.current++;
    if (isPodReady(pod)) count.ready++;
    if (isPodAvailable(pod, minReadySeconds, snapshot.now)) count.available++;
    if (isUpdated(rollout, pod)) count.updated++;
  }
  const { observedGeneration, collisionCount, conditions } = daemonSet.status ?? {};
  const generation = processed ? daemonSet.metadata.generation : observedGeneration;
  const unavailable = count.desired - count.available;
  return {
    ...(collisionCount === undefined ? {} : { collisionCount }),
    ...(conditions ? { conditions } : {}),
    currentNumberScheduled: count.current,
    desiredNumberScheduled: count.desired,
    numberMisscheduled: count.misscheduled,
    numberReady: count.ready,
    ...(generation ? { observedGeneration: generation } : {}),
    ...(count.updated ? { updatedNumberScheduled: count.updated } : {}),
    ...(count.available ? { numberAvailable: count.available } : {}),
    ...(unavailable ? { numberUnavailable: unavailable } : {}),
  };
}

const COUNTS = [
  'currentNumberScheduled',
  'desiredNumberScheduled',
  'numberMisscheduled',
  'numberReady',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
] as const;

function isReported({ metadata, status }: DaemonSet, next: DaemonSetStatus): boolean {
  return COUNTS.every((key) => (status?.[key] ?? 0) === (next[key] ?? 0)) && (status?.observedGeneration ?? 0) >= (metadata.generation ?? 0);
}
