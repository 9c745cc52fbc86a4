import type { ReplicaSetCondition, ReplicaSetStatus } from '../../api/generated/types/apps.v1.ts';
import type { Pod } from '../../api/generated/types/core.v1.ts';
import { selectorFromMap } from '../../api/labels.ts';
import { timestamp } from '../../lib/clock.ts';
import { availableFrom, isPodAvailable, isPodReady } from '../pod-state.ts';
import type { Workload } from './workload.ts';

const REPLICA_FAILURE = 'ReplicaFailure';

export interface StatusInput {
  now: number;
  activePods: readonly Pod[];
  /** Only where terminating pods are to be counted (feature gate DeploymentReplicaSetTerminatingReplicas). */
  terminatingPods?: readonly Pod[];
  /** Why pods could not be created or deleted, if so. */
  failure: string | undefined;
}

/**
 * The status that the pods give; undefined where the present one says the same.
 * Upstream: pkg/controller/replicaset/replica_set_utils.go (calculateStatus, updateReplicaSetStatus).
 */
export function nextStatus(workload: Workload, input: StatusInput): ReplicaSetStatus | undefined {
  const { object, template, minReadySeconds } = workload;
  const old: ReplicaSetStatus = object.status ?? { replicas: 0 };
  const labelled = selectorFromMap(template.metadata.labels);
  const count = (holds: (pod: Pod) => boolean): number => input.activePods.filter(holds).length;
  const conditions = nextConditions(workload, input, old.conditions ?? []);
  const status: ReplicaSetStatus = {
    replicas: input.activePods.length,
    ...nonZero(
      'fullyLabeledReplicas',
      count((pod) => labelled.matches(pod.metadata.labels)),
    ),
    ...nonZero('readyReplicas', count(isPodReady)),
    ...nonZero(
      'availableReplicas',
      count((pod) => isPodAvailable(pod, minReadySeconds, input.now)),
    ),
    ...(input.terminatingPods ? { terminatingReplicas: input.terminatingPods.length } : {}),
    ...nonZero('observedGeneration', object.metadata.generation ?? 0),
    ...(conditions.length > 0 ? { conditions } : {}),
  };
  return sameStatus(status, old) ? undefined : status;
}

function nonZero<K extends string>(key: K, value: number): { [P in K]?: number } {
  return (value === 0 ? {} : { [key]: value }) as { [P in K]?: number };
}

function nextConditions({ replicas }: Workload, { now, activePods, failure }: StatusInput, old: ReplicaSetCondition[]): ReplicaSetCondition[] {
  const known = old.some(({ type }) => type === REPLICA_FAILURE);
  if (failure === undefined) return known ? old.filter(({ type }) => type !== REPLICA_FAILURE) : old;
  if (known) return old;
  const reason = activePods.length < replicas ? 'FailedCreate' : activePods.length > replicas ? 'FailedDelete' : '';
  return [...old, { type: REPLICA_FAILURE, status: 'True', lastTransitionTime: timestamp(now), reason, message: failure }];
}

const NUMBERS = ['replicas', 'fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'terminatingReplicas', 'observedGeneration'] as const;

function sameStatus(a: ReplicaSetStatus, b: ReplicaSetStatus): boolean {
  return NUMBERS.every((key) => (a[key] ?? 0) === (b[key] ?? 0)) && (a.conditions === b.conditions || (!a.conditions?.length && !b.conditions?.length));
}

/**
 * Milliseconds until the next ready pod becomes available: each pod's own time, so that staggered pods do not wait for
 * each other. Undefined where none is on its way.
 */
export function nextAvailabilityCheck(pods: readonly Pod[], minReadySeconds: number, now: number): number | undefined {
  const waits = pods.map((pod) => availableFrom(pod, minReadySeconds) ?? now).flatMap((at) => (at > now ? [at - now] : []));
  return waits.length > 0 ? Math.min(...waits) : undefined;
}
