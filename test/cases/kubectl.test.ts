import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Deployment } from '../../src/api/generated/types/apps.v1.ts';
import { Deployments, Pods, ReplicaSets } from '../../src/api/resources.ts';
import { type ClusterFixture, type CommandResult, startFixture } from '../e2e/cluster-fixture.ts';

/** Public trouble reports about kubectl, by their ids, each in a namespace of its own. */
describe('cases: kubectl', () => {
  let fixture: ClusterFixture;
  let namespace: string;
  let count = 0;
  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture.stop());
  beforeEach(async () => {
    namespace = `case-${count++}`;
    await fixture.kubectl(`create namespace ${namespace}`);
  });

  const kubectl = (args: string | readonly string[], input?: string): Promise<CommandResult> =>
    fixture.kubectl(['-n', namespace, ...(typeof args === 'string' ? args.split(' ') : args)], input === undefined ? {} : { input });
  const ok = async (args: string | readonly string[], input?: string): Promise<string> => {
    const result = await kubectl(args, input);
    expect(result, result.stderr).toMatchObject({ code: 0 });
    return result.stdout;
  };
  const web = (fields: { replicas?: number; container?: string; labels?: string; spec?: string } = {}): string => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  ${fields.replicas === undefined ? '' : `replicas: ${fields.replicas}`}
  ${fields.spec ?? ''}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web${fields.labels ?? ''}}}
    spec:
      containers:
      - {name: app, ${fields.container ?? 'image: "app:1"'}}
