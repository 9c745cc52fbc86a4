import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Pod } from '../../src/api/generated/types/core.v1.ts';
import { clientBinary } from '../e2e/client-binaries.ts';
import { ClusterProcess } from './cluster-process.ts';
import { ContainerdSite, missingPackages } from './containerd-site.ts';
import { ended, eventually } from './processes.ts';
import { busyboxRoot, REGISTRY_USER } from './registry.ts';

const missing = missingPackages();
if (missing.length > 0) console.log(`real containers are not tested here: ${missing.join(', ')} missing`);

let site: ContainerdSite;
let cluster: ClusterProcess;

const SERVE = 'trap "exit 0" TERM; httpd -f -p 8080 -h /www & wait';

describe.skipIf(missing.length > 0)('real containers', () => {
  beforeAll(async () => {
    site = await ContainerdSite.start();
    for (const version of ['v1', 'v2']) {
      const root = busyboxRoot(site.directory, { 'www/index.html': `${version}\n` });
      await site.open.push({ name: `test/web:${version}`, root, config: { Cmd: ['sh', '-c', SERVE] } });
    }
    await site.closed.push({ name: 'test/hidden:1', root: busyboxRoot(site.directory), config: { Cmd: ['sh', '-c', SERVE] } });
    cluster = new ClusterProcess(site);
    await cluster.start();
  }, 120_000);

  afterAll(async () => {
    await cluster?.stop();
    await site?.stop();
  }, 120_000);

  const image = (): string => `${site.open.address}/test/web:v1`;

  const pod = (name: string, command: string, more: { container?: object; spec?: object } = {}): object => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'c', image: image(), command: ['sh', '-c', command], ...more.container }],
      ...more.spec,
    },
  });

  const status = (name: string, path: string): Promise<string> => cluster.value(`pod ${name}`, `.status.${path}`);
  const becomes = (name: string, path: string, wanted: string | RegExp, timeoutMs?: number): Promise<void> =>
    eventually(
      async () => {
        const value = await status(name, path);
        return typeof wanted === 'string' ? value === wanted : wanted.test(value);
      },
      `${path} of pod ${name} becomes ${wanted}`,
      timeoutMs,
    );

  const deployment = (version: string): object => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [
            {
              name: 'web',
              image: `${site.open.address}/test/web:${version}`,
              readinessProbe: { httpGet: { path: '/', port: 8080 }, periodSeconds: 1 },
            },
          ],
        },
      },
    },
  });

  const pages = async (): Promise<string[]> => {
    const { items } = JSON.parse((await cluster.kubectl('get pods -l app=web -o json')).stdout) as { items: Pod[] };
    const present = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    return Promise.all(present.map(async ({ status }) => (await fetch(`http://${status.podIP}:8080/`)).text()));
  };

  test('a Deployment goes from v1 to v2 and back', async () => {
    await cluster.apply(deployment('v1'));
    expect(await cluster.kubectl('rollout status deployment/web --timeout 50s')).toMatchObject({ code: 0 });
    expect(await pages()).toEqual(['v1\n', 'v1\n']);
    await cluster.kubectl(`set image deployment/web web=${site.open.address}/test/web:v2`);
    expect(await cluster.kubectl('rollout status deployment/web --timeout 50s')).toMatchObject({ code: 0 });
    await eventually(async () => (await pages()).join('') === 'v2\nv2\n', 'all pods serve v2');
    await cluster.kubectl('rollout undo deployment/web');
    expect(await cluster.kubectl('rollout status deployment/web --timeout 50s')).toMatchObject({ code: 0 });
    await eventually(async () => (await pages()).join('') === 'v1\nv1\n', 'all pods serve v1');
  });

  test('a pod is ready while its readiness probe passes', async () => {
    await cluster.apply(
      pod('ready', 'sleep 1000', { container: { readinessProbe: { exec: { command: ['cat', '/tmp/ready'] }, periodSeconds: 1, failureThreshold: 1 } } }),
    );
    await becomes('ready', 'containerStatuses[0].started', 'true');
    expect(await status('ready', 'containerStatuses[0].ready')).toBe('false');
    await cluster.kubectl('exec ready -- touch /tmp/ready');
    await becomes('ready', 'containerStatuses[0].ready', 'true');
    await cluster.kubectl('exec ready -- rm /tmp/ready');
    await becomes('ready', 'containerStatuses[0].ready', 'false');
    expect(await cluster.reasons('ready')).toContain('Unhealthy');
  });

  test('a container whose liveness probe fails is restarted, and tells of the run before', async () => {
    await cluster.apply(
      pod('alive', 'echo begun; trap "echo asked to end; exit 5" TERM; while true; do sleep 0.1; done', {
        container: { livenessProbe: { exec: { command: ['false'] }, periodSeconds: 1, failureThreshold: 2 } },
      }),
    );
    await becomes('alive', 'containerStatuses[0].restartCount', /^[1-9]/);
    expect(await status('alive', 'containerStatuses[0].lastState.terminated.exitCode')).toBe('5');
    expect((await cluster.kubectl('logs alive --previous')).stdout).toBe('begun\nasked to end\n');
    expect(await cluster.reasons('alive')).toEqual(expect.arrayContaining(['Unhealthy', 'Killing']));
    await cluster.kubectl('delete pod alive');
  });

  test('a container that crashes waits longer each time', async () => {
    await cluster.apply(pod('crash', 'echo try; exit 3'));
    await becomes('crash', 'containerStatuses[0].state.waiting.message', /back-off 20s restarting failed container=c/, 60_000);
    expect(await status('crash', 'containerStatuses[0].restartCount')).toBe('2');
    expect(await status('crash', 'containerStatuses[0].lastState.terminated.exitCode')).toBe('3');
    expect((await cluster.kubectl('logs crash --previous')).stdout).toBe('try\n');
    expect(await cluster.reasons('crash')).toContain('BackOff');
  });

  test('a tag that is not there', async () => {
    await cluster.apply(pod('absent', 'true', { container: { image: `${site.open.address}/test/web:v9` } }));
    await becomes('absent', 'containerStatuses[0].state.waiting.reason', 'ErrImagePull');
    expect(await status('absent', 'containerStatuses[0].state.waiting.message')).toMatch(/^rpc error: code = NotFound .*v9: not found$/);
    await becomes('absent', 'containerStatuses[0].state.waiting.reason', 'ImagePullBackOff');
  });

  test('a private registry lets in who has its secret', async () => {
    const { address } = site.closed;
    const hidden = (name: string, secrets: string[]): object =>
      pod(name, 'sleep 1000', { container: { image: `${address}/test/hidden:1` }, spec: { imagePullSecrets: secrets.map((secret) => ({ name: secret })) } });
    await cluster.apply(hidden('outside', []));
    await becomes('outside', 'containerStatuses[0].state.waiting.message', /401 Unauthorized/);
    const { name, password } = REGISTRY_USER;
    await cluster.kubectl(`create secret docker-registry key --docker-server=${address} --docker-username=${name} --docker-password=${password}`);
    await cluster.apply(hidden('inside', ['key']));
    await becomes('inside', 'phase', 'Running');
  });

  test('a container that takes more memory than it may is killed', async () => {
    await cluster.apply(pod('greedy', 'tail /dev/zero', { container: { resources: { limits: { memory: '16Mi' } } }, spec: { restartPolicy: 'Never' } }));
    await becomes('greedy', 'phase', 'Failed');
    expect(await status('greedy', 'containerStatuses[0].state.terminated.exitCode')).toBe('137');
    expect(await status('greedy', 'containerStatuses[0].state.terminated.reason')).toBe('OOMKilled');
  });

  test('before the end the hook, then SIGTERM, then after the grace period SIGKILL', async () => {
    const folder = join(site.directory, 'diary');
    await cluster.apply(
      pod('stubborn', 'trap "echo asked >> /diary/pages" TERM; while true; do sleep 0.1; done', {
        container: {
          volumeMounts: [{ name: 'diary', mountPath: '/diary' }],
          lifecycle: { preStop: { exec: { command: ['sh', '-c', 'echo hook >> /diary/pages'] } } },
        },
        spec: { terminationGracePeriodSeconds: 3, volumes: [{ name: 'diary', hostPath: { path: folder, type: 'DirectoryOrCreate' } }] },
      }),
    );
    await becomes('stubborn', 'phase', 'Running');
    const begun = Date.now();
    await cluster.kubectl('delete pod stubborn');
    expect(readFileSync(join(folder, 'pages'), 'utf8')).toBe('hook\nasked\n');
    expect(Date.now() - begun).toBeGreaterThan(2000);
    expect(Date.now() - begun).toBeLessThan(20_000);
  });

  test('exec, cp and port-forward reach into a container', async () => {
    await cluster.apply(pod('open', SERVE));
    await becomes('open', 'phase', 'Running');
    expect(await cluster.kubectl(['exec', 'open', '--', 'sh', '-c', 'echo out; echo err >&2; exit 3'])).toMatchObject({
      code: 3,
      stdout: 'out\n',
      stderr: expect.stringMatching(/^err\n/),
    });
    expect((await cluster.kubectl('exec -i open -- sort', 'b\na\n')).stdout).toBe('a\nb\n');
    const content = Buffer.alloc(1_000_000, 'coracle').toString();
    const [here, back] = [join(site.directory, 'here'), join(site.directory, 'back')];
    writeFileSync(here, content);
    await cluster.kubectl(`cp ${here} open:/tmp/there`);
    await cluster.kubectl(`cp open:/tmp/there ${back}`);
    expect(readFileSync(back, 'utf8')).toBe(content);
    const forward = spawn(clientBinary('kubectl'), ['--kubeconfig', cluster.kubeconfig, 'port-forward', 'pod/open', ':8080']);
    try {
      const port = await new Promise<string>((resolve) => {
        forward.stdout.on('data', (chunk: Buffer) => {
          const found = /127\.0\.0\.1:(\d+)/.exec(chunk.toString())?.[1];
          if (found) resolve(found);
        });
      });
      for (let i = 0; i < 3; i++) expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe('v1\n');
    } finally {
      await ended(forward);
    }
  });

  test('volumes: a Secret in memory, a folder of a ConfigMap, a shared folder', async () => {
    await cluster.apply(
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { a: '1' } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hidden' }, stringData: { key: 'word' } },
      pod('files', 'cat /config/a /secret/key; stat -c %a /secret/..data/key; stat -f -c %T /secret; echo x > /shared/x; ls -ld /shared | cut -c1-10; id -G', {
        container: {
          volumeMounts: [
            { name: 'config', mountPath: '/config' },
            { name: 'secret', mountPath: '/secret' },
            { name: 'shared', mountPath: '/shared', subPath: 'below' },
          ],
        },
        spec: {
          restartPolicy: 'Never',
          securityContext: { runAsUser: 1000, fsGroup: 2000 },
          volumes: [
            { name: 'config', configMap: { name: 'settings' } },
            { name: 'secret', secret: { secretName: 'hidden', defaultMode: 0o400 } },
            { name: 'shared', emptyDir: {} },
          ],
        },
      }),
    );
    await becomes('files', 'phase', /Succeeded|Failed/);
    expect((await cluster.kubectl('logs files')).stdout).toBe('1word440\ntmpfs\ndrwxrwsrwx\n0 2000\n');
  });

  test('a pod that writes more than its folder may hold is evicted', async () => {
    await cluster.apply(
      pod('writer', 'dd if=/dev/zero of=/data/x bs=1M count=3; sleep 1000', {
        container: { volumeMounts: [{ name: 'data', mountPath: '/data' }] },
        spec: { volumes: [{ name: 'data', emptyDir: { sizeLimit: '1Mi' } }] },
      }),
    );
    await becomes('writer', 'reason', 'Evicted');
    expect(await status('writer', 'message')).toBe('Usage of EmptyDir volume "data" exceeds the limit "1Mi". ');
  });

  test('a container is resized without a restart', async () => {
    const cpu = (amount: string): object => ({ resources: { requests: { cpu: amount }, limits: { cpu: amount } } });
    await cluster.apply(pod('grows', 'sleep 1000', { container: cpu('100m') }));
    await becomes('grows', 'phase', 'Running');
    const quota = ['exec', 'grows', '--', 'sh', '-c', 'cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu.max 2>/dev/null'];
    expect((await cluster.kubectl(quota)).stdout).toMatch(/^10000\b/);
    const patch = JSON.stringify({ spec: { containers: [{ name: 'c', ...cpu('200m') }] } });
    await cluster.kubectl(['patch', 'pod', 'grows', '--subresource', 'resize', '--patch', patch]);
    await eventually(async () => /^20000\b/.test((await cluster.kubectl(quota)).stdout), 'the container has what it was given');
    expect(await status('grows', 'containerStatuses[0].restartCount')).toBe('0');
  });

  const containerIds = (): Promise<string> => cluster.value('pods -l app=web', '.items[*].status.containerStatuses[*].containerID');

  test('a kubelet that is killed and started again finds its containers', async () => {
    await cluster.apply(deployment('v1'));
    await cluster.kubectl('rollout status deployment/web --timeout 50s');
    const before = await containerIds();
    await cluster.kill();
    await cluster.start();
    expect(await cluster.kubectl('rollout status deployment/web --timeout 50s')).toMatchObject({ code: 0 });
    expect(await containerIds()).toBe(before);
    expect(await cluster.value('pods -l app=web', '.items[*].status.containerStatuses[*].restartCount')).toBe('0 0');
    expect(await pages()).toEqual(['v1\n', 'v1\n']);
  });

  test('containerd is started again under its kubelet', async () => {
    const before = await containerIds();
    await site.stopContainerd();
    await site.startContainerd();
    const name = await cluster.value('pods -l app=web', '.items[0].metadata.name');
    await eventually(async () => (await cluster.kubectl(`exec ${name} -- echo hi`)).stdout === 'hi\n', 'commands are carried out again');
    await cluster.kubectl('scale deployment/web --replicas 3');
    expect(await cluster.kubectl('rollout status deployment/web --timeout 50s')).toMatchObject({ code: 0 });
    expect((await containerIds()).split(' ')).toEqual(expect.arrayContaining(before.split(' ')));
  });
});
