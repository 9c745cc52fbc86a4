import type { Rng } from '../lib/rng.ts';
import { IMAGES } from './conventions.ts';
import type { Fault } from './faults.ts';
import { drawFaults, drawJournalFaults } from './faults.ts';

export interface DeploymentShape {
  replicas: number;
  strategy: { type: 'Recreate' } | { type: 'RollingUpdate'; rollingUpdate: { maxSurge: number | string; maxUnavailable: number | string } };
  image: string;
  minReadySeconds: number;
  progressDeadlineSeconds: number;
  revisionHistoryLimit: number;
  terminationGracePeriodSeconds: number;
}

export type Strategy = DeploymentShape['strategy'];

/** What a user does, to the Deployment `name` where there is one. */
export type Act =
  | { type: 'create'; name: string; shape: DeploymentShape }
  | { type: 'image'; name: string; image: string }
  | { type: 'scale'; name: string; replicas: number }
  | { type: 'pause' | 'resume'; name: string }
  | { type: 'undo'; name: string }
  | { type: 'strategy'; name: string; strategy: Strategy }
  | { type: 'annotate'; name: string; value: string }
  | { type: 'deletePods'; name: string; count: number }
  | { type: 'delete'; name: string; propagationPolicy: 'Background' | 'Foreground' | 'Orphan' }
  /** Of the ReplicaSets in order of age, from the youngest. */
  | { type: 'scaleReplicaSet'; name: string; nth: number; replicas: number }
  | { type: 'annotateReplicaSet'; name: string; nth: number; value: string }
  | { type: 'deleteReplicaSet'; name: string; nth: number }
  /** Takes a ReplicaSet, or a pod of it, out of its owner's sight by a label. */
  | { type: 'mislabel'; what: 'replicasets' | 'pods'; name: string; nth: number }
  /** Puts the label back that `mislabel` took. */
  | { type: 'relabel'; what: 'replicasets' | 'pods'; name: string }
  | { type: 'cordon' | 'uncordon' | 'drain'; node: string };

export type Step = { atMs: number } & Act;

/** A run as plain data: all that a seed decides but for what each request of a disturbed component meets. */
export interface Scenario {
  seed: number;
  nodes: number;
  /** The repair of kubernetes/kubernetes 102551. Off, as upstream, a rollout may hang for ever: `convergence.ts` knows where. */
  refreshStaleAnnotations: boolean;
  steps: Step[];
  faults: Fault[];
  /** When all steps have been taken and all faults are over. */
  endMs: number;
}

const LIMITS: readonly [number | string, number | string][] = [
  [1, 0],
  [0, 1],
  ['25%', '25%'],
  ['25%', '25%'],
  ['50%', '0%'],
  ['34%', '34%'],
  [2, 1],
  ['100%', 0],
  [0, '30%'],
  [3, '50%'],
  [1, '21%'],
];
const STEPS_MS = 90_000;

/**
 * The scenario of a seed.
 * @param options.journal whether the store is kept in a journal; what befalls that comes on top.
 */
export function drawScenario(seed: number, rng: Rng, { journal = false }: { journal?: boolean } = {}): Scenario {
  const workload = rng.fork('workload');
  const names = ['web', 'api', 'job'].slice(0, 1 + workload.integer(2.4));
  const steps = names.flatMap((name) => drawSteps(name, workload));
  if (workload.chance(0.35)) steps.push(...drawNodeSteps(workload));
  const special = workload.chance(0.2) ? drawReadoption(names[0]!, workload) : { steps: [], faults: [] };
  const moments = steps.map(({ atMs }) => atMs);
  const faults = [...drawFaults(rng.fork('faults'), STEPS_MS, moments), ...special.faults];
  if (journal) faults.push(...drawJournalFaults(rng.fork('journal'), STEPS_MS, moments));
  const all = [...steps, ...special.steps].sort((a, b) => a.atMs - b.atMs);
  return { seed, nodes: 3, refreshStaleAnnotations: workload.chance(0.3), steps: all, faults, endMs: STEPS_MS + 30_000 };
}

function drawSteps(name: string, rng: Rng): Step[] {
  let atMs = Math.round(rng.float() * 2000);
  const steps: Step[] = [{ atMs, type: 'create', name, shape: drawShape(rng) }];
  const hurry = rng.pick([400, 2000, 8000]);
  const count = 4 + rng.integer(14);
  for (let i = 0; i < count; i++) {
    // Now and then two things happen at the same moment.
    if (!rng.chance(0.1)) atMs += Math.round(rng.float() ** 2 * 3 * hurry);
    if (atMs > STEPS_MS) break;
    steps.push(...drawActs(name, rng).map((act, index) => ({ atMs: atMs + index * 700, ...act }) as Step));
  }
  return steps;
}

function drawShape(rng: Rng): DeploymentShape {
  return {
    replicas: rng.pick([0, 1, 2, 3, 3, 4, 5, 7, 10]),
    strategy: drawStrategy(rng),
    image: drawImage(rng),
    minReadySeconds: rng.pick([0, 0, 0, 3]),
    progressDeadlineSeconds: rng.pick([20, 45]),
    revisionHistoryLimit: rng.pick([0, 1, 2, 10]),
    terminationGracePeriodSeconds: rng.pick([0, 1, 5]),
  };
}

