import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterFixture, startFixture } from './cluster-fixture.ts';

const manifest = (image: string, replicas = 3): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, labels: {app: web}}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
      - {name: app, image: "${image}", ports: [{containerPort: 8080}]}
`;

/** The commands of a working day, one after another on one Deployment. */
describe('kubectl 1.35', () => {
  let fixture: ClusterFixture;
  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture.stop());

  /** Runs a command that must succeed. */
  const run = async (args: string | readonly string[], input?: string): Promise<string> => {
    const result = await fixture.kubectl(args, input === undefined ? {} : { input });
    expect(result, result.stderr).toMatchObject({ code: 0 });
    return result.stdout;
  };
  const rolledOut = (): Promise<string> => run('rollout status deployment/web --timeout=30s');

  it('applies a Deployment and waits for it', async () => {
    expect(await run('apply -f -', manifest('app:1'))).toBe('deployment.apps/web created\n');
    expect(await rolledOut()).toContain('deployment "web" successfully rolled out');
    expect(await run('apply -f -', manifest('app:1'))).toBe('deployment.apps/web unchanged\n');
    expect(await run('wait --for=condition=Available deployment/web --timeout=10s')).toBe('deployment.apps/web condition met\n');
  });

  it('prints it in every form', async () => {
    expect(await run('get deployment web')).toMatch(/^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +3\/3 +3 +3 /);
    expect(await run('get deploy -o wide')).toContain('app=web');
    expect(await run('get deploy web -o name')).toBe('deployment.apps/web\n');
    expect(JSON.parse(await run('get deploy web -o json'))).toMatchObject({ kind: 'Deployment', status: { readyReplicas: 3 } });
    expect(await run('get deploy web -o yaml')).toContain('kind: Deployment');
    expect(await run(['get', 'deploy', 'web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}'])).toBe('app:1');
    expect(await run('get pods -o custom-columns=PHASE:.status.phase --no-headers')).toBe('Running\nRunning\nRunning\n');
    expect(await run('get pods --show-labels')).toContain('pod-template-hash=');
    expect((await run('get pods -l app=web -o name')).split('\n')).toHaveLength(4);
    expect(await run('get pods -l app=other -o name')).toBe('');
    const names = (await run('get pods --sort-by=.metadata.name -o name')).trim().split('\n');
    expect(names).toEqual([...names].sort());
    expect(await run('get pods --field-selector=status.phase=Pending -o name')).toBe('');
    expect(await run('get all')).toContain('replicaset.apps/web-');
  });

  it('describes, explains and lists resources', async () => {
    const described = await run('describe deployment web');
    expect(described).toMatch(/Replicas: +3 desired \| 3 updated \| 3 total \| 3 available \| 0 unavailable/);
    expect(described).toContain('ScalingReplicaSet');
    expect(await run('describe pods -l app=web')).toContain('Successfully assigned');
    expect(await run('describe node hollow-1')).toContain('Allocated resources');
    expect(await run('explain deployment.spec.strategy')).toContain('rollingUpdate');
    expect(await run('api-resources --api-group=apps')).toMatch(/deployments +deploy +apps\/v1 +true +Deployment/);
    expect(await run('api-versions')).toContain('apps/v1');
    expect(await run('version')).toContain('Server Version: v1.34.0');
    expect(await run('events')).toContain('Created pod');
    expect(await run('get events')).toContain('ScalingReplicaSet');
  });

  it('changes image, resources, labels, annotations and fields', async () => {
    expect(await run('set image deployment/web app=app:2')).toBe('deployment.apps/web image updated\n');
    await rolledOut();
    expect(await run('set resources deployment/web --limits=cpu=200m --requests=cpu=100m')).toBe('deployment.apps/web resource requirements updated\n');
    await rolledOut();
    expect(await run('label deployment web tier=front')).toBe('deployment.apps/web labeled\n');
    expect(await run('annotate deployment web note=x')).toBe('deployment.apps/web annotated\n');
    expect(await run(['patch', 'deployment', 'web', '-p', '{"spec":{"minReadySeconds":0,"progressDeadlineSeconds":30}}'])).toBe(
      'deployment.apps/web patched\n',
    );
    expect(await run(['patch', 'deployment', 'web', '--type=json', '-p', '[{"op":"replace","path":"/spec/revisionHistoryLimit","value":5}]'])).toContain(
      'patched',
    );
    const editor = join(fixture.directory, 'editor.sh');
    writeFileSync(editor, '#!/bin/sh\nsed -i s/revisionHistoryLimit:.*/revisionHistoryLimit:\\ 7/ "$1"\n', { mode: 0o755 });
    const edited = await fixture.kubectl('edit deployment web', { env: { EDITOR: editor } });
    expect(edited).toMatchObject({ code: 0, stdout: 'deployment.apps/web edited\n' });
    expect(await run(['get', 'deploy', 'web', '-o', 'jsonpath={.spec.revisionHistoryLimit} {.metadata.labels.tier} {.metadata.annotations.note}'])).toBe(
      '7 front x',
    );
  });

  it('scales', async () => {
    expect(await run('scale deployment web --replicas=5')).toBe('deployment.apps/web scaled\n');
    await rolledOut();
    expect((await run('get pods -l app=web -o name')).trim().split('\n')).toHaveLength(5);
    expect(await fixture.kubectl('scale deployment web --current-replicas=2 --replicas=1')).toMatchObject({
      code: 1,
      stderr: 'error: Expected replicas to be 2, was 5\n',
    });
  });

  it('undoes, pauses, resumes and restarts', async () => {
    expect(await run('rollout history deployment/web')).toMatch(/^1 .*\n2 .*\n3 /m);
    expect(await run('rollout undo deployment/web --to-revision=1')).toBe('deployment.apps/web rolled back\n');
    await rolledOut();
    expect(await run(['get', 'deploy', 'web', '-o', 'jsonpath={.spec.template.spec.containers[0].image}'])).toBe('app:1');
    expect(await run('rollout pause deployment/web')).toBe('deployment.apps/web paused\n');
    expect(await fixture.kubectl('rollout pause deployment/web')).toMatchObject({ code: 1, stderr: 'error: deployments.apps "web" is already paused\n' });
    expect(await fixture.kubectl('rollout restart deployment/web')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("can't restart paused deployment"),
    });
    await run('set image deployment/web app=app:3');
    expect(await run(['get', 'rs', '-o', 'jsonpath={.items[*].spec.template.spec.containers[0].image}'])).not.toContain('app:3');
    expect(await run('rollout resume deployment/web')).toBe('deployment.apps/web resumed\n');
    await rolledOut();
    expect(await run('rollout restart deployment/web')).toBe('deployment.apps/web restarted\n');
    await rolledOut();
  });

  it('compares, rehearses and watches', async () => {
    const diff = await fixture.kubectl('diff -f -', { input: manifest('app:9') });
    expect(diff).toMatchObject({ code: 1, stdout: expect.stringMatching(/^\+ +- image: app:9$/m) });
    expect(await run('apply --dry-run=server -f -', manifest('app:9'))).toBe('deployment.apps/web configured (server dry run)\n');
    expect(await run('create deployment other --image=a:1 --dry-run=server')).toBe('deployment.apps/other created (server dry run)\n');
    expect((await fixture.kubectl('get deployment other')).code).toBe(1);
    const watching = fixture.kubectl('get configmaps -w --request-timeout=2s');
    await run('create configmap seen --from-literal=a=b');
    expect((await watching).stdout).toContain('seen');
  });

  it('reads logs and runs commands', async () => {
    await run(['patch', 'deployment', 'web', '-p', '{"spec":{"template":{"metadata":{"annotations":{"sim.coracle.dev/log":"up"}}}}}']);
    await rolledOut();
    expect(await run('logs deployment/web')).toContain('up');
    expect(await run('exec deployment/web -- echo hello')).toBe('hello\n');
    expect((await fixture.kubectl(['exec', 'deployment/web', '--', 'sh', '-c', 'exit 7'])).code).toBe(7);
  });

  it('attaches to a pod that it runs, and ends with its code', async () => {
    const command = ['run', 'once', '--image=tools', '--attach', '--rm', '--restart=Never', '--command', '--', 'sh', '-c', 'echo hello; sleep 2; exit 3'];
    expect(await fixture.kubectl(command)).toMatchObject({ code: 3, stdout: expect.stringContaining('hello\n') });
    expect(await run('get pods once --ignore-not-found')).toBe('');
  });

  it('refuses what is wrong, in words', async () => {
    expect(await fixture.kubectl('apply -f -', { input: manifest('app:1').replace('replicas: 3', 'replica: 3') })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('unknown field "spec.replica"'),
    });
    expect(await fixture.kubectl('get deployment nobody')).toMatchObject({
      code: 1,
      stderr: 'Error from server (NotFound): deployments.apps "nobody" not found\n',
    });
    expect(await fixture.kubectl('create namespace default')).toMatchObject({
      code: 1,
      stderr: 'Error from server (AlreadyExists): namespaces "default" already exists\n',
    });
    expect(await fixture.kubectl('delete namespace kube-system')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('this namespace may not be deleted'),
    });
  });

  it('deletes with all that belongs to it', async () => {
    expect(await run('delete deployment web')).toBe('deployment.apps "web" deleted from default namespace\n');
    await run('wait --for=delete pod -l app=web --timeout=20s');
    expect(await run('get rs,pods -l app=web -o name')).toBe('');
  });
});
