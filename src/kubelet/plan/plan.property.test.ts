import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Container, Node, Pod } from '../../api/generated/types/core.v1.ts';
import type { ContainerStatus, PodSandbox } from '../../runtime/runtime.ts';
import { CONTAINER_HASH_ANNOTATION } from '../labels.ts';
import { containerHash } from '../pod-containers.ts';
import type { PodAction } from './action.ts';
import { begun, done } from './memory.ts';
import { planPod } from './plan.ts';
import { newborn, type PodState, type ProbeFindings } from './state.ts';

const NOW = 1_000_000;
const node = { metadata: { name: 'node' }, spec: {}, status: { allocatable: { pods: '110' } } } as unknown as Node;
const healthy: ProbeFindings = { started: true, ready: true, failed: undefined };

function runOf(container: Container, over: Partial<ContainerStatus> = {}): ContainerStatus {
  const { attempt = 0 } = over.metadata ?? {};
  const annotations = { [CONTAINER_HASH_ANNOTATION]: containerHash(container) };
  const ids = { id: `${container.name}-${attempt}`, podSandboxId: 's', metadata: { name: container.name, attempt }, image: 'a', imageId: '' };
  const times = { createdAt: 0, startedAt: 1, finishedAt: 0, exitCode: 0, reason: '', message: '' };
  return { ...ids, ...times, state: 'running', labels: {}, annotations, ...over };
}

function sandboxOf(attempt: number, state: PodSandbox['state']): PodSandbox {
  return { id: `s-${attempt}`, metadata: { name: 'p', namespace: 'n', uid: 'u', attempt }, state, createdAt: 0, ips: [], labels: {}, annotations: {} };
}

/** A pod somewhere in its life, with whatever the runtime may have of it. */
const states: fc.Arbitrary<PodState> = fc
  .record({
    restartPolicy: fc.constantFrom('Always', 'OnFailure', 'Never'),
    inits: fc.array(fc.boolean(), { maxLength: 2 }),
    count: fc.integer({ min: 1, max: 2 }),
    sandbox: fc.constantFrom('none', 'ready', 'notReady'),
    runs: fc.array(fc.constantFrom('none', 'running', 'changed', 'exited', 'failed', 'created'), { minLength: 4, maxLength: 4 }),
    findings: fc.constantFrom<ProbeFindings | undefined>(undefined, healthy, { ...healthy, failed: 'liveness' }, { ...healthy, started: undefined }),
    phase: fc.constantFrom<PodState['life']>({ phase: 'pending', nodeIsFresh: false }, { phase: 'running' }),
  })
  .map(({ restartPolicy, inits, count, sandbox, runs: kinds, findings, phase }) => {
    const container = (name: string, over: Partial<Container> = {}): Container => ({ name, image: 'a', resources: {}, ...over });
    const initContainers = inits.map((sidecar, index) => container(`i${index}`, sidecar ? { restartPolicy: 'Always' } : {}));
    const containers = Array.from({ length: count }, (_, index) => container(`c${index}`));
    const runs = [...initContainers, ...containers].flatMap((one, index) => {
      const kind = kinds[index];
      if (kind === undefined || kind === 'none' || sandbox === 'none') return [];
      if (kind === 'running') return [runOf(one)];
      if (kind === 'changed') return [runOf(one, { annotations: {} })];
      if (kind === 'created') return [runOf(one, { state: 'created', startedAt: 0 })];
      return [runOf(one, { state: 'exited', exitCode: kind === 'failed' ? 1 : 0, finishedAt: NOW - 1000 })];
    });
    const pod = { metadata: { name: 'p', namespace: 'n', uid: 'u' }, spec: { restartPolicy, initContainers, containers }, status: {} };
    const probes = new Map(findings ? runs.filter((run) => run.state === 'running').map((run) => [run.id, findings]) : []);
    const sandboxes = sandbox === 'none' ? [] : [sandboxOf(0, sandbox === 'ready' ? 'ready' : 'notReady')];
    const around = { removed: false, eviction: undefined, seenAt: 0, now: NOW, underWay: false, node, others: () => [], crashDelay: () => undefined };
    return { ...newborn, ...around, life: phase, pod: pod as unknown as Pod, sandboxes, runs, probes };
  });

const exit = (run: ContainerStatus, exitCode: number): ContainerStatus =>
  run.state === 'exited' ? run : { ...run, state: 'exited', exitCode, finishedAt: NOW };

