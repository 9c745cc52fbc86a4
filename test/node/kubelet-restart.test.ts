import { afterEach, expect, test } from 'vitest';
import { Pods } from '../../src/api/resources.ts';
import { NodeFixture } from './node-fixture.ts';

let fixture: NodeFixture;
afterEach(() => fixture.stop());

const container = (extra: object = {}) => ({ name: 'c', image: 'registry.example.com/web:v1', ...extra });
const sim = (settings: Record<string, string>) => ({
  annotations: Object.fromEntries(Object.entries(settings).map(([key, value]) => [`sim.coracle.dev/${key}`, value])),
});
const ready = async () => (await fixture.pod())?.status.conditions?.find((condition) => condition.type === 'Ready')?.status;
const statusOf = async () => (await fixture.pod())?.status.containerStatuses?.[0];
const sandboxes = () => fixture.runtimes[0]!.runtimeService.listPodSandbox({});

/** The kubelet's process ends; `meanwhile` happens without it; then there is a new one. */
async function restart(meanwhile: () => Promise<unknown> = async () => {}): Promise<void> {
  fixture.kubelets[0]!.stop();
  await fixture.clock.advance(3000);
  await meanwhile();
  await fixture.clock.advance(3000);
  await fixture.startKubelet();
  await fixture.clock.advance(1000);
}

test('KUB-30, KUB-32: a kubelet takes over the containers that it finds; none is restarted, and probes go on', async () => {
  fixture = await NodeFixture.start();
  const probe = { httpGet: { port: 80 }, periodSeconds: 2, failureThreshold: 2 };
  await fixture.create({ containers: [container({ readinessProbe: probe, livenessProbe: probe, startupProbe: probe })] }, sim({ liveness: 'ok,60s:fail' }));
  await fixture.clock.advance(10_000);
  const before = await fixture.pod();
  expect(await ready()).toBe('True');
  await restart();
  const after = await fixture.pod();
  expect(after?.status.containerStatuses).toEqual(before?.status.containerStatuses);
  expect(after?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
  await fixture.clock.advance(30_000);
  expect(await statusOf()).toMatchObject({ restartCount: 0, ready: true });
  await fixture.clock.advance(20_000);
  expect(await statusOf()).toMatchObject({ restartCount: 1 });
});

test('KUB-32: what has changed meanwhile is restarted, though a runtime has names of its own for images', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({ containers: [container()] });
  await fixture.clock.advance(1000);
  const image = 'registry.example.com/web:v2';
  await restart(() =>
    fixture.client.resource(Pods).patch('default', 'p', { spec: { containers: [{ name: 'c', image }] } }, 'application/strategic-merge-patch+json'),
  );
  expect(await statusOf()).toMatchObject({ restartCount: 1, image });
  expect(await fixture.events()).toContain('Killing Container c definition changed, will be restarted');
});

test('KUB-4: a pod that was deleted meanwhile ends', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({ containers: [container()] });
  await fixture.clock.advance(1000);
  await restart(() => fixture.client.resource(Pods).delete('default', 'p'));
  expect(await fixture.pod()).toBeUndefined();
  expect(await sandboxes()).toEqual([]);
});

test('KUB-48: a pod that was removed meanwhile is stopped and removed; sandboxes of others are left alone', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({ containers: [container()] }, sim({ 'stop-time': 'never' }));
  const metadata = { name: 'somebody', namespace: 'k8s.io', uid: 'x', attempt: 0 };
  const securityContext = { namespaces: { network: 'node', pid: 'container', ipc: 'pod' } } as const;
  await fixture.runtimes[0]!.runtimeService.runPodSandbox({ metadata, hostname: '', labels: {}, annotations: {}, logDirectory: '', securityContext });
  await fixture.clock.advance(1000);
  await restart(() => fixture.client.resource(Pods).delete('default', 'p', { gracePeriodSeconds: 0 }));
  await fixture.clock.advance(1000);
  expect((await sandboxes()).map((sandbox) => sandbox.metadata.name)).toEqual(['somebody']);
});

test('KUB-45: a pod that ended meanwhile is reported, and one that was over stays so', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({ containers: [container({ command: ['sleep', '3'] })], restartPolicy: 'Never' });
  await fixture.clock.advance(1000);
  await restart();
  expect((await fixture.pod())?.status.phase).toBe('Succeeded');
  const before = await fixture.pod();
  await restart();
  expect(await fixture.pod()).toEqual(before);
});

test('a kubelet that has stopped does nothing more', async () => {
  fixture = await NodeFixture.start();
  const readinessProbe = { httpGet: { port: 80 }, periodSeconds: 1 };
  await fixture.create({ containers: [container({ readinessProbe })] }, sim({ readiness: 'ok,4s:fail', 'exit-after': '6s', 'exit-code': '1' }));
  await fixture.clock.advance(3000);
  const before = await fixture.pod();
  fixture.kubelets[0]!.stop();
  await fixture.clock.advance(30_000);
  expect(await fixture.pod()).toEqual(before);
});

test('what the kubelet does, and why, is told at debug level', async () => {
  fixture = await NodeFixture.start();
  fixture.kubelets[0]!.stop();
  const told: unknown[] = [];
  await fixture.startKubelet({ info: () => {}, error: () => {}, debug: (_message, fields) => told.push([fields?.['action'], fields?.['because']]) });
  await fixture.create({ containers: [container()] });
  await fixture.clock.advance(1000);
  expect(told).toContainEqual(['createSandbox', { rule: 'KUB-10', dead: undefined }]);
  expect(told).toContainEqual(['startContainer', { rule: 'KUB-24', container: 'c', exitCode: undefined }]);
});
