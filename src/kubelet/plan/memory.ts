import { resourcesText } from '../pod-containers.ts';
import type { PodAction, StopContainer } from './action.ts';
import type { PodMemory, SandboxFailure, StartFailure } from './state.ts';

/** How an action came out, where that is for the next plan to know. */
export interface Outcome {
  sandboxFailure?: SandboxFailure;
  startFailure?: StartFailure;
}

const stopsIn = (action: PodAction): readonly StopContainer[] =>
  action.type === 'stopTogether' ? action.stops : action.type === 'stopContainer' ? [action] : [];

/** What is remembered of a failure that the action itself could not deal with (KUB-60, KUB-61). Pure. */
export function failed(memory: PodMemory, what: PodAction['type'] | 'plan', retryAt: number): PodMemory {
  return what === 'reportStatus' ? { ...memory, reportRetryAt: retryAt } : { ...memory, retryAt };
}

/** What is remembered once an action is begun. Pure. */
export function begun(memory: PodMemory, action: PodAction): PodMemory {
  const stops = action.type === 'hurryContainer' ? [action] : stopsIn(action);
  if (stops.length === 0) return memory;
  return { ...memory, stopping: new Map([...memory.stopping, ...stops.map(({ id, graceMs }) => [id, graceMs] as const)]) };
}

/** What is remembered once an action has been carried out. Pure. */
export function done(memory: PodMemory, action: PodAction, { sandboxFailure, startFailure }: Outcome): PodMemory {
  switch (action.type) {
    case 'createSandbox':
      return { ...memory, sandboxFailure };
    case 'startContainer': {
      const startFailures = new Map(memory.startFailures);
      if (startFailure) startFailures.set(action.container.name, startFailure);
      else startFailures.delete(action.container.name);
      return { ...memory, startFailures, unseenStart: true };
    }
    case 'stopContainer':
    case 'stopTogether': {
      const stops = stopsIn(action);
      const stopping = new Map([...memory.stopping].filter(([id]) => !stops.some((stop) => stop.id === id)));
      const restarting = new Set([...memory.restarting, ...stops.filter(({ restart }) => restart).map(({ id }) => id)]);
      return { ...memory, stopping, restarting };
    }
    case 'resizeContainer':
      return { ...memory, resized: new Map(memory.resized).set(action.id, resourcesText(action.container)) };
    case 'removeContainer':
      return { ...memory, restarting: new Set([...memory.restarting].filter((id) => id !== action.id)) };
    case 'reportStatus':
      return { ...memory, unreported: false, unseenStart: memory.unseenStart && action.afterMs > 0 };
    default:
      return memory;
  }
}
