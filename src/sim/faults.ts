import type { ApiRequest } from '../api/request.ts';
import { conflict, internalError, StatusError, tooManyRequests } from '../api/status.ts';
import type { Rng } from '../lib/rng.ts';
import type { Disturbance } from './faulty-transport.ts';

export type Component = 'kube-controller-manager' | 'kube-scheduler' | 'kubelet';

/** While it lasts, requests of a component fail by chance. */
interface Window {
  component: Component;
  atMs: number;
  forMs: number;
  chance: number;
}

/** What goes wrong, and when. */
export type Fault =
  | ({ type: 'conflicts' } & Window)
  /** Answers 429 and 500. */
  | ({ type: 'errors' } & Window)
  /** Timeouts of requests that were not carried out. */
  | ({ type: 'lostRequests' } & Window)
  /** Timeouts of requests that were. */
  | ({ type: 'lostAnswers' } & Window)
  | ({ type: 'slow' } & Window)
  /** Cuts the watches of a resource (or all); `compact` makes them list anew. */
  | { type: 'cut'; component: Component; atMs: number; resource: string; compact: boolean }
  /** The watches of a resource (or all) of the nth life of a component tell nothing for a while. */
  | { type: 'stall'; component: Component; atMs: number; resource: string; forMs: number; nth: number }
  /** The watches of a resource (or all) of a component take so long over each event. */
  | { type: 'lag'; component: Component; atMs: number; resource: string; forMs: number; ms: number }
  /** The controllers die when they would send another write, so many writes later, and are started again. */
  | { type: 'crash'; atMs: number; afterWrites: number; downMs: number }
  /** Other controllers are started while the ones before still run. */
  | { type: 'overlap'; atMs: number; forMs: number }
  /** Each batch of writes takes up to so long. */
  | { type: 'slowJournal'; atMs: number; forMs: number; ms: number }
  /** The next batch of writes fails, the process ends itself, and everything is started again upon what was kept. */
  | { type: 'journalFailure'; atMs: number; downMs: number }
  /** Everything ends at once, in the middle of whatever it writes, and is started again upon what was kept. */
  | { type: 'powerCut'; atMs: number; downMs: number };

type JournalFault = 'slowJournal' | 'journalFailure' | 'powerCut';
type AnyRunsFault = Exclude<Fault['type'], JournalFault>;

const WINDOWS = ['conflicts', 'errors', 'lostRequests', 'lostAnswers', 'slow'] as const;
/** Those that any run may have; the others want a journal. */
const TYPES: readonly AnyRunsFault[] = [...WINDOWS, 'cut', 'stall', 'lag', 'crash', 'overlap'];
const RESOURCES = ['*', 'deployments', 'replicasets', 'pods', 'pods'];

/**
 * A few kinds of faults, each a few times: a run with all of them at once would find less.
 * @param momentsMs when something happens that they had better coincide with.
 */
export function drawFaults(rng: Rng, withinMs: number, momentsMs: readonly number[]): Fault[] {
  if (rng.chance(0.12)) return [];
  const types = TYPES.filter(() => rng.chance(0.25));
  return types.flatMap((type) => Array.from({ length: 1 + rng.integer(4) }, () => drawFault(type, rng, drawMoment(rng, withinMs, momentsMs))));
}

/** What befalls a store that is kept in a journal: from time to time it is slow, and once or twice everything ends. */
export function drawJournalFaults(rng: Rng, withinMs: number, momentsMs: readonly number[]): Fault[] {
  const at = (): number => drawMoment(rng, withinMs, momentsMs);
  const downMs = (): number => rng.pick([0, 500, 5000]);
  const some = (most: number, draw: () => Fault): Fault[] => Array.from({ length: rng.integer(most + 1) }, draw);
  return [
    ...some(3, () => ({ type: 'slowJournal', atMs: at(), forMs: 1000 + rng.integer(20_000), ms: rng.pick([5, 50, 1000]) })),
    ...some(1, () => ({ type: 'journalFailure', atMs: at(), downMs: downMs() })),
    ...some(2, () => ({ type: 'powerCut', atMs: at(), downMs: downMs() })),
  ];
}

function drawMoment(rng: Rng, withinMs: number, momentsMs: readonly number[]): number {
  if (momentsMs.length === 0 || rng.chance(0.4)) return Math.round(rng.float() * withinMs);
  return Math.max(rng.pick(momentsMs) - rng.pick([0, 1, 100, 1000]), 0);
}