/** What becomes of the world around the plan: a runtime in which everything goes well, and an API server. */
function after(state: PodState, action: PodAction): PodState {
  switch (action.type) {
    case 'createSandbox':
      return { ...state, sandboxes: [...state.sandboxes, sandboxOf(action.attempt, 'ready')] };
    case 'startContainer': {
      const run = runOf(action.container, { metadata: { name: action.container.name, attempt: action.attempt } });
      return { ...state, runs: [...state.runs, run], probes: new Map([...state.probes, [run.id, healthy]]) };
    }
    case 'startProbes':
      return { ...state, probes: new Map([...state.probes, [action.id, healthy]]) };
    case 'stopProbes':
      return { ...state, probes: new Map([...state.probes].filter(([id]) => id !== action.id)) };
    case 'stopContainer':
    case 'stopTogether': {
      const ids = action.type === 'stopContainer' ? [action.id] : action.stops.map(({ id }) => id);
      return { ...state, runs: state.runs.map((run) => (ids.includes(run.id) ? exit(run, 0) : run)) };
    }
    case 'removeContainer':
      return { ...state, runs: state.runs.filter(({ id }) => id !== action.id) };
    case 'stopPodSandbox':
      return { ...state, sandboxes: state.sandboxes.map((one) => (one.id === action.id ? { ...one, state: 'notReady' } : one)) };
    case 'removePodSandbox':
      return { ...state, sandboxes: state.sandboxes.filter(({ id }) => id !== action.id), runs: [] };
    case 'reportStatus': {
      const over = action.report.of === 'refusal' || action.report.over;
      return over ? { ...state, pod: { ...state.pod, status: { ...state.pod.status, phase: 'Failed' } } } : state;
    }
    case 'deletePod':
      return { ...state, removed: true };
    default:
      return state;
  }
}

/** Plans and acts until there is nothing to do. Returns where that leads, and all that was done. */
function settle(begin: PodState): { state: PodState; actions: PodAction[] } {
  let state = begin;
  const actions: PodAction[] = [];
  for (let plans = 0; plans < 60; plans++) {
    const plan = planPod(state);
    const { life } = state;
    state = { ...state, waiting: plan.waiting };
    for (const action of plan.actions) {
      state = { ...state, ...begun(state, action) };
      state = after(state, action);
      state = { ...state, ...done(state, action, {}) };
      actions.push(action);
    }
    if (state.life === life) state = { ...state, life: plan.life };
    const news = plan.actions.some(({ type }) => type === 'deletePod');
    if (!plan.again && !news) return { state, actions };
  }
  throw new Error(`no end: ${JSON.stringify(actions.slice(-6))}`);
}

const starts = (actions: readonly PodAction[]): number => actions.filter(({ type }) => type === 'startContainer' || type === 'createSandbox').length;

test('a pod that lives comes to rest: with Always, every container runs', () => {
  fc.assert(
    fc.property(states, (begin) => {
      const { state } = settle(begin);
      const always = begin.pod.spec.restartPolicy === 'Always';
      expect(state.life.phase).toMatch(always ? /^running$/ : /^(running|terminated)$/);
      const latest = new Map(state.runs.map((run) => [run.metadata.name, run.state]));
      // None yet: the init containers, which run for ever in this world, are not done.
      for (const { name } of always ? begin.pod.spec.containers : []) expect(latest.get(name) ?? 'none yet').toMatch(/^(running|none yet)$/);
    }),
  );
});

test('KUB-4, KUB-47: a pod that is deleted at any moment leaves nothing, and nothing of it is started any more', () => {
  fc.assert(
    fc.property(states, (begin) => {
      const metadata = { ...begin.pod.metadata, deletionTimestamp: '2026-01-01T00:00:00Z', deletionGracePeriodSeconds: 5 };
      const { state, actions } = settle({ ...begin, pod: { ...begin.pod, metadata } });
      expect(starts(actions)).toBe(0);
      expect([state.life.phase, state.sandboxes, state.runs]).toEqual(['finished', [], []]);
      expect(actions.map(({ type }) => type).filter((type) => type === 'deletePod' || type === 'forgetPod')).toEqual(['deletePod', 'forgetPod']);
    }),
  );
});

test('KUB-42: while actions are carried out, nothing but haste is planned', () => {
  fc.assert(
    fc.property(states, fc.boolean(), (begin, removed) => {
      const { actions, life } = planPod({ ...begin, underWay: true, removed });
      expect(actions.filter(({ type }) => type !== 'interrupt' && type !== 'hurryContainer')).toEqual([]);
      expect(life).toBe(begin.life);
    }),
  );
});
