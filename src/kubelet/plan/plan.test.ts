import { describe, expect, test } from 'vitest';
import type { Container, Node, Pod } from '../../api/generated/types/core.v1.ts';
import type { ContainerStatus, PodSandbox } from '../../runtime/runtime.ts';
import { CONTAINER_HASH_ANNOTATION, RESOURCES_ANNOTATION } from '../labels.ts';
import { containerHash, resourcesText } from '../pod-containers.ts';
import type { PodAction } from './action.ts';
import { planPod } from './plan.ts';
import type { PodPlan } from './pod-plan.ts';
import { newborn, type PodState, type ProbeFindings } from './state.ts';

const metadata = { name: 'p', namespace: 'n', uid: 'u', attempt: 0 };
const sandbox: PodSandbox = { id: 's', metadata, state: 'ready', createdAt: 0, ips: ['10.0.0.2'], labels: {}, annotations: {} };
const dead: PodSandbox = { ...sandbox, state: 'notReady', ips: [] };
const node = { metadata: { name: 'node' }, spec: {}, status: { allocatable: { cpu: '1', memory: '1Gi', pods: '110' } } } as unknown as Node;

function run(name: string, over: Partial<ContainerStatus> = {}): ContainerStatus {
  const { attempt = 0 } = over.metadata ?? {};
  return {
    id: `${name}-${attempt}`,
    podSandboxId: 's',
    metadata: { name, attempt },
    image: 'docker.io/library/a:latest',
    imageId: '',
    state: 'running',
    createdAt: 0,
    startedAt: 1,
    finishedAt: 0,
    exitCode: 0,
    reason: '',
    message: '',
    labels: {},
    annotations: { [CONTAINER_HASH_ANNOTATION]: containerHash(container(name)) },
    ...over,
  };
}

const exited = (name: string, exitCode: number, over: Partial<ContainerStatus> = {}): ContainerStatus =>
  run(name, { state: 'exited', exitCode, finishedAt: 1000, ...over });
const container = (name: string, over: Partial<Container> = {}): Container => ({ name, image: 'a', resources: {}, ...over });
const sidecar = (name: string): Container => container(name, { restartPolicy: 'Always' });
const healthy: ProbeFindings = { started: true, ready: true, failed: undefined };

/** The annotations of a run that was given so much processor at most. */
const given = (cpu: string) => ({
  [CONTAINER_HASH_ANNOTATION]: containerHash(container('c')),
  [RESOURCES_ANNOTATION]: resourcesText({ name: 'c', resources: { limits: { cpu } } }),
});

function state(spec: Partial<Pod['spec']>, runs: ContainerStatus[], over: Partial<PodState> = {}): PodState {
  const pod = {
    metadata: { name: 'p', namespace: 'n', uid: 'u' },
    spec: { containers: [container('c')], restartPolicy: 'Always', ...spec },
    status: {},
  } as unknown as Pod;
  const probes = new Map(runs.filter((one) => one.state === 'running').map((one) => [one.id, healthy]));
  return {
    ...newborn,
    life: { phase: 'running' },
    unreported: false,
    pod,
    removed: false,
    eviction: undefined,
    seenAt: 0,
    now: 1000,
    underWay: false,
    node,
    others: () => [],
    sandboxes: [sandbox],
    runs,
    probes,
    crashDelay: () => undefined,
    ...over,
  };
}

function inWords(action: PodAction): string {
  switch (action.type) {
    case 'startContainer':
    case 'stopContainer':
    case 'startProbes':
      return `${action.type} ${action.container.name}`;
    case 'stopTogether':
      return `stop ${action.stops.map((stop) => stop.container.name).join(' ')}`;
    case 'tellEvent':
      return `tell ${action.note.reason}`;
    case 'reportStatus':
      return action.report.of === 'refusal' ? 'refuse' : action.report.over ? 'report the end' : action.afterMs ? 'report soon' : 'report';
    default:
      return action.type;
  }
}

const words = ({ actions }: PodPlan): string[] => actions.map(inWords);

/** Actions of a plan, and of those that follow from a change of life alone. */
function play(given: PodState): { words: string[]; life: string } {
  const plan = planPod(given);
  const own = words(plan);
  const settled = plan.life.phase === 'terminated' && !given.removed;
  if (!plan.again || plan.life.phase === given.life.phase || settled) return { words: own, life: plan.life.phase };
  const next = play({ ...given, life: plan.life });
  return { words: [...own, ...next.words], life: next.life };
}

const leaving = { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 };
function deleted(given: PodState, grace = 30): PodState {
  return { ...given, pod: { ...given.pod, metadata: { ...given.pod.metadata, ...leaving, deletionGracePeriodSeconds: grace } } };
}
const terminating = (since: number, graceMs: number): PodState['life'] => ({ phase: 'terminating', reason: 'deleted', failure: undefined, since, graceMs });
const pending = { phase: 'pending', nodeIsFresh: false } as const;
const withStatus = (given: PodState, status: Partial<Pod['status']>): PodState => ({ ...given, pod: { ...given.pod, status } as Pod });

