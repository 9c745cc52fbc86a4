import { afterEach, expect, test } from 'vitest';
import { ConfigMaps, Events, Pods } from '../../src/api/resources.ts';
import { NodeFixture } from './node-fixture.ts';

let fixture: NodeFixture;
afterEach(() => fixture.stop());

const container = (extra: object = {}) => ({ name: 'c', image: 'registry.example.com/web:v1', ...extra });
const sim = (settings: Record<string, string>) => ({
  annotations: Object.fromEntries(Object.entries(settings).map(([key, value]) => [`sim.coracle.dev/${key}`, value])),
});

test('KUB-50, KUB-51: a pod runs and is ready at once, with one write of its status', async () => {
  fixture = await NodeFixture.start({ nodes: 3 });
  const created = await fixture.create({ containers: [container()] });
  await fixture.clock.advance(100);
  const pod = await fixture.pod();
  expect(pod?.spec.nodeName).toMatch(/^node-/);
  expect(pod?.status.phase).toBe('Running');
  expect(pod?.metadata.generation).toBe(1);
  expect(pod?.status.podIP).toMatch(/^10\.244\./);
  expect(pod?.status.conditions?.map((c) => `${c.type}=${c.status}`).sort()).toEqual([
    'ContainersReady=True',
    'Initialized=True',
    'PodReadyToStartContainers=True',
    'PodScheduled=True',
    'Ready=True',
  ]);
  // create, bind, status; the three node leases and two events may lie between.
  expect(Number(pod?.metadata.resourceVersion) - Number(created.metadata.resourceVersion)).toBeLessThan(8);
  await fixture.clock.advance(100);
  expect((await fixture.events()).sort()).toEqual([
    'Created Created container: c',
    'Pulled Successfully pulled image "registry.example.com/web:v1" in 0s (0s including waiting). Image size: 10000000 bytes.',
    'Pulling Pulling image "registry.example.com/web:v1"',
    'Started Started container c',
  ]);
});

test('KUB-40, KUB-46: a deleted pod leaves once its containers have', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({ containers: [container()], terminationGracePeriodSeconds: 3 }, sim({ 'stop-time': 'never' }));
  await fixture.clock.advance(1000);
  await fixture.client.resource(Pods).delete('default', 'p');
  await fixture.clock.advance(1000);
  expect((await fixture.pod())?.status.conditions?.find((c) => c.type === 'Ready')?.status).toBe('True');
  await fixture.clock.advance(2500);
  expect(await fixture.pod()).toBeUndefined();
  expect(await fixture.events()).toContain('Killing Stopping container c');
});

test('KUB-45, KUB-46: a finalizer keeps the pod, with its final status', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({ containers: [container()], terminationGracePeriodSeconds: 3 }, { ...sim({ 'stop-time': 'never' }), finalizers: ['example.com/hold'] });
  await fixture.clock.advance(1000);
  await fixture.client.resource(Pods).delete('default', 'p');
  await fixture.clock.advance(5000);
  const pod = await fixture.pod();
  expect(pod?.status.phase).toBe('Failed');
  expect(pod?.status.containerStatuses?.[0]?.state.terminated).toMatchObject({ exitCode: 137, reason: 'Error' });
  expect(pod?.metadata.deletionGracePeriodSeconds).toBe(0);
  await fixture.client.resource(Pods).patch('default', 'p', { metadata: { finalizers: null } }, 'application/merge-patch+json');
  await fixture.clock.advance(1000);
  expect(await fixture.pod()).toBeUndefined();
});

