import type { Pod, Service } from '../../api/generated/types/core.v1.ts';
import { parseTime } from '../../lib/clock.ts';

/** When that happened of which an Endpoints or EndpointSlice object tells, so that the time until clients know can be measured. */
export const TRIGGER_TIME = 'endpoints.kubernetes.io/last-change-trigger-time';

/** The annotations with the time, or without one when nothing new has happened. */
export function withTriggerTime(annotations: Readonly<Record<string, string>> | undefined, time: string | undefined): { annotations?: Record<string, string> } {
  const { [TRIGGER_TIME]: _, ...others } = annotations ?? {};
  const all = { ...others, ...(time ? { [TRIGGER_TIME]: time } : {}) };
  return Object.keys(all).length > 0 ? { annotations: all } : {};
}

interface Seen {
  service: string | undefined;
  pods: ReadonlyMap<string, string>;
}

/** Remembers which changes of Services and their pods have been looked at already (upstream: endpointslice/trigger_time_tracker.go). */
export class TriggerTimes {
  readonly #seen = new Map<string, Seen>();

  /** The earliest change since the last time that the Service was looked at; a Service seen for the first time: its creation. */
  next(key: string, service: Service, pods: readonly Pod[]): string | undefined {
    const before = this.#seen.get(key);
    const created = service.metadata.creationTimestamp;
    const times = new Map(pods.flatMap((pod) => readySince(pod)));
    this.#seen.set(key, { service: created, pods: times });
    if (!before) return created;
    const changes = [...times].filter(([name, time]) => isAfter(time, before.pods.get(name))).map(([, time]) => time);
    if (created && isAfter(created, before.service)) changes.push(created);
    return changes.sort((a, b) => parseTime(a)! - parseTime(b)!)[0];
  }

  forget(key: string): void {
    this.#seen.delete(key);
  }
}

/** Since when the pod is ready, or is not. */
function readySince({ metadata, status }: Pod): [name: string, time: string][] {
  const time = status.conditions?.find((condition) => condition.type === 'Ready')?.lastTransitionTime;
  return time ? [[metadata.name ?? '', time]] : [];
}

const isAfter = (time: string, other: string | undefined): boolean => other === undefined || parseTime(time)! > parseTime(other)!;
