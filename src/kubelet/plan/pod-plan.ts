import type { PodAction } from './action.ts';
import type { Cause, PodLife } from './pod-life.ts';

/** What to do next for one pod. */
export interface PodPlan {
  /** Where the pod stands once all of it is done. */
  life: PodLife;
  /** One after the other. */
  actions: readonly PodAction[];
  /** Containers that wait for a delay to pass. */
  waiting: ReadonlyMap<string, Cause>;
  /** When to plan again even if nothing happens. */
  wakeAt: number | undefined;
  /** Plan again at once: these actions bring others after them. */
  again: boolean;
}
