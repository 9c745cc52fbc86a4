import type { Pod } from '../../api/generated/types/core.v1.ts';
import { Pods } from '../../api/resources.ts';
import { claim } from '../ownership.ts';
import { podCreation, podDeletion, podFromTemplate } from '../pod-control.ts';
import { isPodActive, isPodTerminating } from '../pod-state.ts';
import { type Action, inParallel, type Outcome, type Plan } from '../runtime/plan.ts';
import { podsToDelete } from './ranking.ts';
import { nextAvailabilityCheck, nextStatus } from './status.ts';
import type { Workload } from './workload.ts';

/** What is known of a ReplicaSet (or ReplicationController) when it is looked at. */
export interface ReplicaSetSnapshot {
  now: number;
  workload: Workload;
  /** The pods it owns, and those in its namespace that match and have no controller. */
  pods: readonly Pod[];
  /** The pods of all ReplicaSets of the same owner; empty where there is no owner. */
  relatedPods: readonly Pod[];
  /** Whether the cache has shown all that was created and deleted before. */
  expectationsMet: boolean;
  /** Count terminating pods in the status (feature gate DeploymentReplicaSetTerminatingReplicas). */
  countTerminating?: boolean;
}

/** At most so many pods are created or deleted at once. */
const BURST = 500;

/** Upstream: pkg/controller/replicaset/replica_set.go (syncReplicaSet). */
export function planReplicaSet(snapshot: ReplicaSetSnapshot): Plan {
  const { workload, pods } = snapshot;
  const { object: owner, resource: ownerResource, selector } = workload;
  const candidates = pods.filter((pod) => isPodActive(pod) || (snapshot.countTerminating && isPodTerminating(pod)));
  const rules = { adoption: 'RS-1', release: 'RS-2' };
  return claim({ owner, ownerResource, resource: Pods, selector, candidates, rules }, (claimed) => planReplicas(snapshot, claimed));
}

function planReplicas(snapshot: ReplicaSetSnapshot, claimed: readonly Pod[]): Plan {
  const { workload, expectationsMet } = snapshot;
  const activePods = claimed.filter(isPodActive);
  const terminatingPods = claimed.filter(isPodTerminating);
  const decide = expectationsMet && workload.object.metadata.deletionTimestamp === undefined;
  const actions = decide ? replicaActions(snapshot, activePods) : [];
  const report = (outcomes: Outcome[]): Plan => planStatus(snapshot, { activePods, terminatingPods, failure: failureOf(outcomes) });
  return actions.length > 0 ? { actions, next: report } : report([]);
}

/** Creates or deletes what is missing or too much. Upstream: manageReplicas. */
function replicaActions({ now, workload, relatedPods }: ReplicaSetSnapshot, activePods: readonly Pod[]): Action[] {
  const { template } = workload;
  const owner = { object: workload.object, resource: workload.resource };
  const missing = workload.replicas - activePods.length;
  const facts = { replicas: workload.replicas, active: activePods.length };
  if (missing > 0) {
    const because = { rule: 'RS-10', facts };
    const creation = podCreation(owner, podFromTemplate(template, owner), because);
    return [{ type: 'batch', slowStart: true, actions: Array.from({ length: Math.min(missing, BURST) }, () => creation), because }];
  }
  if (missing < 0) {
    const victims = podsToDelete(activePods, relatedPods, { count: Math.min(-missing, BURST), now });
    const because = { rule: 'RS-11', facts };
    return inParallel(victims.map((pod) => podDeletion(workload.object, pod, because)));
  }
  return [];
}

function failureOf(outcomes: readonly Outcome[]): string | undefined {
  const failed = outcomes.find((outcome) => !outcome.ok);
  return failed && !failed.ok ? failed.error.message : undefined;
}

interface Result {
  activePods: readonly Pod[];
  terminatingPods: readonly Pod[];
  failure: string | undefined;
}

function planStatus({ now, workload, countTerminating }: ReplicaSetSnapshot, { activePods, terminatingPods, failure }: Result): Plan {
  const { object, resource, minReadySeconds } = workload;
  const status = nextStatus(workload, { now, activePods, failure, ...(countTerminating ? { terminatingPods } : {}) });
  const because = { rule: failure === undefined ? 'RS-30' : 'RS-31', facts: { active: activePods.length } };
  const actions: Action[] = status ? [{ type: 'update', resource, subresource: 'status', object: { ...object, status } as typeof object, because }] : [];
  const { readyReplicas = 0, availableReplicas = 0 } = status ?? object.status ?? {};
  if (failure !== undefined || minReadySeconds === 0 || readyReplicas === availableReplicas) return { actions };
  return { actions, requeueAfterMs: nextAvailabilityCheck(activePods, minReadySeconds, now) ?? minReadySeconds * 1000 };
}