test('KUB-25, KUB-52: a container that always fails is restarted after 0, 10, 20, 40 seconds', async () => {
  fixture = await NodeFixture.start();
  const created = await fixture.create({ containers: [container({ command: ['sh', '-c', 'exit 1'] })] });
  const restarts: number[] = [];
  for (let second = 0; second < 80; second++) {
    await fixture.clock.advance(1000);
    const count = (await fixture.pod())?.status.containerStatuses?.[0]?.restartCount ?? 0;
    if (count > restarts.length) restarts.push(second + 1);
  }
  expect(restarts).toEqual([1, 10, 30, 70]);
  const status = (await fixture.pod())?.status.containerStatuses?.[0];
  expect(status?.state.waiting).toEqual({
    reason: 'CrashLoopBackOff',
    message: `back-off 1m20s restarting failed container=c pod=p_default(${created.metadata.uid})`,
  });
  expect(status?.lastState.terminated).toMatchObject({ exitCode: 1, reason: 'Error' });
  expect((await fixture.pod())?.status.phase).toBe('Running');
  expect((await fixture.events()).some((e) => e.startsWith(`BackOff Back-off restarting failed container c in pod p_default(${created.metadata.uid})`))).toBe(
    true,
  );
});

test('KUB-24, KUB-28: restart policies Never and OnFailure', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({ containers: [container({ command: ['false'] })], restartPolicy: 'Never' }, { name: 'never' });
  await fixture.create({ containers: [container({ command: ['true'] })], restartPolicy: 'OnFailure' }, { name: 'on-failure' });
  await fixture.clock.advance(2000);
  const failed = await fixture.pod('never');
  expect(failed?.status.phase).toBe('Failed');
  expect(failed?.status.conditions?.find((c) => c.type === 'Ready')).toMatchObject({ status: 'False', reason: 'PodFailed' });
  const done = await fixture.pod('on-failure');
  expect(done?.status.phase).toBe('Succeeded');
  expect(done?.status.conditions?.find((c) => c.type === 'Initialized')).toMatchObject({ status: 'True', reason: 'PodCompleted' });
});

test('KUB-26: an image that is not there: ErrImagePull, then ImagePullBackOff', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({ containers: [container({ image: 'reg.test/none:1' })] }, sim({ 'pull-error': 'not-found' }));
  const waiting = async () => (await fixture.pod())?.status.containerStatuses?.[0]?.state.waiting?.reason;
  await fixture.clock.advance(6000);
  expect(await waiting()).toBe('ErrImagePull');
  await fixture.clock.advance(13000);
  expect(await waiting()).toBe('ImagePullBackOff');
  await fixture.clock.advance(31000);
  expect((await fixture.pod())?.status.phase).toBe('Pending');
  const events = await fixture.events();
  for (const start of [
    'Failed Error: ErrImagePull',
    'Failed Error: ImagePullBackOff',
    'BackOff Back-off pulling image "reg.test/none:1"',
    'Failed Failed to pull image "reg.test/none:1": rpc error',
  ])
    expect(events.some((e) => e.startsWith(start))).toBe(true);
});

test('KUB-31: liveness kills after three failures and the container comes back', async () => {
  fixture = await NodeFixture.start();
  const livenessProbe = { httpGet: { port: 80 }, initialDelaySeconds: 5, periodSeconds: 5, failureThreshold: 3 };
  await fixture.create({ containers: [container({ livenessProbe })] }, sim({ liveness: 'fail' }));
  await fixture.clock.advance(14000);
  expect((await fixture.pod())?.status.containerStatuses?.[0]?.restartCount).toBe(0);
  await fixture.clock.advance(2000);
  expect((await fixture.pod())?.status.containerStatuses?.[0]?.restartCount).toBe(1);
  const events = await fixture.events();
  expect(events).toContain('Killing Container c failed liveness probe, will be restarted');
  expect(events).toContain('Unhealthy Liveness probe failed: HTTP probe failed with statuscode: 503 ×3');
});

test('KUB-30, KUB-53: readiness comes later', async () => {
  fixture = await NodeFixture.start();
  const readinessProbe = { httpGet: { port: 80 }, periodSeconds: 1 };
  await fixture.create({ containers: [container({ readinessProbe })] }, sim({ 'ready-after': '5s' }));
  await fixture.clock.advance(3000);
  const early = await fixture.pod();
  expect(early?.status.phase).toBe('Running');
  expect(early?.status.conditions?.find((c) => c.type === 'Ready')).toMatchObject({
    status: 'False',
    reason: 'ContainersNotReady',
    message: 'containers with unready status: [c]',
  });
  await fixture.clock.advance(3000);
  expect((await fixture.pod())?.status.conditions?.find((c) => c.type === 'Ready')?.status).toBe('True');
});

