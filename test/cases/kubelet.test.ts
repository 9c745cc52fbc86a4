import { afterEach, describe, expect, test } from 'vitest';
import type { ContainerStatus, PodSpec } from '../../src/api/generated/types/core.v1.ts';
import type { Draft } from '../../src/api/object.ts';
import { Pods } from '../../src/api/resources.ts';
import { NodeFixture } from '../node/node-fixture.ts';

let fixture: NodeFixture;
afterEach(() => fixture.stop());

const container = (extra: object = {}) => ({ name: 'app', image: 'registry.example.com/web:v1', ...extra });
const sim = (settings: Record<string, string>) => ({
  annotations: Object.fromEntries(Object.entries(settings).map(([key, value]) => [`sim.coracle.dev/${key}`, value])),
});

async function start(spec: Draft<PodSpec>, settings: Record<string, string> = {}, metadata: object = {}): Promise<string> {
  fixture = await NodeFixture.start();
  return (await fixture.create(spec, { ...sim(settings), ...metadata })).metadata.uid!;
}

async function status(name = 'app'): Promise<ContainerStatus> {
  const { containerStatuses = [], initContainerStatuses = [] } = (await fixture.pod())!.status;
  return [...containerStatuses, ...initContainerStatuses].find((one) => one.name === name)!;
}

/** Seconds from the end of each run of the container to the start of the next, in the time that is given. */
async function gaps(seconds: number): Promise<number[]> {
  const found: number[] = [];
  let endedAt: number | undefined;
  const { cancel } = fixture.runtimes[0]!.runtimeService.containerEvents(({ type }) => {
    const now = fixture.clock.now();
    if (type === 'stopped') endedAt = now;
    else if (endedAt !== undefined) found.push(Math.round((now - endedAt) / 1000));
  });
  await fixture.clock.advance(seconds * 1000);
  cancel();
  return found;
}

test('C121: the first restart is immediate, then after 10, 20, 40 seconds and so on', async () => {
  const uid = await start({ containers: [container()] }, { 'exit-code': '1' });
  expect(await gaps(50)).toEqual([0, 10, 20]);
  const { restartCount, state, lastState } = await status();
  expect(restartCount).toBe(3);
  expect(state.waiting).toEqual({ reason: 'CrashLoopBackOff', message: `back-off 40s restarting failed container=app pod=p_default(${uid})` });
  expect(lastState.terminated).toMatchObject({ exitCode: 1, reason: 'Error' });
  expect((await fixture.events()).join('\n')).toContain(`BackOff Back-off restarting failed container app in pod p_default(${uid})`);
  expect(await gaps(1200)).toEqual([80, 160, 300, 300, 300]);
});

test.each([
  ['605s', [0, 10, 20, 40, 80, 160, 0, 10]],
  ['595s', [0, 10, 20, 40, 80, 160, 300]],
])('C123: a run of %s after the wait of 160 s', async (lasts, wanted) => {
  await start({ containers: [container()] }, { 'exit-code': '1', 'exit-after': `0s,0s,0s,0s,0s,0s,${lasts},0s` });
  expect((await gaps(1240)).slice(0, wanted.length)).toEqual(wanted);
});

describe('C125: why a container has ended', () => {
  test.each<[string, Record<string, string>, boolean, object]>([
    ['it exceeds its memory limit', { 'exit-code': '137', 'exit-reason': 'OOMKilled' }, false, { reason: 'OOMKilled', exitCode: 137 }],
    ['it ignores SIGTERM', { 'stop-time': 'never' }, true, { reason: 'Error', exitCode: 137 }],
    ['it stops on SIGTERM', { 'stop-code': '143' }, true, { reason: 'Error', exitCode: 143 }],
    ['it is done', { 'exit-code': '0' }, false, { reason: 'Completed', exitCode: 0 }],
    ['it fails', { 'exit-code': '3' }, false, { reason: 'Error', exitCode: 3 }],
  ])('%s', async (_name, settings, stopped, wanted) => {
    await start({ containers: [container()], restartPolicy: 'Never', terminationGracePeriodSeconds: 1 }, settings, { finalizers: ['example.com/hold'] });
    await fixture.clock.advance(1000);
    if (stopped) await fixture.client.resource(Pods).delete('default', 'p');
    await fixture.clock.advance(5000);
    expect((await status()).state.terminated).toMatchObject(wanted);
  });
});

test('C127: three failures of the liveness probe, and no fourth', async () => {
  const livenessProbe = { httpGet: { port: 80 }, initialDelaySeconds: 5, periodSeconds: 5, failureThreshold: 3, timeoutSeconds: 1 };
  await start({ containers: [container({ livenessProbe })] }, { liveness: 'fail' });
  await fixture.clock.advance(14_500);
  expect((await fixture.events()).filter((event) => event.startsWith('Unhealthy'))).toEqual([
    expect.stringMatching(/^Unhealthy Liveness probe failed: .* ×2$/),
  ]);
  await fixture.clock.advance(1500);
  const events = await fixture.events();
  expect(events).toContainEqual(expect.stringMatching(/^Unhealthy Liveness probe failed: .* ×3$/));
  expect(events).toContain('Killing Container app failed liveness probe, will be restarted');
  expect((await status()).restartCount).toBe(1);
});

