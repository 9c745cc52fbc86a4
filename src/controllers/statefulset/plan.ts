import type { StatefulSet } from '../../api/generated/types/apps.v1.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import { selectorFrom } from '../../api/labels.ts';
import { ControllerRevisions, Pods, StatefulSets } from '../../api/resources.ts';
import { claim } from '../ownership.ts';
import { nextAvailabilityCheck } from '../replicaset/status.ts';
import { type Action, inSequence, type Outcome, type Plan } from '../runtime/plan.ts';
import { firstOrdinal, isHealthy, isMember, isTerminating, ordinalOf, replicasOf, revisionOf } from './identity.ts';
import { blockedBy, condemnedStep, ownerUpdates, podDeletion, type Step, stepOf } from './places.ts';
import { beyondHistoryLimit, planRevisions } from './revisions.ts';
import { type Rollout, rolloutOf, type StatefulSetSnapshot } from './rollout.ts';
import { isReported, nextStatus } from './status.ts';

/** What to do about a StatefulSet now. The rules, numbered: SPEC.md. Upstream: stateful_set.go (sync), stateful_set_control.go. */
export function planStatefulSet(snapshot: StatefulSetSnapshot): Plan {
  const { set } = snapshot;
  const selector = selectorFrom(set.spec.selector);
  const owner = { owner: set, ownerResource: StatefulSets, selector, rules: { adoption: 'SS-1', release: 'SS-2' } };
  // A revision that matches no more is left alone, not released.
  const candidates = snapshot.revisions.filter(({ metadata }) => selector.matches(metadata.labels));
  return claim({ ...owner, resource: ControllerRevisions, candidates }, (revisions) =>
    claim({ ...owner, resource: Pods, candidates: snapshot.pods, isMember: (pod) => isMember(set, pod) }, (pods) =>
      planRevisions(set, revisions, (known) => {
        const rollout = rolloutOf(snapshot, known, pods);
        const cleanUp = beyondHistoryLimit(set, revisions, known, pods);
        return set.metadata.deletionTimestamp === undefined ? planPods(rollout, cleanUp) : planStatus(rollout, cleanUp, {});
      }),
    ),
  );
}

/** One after another: the places are filled and repaired, what is not wanted goes, the update goes on. What fails or waits ends it. */
function planPods(rollout: Rollout, cleanUp: Action[]): Plan {
  const { condemned, monotonic, set, snapshot } = rollout;
  const end = (more: { deleted?: boolean; failure?: string } = {}): Plan => planStatus(rollout, cleanUp, more);
  const after = (steps: readonly Step[], next: () => Plan): Plan => {
    const { actions, waits } = gather(steps, monotonic);
    const follow = waits ? end : next;
    return actions.length === 0 ? follow() : { actions, next: (outcomes: Outcome[]) => (outcomes.every(({ ok }) => ok) ? follow() : end()) };
  };
  const blocked = rollout.places.map((place) => blockedBy(rollout, place));
  const firstBlocked = blocked.findIndex((reason) => reason !== undefined);
  const reachable = firstBlocked < 0 ? rollout.places : rollout.places.slice(0, firstBlocked);
  const first = firstUnhealthy(rollout);
  const owned = condemned.map((pod): Step => ({ actions: ownerUpdates(rollout, { set, pod }), waits: false }));
  return after(
    reachable.map((place) => stepOf(rollout, place)),
    () => {
      if (firstBlocked >= 0) return end({ failure: blocked[firstBlocked]! });
      return after(owned, () =>
        after(
          condemned.map((pod) => condemnedStep(rollout, pod, first)),
          () => {
            const victim = nextToUpdate(rollout);
            if (!victim) return end();
            const because = { rule: 'SS-21', facts: { ordinal: ordinalOf(victim), at: snapshot.now } };
            return { actions: [podDeletion(rollout, victim, because)], next: ([outcome]: Outcome[]) => end({ deleted: outcome?.ok ?? false }) };
          },
        ),
      );
    },
  );
}

/** In order, all up to the first that the others wait for; else all of them side by side, more and more at a time. */
function gather(steps: readonly Step[], monotonic: boolean): Step {
  if (!monotonic) {
    const actions = steps.flatMap((step) => inSequence(step.actions));
    return { actions: actions.length > 0 ? [{ type: 'batch', slowStart: true, actions }] : [], waits: false };
  }
  const waiting = steps.findIndex(({ waits }) => waits);
  const reached = waiting < 0 ? steps : steps.slice(0, waiting + 1);
  return { actions: reached.flatMap(({ actions }) => actions), waits: waiting >= 0 };
}

/** Of the places the lowest, or else of the condemned the lowest; a place without a pod is no pod. */
function firstUnhealthy({ places, condemned, set, snapshot }: Rollout): Pod | undefined {
  const isUnhealthy = (pod: Pod | undefined): boolean => pod === undefined || !isHealthy(set, pod, snapshot.now);
  const place = places.find(({ pod }) => isUnhealthy(pod));
  return place ? place.pod : condemned.findLast(isUnhealthy);
}

/** The pod of the highest ordinal that is of another revision, if all above it are healthy. Upstream: updateStatefulSet, its end. */
function nextToUpdate({ places, set, revisions, snapshot }: Rollout): Pod | undefined {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  if (type === 'OnDelete') return undefined;
  const update = revisions.update.metadata.name!;
  for (const { pod, ordinal } of places.toReversed()) {
    if (ordinal - firstOrdinal(set) < (rollingUpdate?.partition ?? 0)) return undefined;
    // A place that has just been filled is of no other revision, and not healthy.
    if (!pod) return undefined;
    if (revisionOf(pod) !== update && !isTerminating(pod)) return pod;
    if (!isHealthy(set, pod, snapshot.now)) return undefined;
  }
  return undefined;
}

function planStatus(rollout: Rollout, cleanUp: Action[], { deleted = false, failure }: { deleted?: boolean; failure?: string }): Plan {
  const { set, snapshot, pods } = rollout;
  const status = nextStatus(rollout, deleted);
  const because = { rule: 'SS-30', facts: { replicas: status.replicas, current: status.currentReplicas ?? 0, updated: status.updatedReplicas ?? 0 } };
  const update: Action[] = isReported(set, status)
    ? []
    : [{ type: 'update', resource: StatefulSets, subresource: 'status', object: { ...set, status } as StatefulSet, because }];
  const { minReadySeconds = 0 } = set.spec;
  const awaited = minReadySeconds > 0 && (status.availableReplicas ?? 0) !== replicasOf(set);
  return {
    actions: update,
    next: () => ({ actions: cleanUp }),
    ...(failure === undefined ? {} : { failure }),
    ...(awaited ? { requeueAfterMs: nextAvailabilityCheck(pods, minReadySeconds, snapshot.now) ?? minReadySeconds * 1000 } : {}),
  };
}
