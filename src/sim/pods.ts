import type { Pod } from '../api/generated/types/core.v1.ts';
import type { LabelSelector } from '../api/generated/types/meta.v1.ts';
import { parseTime } from '../lib/clock.ts';

// What the simulator says of pods, by its own lights (see bounds.ts).

/** Counts for its ReplicaSet: has not ended, and is not on its way out. */
export const isActive = ({ metadata, status }: Pod): boolean => !(metadata.deletionTimestamp || ['Succeeded', 'Failed'].includes(status.phase ?? ''));

export const isReady = (pod: Pod): boolean => readySince(pod) !== undefined;

/** Has been ready for so long. */
export function isAvailable(pod: Pod, { forSeconds, now }: { forSeconds: number; now: number }): boolean {
  const since = readySince(pod);
  return since !== undefined && (forSeconds === 0 || now - since >= forSeconds * 1000);
}

function readySince({ status }: Pod): number | undefined {
  const ready = status.conditions?.find(({ type, status }) => type === 'Ready' && status === 'True');
  return ready && (parseTime(ready.lastTransitionTime) ?? Number.POSITIVE_INFINITY);
}

/** Whether a selector takes an object with these labels. (An empty one takes all.) */
export function selects({ matchLabels = {}, matchExpressions = [] }: LabelSelector, labels: Readonly<Record<string, string>> = {}): boolean {
  const wanted = Object.entries(matchLabels).every(([key, value]) => labels[key] === value);
  return (
    wanted &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'Exists') return value !== undefined;
      if (operator === 'DoesNotExist') return value === undefined;
      const listed = value !== undefined && values.includes(value);
      return operator === 'In' ? listed : !listed;
    })
  );
}
