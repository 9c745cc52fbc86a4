import { createServer } from 'node:net';
import { PassThrough } from 'node:stream';
import { AppsV1Api, CoreV1Api, Exec, KubeConfig, Log, makeInformer, PortForward, type V1Pod, type V1Status, Watch } from '@kubernetes/client-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterFixture, startFixture } from './cluster-fixture.ts';

const deployment = {
  metadata: { name: 'web' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' }, annotations: { 'sim.coracle.dev/log': 'listening' } },
      spec: { containers: [{ name: 'c', image: 'registry.example.com/web:v1', ports: [{ containerPort: 8080 }] }] },
    },
  },
};

describe('the official JavaScript client', () => {
  let fixture: ClusterFixture;
  let config: KubeConfig;
  let core: CoreV1Api;
  let pod: V1Pod;

  beforeAll(async () => {
    fixture = await startFixture();
    config = new KubeConfig();
    config.loadFromString(fixture.cluster.kubeconfig);
    core = config.makeApiClient(CoreV1Api);
    await config.makeApiClient(AppsV1Api).createNamespacedDeployment({ namespace: 'default', body: deployment });
    await fixture.kubectl('rollout status deployment/web --timeout=30s');
    pod = (await core.listNamespacedPod({ namespace: 'default', labelSelector: 'app=web' })).items[0]!;
  });
  afterAll(() => fixture.stop());

  it('lists, creates, patches and deletes', async () => {
    await core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'c' }, data: { a: '1' } } });
    expect((await core.readNamespacedConfigMap({ namespace: 'default', name: 'c' })).data).toEqual({ a: '1' });
    await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'c' });
    await expect(core.readNamespacedConfigMap({ namespace: 'default', name: 'c' })).rejects.toMatchObject({ code: 404 });
  });

  it('keeps an informer up to date', async () => {
    const informer = makeInformer(config, '/api/v1/namespaces/default/configmaps', () => core.listNamespacedConfigMap({ namespace: 'default' }));
    const seen: string[] = [];
    const arrived = new Promise<void>((resolve) => {
      for (const verb of ['add', 'update', 'delete'] as const) {
        informer.on(verb, (object) => {
          if (object.metadata?.name !== 'watched') return;
          seen.push(verb);
          if (verb === 'delete') resolve();
        });
      }
    });
    await informer.start();
    await core.createNamespacedConfigMap({ namespace: 'default', body: { metadata: { name: 'watched' } } });
    await core.replaceNamespacedConfigMap({ namespace: 'default', name: 'watched', body: { metadata: { name: 'watched' }, data: { b: '2' } } });
    await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'watched' });
    await arrived;
    await informer.stop();
    expect(seen).toEqual(['add', 'update', 'delete']);
  });

  it('watches', async () => {
    const types: string[] = [];
    const watch = new Watch(config);
    const first = new Promise<void>((resolve, reject) => {
      watch
        .watch(
          '/api/v1/namespaces/default/pods',
          { labelSelector: 'app=web' },
          (type) => {
            types.push(type);
            resolve();
          },
          (error) => error && reject(error),
        )
        .then((request) => first.finally(() => request.abort()), reject);
    });
    await first;
    expect(types[0]).toBe('ADDED');
  });

  it('executes commands, and learns their exit code', async () => {
    const stdout = new PassThrough();
    let output = '';
    stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    const status = await new Promise<V1Status>((resolve, reject) => {
      new Exec(config).exec('default', pod.metadata!.name!, 'c', ['sh', '-c', 'echo hello; exit 3'], stdout, null, null, false, resolve).catch(reject);
    });
    expect(output).toBe('hello\n');
    expect(status).toMatchObject({ status: 'Failure', reason: 'NonZeroExitCode', details: { causes: [{ reason: 'ExitCode', message: '3' }] } });
  });

  it('reads logs', async () => {
    const stream = new PassThrough();
    let text = '';
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await new Log(config).log('default', pod.metadata!.name!, 'c', stream, { follow: false });
    await new Promise((resolve) => stream.once('end', resolve));
    expect(text).toContain('listening');
  });

  it('forwards ports', async () => {
    const forward = new PortForward(config);
    const server = createServer((socket) => void forward.portForward('default', pod.metadata!.name!, [8080], socket, null, socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const answer = await fetch(`http://127.0.0.1:${port}/`);
    expect(await answer.text()).toContain(pod.metadata!.name!);
    server.close();
  });
});
