import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { clientBinary } from './client-binaries.ts';
import { run } from './cluster-fixture.ts';

const coracle = join(import.meta.dirname, '../../bin/coracle');

/** The command line as a user runs it: a process of its own. */
describe('coracle', () => {
  let directory: string;
  let running: ChildProcess[];
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'coracle-cli-'));
    running = [];
  });
  afterEach(async () => {
    for (const child of running) await stop(child, 'SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });

  const file = (name: string, text: string): string => {
    const path = join(directory, name);
    writeFileSync(path, text);
    return path;
  };
  const cli = (...args: string[]) => run(process.execPath, [coracle, ...args], { env: { ...process.env, HOME: directory } });
  const kubeconfig = (): string => join(directory, 'kubeconfig');
  const kubectl = (args: string) => run(clientBinary('kubectl'), args.split(' '), { env: { ...process.env, KUBECONFIG: kubeconfig(), HOME: directory } });

  /** Boots and resolves once the kubeconfig is there, as its readers wait for it. */
  async function up(...args: string[]): Promise<ChildProcess> {
    rmSync(kubeconfig(), { force: true });
    const child = spawn(process.execPath, [coracle, 'up', '--port', '0', '--kubeconfig', kubeconfig(), ...args], {
      stdio: 'ignore',
      env: { ...process.env, HOME: directory },
    });
    running.push(child);
    while (!existsSync(kubeconfig())) {
      if (child.exitCode !== null) throw new Error(`coracle up ended with ${child.exitCode}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    return child;
  }

  it('applies a folder, shows the rollout and ends with it', async () => {
    file('a.yaml', readFileSync(join(import.meta.dirname, '../../examples/demo-api.yaml'), 'utf8'));
    const result = await cli('up', '--ephemeral', '--port', '0', '-f', directory, '--exit');
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining('demo-api: 3/3 successfully rolled out') });
  });

  it('ends with 1 and the reason when the rollout does not complete', async () => {
    const stuck = file(
      'stuck.yaml',
      readFileSync(join(import.meta.dirname, '../../examples/demo-api.yaml'), 'utf8').replace(
        '      containers:',
        '      nodeSelector: {disk: ssd}\n      containers:',
      ),
    );
    const result = await cli('up', '--ephemeral', '--port', '0', '-f', stuck, '--exit', '--timeout', '1s');
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining("3 node(s) didn't match Pod's node affinity/selector") });
  });

  it.each([
    ['a file that is not there', () => ['-f', '/nonexistent.yaml'], 'cannot read /nonexistent.yaml: no such file or folder'],
    ['bad YAML, with its place', () => ['-f', file('bad.yaml', 'kind: Pod\nmetadata: {name: [}\n')], 'bad.yaml:2:'],
    [
      'a manifest of an unknown kind',
      () => ['-f', file('kind.yaml', 'apiVersion: v9\nkind: Boat\nmetadata: {name: x}\n'), '--ephemeral'],
      'no kind "Boat" is served in "v9"',
    ],
    ['a bad rule for the simulation', () => ['--simulate', file('rules.yaml', '- image: 7\n')], 'rules.yaml: '],
    ['a bad duration', () => ['--timeout', 'soon'], 'expected a duration'],
  ])('explains %s', async (_what, args, message) => {
    const result = await cli(
      'up',
      '--port',
      '0',
      '--exit',
      '--data-dir',
      join(directory, 'data'),
      ...args().filter((arg, _i, all) => !(all.includes('--ephemeral') && arg === '--data-dir')),
    ).then(async (first) => (first.stderr.includes('cannot be used with') ? cli('up', '--port', '0', '--exit', ...args()) : first));
    expect(result).toMatchObject({ code: 1, stderr: expect.stringContaining(message) });
  });

  it('explains a port in use', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    expect(await cli('up', '--ephemeral', '--port', String(port))).toMatchObject({ code: 1, stderr: expect.stringContaining(`port ${port} is in use`) });
    server.close();
  });

  it('keeps everything in its data directory, whose owner alone may read, over a restart', async () => {
    const data = join(directory, 'data');
    const first = await up('--data-dir', data);
    expect(statSync(kubeconfig()).mode & 0o777).toBe(0o600);
    expect(statSync(data).mode & 0o077).toBe(0);
    await kubectl('create deployment web --image=a:1 --replicas=2');
    await kubectl('rollout status deployment/web --timeout=20s');
    const { stdout: before } = await kubectl('get deployment web -o jsonpath={.metadata.uid}');

    // Nobody else may open it meanwhile.
    expect(await cli('up', '--port', '0', '--data-dir', data)).toMatchObject({ code: 1, stderr: expect.stringContaining('is in use by process') });

    await stop(first, 'SIGTERM');
    expect(first.exitCode).toBe(0);
    await up('--data-dir', data);
    expect((await kubectl('get deployment web -o jsonpath={.metadata.uid}')).stdout).toBe(before);
    expect((await kubectl('rollout status deployment/web --timeout=20s')).code).toBe(0);
    expect((await kubectl('scale deployment web --replicas=3')).code).toBe(0);
    expect((await kubectl('rollout status deployment/web --timeout=20s')).code).toBe(0);
  });

  it('survives being killed, and takes its directory over again', async () => {
    const data = join(directory, 'data');
    const first = await up('--data-dir', data);
    await kubectl('create configmap kept --from-literal=a=b');
    await stop(first, 'SIGKILL');
    await up('--data-dir', data);
    expect((await kubectl('get configmap kept -o jsonpath={.data.a}')).stdout).toBe('b');
  });

  it('says how to get going when kubectl is asked for before a cluster', async () => {
    expect(await cli('kubectl', 'get', 'pods')).toMatchObject({ code: 1, stderr: expect.stringContaining('run coracle up') });
  });
});

function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('close', () => resolve());
    child.kill(signal);
  });
}