test('KUB-20, KUB-21, KUB-53: init containers run one after the other, a sidecar stays', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({
    initContainers: [
      { name: 'a', image: 'a:1', command: ['sleep', '2'] },
      { name: 's', image: 's:1', restartPolicy: 'Always' },
      { name: 'b', image: 'b:1', command: ['sleep', '2'] },
    ],
    containers: [container()],
  });
  await fixture.clock.advance(1000);
  expect((await fixture.pod())?.status.conditions?.find((c) => c.type === 'Initialized')).toMatchObject({
    status: 'False',
    reason: 'ContainersNotInitialized',
    message: 'containers with incomplete status: [a s b]',
  });
  await fixture.clock.advance(2000);
  expect((await fixture.pod())?.status.initContainerStatuses?.map((s) => [s.name, s.ready, s.started])).toEqual([
    ['a', true, false],
    ['s', true, true],
    ['b', false, false],
  ]);
  await fixture.clock.advance(2000);
  expect((await fixture.pod())?.status.phase).toBe('Running');
});

test('KUB-26: a configuration that is missing, then made', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({ containers: [container({ env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'cm', key: 'k' } } }] })] });
  await fixture.clock.advance(1000);
  expect((await fixture.pod())?.status.containerStatuses?.[0]?.state.waiting).toEqual({
    reason: 'CreateContainerConfigError',
    message: 'configmap "cm" not found',
  });
});

test('KUB-1: a pinned pod that does not fit is refused', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({ nodeName: 'node-1', containers: [container({ resources: { requests: { cpu: '1000' } } })] });
  await fixture.clock.advance(1000);
  expect((await fixture.pod())?.status).toMatchObject({
    phase: 'Failed',
    reason: 'OutOfcpu',
    message: "Pod was rejected: Node didn't have enough resource: cpu, requested: 1000000, used: 0, capacity: 8000",
  });
});

test('KUB-4: a pod that somebody else has declared failed is stopped', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({ containers: [container()] });
  await fixture.clock.advance(1000);
  const status = { phase: 'Failed', reason: 'Evicted' };
  await fixture.client.resource(Pods).patch('default', 'p', { status }, 'application/merge-patch+json', { subresource: 'status' });
  await fixture.clock.advance(1000);
  const pod = await fixture.pod();
  expect(pod?.status).toMatchObject(status);
  expect(pod?.status.containerStatuses?.[0]?.state.terminated?.reason).toBe('Completed');
});

test('the same seed tells the same story', async () => {
  const story = async (): Promise<string> => {
    fixture = await NodeFixture.start({ nodes: 3 });
    for (let i = 0; i < 10; i++) await fixture.create({ containers: [container()] }, { name: `p${i}`, ...sim({ 'exit-after': '1s..30s', 'exit-code': '1' }) });
    await fixture.clock.advance(60_000);
    const { items } = await fixture.client.resource(Pods).list();
    const { items: events } = await fixture.client.resource(Events).list();
    fixture.stop();
    return JSON.stringify([items, events]);
  };
  expect(await story()).toBe(await story());
});

test('the log of a container', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({ containers: [container({ command: ['sh', '-c', 'echo hello; sleep 100000'] })] });
  await fixture.clock.advance(1000);
  const lines: string[] = [];
  for await (const line of await fixture.kubelets[0]!.server.getLogs('default', 'p', 'c', {})) lines.push(line.text);
  expect(lines).toEqual(['hello\n']);
});

