import { expect, test } from 'vitest';
import { parseDuration } from '../../lib/duration.ts';
import { Rng } from '../../lib/rng.ts';
import { VirtualClock } from '../../lib/virtual-clock.ts';
import { Addresses } from './addresses.ts';
import { behaviourFrom, courseAt, parseCourse, parseRules, parseSpan, settingsFor } from './behaviour.ts';
import { SimulatedRuntime } from './simulated-runtime.ts';

test('durations, spans and courses', () => {
  expect(['250ms', '3s', '1m30s', '2h', '0'].map(parseDuration)).toEqual([250, 3000, 90_000, 7_200_000, 0]);
  expect(() => parseDuration('soon')).toThrow('invalid duration "soon"');
  expect(parseSpan('1s..3s')).toEqual({ fromMs: 1000, toMs: 3000 });
  const course = parseCourse('fail,40s:ok,100s:fail');
  expect([0, 39_999, 40_000, 100_000].map((ms) => courseAt(course, ms))).toEqual([false, false, true, false]);
  expect(() => parseCourse('maybe')).toThrow('neither ok nor fail');
});

test('annotations win over rules, those for one container over those for all', () => {
  const rules = parseRules([{ image: 'reg/web:*', settings: { 'exit-code': 1, 'start-time': '1s' } }]);
  const annotations = { 'sim.coracle.dev/exit-code': '2', 'sim.coracle.dev/exit-code.c': '3', other: 'x' };
  expect(settingsFor('reg/web:v1', 'c', annotations, rules)).toEqual({ 'exit-code': '3', 'start-time': '1s' });
  expect(settingsFor('reg/web:v1', 'd', annotations, rules)).toMatchObject({ 'exit-code': '2' });
  expect(settingsFor('reg/other:v1', 'd', {}, rules)).toEqual({});
  expect(() => parseRules([{ settings: {} }])).toThrow('rule 0 needs an image and settings');
  expect(() => parseRules([{ image: 'a', settings: { 'pull-time': 'soon' } }])).toThrow('invalid duration');
});

test('lists are by run', () => {
  const settings = { 'exit-after': '0s,0s,never', 'exit-code': '1,0' };
  expect([0, 1, 2, 3].map((attempt) => behaviourFrom(settings, attempt).exitAfter?.fromMs)).toEqual([0, 0, undefined, undefined]);
  expect([0, 1, 2].map((attempt) => behaviourFrom(settings, attempt).exitCode)).toEqual([1, 0, 0]);
});

test('addresses are handed out once and come back', () => {
  const addresses = new Addresses('10.244.1.0/29');
  expect(Array.from({ length: 6 }, () => addresses.take())).toEqual(['10.244.1.2', '10.244.1.3', '10.244.1.4', '10.244.1.5', '10.244.1.6', undefined]);
  addresses.release('10.244.1.4');
  expect(addresses.take()).toBe('10.244.1.4');
});

/** A container that says hi and sleeps, in a pod with these annotations. */
async function started(annotations: Record<string, string>) {
  const clock = new VirtualClock();
  const runtime = new SimulatedRuntime({ clock, rng: new Rng(1) }).runtimeService;
  const metadata = { name: 'p', namespace: 'n', uid: 'u', attempt: 0 };
  const securityContext = { namespaces: { network: 'pod', pid: 'container', ipc: 'pod' } } as const;
  const sandboxConfig = { metadata, hostname: 'p', labels: {}, annotations, logDirectory: '', securityContext };
  const sandbox = await runtime.runPodSandbox(sandboxConfig);
  const config = {
    metadata: { name: 'c', attempt: 0 },
    image: 'a',
    command: ['sh', '-c', 'echo hi; sleep 1000'],
    args: [],
    workingDir: '',
    env: [{ name: 'A', value: 'b' }],
    mounts: [],
    labels: {},
    annotations: {},
    stdin: false,
    stdinOnce: false,
    tty: false,
    resources: { cpuPeriod: 0, cpuQuota: 0, cpuShares: 0, memoryLimitBytes: 0, oomScoreAdj: 0 },
    securityContext,
    logPath: '',
  };
  const id = await runtime.createContainer(sandbox, config, sandboxConfig);
  await runtime.startContainer(id);
  return { clock, runtime, id };
}

test('a container that is deaf to SIGTERM is killed after the timeout', async () => {
  const { clock, runtime, id } = await started({ 'sim.coracle.dev/stop-time': 'never' });
  const stopped = runtime.stopContainer(id, 3000);
  await clock.advance(2999);
  expect((await runtime.containerStatus(id)).state).toBe('running');
  await clock.advance(1);
  await stopped;
  expect(await runtime.containerStatus(id)).toMatchObject({ state: 'exited', exitCode: 137, reason: 'Error' });
  const lines: string[] = [];
  for await (const { text } of runtime.logs(id, { follow: true })) lines.push(text);
  expect(lines).toEqual(['hi\n']);
});

test('a range may stand for the time until a probe passes', () => {
  const readiness = (drawn: number) => behaviourFrom({ 'ready-after': '500ms..1500ms' }, 0, () => drawn).probes.readiness;
  expect([0, 899, 900].map((ms) => courseAt(readiness(900), ms))).toEqual([false, false, true]);
  expect(parseCourse('fail,1s..2s:ok', ({ toMs }) => toMs)[1]).toEqual({ fromMs: 2000, ok: true });
});

test('env tells what the container sees; cat without a file gives back its input', async () => {
  const { runtime, id } = await started({ 'sim.coracle.dev/ready-after': '1s..2s' });
  const play = async (command: string[], input: string): Promise<string> => {
    const decoder = new TextDecoder();
    let text = '';
    const stdin = (async function* () {
      yield new TextEncoder().encode(input);
    })();
    const { signal } = new AbortController();
    await runtime.exec(id, { command, tty: false }, { stdin, stdout: (chunk) => (text += decoder.decode(chunk)), stderr: () => {}, signal });
    return text;
  };
  expect(await play(['env'], '')).toMatch(/^PATH=.+\nHOSTNAME=p\nA=b\nHOME=\/root\n$/);
  expect(await play(['cat'], 'over\nand out\n')).toBe('over\nand out\n');
});