`;
  const live = (): Promise<Deployment> => fixture.cluster.client.resource(Deployments).get(namespace, 'web');
  const image = async (): Promise<string | undefined> => (await live()).spec.template.spec.containers[0]?.image;
  const rolledOut = (): Promise<string> => ok('rollout status deployment/web --timeout=30s');
  const setImage = async (name: string): Promise<void> => {
    await ok(`set image deployment/web app=${name}`);
    await rolledOut();
  };
  const create = async (fields: Parameters<typeof web>[0] = { replicas: 1 }): Promise<void> => {
    await ok('apply -f -', web(fields));
    await rolledOut();
  };
  const replicaSets = async (): Promise<number> => (await fixture.cluster.client.resource(ReplicaSets).list({ namespace })).items.length;

  it('C026: many edits under a pause make one revision', async () => {
    await create({ replicas: 3 });
    await ok('rollout pause deployment/web');
    await ok('set image deployment/web app=app:2');
    await ok('set env deployment/web A=1');
    await ok('set image deployment/web app=app:3');
    await ok('rollout resume deployment/web');
    await rolledOut();
    expect(await replicaSets()).toBe(2);
    expect((await live()).metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('2');
    // The five edits, and nothing else: the revision is written through the status.
    expect((await live()).metadata.generation).toBe(6);
    expect((await ok('rollout history deployment/web')).match(/^\d+ /gm)).toEqual(['1 ', '2 ']);
  });

  it('C028: pause, resume and restart refuse when there is nothing to do', async () => {
    await create();
    await ok('rollout pause deployment/web');
    expect(await kubectl('rollout pause deployment/web')).toMatchObject({ code: 1, stderr: 'error: deployments.apps "web" is already paused\n' });
    expect(await kubectl('rollout restart deployment/web')).toMatchObject({
      code: 1,
      stderr: 'error: deployments.apps "web" can\'t restart paused deployment (run rollout resume first)\n',
    });
    await ok('rollout resume deployment/web');
    expect(await kubectl('rollout resume deployment/web')).toMatchObject({ code: 1, stderr: 'error: deployments.apps "web" is not paused\n' });
  });

  it('C030: undo to the current revision changes nothing', async () => {
    await create();
    await setImage('app:2');
    const before = await live();
    expect(await ok('rollout undo deployment/web --to-revision=2')).toBe(
      'deployment.apps/web skipped rollback (current template already matches revision 2)\n',
    );
    expect((await live()).metadata.generation).toBe(before.metadata.generation);
    expect((await live()).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
  });

  it('C032: a number that an undo has used up cannot be used again', async () => {
    await create();
    await setImage('app:2');
    await ok('rollout undo deployment/web');
    await rolledOut();
    expect(await kubectl('rollout undo deployment/web --to-revision=1')).toMatchObject({
      code: 1,
      stderr: 'error: unable to find specified revision 1 in history\n',
    });
    expect((await kubectl('rollout undo deployment/web --to-revision=-1')).code).toBe(1);
  });

  it('C034: undo toggles between two templates', async () => {
    await create();
    await setImage('app:2');
    await setImage('app:3');
    const images: (string | undefined)[] = [];
    for (let i = 0; i < 3; i++) {
      await ok('rollout undo deployment/web');
      await rolledOut();
      images.push(await image());
    }
    expect(images).toEqual(['app:2', 'app:3', 'app:2']);
    expect((await live()).metadata.annotations?.['deployment.kubernetes.io/revision']).toBe('6');
  });

  it('C036: the history keeps the highest revisions, not the youngest ReplicaSets', async () => {
    await create({ replicas: 1, spec: 'revisionHistoryLimit: 2' });
    for (const name of ['app:2', 'app:3', 'app:4']) await setImage(name);
    await ok('rollout undo deployment/web --to-revision=2');
    await rolledOut();
    await setImage('app:5');
    const left = async (): Promise<string[]> =>
      (await fixture.cluster.client.resource(ReplicaSets).list({ namespace })).items.map((r) => r.spec.template?.spec?.containers[0]?.image ?? '').sort();
    for (let i = 0; i < 100 && (await left()).length !== 3; i++) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await left()).toEqual(['app:2', 'app:4', 'app:5']);
  });

  it('C038: undo brings the annotations of that revision back', async () => {
    await create();
    await ok('annotate deployment web kubernetes.io/change-cause=first');
    await new Promise((resolve) => setTimeout(resolve, 200));
    await ok([
      'patch',
      'deployment',
      'web',
      '-p',
      '{"metadata":{"annotations":{"kubernetes.io/change-cause":"second","team":"x"}},"spec":{"template":{"spec":{"containers":[{"name":"app","image":"app:2"}]}}}}',
    ]);
    await rolledOut();
    await ok('rollout undo deployment/web');
    await rolledOut();
    const { annotations } = (await live()).metadata;
    expect(annotations?.['kubernetes.io/change-cause']).toBe('first');
    expect(annotations?.['team']).toBeUndefined();
    expect(annotations?.['kubectl.kubernetes.io/last-applied-configuration']).toContain('"name":"web"');
    expect(await ok('rollout history deployment/web')).toMatch(/^2 +second\n3 +first$/m);
  });

  it('C040: undo sees a label that was removed', async () => {
    await create({ replicas: 1, labels: ', tier: x' });
    await ok(['patch', 'deployment', 'web', '--type=json', '-p', '[{"op":"remove","path":"/spec/template/metadata/labels/tier"}]']);
    await rolledOut();
    expect(await ok('rollout undo deployment/web')).toBe('deployment.apps/web rolled back\n');
    await rolledOut();
    const pods = await fixture.cluster.client.resource(Pods).list({ namespace, labelSelector: 'tier=x' });
    expect(pods.items.filter((p) => !p.metadata.deletionTimestamp)).toHaveLength(1);
  });

  it('C058: without a deadline there is no Progressing condition', async () => {
    await ok(
      'apply -f -',
      web({ replicas: 1, spec: 'progressDeadlineSeconds: 2147483647', container: 'image: "app:1", resources: {requests: {cpu: "1000"}}' }),
    );
    expect((await kubectl('rollout status deployment/web --timeout=1s')).code).toBe(1);
    await ok('rollout pause deployment/web');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect((await live()).status.conditions?.map((c) => c.type)).toEqual(['Available']);
  });

  it('C064: a full quota shows on the Deployment, and goes when there is room', async () => {
    await ok('create quota q --hard=pods=2');
    await ok('apply -f -', web({ replicas: 3 }));
    const failure = async () => (await live()).status.conditions?.find((c) => c.type === 'ReplicaFailure');
    for (let i = 0; i < 200 && !(await failure()); i++) await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await failure()).toMatchObject({
      status: 'True',
      reason: 'FailedCreate',
      message: expect.stringMatching(/^pods "web-[a-z0-9]+-[a-z0-9]{5}" is forbidden: exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2$/),
    });
    await ok(['patch', 'quota', 'q', '-p', '{"spec":{"hard":{"pods":"5"}}}']);
    await rolledOut();
    expect(await failure()).toBeUndefined();
  });

  it('C104: a variable that stood there twice goes with the one that is taken out', async () => {
    const env = (list: string): string => web({ container: `image: "app:1", env: [${list}]` });
    await ok('apply -f -', env('{name: X, value: "1"}, {name: X, value: "1"}'));
    await ok('apply -f -', env('{name: X, value: "1"}'));
    expect((await live()).spec.template.spec.containers[0]?.env ?? []).toEqual([]);
    await ok('apply -f -', env('{name: X, value: "1"}'));
    expect((await live()).spec.template.spec.containers[0]?.env).toEqual([{ name: 'X', value: '1' }]);
  });

  it('C106: a port number changed under its name', async () => {
    const ports = (number: number): string => web({ container: `image: "app:1", ports: [{containerPort: ${number}, name: http-metrics}]` });
    await ok('apply -f -', ports(8080));
    await ok('apply -f -', ports(8081));
    expect((await live()).spec.template.spec.containers[0]?.ports).toEqual([{ containerPort: 8081, name: 'http-metrics', protocol: 'TCP' }]);
    await ok('delete deployment web');
    await ok('create -f -', ports(8080));
    const refused = await kubectl('apply -f -', ports(8081));
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('missing the kubectl.kubernetes.io/last-applied-configuration annotation');
    expect(refused.stderr).toContain('spec.template.spec.containers[0].ports[1].name: Duplicate value: "http-metrics"');
  });

  it('C108: replicas taken out of the file go back to 1', async () => {
    await ok('apply -f -', web({ replicas: 5 }));
    await ok('scale deployment web --replicas=8');
    await ok('apply -f -', web());
    expect((await live()).spec.replicas).toBe(1);
  });

  it('C110: repeated keys in another order are refused', async () => {
    const env = (list: string): string => web({ container: `image: "app:1", env: [${list}]` });
    await ok('apply -f -', env('{name: T, value: "1"}, {name: T2, value: one}, {name: T, value: "1"}'));
    const before = (await live()).spec;
    const refused = await kubectl('apply -f -', env('{name: T, value: "2"}, {name: T2, value: two}, {name: T, value: 1-changed}'));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("doesn't match $setElementOrder list") });
    expect((await live()).spec).toEqual(before);
  });

  it('C112: a quantity that is not canonical is "configured" each time, and changes nothing', async () => {
    const cpu = (value: string): string => web({ container: `image: "app:1", resources: {requests: {cpu: "${value}"}}` });
    expect(await ok('apply -f -', cpu('1.2'))).toBe('deployment.apps/web created\n');
    await rolledOut();
    const before = await live();
    for (let i = 0; i < 2; i++) expect(await ok('apply -f -', cpu('1.2'))).toBe('deployment.apps/web configured\n');
    expect((await live()).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    expect((await live()).metadata.generation).toBe(before.metadata.generation);
    await ok('apply -f -', cpu('1200m'));
    expect(await ok('apply -f -', cpu('1200m'))).toBe('deployment.apps/web unchanged\n');
    expect(await replicaSets()).toBe(1);
  });

  it('C115: scale with preconditions', async () => {
    await create({ replicas: 3 });
    expect(await kubectl('scale deploy/web --current-replicas=2 --replicas=5')).toMatchObject({ code: 1, stderr: 'error: Expected replicas to be 2, was 3\n' });
    expect(await ok('scale deploy/web --current-replicas=3 --replicas=5')).toBe('deployment.apps/web scaled\n');
    expect(await kubectl('scale deploy/web --replicas=-1')).toMatchObject({
      code: 1,
      stderr: 'error: The --replicas=COUNT flag is required, and COUNT must be greater than or equal to 0\n',
    });
    expect(await kubectl('scale deploy/web')).toMatchObject({ code: 1, stderr: 'error: required flag(s) "replicas" not set\n' });
  });

  it('C117: restarted twice in a second', async () => {
    await create();
    const restart = () => kubectl('rollout restart deploy/web');
    let second: CommandResult;
    // The two may fall into two seconds; then the next pair does not.
    for (let i = 0; ; i++) {
      await restart();
      second = await restart();
      if (second.code !== 0 || i > 5) break;
    }
    expect(second).toMatchObject({
      code: 1,
      stderr:
        'error: failed to create patch for web: if restart has already been triggered within the past second, please wait before attempting to trigger another\n',
    });
  });

  it('C119: STATUS, READY and RESTARTS of pods', async () => {
    const pod = (name: string, spec: object): object => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name, namespace },
      spec: { nodeSelector: { nowhere: 'true' }, ...spec },
    });
    const one = { containers: [{ name: 'a', image: 'x' }] };
    const two = {
      containers: [
        { name: 'a', image: 'x' },
        { name: 'b', image: 'x' },
      ],
    };
    const table: [name: string, spec: object, status: object, shown: string][] = [
      [
        'crash',
        one,
        {
          phase: 'Running',
          containerStatuses: [{ name: 'a', image: 'x', imageID: '', ready: false, restartCount: 3, state: { waiting: { reason: 'CrashLoopBackOff' } } }],
        },
        '0/1 CrashLoopBackOff 3',
      ],
      [
        'init',
        {
          ...one,
          initContainers: [
            { name: 'i', image: 'x' },
            { name: 'j', image: 'x' },
          ],
        },
        { phase: 'Pending', initContainerStatuses: [{ name: 'i', image: 'x', imageID: '', ready: false, restartCount: 0, state: { running: {} } }] },
        '0/1 Init:0/2 0',
      ],
      [
        'init-error',
        { ...one, initContainers: [{ name: 'i', image: 'x' }] },
        {
          phase: 'Pending',
          initContainerStatuses: [
            { name: 'i', image: 'x', imageID: '', ready: false, restartCount: 0, state: { terminated: { exitCode: 1, reason: 'Error' } } },
          ],
        },
        '0/1 Init:Error 0',
      ],
      [
        'done',
        one,
        {
          phase: 'Succeeded',
          containerStatuses: [
            { name: 'a', image: 'x', imageID: '', ready: false, restartCount: 0, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
          ],
        },
        '0/1 Completed 0',
      ],
      [
        'half',
        two,
        {
          phase: 'Running',
          conditions: [{ type: 'Ready', status: 'False' }],
          containerStatuses: [
            { name: 'a', image: 'x', imageID: '', ready: false, restartCount: 0, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
            { name: 'b', image: 'x', imageID: '', ready: true, restartCount: 0, state: { running: {} } },
          ],
        },
        '1/2 NotReady 0',
      ],
      [
        'half-ready',
        two,
        {
          phase: 'Running',
          conditions: [{ type: 'Ready', status: 'True' }],
          containerStatuses: [
            { name: 'a', image: 'x', imageID: '', ready: false, restartCount: 0, state: { terminated: { exitCode: 0, reason: 'Completed' } } },
            { name: 'b', image: 'x', imageID: '', ready: true, restartCount: 0, state: { running: {} } },
          ],
        },
        '1/2 Running 0',
      ],
      [
        'exit-code',
        one,
        {
          phase: 'Running',
          containerStatuses: [{ name: 'a', image: 'x', imageID: '', ready: false, restartCount: 0, state: { terminated: { exitCode: 3 } } }],
        },
        '0/1 ExitCode:3 0',
      ],
    ];
    for (const [name, spec, status] of table) {
      await ok('create -f -', JSON.stringify(pod(name, spec)));
      await ok(['patch', 'pod', name, '--subresource=status', '--type=merge', '-p', JSON.stringify({ status })]);
    }
    const lines = (await ok('get pods --no-headers'))
      .trim()
      .split('\n')
      .map((line) => line.split(/ +/));
    for (const [name, , , shown] of table)
      expect(
        lines
          .find((line) => line[0] === name)
          ?.slice(1, 4)
          .join(' '),
        name,
      ).toBe(shown);
  });
});