function drawFault(type: AnyRunsFault, rng: Rng, atMs: number): Fault {
  const component: Component = rng.chance(0.75) ? 'kube-controller-manager' : rng.pick(['kube-scheduler', 'kubelet']);
  switch (type) {
    case 'cut':
      return { type, component, atMs, resource: rng.pick(RESOURCES), compact: rng.chance(0.3) };
    case 'stall':
      return { type, component, atMs, resource: rng.pick(RESOURCES), forMs: 200 + rng.integer(rng.pick([1500, 10_000])), nth: rng.integer(2) };
    case 'lag':
      return { type, component, atMs, resource: rng.pick(RESOURCES), forMs: 5000 + rng.integer(40_000), ms: rng.pick([5, 50, 400]) };
    case 'crash':
      return { type, atMs, afterWrites: rng.integer(6), downMs: rng.pick([0, 500, 5000]) };
    case 'overlap':
      return { type, atMs, forMs: rng.pick([500, 3000, 8000]) };
    default:
      return { type, component, atMs, forMs: 500 + rng.integer(15_000), chance: rng.pick([0.1, 0.3, 0.6]) };
  }
}

/** Until when caches may be behind, or writes come late, because of a fault. Reflectors wait up to a minute after failures. */
export function staleUntilMs(fault: Fault): number {
  switch (fault.type) {
    case 'conflicts':
      return 0;
    case 'crash':
    case 'powerCut':
      return fault.atMs + fault.downMs + 60_000;
    case 'journalFailure':
      // It waits for a write, as one that keeps a node's lease.
      return fault.atMs + fault.downMs + 75_000;
    case 'overlap':
      return fault.atMs + fault.forMs + 20_000;
    case 'cut':
      return fault.atMs + 20_000;
    case 'stall':
      return fault.atMs + fault.forMs + 10_000;
    case 'lag':
      return fault.atMs + fault.forMs + 20_000;
    default:
      return fault.atMs + fault.forMs + 60_000;
  }
}

/** Whether the request may change something. */
export const isWrite = ({ verb }: ApiRequest): boolean => verb !== 'get' && verb !== 'list' && verb !== 'watch';

/** The windows among a scenario's faults, as they meet requests. Each draws for itself: leaving one out changes no other. */
export class FaultWindows {
  readonly #windows: { fault: Extract<Fault, Window>; rng: Rng }[];

  constructor(faults: readonly Fault[], rng: Rng) {
    this.#windows = faults.flatMap((fault) => ('chance' in fault ? [{ fault, rng: rng.fork(labelOf(fault)) }] : []));
  }

  /** @param atMs since the beginning of the scenario. */
  disturb(request: ApiRequest, component: string, atMs: number): Disturbance | undefined {
    for (const { fault, rng } of this.#windows) {
      if (fault.component !== component || atMs < fault.atMs || atMs >= fault.atMs + fault.forMs) continue;
      if (!rng.chance(fault.chance)) continue;
      const disturbance = disturbanceOf(fault.type, request, rng);
      if (disturbance) return disturbance;
    }
    return undefined;
  }
}

/** By which a fault draws for itself: another text, and every seed would play another run. */
function labelOf({ type, ...rest }: Fault): string {
  return JSON.stringify({ kind: type, ...rest });
}

function disturbanceOf(type: (typeof WINDOWS)[number], request: ApiRequest, rng: Rng): Disturbance | undefined {
  switch (type) {
    case 'conflicts':
      if (request.verb !== 'update') return undefined;
      return {
        type: 'refuse',
        error: conflict(request, request.name ?? '', 'the object has been modified; please apply your changes to the latest version and try again'),
      };
    case 'errors':
      return {
        type: 'refuse',
        error: rng.chance(0.5) ? tooManyRequests('too many requests, please try again later', 1) : internalError('the simulator says so'),
      };
    case 'lostRequests':
      return { type: 'refuse', error: timeout(rng), afterMs: 1 + rng.integer(3000) };
    case 'lostAnswers':
      return isWrite(request) ? { type: 'loseAnswer', error: timeout(rng), afterMs: 1 + rng.integer(3000) } : undefined;
    case 'slow':
      return { type: 'delay', ms: 1 + rng.integer(2000) };
  }
}

/** As the server words it, or as a broken connection does. */
function timeout(rng: Rng): Error {
  return rng.chance(0.5) ? new StatusError(504, 'Timeout', 'request did not complete within the allotted timeout') : new Error('the connection was reset');
}