function drawStrategy(rng: Rng): Strategy {
  if (rng.chance(0.12)) return { type: 'Recreate' };
  const [maxSurge, maxUnavailable] = rng.pick(LIMITS);
  return { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } };
}

function drawImage(rng: Rng): string {
  const kind = rng.pick([IMAGES.good, IMAGES.good, IMAGES.slow, IMAGES.slow, IMAGES.flaky, IMAGES.bad]);
  return `${kind}:v${1 + rng.integer(5)}`;
}

/** One act, or a few that belong together. */
function drawActs(name: string, rng: Rng): Act[] {
  const draw = rng.float();
  if (draw < 0.28) return [{ type: 'image', name, image: drawImage(rng) }];
  if (draw < 0.46) return [{ type: 'scale', name, replicas: rng.pick([0, 1, 2, 3, 5, 6, 8, 12]) }];
  if (draw < 0.54) return [{ type: 'undo', name }];
  if (draw < 0.6) return rng.chance(0.5) ? [{ type: 'pause', name }] : [{ type: 'resume', name }];
  if (draw < 0.67) return [{ type: 'deletePods', name, count: 1 + rng.integer(3) }];
  if (draw < 0.71) return [{ type: 'strategy', name, strategy: drawStrategy(rng) }];
  if (draw < 0.77) return [{ type: 'annotate', name, value: String(rng.integer(1000)) }];
  if (draw < 0.81) return [{ type: 'annotateReplicaSet', name, nth: rng.integer(3), value: String(rng.integer(1000)) }];
  if (draw < 0.85) return [{ type: 'scaleReplicaSet', name, nth: rng.integer(3), replicas: rng.integer(6) }];
  if (draw < 0.87) return [{ type: 'deleteReplicaSet', name, nth: rng.integer(3) }];
  if (draw < 0.92) return drawMislabelling(name, rng);
  if (draw < 0.96) return drawRebirth(name, rng);
  return drawChurn(name, rng);
}

function drawMislabelling(name: string, rng: Rng): Act[] {
  const what = rng.pick(['replicasets', 'pods'] as const);
  const [first, second]: [Act, Act] = [
    { type: 'mislabel', what, name, nth: rng.integer(2) },
    { type: 'relabel', what, name },
  ];
  return rng.chance(0.7) ? [first, second] : [first];
}

function drawRebirth(name: string, rng: Rng): Act[] {
  const propagationPolicy = rng.pick(['Background', 'Foreground', 'Orphan'] as const);
  const reborn: Act = { type: 'create', name, shape: drawShape(rng) };
  const gone: Act = { type: 'delete', name, propagationPolicy };
  return rng.chance(0.85) ? [gone, reborn] : [gone];
}

/** To and fro between two templates, until the revisions have two digits. */
function drawChurn(name: string, rng: Rng): Act[] {
  const images = [`${IMAGES.good}:v1`, `${IMAGES.good}:v2`, ...(rng.chance(0.3) ? [`${IMAGES.good}:v3`] : [])];
  return Array.from({ length: 10 + rng.integer(4) }, (_, index): Act => ({ type: 'image', name, image: images[index % images.length]! }));
}

function drawNodeSteps(rng: Rng): Step[] {
  const steps: Step[] = [];
  for (let atMs = 5000 + rng.integer(20_000); atMs < STEPS_MS; atMs += 5000 + rng.integer(30_000)) {
    const node = `hollow-${1 + rng.integer(3)}`;
    steps.push({ atMs, type: rng.pick(['cordon', 'drain', 'drain']), node });
    if (rng.chance(0.8)) steps.push({ atMs: atMs + 2000 + rng.integer(15_000), type: 'uncordon', node });
  }
  return steps;
}

/**
 * An object is let go of, its owner goes, and the object comes back while the controllers still believe in the owner:
 * what the live look before an adoption is for.
 */
function drawReadoption(name: string, rng: Rng): { steps: Step[]; faults: Fault[] } {
  const atMs = 20_000 + rng.integer(50_000);
  const what = rng.pick(['replicasets', 'pods'] as const);
  const foreground = rng.chance(0.5);
  const gone: Act =
    what === 'replicasets' ? { type: 'delete', name, propagationPolicy: foreground ? 'Foreground' : 'Background' } : { type: 'deleteReplicaSet', name, nth: 0 };
  const steps: Step[] = [
    { atMs, type: 'mislabel', what, name, nth: 0 },
    { atMs: atMs + 3000, ...gone },
    { atMs: atMs + (foreground ? 3300 : 5500), type: 'relabel', what, name },
  ];
  const stalled = what === 'replicasets' ? 'deployments' : 'replicasets';
  const faults: Fault[] = foreground
    ? []
    : [{ type: 'stall', component: 'kube-controller-manager', atMs: atMs + 2900, resource: stalled, forMs: 8000, nth: 0 }];
  return { steps, faults };
}