test('C129: the startup probe holds the others back after a restart too', async () => {
  const probe = { httpGet: { port: 80 }, periodSeconds: 5 };
  const one = container({ startupProbe: { ...probe, failureThreshold: 20 }, livenessProbe: { ...probe, failureThreshold: 1 }, readinessProbe: probe });
  await start({ containers: [one] }, { startup: 'fail,40s:ok', liveness: 'ok,100s:fail' });
  await fixture.clock.advance(35_000);
  expect(await status()).toMatchObject({ started: false, ready: false, restartCount: 0 });
  await fixture.clock.advance(30_000);
  expect(await status()).toMatchObject({ started: true, ready: true, restartCount: 0 });
  await fixture.clock.advance(45_000);
  expect(await status()).toMatchObject({ started: false, ready: false, restartCount: 1 });
  await fixture.clock.advance(50_000);
  expect(await status()).toMatchObject({ started: true, ready: true, restartCount: 1 });
});

describe('C131: images', () => {
  const waiting = async () => (await status()).state.waiting;

  test('one that the registry does not have', async () => {
    await start({ containers: [container({ image: 'reg.test/none:1' })] }, { 'pull-error': 'not-found' });
    const seen = new Set<string>();
    for (let second = 0; second < 60; second++) {
      await fixture.clock.advance(1000);
      seen.add((await waiting())?.reason ?? '');
    }
    expect([...seen]).toEqual(['ErrImagePull', 'ImagePullBackOff']);
    const { status: podStatus } = (await fixture.pod())!;
    expect([podStatus.phase, podStatus.containerStatuses?.[0]?.restartCount]).toEqual(['Pending', 0]);
    const events = (await fixture.events()).map((event) => event.replace(/ ×\d+$/, ''));
    expect(events).toEqual(
      expect.arrayContaining([
        'Pulling Pulling image "reg.test/none:1"',
        expect.stringMatching(/^Failed Failed to pull image "reg.test\/none:1": rpc error: code = NotFound/),
        'Failed Error: ErrImagePull',
        'BackOff Back-off pulling image "reg.test/none:1"',
        'Failed Error: ImagePullBackOff',
      ]),
    );
  });

  test.each<[string, object, Record<string, string>, object | undefined]>([
    [
      'a name that is none',
      { image: 'App:1' },
      {},
      { reason: 'InvalidImageName', message: expect.stringContaining('Failed to apply default image tag "App:1"') },
    ],
    ['on the node, and never to be pulled', { imagePullPolicy: 'Never' }, { present: 'true' }, undefined],
    [
      'not on the node, and never to be pulled',
      { imagePullPolicy: 'Never' },
      {},
      { reason: 'ErrImageNeverPull', message: 'Container image "registry.example.com/web:v1" is not present with pull policy of Never' },
    ],
  ])('%s', async (_name, more, settings, wanted) => {
    fixture = await NodeFixture.start({ rules: [{ image: '*', settings }] });
    await fixture.create({ containers: [container(more)] });
    await fixture.clock.advance(2000);
    if (wanted) expect(await waiting()).toEqual(wanted);
    else expect((await status()).state.running).toBeDefined();
  });
});

test('C133: sidecars start in order, and end in the other', async () => {
  const s1 = container({ name: 's1', restartPolicy: 'Always', startupProbe: { httpGet: { port: 80 }, periodSeconds: 1, failureThreshold: 9 } });
  const s2 = container({ name: 's2', restartPolicy: 'Always' });
  const i1 = container({ name: 'i1', command: ['true'] });
  await start({ initContainers: [s1, i1, s2], containers: [container()] }, { 'startup.s1': 'fail,3s:ok', 'stop-time': '2s' });
  await fixture.clock.advance(10_000);
  const runs = await fixture.runtimes[0]!.runtimeService.listContainers({});
  const startOf = (name: string): number => runs.find(({ metadata }) => metadata.name === name)!.startedAt;
  expect(['s1', 'i1', 's2', 'app'].map(startOf)).toEqual(['s1', 'i1', 's2', 'app'].map(startOf).sort((a, b) => a - b));
  expect(startOf('i1') - startOf('s1')).toBeGreaterThanOrEqual(3000);
  expect([await status('s1'), await status('s2'), await status()].map(({ ready }) => ready)).toEqual([true, true, true]);
  await fixture.client.resource(Pods).delete('default', 'p');
  await fixture.clock.advance(10_000);
  const killed = (await fixture.events()).filter((event) => event.startsWith('Killing'));
  expect(killed).toEqual(['app', 's2', 's1'].map((name) => `Killing Stopping container ${name}`));
});