describe('whether the node takes the pod', () => {
  const large = { containers: [container('c', { resources: { requests: { cpu: '2' } } })] };

  test('KUB-1: a pod that fits runs; one that does not is refused, with an event and a status', () => {
    expect(planPod(state({}, [], { life: pending })).life).toEqual({ phase: 'running' });
    const refused = play(state(large, [], { life: { phase: 'pending', nodeIsFresh: true }, sandboxes: [] }));
    expect(refused).toEqual({ words: ['tell OutOfcpu', 'refuse'], life: 'terminated' });
  });

  test('KUB-2: the node is read anew before it refuses', () => {
    const plan = planPod(state(large, [], { life: pending }));
    expect(words(plan)).toEqual(['refreshNode']);
    expect(plan.life).toEqual({ phase: 'pending', nodeIsFresh: true });
  });

  test('KUB-3: a pod that was over before stays so; what still runs of it is stopped', () => {
    expect(play(withStatus(state({}, [], { life: pending }), { phase: 'Succeeded' }))).toEqual({ words: [], life: 'terminated' });
    expect(play(withStatus(state({}, [run('c')], { life: pending }), { phase: 'Failed' })).words).toEqual(['stop c']);
  });
});

describe('when a pod ends', () => {
  test.each<[string, PodState, string]>([
    ['deleted', deleted(state({}, [])), 'deleted'],
    ['removed', state({}, [], { removed: true }), 'removed'],
    ['declared over', withStatus(state({}, []), { phase: 'Failed' }), 'declaredOver'],
  ])('KUB-4: %s', (_name, given, reason) => {
    expect(planPod(given).life).toMatchObject({ phase: 'terminating', reason });
  });

  test('KUB-5: activeDeadlineSeconds after its start', () => {
    const given = withStatus(state({ activeDeadlineSeconds: 5 }, [run('c')]), { startTime: '1970-01-01T00:00:01Z' });
    expect(planPod(given).wakeAt).toBe(6000);
    const plan = planPod({ ...given, now: 6000 });
    expect(words(plan)).toEqual(['tell DeadlineExceeded']);
    expect(plan.life).toMatchObject({ reason: 'deadlineExceeded', failure: { reason: 'DeadlineExceeded' } });
  });
});