test('KUB-12: a volume that is not there is looked for after 0.5, 1, 2, … seconds', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({ containers: [container()], volumes: [{ name: 'v', configMap: { name: 'cm' } }] });
  await fixture.clock.advance(8000);
  expect(await fixture.events()).toEqual(['FailedMount MountVolume.SetUp failed for volume "v" : configmap "cm" not found ×5']);
  await fixture.client.resource(ConfigMaps).create({ metadata: { name: 'cm', namespace: 'default' } });
  await fixture.clock.advance(8000);
  expect((await fixture.pod())?.status.phase).toBe('Running');
});

test('KUB-42, KUB-43: a pull is given up when its pod is deleted, and a grace period that is cut short counts at once', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({ containers: [container()] }, { name: 'pulling', ...sim({ 'pull-time': '60s' }) });
  await fixture.create({ containers: [container()], terminationGracePeriodSeconds: 30 }, { name: 'deaf', ...sim({ 'stop-time': 'never' }) });
  await fixture.clock.advance(1000);
  for (const name of ['pulling', 'deaf']) await fixture.client.resource(Pods).delete('default', name);
  await fixture.clock.advance(100);
  expect(await fixture.pod('pulling')).toBeUndefined();
  await fixture.clock.advance(5000);
  await fixture.client.resource(Pods).delete('default', 'deaf', { gracePeriodSeconds: 2 });
  await fixture.clock.advance(1900);
  expect(await fixture.pod('deaf')).toBeDefined();
  await fixture.clock.advance(200);
  expect(await fixture.pod('deaf')).toBeUndefined();
});

test('KUB-30: a container that waits for its next start is not probed', async () => {
  fixture = await NodeFixture.start();
  const livenessProbe = { httpGet: { port: 80 }, periodSeconds: 1 };
  await fixture.create({ containers: [container({ livenessProbe })] }, sim({ 'exit-after': '500ms', 'exit-code': '1' }));
  await fixture.clock.advance(8000);
  expect((await fixture.events()).filter((event) => event.startsWith('Unhealthy'))).toEqual([]);
});

test('KUB-13: a sandbox that cannot be made is tried again after ten seconds', async () => {
  fixture = await NodeFixture.start();
  const { runtimeService } = fixture.runtimes[0]!;
  const securityContext = { namespaces: { network: 'pod', pid: 'container', ipc: 'pod' } } as const;
  const config = { hostname: '', labels: {}, annotations: {}, logDirectory: '', securityContext };
  const taken: string[] = [];
  for (let i = 0; i < 253; i++)
    taken.push(await runtimeService.runPodSandbox({ ...config, metadata: { name: `x${i}`, namespace: 'x', uid: `x${i}`, attempt: 0 } }));
  await fixture.create({ containers: [container()] });
  await fixture.clock.advance(1000);
  expect(await fixture.events()).toEqual(['FailedCreatePodSandBox Failed to create pod sandbox: no free addresses in the range of this node']);
  await runtimeService.removePodSandbox(taken[0]!);
  await fixture.clock.advance(8900);
  expect((await fixture.pod())?.status.phase).toBe('Pending');
  await fixture.clock.advance(200);
  expect((await fixture.pod())?.status.phase).toBe('Running');
});

test('a program that serves answers the probes itself', async () => {
  fixture = await NodeFixture.start();
  const probe = (path: string) => ({ httpGet: { path, port: 8080 }, periodSeconds: 1, failureThreshold: 1 });
  const image = 'registry.example.com/agnhost:2.53';
  const sick = { name: 'c', image, args: ['liveness'], readinessProbe: probe('/'), livenessProbe: { ...probe('/healthz'), initialDelaySeconds: 5 } };
  await fixture.create({ containers: [sick] });
  await fixture.clock.advance(5000);
  expect((await fixture.pod())?.status.containerStatuses?.[0]).toMatchObject({ ready: true, restartCount: 0 });
  await fixture.clock.advance(10_000);
  expect((await fixture.pod())?.status.containerStatuses?.[0]?.restartCount).toBe(1);
  expect((await fixture.events()).some((event) => event.endsWith('Liveness probe failed: HTTP probe failed with statuscode: 500'))).toBe(true);
});
