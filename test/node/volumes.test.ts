import { afterEach, expect, test } from 'vitest';
import { ConfigMaps, Secrets, Services } from '../../src/api/resources.ts';
import { NodeFixture } from './node-fixture.ts';

let fixture: NodeFixture;
afterEach(() => fixture.stop());

const print = (command: string, extra: object = {}) => ({ name: 'c', image: 'busybox', command: ['sh', '-c', command], ...extra });

async function log(): Promise<string> {
  const runtime = fixture.runtimes[0]!.runtimeService;
  let text = '';
  for (const { id } of await runtime.listContainers({})) for await (const line of runtime.logs(id, {})) text += line.text;
  return text;
}

test('volumes of all sources are files, with their modes', async () => {
  fixture = await NodeFixture.start();
  await fixture.client.resource(ConfigMaps).create({ metadata: { name: 'cm', namespace: 'default' }, data: { a: '1\n', b: '2\n' } });
  await fixture.client.resource(Secrets).create({ metadata: { name: 's', namespace: 'default' }, data: { key: Buffer.from('hidden\n').toString('base64') } });
  const sources = [{ secret: { name: 's' } }, { downwardAPI: { items: [{ path: 'deep/name', fieldRef: { fieldPath: 'metadata.name' } }] } }];
  await fixture.create({
    restartPolicy: 'Never',
    containers: [
      print('ls /cfg; cat /cfg/renamed /all/key /all/deep/name; ls -l /cfg/..data/', {
        volumeMounts: [
          { name: 'cfg', mountPath: '/cfg' },
          { name: 'all', mountPath: '/all' },
        ],
      }),
    ],
    volumes: [
      { name: 'cfg', configMap: { name: 'cm', items: [{ key: 'a', path: 'renamed', mode: 0o400 }] } },
      { name: 'all', projected: { sources } },
    ],
  });
  await fixture.clock.advance(2000);
  expect(await log()).toMatch(/^renamed\n1\nhidden\np-r-------- 1 0 0 2 \S+ renamed\n$/);
});

test('a volume follows its ConfigMap, and nobody can write to it', async () => {
  fixture = await NodeFixture.start();
  const configMaps = fixture.client.resource(ConfigMaps);
  const cm = await configMaps.create({ metadata: { name: 'cm', namespace: 'default' }, data: { a: 'old ' } });
  await fixture.create({
    containers: [print('echo x > /cfg/a; while true; do cat /cfg/a; sleep 30; done', { volumeMounts: [{ name: 'cfg', mountPath: '/cfg' }] })],
    volumes: [{ name: 'cfg', configMap: { name: 'cm' } }],
  });
  await fixture.clock.advance(1000);
  await configMaps.update({ ...cm, data: { a: 'new ' } });
  await fixture.clock.advance(100_000);
  expect(await log()).toMatch(/^sh: .*Read-only file system\n(old )+(new )+$/);
});

test('a pod waits for a ConfigMap that is not there', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({
    restartPolicy: 'Never',
    containers: [print('cat /cfg/a', { volumeMounts: [{ name: 'cfg', mountPath: '/cfg' }] })],
    volumes: [{ name: 'cfg', configMap: { name: 'cm' } }],
  });
  await fixture.clock.advance(3000);
  const events = await fixture.events();
  expect(events).toEqual([expect.stringContaining('FailedMount MountVolume.SetUp failed for volume "cfg" : configmap "cm" not found')]);
  await fixture.client.resource(ConfigMaps).create({ metadata: { name: 'cm', namespace: 'default' }, data: { a: 'here' } });
  await fixture.clock.advance(200_000);
  expect(await log()).toBe('here');
});

test('the containers of a pod share an emptyDir', async () => {
  fixture = await NodeFixture.start();
  const volumeMounts = [{ name: 'shared', mountPath: '/shared' }];
  await fixture.create({
    restartPolicy: 'Never',
    initContainers: [{ ...print('echo from init > /shared/f', { volumeMounts }), name: 'i' }],
    containers: [print('cat /shared/f', { volumeMounts })],
    volumes: [{ name: 'shared', emptyDir: {} }],
  });
  await fixture.clock.advance(5000);
  expect(await log()).toBe('from init\n');
});

test.each([
  ['what it wrote', 'echo bye > /dev/termination-log; exit 1', {}, 'bye\n'],
  ['nothing, untold', 'echo logged; exit 1', {}, undefined],
  ['the end of the log, if asked for', 'echo logged; exit 1', { terminationMessagePolicy: 'FallbackToLogsOnError' }, 'logged\n'],
  ['no log of one that did well', 'echo logged', { terminationMessagePolicy: 'FallbackToLogsOnError' }, undefined],
  ['another file', 'echo bye > /tmp/last', { terminationMessagePath: '/tmp/last' }, 'bye\n'],
])('the last words of a container: %s', async (_, command, extra, message) => {
  fixture = await NodeFixture.start();
  await fixture.create({ restartPolicy: 'Never', containers: [print(command, extra)] });
  await fixture.clock.advance(3000);
  expect((await fixture.pod())?.status.containerStatuses?.[0]?.state.terminated?.message).toBe(message);
});

test('a read-only root takes nothing but what is mounted into it', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({
    restartPolicy: 'Never',
    containers: [
      print('echo x > /tmp/x; echo y > /dev/shm/y; echo z > /data/z; cat /data/z; echo last > /dev/termination-log', {
        securityContext: { readOnlyRootFilesystem: true },
        volumeMounts: [{ name: 'data', mountPath: '/data' }],
      }),
    ],
    volumes: [{ name: 'data', emptyDir: {} }],
  });
  await fixture.clock.advance(2000);
  expect(await log()).toMatch(/^sh: .*Read-only file system\nz\n$/);
  expect((await fixture.pod())?.status.containerStatuses?.[0]?.state?.terminated?.message).toBe('last\n');
});

test('a pod finds itself, its aliases and the services of its namespace', async () => {
  fixture = await NodeFixture.start();
  await fixture.client.resource(Services).create({ metadata: { name: 'db', namespace: 'default' }, spec: { ports: [{ port: 5432 }] } });
  await fixture.create({
    restartPolicy: 'Never',
    hostAliases: [{ ip: '1.2.3.4', hostnames: ['far'] }],
    containers: [print('tail -4 /etc/hosts; echo $DB_PORT_5432_TCP_PORT')],
  });
  await fixture.clock.advance(2000);
  expect(await log()).toMatch(/^[\d.]+\tp\n\n# Entries added by HostAliases\.\n1\.2\.3\.4\tfar\n5432\n$/);
});

test('KUB-6: a pod whose folder grows beyond its limit is evicted', async () => {
  fixture = await NodeFixture.start();
  await fixture.create({
    containers: [print('seq 1 1000 > /data/x; sleep 1000', { volumeMounts: [{ name: 'data', mountPath: '/data' }] })],
    volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Ki' } }],
  });
  await fixture.clock.advance(15_000);
  const { status } = (await fixture.pod())!;
  expect(status).toMatchObject({ phase: 'Failed', reason: 'Evicted', message: 'Usage of EmptyDir volume "data" exceeds the limit "1Ki". ' });
  expect((await fixture.events()).join('\n')).toContain('Evicted Usage of EmptyDir volume "data" exceeds the limit "1Ki".');
});