describe('what comes next', () => {
  test.each<[string, PodState, string[]]>([
    ['KUB-10: nothing is there yet', state({}, [], { sandboxes: [] }), ['createSandbox']],
    ['KUB-10: the sandbox has died', state({}, [exited('c', 1)], { sandboxes: [dead] }), ['tell SandboxChanged', 'createSandbox']],
    ['KUB-10: it has died, and nothing may run again', state({ restartPolicy: 'Never' }, [exited('c', 1)], { sandboxes: [dead] }), []],
    ['KUB-11: it has died, and a container has not', state({}, [run('c')], { sandboxes: [dead] }), ['tell SandboxChanged', 'stop c', 'createSandbox']],
    ['KUB-12: it could not be made', state({}, [], { sandboxes: [], sandboxFailure: { attempts: 1, retryAt: 1500 } }), ['report']],
    ['KUB-20: the first init container', state({ initContainers: [container('i'), container('j')] }, []), ['startContainer i']],
    ['KUB-20: the second', state({ initContainers: [container('i'), container('j')] }, [exited('i', 0)]), ['startContainer j']],
    ['KUB-22: an init container fails for good', state({ restartPolicy: 'Never', initContainers: [container('i')] }, [exited('i', 2)]), []],
    ['KUB-23: initialized, the sidecar has gone', state({ initContainers: [container('i'), sidecar('s')] }, [run('c')]), ['startContainer s']],
    ['KUB-24: the sandbox is there', state({}, []), ['startContainer c']],
    ['KUB-24: exit 0, Always', state({}, [exited('c', 0)]), ['startContainer c']],
    ['KUB-24: exit 0, OnFailure', state({ restartPolicy: 'OnFailure' }, [exited('c', 0)]), []],
    ['KUB-24: exit 1, OnFailure', state({ restartPolicy: 'OnFailure' }, [exited('c', 1)]), ['startContainer c']],
    ['KUB-24: exit 1, Never', state({ restartPolicy: 'Never' }, [exited('c', 1)]), []],
    [
      'KUB-27: an ephemeral container before the init containers are done',
      state({ initContainers: [container('i')], ephemeralContainers: [container('e')] }, [run('i')]),
      ['startContainer e'],
    ],
    ['KUB-27: an ephemeral container runs once', state({ ephemeralContainers: [container('e')] }, [run('c'), exited('e', 1)]), ['report']],
    [
      'KUB-29: of two runs that have ended the first goes',
      state({}, [exited('c', 1), exited('c', 1, { id: 'c-1', metadata: { name: 'c', attempt: 1 } })]),
      ['removeContainer'],
    ],
    [
      'KUB-33: the resources of its spec have changed',
      state({ containers: [{ ...container('c'), resources: { limits: { cpu: '2' } } }] }, [run('c', { annotations: given('1') })]),
      ['resizeContainer'],
    ],
    [
      'KUB-33: it has been given them',
      state({ containers: [{ ...container('c'), resources: { limits: { cpu: '2' } } }] }, [run('c', { annotations: given('2') })]),
      ['report'],
    ],
    [
      'KUB-33: it wants to be restarted for them',
      state(
        {
          containers: [{ ...container('c'), resources: { limits: { cpu: '2' } }, resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }] }],
        },
        [run('c', { annotations: given('1') })],
      ),
      ['stopContainer c'],
    ],
    ['KUB-6: it has written too much', state({}, [run('c')], { eviction: { reason: 'Evicted', message: 'too much' } }), ['tell Evicted']],
    ['KUB-51: all is well', state({}, [run('c')]), ['report']],
    ['KUB-51: a container has started since the last look', state({}, [run('c')], { unseenStart: true }), ['awaitRelist', 'report']],
    ['KUB-50: the first step of several', state({}, [], { unreported: true }), ['report soon', 'startContainer c']],
  ])('%s', (_name, given, wanted) => {
    expect(words(planPod(given))).toEqual(wanted);
  });

  test('KUB-11: what is stopped because its sandbox died comes back, though it exits with 0', () => {
    const { actions } = planPod(state({ restartPolicy: 'OnFailure' }, [run('c')], { sandboxes: [dead] }));
    expect(actions[1]).toMatchObject({ type: 'stopTogether', stops: [{ restart: true }] });
  });

  test('KUB-21: a sidecar lets the others go on once it has started', () => {
    const given = state({ initContainers: [sidecar('s')] }, [run('s')]);
    expect(words(planPod({ ...given, probes: new Map([['s-0', { ...healthy, started: undefined }]]) }))).toEqual(['report']);
    expect(words(planPod(given))).toEqual(['startContainer c']);
  });

  test('KUB-25: a crash is waited out', () => {
    const plan = planPod(state({}, [exited('c', 1)], { crashDelay: () => 80_000, now: 11_000 }));
    expect(words(plan)).toEqual(['tell BackOff', 'report']);
    expect(plan.waiting.get('c')).toEqual({ reason: 'CrashLoopBackOff', message: 'back-off 1m20s restarting failed container=c pod=p_n(u)' });
    expect(plan.wakeAt).toBe(81_000);
  });

  test('KUB-26: what could not be started waits', () => {
    const failure = { reason: 'ErrImagePull', message: 'no', retryAt: 9000 };
    const plan = planPod(state({}, [], { startFailures: new Map([['c', failure]]) }));
    expect([words(plan), plan.wakeAt, plan.waiting.get('c')]).toEqual([['report'], 9000, { reason: 'ErrImagePull', message: 'no' }]);
  });

  test('KUB-28: nothing is left to run', () => {
    expect(planPod(state({ restartPolicy: 'Never' }, [exited('c', 0)])).life).toMatchObject({ phase: 'terminating', reason: 'completed' });
  });

  test('KUB-52: the event of a wait is told once', () => {
    const given = state({}, [exited('c', 1)], { crashDelay: () => 80_000 });
    const { waiting } = planPod(given);
    expect(words(planPod({ ...given, waiting }))).toEqual(['report']);
  });
});

describe('health', () => {
  test('KUB-30: a container that runs is probed, one that has exited is not', () => {
    expect(words(planPod(state({}, [run('c')], { probes: new Map() })))).toEqual(['startProbes c']);
    const gone = state({}, [exited('c', 1)], { probes: new Map([['c-0', healthy]]), crashDelay: () => 10_000 });
    expect(words(planPod(gone))).toEqual(['tell BackOff', 'stopProbes']);
  });

  test('KUB-31: a failed liveness probe, with its own grace period', () => {
    const probes = new Map<string, ProbeFindings>([['c-0', { ...healthy, failed: 'liveness' }]]);
    const probed = container('c', { livenessProbe: { terminationGracePeriodSeconds: 3 } });
    expect(planPod(state({ containers: [probed] }, [run('c')], { probes })).actions).toMatchObject([
      { message: 'Container c failed liveness probe, will be restarted', restart: true, graceMs: 3000 },
    ]);
    expect(play(state({ restartPolicy: 'Never' }, [run('c')], { probes })).words).toEqual(['stop c']);
  });

  test('KUB-32: a new image restarts the container whatever the policy; the name that the runtime has for it does not', () => {
    const changed = state({ restartPolicy: 'Never', containers: [container('c', { image: 'b' })] }, [run('c')]);
    expect(planPod(changed).actions).toMatchObject([{ message: 'Container c definition changed, will be restarted', restart: true }]);
    const stopped = { ...changed, runs: [exited('c', 0)], probes: new Map(), restarting: new Set(['c-0']) };
    expect(words(planPod(stopped))).toEqual(['startContainer c']);
  });
});

