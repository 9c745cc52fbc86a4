import type { ControllerRevision, StatefulSet } from '../../api/generated/types/apps.v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/types/core.v1.ts';
import { firstOrdinal, isInRange, ordinalOf, replicasOf, type Version } from './identity.ts';
import type { Revisions } from './revisions.ts';

/** What is known of a StatefulSet when it is looked at. */
export interface StatefulSetSnapshot {
  now: number;
  set: StatefulSet;
  /** The pods it owns, and those in its namespace that match and have no controller. */
  pods: readonly Pod[];
  /** The same of its revisions. */
  revisions: readonly ControllerRevision[];
  /** The claims of its pods that there are, by name. */
  claims: ReadonlyMap<string, PersistentVolumeClaim>;
}

/** The place of an ordinal; without a pod it is still to be filled. */
export interface Place {
  ordinal: number;
  pod: Pod | undefined;
}

/** A StatefulSet in hand: its revisions are known, its pods are claimed. */
export interface Rollout {
  snapshot: StatefulSetSnapshot;
  set: StatefulSet;
  revisions: Revisions;
  pods: readonly Pod[];
  /** Lowest ordinal first. */
  places: readonly Place[];
  /** Pods of ordinals that are not wanted, the highest first. */
  condemned: readonly Pod[];
  /** Whether pods come and go one after another. */
  monotonic: boolean;
}

export function rolloutOf(snapshot: StatefulSetSnapshot, revisions: Revisions, pods: readonly Pod[]): Rollout {
  const { set } = snapshot;
  const byOrdinal = new Map(pods.map((pod) => [ordinalOf(pod), pod]));
  const places = Array.from({ length: replicasOf(set) }, (_, index) => {
    const ordinal = firstOrdinal(set) + index;
    return { ordinal, pod: byOrdinal.get(ordinal) };
  });
  const condemned = pods.filter((pod) => ordinalOf(pod) >= 0 && !isInRange(set, ordinalOf(pod))).sort((a, b) => ordinalOf(b) - ordinalOf(a));
  return { snapshot, set, revisions, pods, places, condemned, monotonic: set.spec.podManagementPolicy !== 'Parallel' };
}

/** The version that a new pod of an ordinal gets: below the partition the present one. Upstream: newVersionedStatefulSetPod. */
export function versionFor({ set, revisions }: Rollout, ordinal: number, versions: { current: Version; update: Version }): Version {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  const held = rollingUpdate ? (rollingUpdate.partition ?? 0) : type === 'RollingUpdate' ? (set.status?.currentReplicas ?? 0) : 0;
  return revisions.current === revisions.update || ordinal >= firstOrdinal(set) + held ? versions.update : versions.current;
}
