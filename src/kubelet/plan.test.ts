import { describe, expect, test } from 'vitest';
import type { Container, Pod } from '../api/generated/types/core.v1.ts';
import type { ContainerStatus, PodSandbox } from '../runtime/runtime.ts';
import { BackOffTable, goSeconds } from './back-off.ts';
import { type PodState, type ProbeFindings, planPod } from './plan.ts';

const sandbox: PodSandbox = { id: 's', metadata: { name: 'p', namespace: 'n', uid: 'u', attempt: 0 }, state: 'ready', createdAt: 0, ips: ['10.0.0.2'] };

function run(name: string, over: Partial<ContainerStatus> = {}): ContainerStatus {
  const metadata = { name, attempt: 0 };
  return {
    id: `${name}-0`,
    podSandboxId: 's',
    metadata,
    image: 'a',
    imageId: '',
    state: 'running',
    createdAt: 0,
    startedAt: 1,
    finishedAt: 0,
    exitCode: 0,
    reason: '',
    message: '',
    ...over,
  };
}

const exited = (name: string, exitCode: number): ContainerStatus => run(name, { state: 'exited', exitCode, finishedAt: 1000 });
const container = (name: string, over: Partial<Container> = {}): Container => ({ name, image: 'a', resources: {}, ...over });

function state(spec: Partial<Pod['spec']>, runs: ContainerStatus[], over: Partial<PodState> = {}): PodState {
  const pod = {
    metadata: { name: 'p', namespace: 'n', uid: 'u' },
    spec: { containers: [container('c')], restartPolicy: 'Always', ...spec },
    status: {},
  } as unknown as Pod;
  return {
    pod,
    sandbox,
    containers: new Map(runs.map((status) => [status.metadata.name, status])),
    probes: new Map<string, ProbeFindings>(),
    startFailures: new Map(),
    restarting: new Set(),
    crashDelay: () => undefined,
    now: 1000,
    ...over,
  };
}

const actions = (given: PodState): string[] =>
  planPod(given).actions.map((action) => ('container' in action ? `${action.type} ${action.container.name}` : action.type));

describe('what comes next', () => {
  test.each<[string, PodState, string[]]>([
    ['nothing is there yet', state({}, [], { sandbox: undefined }), ['createSandbox']],
    ['the sandbox is there', state({}, []), ['startContainer c']],
    ['all is well', state({}, [run('c')]), []],
    ['exit 0, Always', state({}, [exited('c', 0)]), ['startContainer c']],
    ['exit 0, OnFailure', state({ restartPolicy: 'OnFailure' }, [exited('c', 0)]), ['stopPod']],
    ['exit 1, OnFailure', state({ restartPolicy: 'OnFailure' }, [exited('c', 1)]), ['startContainer c']],
    ['exit 1, Never', state({ restartPolicy: 'Never' }, [exited('c', 1)]), ['stopPod']],
    ['over', state({ restartPolicy: 'Never' }, [exited('c', 1)], { sandbox: { ...sandbox, state: 'notReady' } }), []],
    ['the first init container', state({ initContainers: [container('i'), container('j')] }, []), ['startContainer i']],
    ['the second', state({ initContainers: [container('i'), container('j')] }, [exited('i', 0)]), ['startContainer j']],
    ['an init container fails for good', state({ restartPolicy: 'Never', initContainers: [container('i')] }, [exited('i', 2)]), ['stopPod']],
    ['a sidecar that has not started', state({ initContainers: [container('s', { restartPolicy: 'Always' })] }, [run('s')]), []],
    ['a new image', state({ containers: [container('c', { image: 'b' })] }, [run('c')]), ['stopContainer c']],
    [
      'an ephemeral container before the init containers are done',
      state({ initContainers: [container('i')], ephemeralContainers: [container('e')] }, [run('i')]),
      ['startContainer e'],
    ],
    ['an ephemeral container', state({ ephemeralContainers: [container('e')] }, [run('c')]), ['startContainer e']],
  ])('%s', (_name, given, wanted) => {
    expect(actions(given)).toEqual(wanted);
  });

  test('a sidecar that has started lets the others go on', () => {
    const spec = { initContainers: [container('s', { restartPolicy: 'Always' })] };
    const probes = new Map([['s-0', { started: true, ready: true, failed: undefined }]]);
    expect(actions(state(spec, [run('s')], { probes }))).toEqual(['startContainer c']);
  });

  test('a failed liveness probe', () => {
    const probes = new Map<string, ProbeFindings>([['c-0', { started: true, ready: true, failed: 'liveness' }]]);
    expect(planPod(state({}, [run('c')], { probes })).actions).toMatchObject([
      { message: 'Container c failed liveness probe, will be restarted', restart: true },
    ]);
    expect(actions(state({ restartPolicy: 'Never' }, [run('c')], { probes }))).toEqual(['stopPod']);
  });

  test('a crash is waited out', () => {
    const plan = planPod(state({}, [exited('c', 1)], { crashDelay: () => 80_000, now: 11_000 }));
    expect(plan.actions).toEqual([]);
    expect(plan.waiting.get('c')).toEqual({ reason: 'CrashLoopBackOff', message: 'back-off 1m20s restarting failed container=c pod=p_n(u)' });
    expect(plan.resyncAt).toBe(81_000);
  });
});

describe('delays after crashes', () => {
  test('0, 10, 20, 40 … 300 seconds', () => {
    const table = new BackOffTable();
    const delays: (number | undefined)[] = [];
    let now = 0;
    for (let i = 0; i < 8; i++) {
      delays.push(table.delayFor('c', now));
      now += table.delayFor('c', now) ?? 0;
      table.next('c', { eventAt: now, now });
    }
    expect(delays).toEqual([undefined, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
  });

  test('ten quiet minutes after the last restart forget them', () => {
    const table = new BackOffTable();
    table.next('c', { eventAt: 0, now: 0 });
    expect(table.delayFor('c', 595_000)).toBe(10_000);
    expect(table.delayFor('c', 605_000)).toBeUndefined();
  });

  test('as Go writes them', () => {
    expect([40_000, 80_000, 300_000].map(goSeconds)).toEqual(['40s', '1m20s', '5m0s']);
  });
});