describe('the end', () => {
  const ended = (spec: Partial<Pod['spec']>, runs: ContainerStatus[], over: Partial<PodState> = {}): PodState =>
    deleted(state(spec, runs, { life: terminating(1000, 30_000), ...over }));

  test.each<[string, PodState, number]>([
    ['of the deletion', deleted(state({ terminationGracePeriodSeconds: 9 }, []), 5), 5000],
    ['at least a second', deleted(state({}, []), 0), 1000],
    ['a second for one that has gone', state({ terminationGracePeriodSeconds: 9 }, [], { removed: true }), 1000],
    ["the pod's own", withStatus(state({ terminationGracePeriodSeconds: 9 }, []), { phase: 'Failed' }), 9000],
  ])('KUB-40: the grace period is %s', (_name, given, graceMs) => {
    expect(planPod(given).life).toMatchObject({ graceMs });
  });

  test('KUB-41: containers at once, then sidecars from the last to the first, with what is left of the grace period', () => {
    const spec = { initContainers: [sidecar('s'), sidecar('t')], containers: [container('c'), container('d')] };
    const given = ended(spec, [run('s'), run('t'), run('c'), run('d')]);
    expect(words(planPod(given))).toEqual(['stop c d']);
    const later = { ...given, runs: [run('s'), run('t'), exited('c', 0), exited('d', 0)], now: 5000 };
    expect(words(planPod(later))).toEqual(['stop t']);
    expect(planPod(later).actions).toMatchObject([{ stops: [{ graceMs: 26_000 }] }]);
    expect(words(planPod({ ...later, runs: [run('s')] }))).toEqual(['stop s']);
  });

  test('KUB-42: what is under way is interrupted', () => {
    const plan = planPod({ ...deleted(state({}, [])), underWay: true });
    expect(words(plan)).toEqual(['interrupt']);
    expect(plan.life).toEqual({ phase: 'running' });
  });

  test('KUB-43: a grace period that is cut short hurries what is being stopped, once', () => {
    const given = deleted(state({}, [run('c')], { life: terminating(1000, 30_000), underWay: true, stopping: new Map([['c-0', 30_000]]) }), 5);
    const plan = planPod({ ...given, now: 8000 });
    expect(plan.actions).toMatchObject([{ type: 'hurryContainer', id: 'c-0', graceMs: 5000 }]);
    expect(plan.life).toMatchObject({ since: 8000, graceMs: 5000 });
    expect(words(planPod({ ...given, life: plan.life, stopping: new Map([['c-0', 5000]]) }))).toEqual([]);
  });

  test('KUB-44 to KUB-47: the sandbox, the report, the deletion, the traces', () => {
    const stopped = ended({}, [exited('c', 0)]);
    expect(words(planPod(stopped))).toEqual(['stopPodSandbox']);
    const gone = { ...stopped, sandboxes: [dead] };
    expect(planPod(gone).life.phase).toBe('terminated');
    expect(words(planPod(gone))).toEqual(['report the end']);
    const told = { ...gone, life: planPod(gone).life };
    expect(words(planPod(told))).toEqual(['deletePod']);
    expect(planPod(told).life.phase).toBe('finished');
    expect(words(planPod({ ...told, life: { phase: 'finished' } }))).toEqual([]);
    expect(words(planPod({ ...told, life: { phase: 'finished' }, removed: true }))).toEqual(['removePodSandbox', 'forgetPod']);
  });

  test('KUB-45: of a pod that has gone nothing is reported', () => {
    const gone = state({}, [], { life: { ...terminating(1000, 1000) }, removed: true, sandboxes: [dead] });
    expect(play(gone).words).toEqual(['removePodSandbox', 'forgetPod']);
  });
});

describe('after failures', () => {
  test('KUB-60: a report that failed is tried again later', () => {
    const plan = planPod(state({}, [run('c')], { reportRetryAt: 2000 }));
    expect([words(plan), plan.wakeAt]).toEqual([[], 2000]);
  });

  test('KUB-61: an action that failed is tried again later; what is known is told', () => {
    const plan = planPod(state({}, [], { retryAt: 2000 }));
    expect([words(plan), plan.wakeAt, plan.again]).toEqual([['report'], 2000, false]);
  });
});
