import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ConfigMaps, Pods } from '../../src/api/resources.ts';
import { type ClusterFixture, startFixture } from './cluster-fixture.ts';

/** What people ran into with kubectl, each seen with kubectl again. */
describe('kubectl 1.35, where it once got another answer than from Kubernetes', () => {
  let fixture: ClusterFixture;
  beforeAll(async () => {
    fixture = await startFixture();
    await fixture.kubectl('create deployment web --image=app:1');
  });
  afterAll(() => fixture.stop());

  const apply = (manifest: object) => fixture.kubectl('create -f -', { input: JSON.stringify(manifest) });

  it('says that a kind is not known', async () => {
    const { code, stderr } = await apply({ apiVersion: 'monitoring.example.com/v1', kind: 'ServiceMonitor', metadata: { name: 'x' } });
    expect(code).toBe(1);
    expect(stderr).toContain('no matches for kind "ServiceMonitor" in version "monitoring.example.com/v1"');
  });

  it.each([
    ['NodePort', 'ClusterIP'],
    ['LoadBalancer', 'ClusterIP'],
    ['LoadBalancer', 'NodePort'],
    ['ClusterIP', 'LoadBalancer'],
  ])('changes a Service from %s to %s, which drops what only the former has', async (from, to) => {
    const name = `${from}-${to}`.toLowerCase();
    const ports = [{ port: 80 }];
    expect(await apply({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { type: from, selector: { app: 'web' }, ports } })).toMatchObject({
      code: 0,
    });
    const patched = await fixture.kubectl(['patch', 'service', name, '-p', JSON.stringify({ spec: { type: to } })]);
    expect(patched).toMatchObject({ code: 0, stdout: `service/${name} patched\n` });
    const { spec } = JSON.parse((await fixture.kubectl(`get service ${name} -o json`)).stdout);
    expect(spec.type).toBe(to);
    expect(spec.clusterIP).toMatch(/^10\./);
    expect('nodePort' in spec.ports[0]).toBe(to !== 'ClusterIP');
    expect(spec.allocateLoadBalancerNodePorts).toBe(to === 'LoadBalancer' ? true : undefined);
    expect(spec.externalTrafficPolicy).toBe(to === 'ClusterIP' ? undefined : 'Cluster');
  });

  it('refuses a strategic merge patch that does not fit, as invalid', async () => {
    const wrongType = await fixture.kubectl(['patch', 'deployment', 'web', '-p', '{"spec":{"replicas":"x"}}']);
    expect(wrongType).toMatchObject({
      code: 1,
      stderr: 'The request is invalid: patch: Invalid value: "map[spec:map[replicas:x]]": unrecognized type: int32\n',
    });
    const unknownOperation = await fixture.kubectl(['patch', 'deployment', 'web', '--type=json', '-p', '[{"op":"foo","path":"/spec"}]']);
    expect(unknownOperation.stderr).toContain('the server rejected our request due to an error in our request');
  });

  it('counts refusals of pods without a name as one event', async () => {
    await fixture.kubectl('set serviceaccount deployment web nobody');
    await fixture.kubectl('wait --for=condition=ReplicaFailure deployment/web --timeout=20s');
    const { stdout } = await fixture.kubectl('events --types=Warning -o json');
    const refusals = JSON.parse(stdout).items.filter(({ reason }: { reason: string }) => reason === 'FailedCreate');
    expect(refusals).toHaveLength(1);
    expect(refusals[0].message).toMatch(
      /^Error creating: pods "web-[0-9a-z]+-" is forbidden: error looking up service account default\/nobody: serviceaccount "nobody" not found$/,
    );
  });

  it('names a container that does not exist, and options of a log that cannot be', async () => {
    await apply({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' }, spec: { containers: [{ name: 'a', image: 'i' }] } });
    await fixture.kubectl('wait --for=condition=Ready pod/one --timeout=20s');
    expect((await fixture.kubectl('exec one -c nope -- ls')).stderr).toContain('container nope is not valid for pod one');
    const log = (query: string) => fixture.kubectl(['get', '--raw', `/api/v1/namespaces/default/pods/one/log?${query}`]);
    expect((await log('sinceSeconds=0')).stderr).toContain('sinceSeconds: Invalid value: 0: must be greater than 0');
    expect((await log('limitBytes=0')).stderr).toContain('limitBytes: Invalid value: 0: must be greater than 0');
    expect((await log('tailLines=-5')).stderr).toContain('tailLines: Invalid value: -5: must be greater than or equal to 0');
    expect((await log('sinceSeconds=1&sinceTime=2026-01-01T00:00:00Z')).stderr).toContain('at most one of `sinceTime` or `sinceSeconds` may be specified');
    expect((await log('sinceTime=foo')).stderr).toContain('parsing time "foo"');
  });

  it('lets an administrator act as somebody else, who may do nothing yet but ask', async () => {
    const whoami = JSON.parse((await fixture.kubectl('auth whoami --as=bob --as-group=g1 --as-group=g2 -o json')).stdout);
    expect(whoami.status.userInfo).toEqual({ username: 'bob', groups: ['g1', 'g2', 'system:authenticated'] });
    expect(await fixture.kubectl('auth can-i list pods --as=bob')).toMatchObject({ code: 1, stdout: 'no\n' });
    expect(await fixture.kubectl('auth can-i list pods --as=bob --as-group=system:masters')).toMatchObject({ code: 0, stdout: 'yes\n' });
    const refused = 'User "bob" cannot list resource "pods" in API group "" in the namespace "default"';
    expect((await fixture.kubectl('get pods --as=bob')).stderr).toContain(refused);
    expect((await fixture.kubectl('exec one --as=bob -- ls')).stderr).toContain('forbidden');
  });

  it('lists events in the order in which they happened', async () => {
    const { stdout } = await fixture.kubectl('events --for=pod/one -o json');
    const { items } = JSON.parse((await fixture.kubectl('get events --field-selector involvedObject.name=one -o json')).stdout);
    expect(stdout).not.toBe('');
    expect(items.map(({ reason }: { reason: string }) => reason)).toEqual(['Scheduled', 'Pulling', 'Pulled', 'Created', 'Started']);
  });

  it('leaves the kind of listed objects to the list', async () => {
    const raw = JSON.parse((await fixture.kubectl('get --raw /api/v1/pods')).stdout);
    expect(raw.kind).toBe('PodList');
    expect(Object.keys(raw.items[0])).toEqual(['metadata', 'spec', 'status']);
    const table = JSON.parse((await fixture.kubectl('get pods -o json')).stdout);
    expect(table.items[0]).toMatchObject({ kind: 'Pod', apiVersion: 'v1' });
    // In this process the objects are whole.
    expect((await fixture.cluster.client.resource(Pods).list()).items[0]!.kind).toBe('Pod');
    expect((await fixture.cluster.client.resource(ConfigMaps).list()).items[0]!.kind).toBe('ConfigMap');
  });

  it('rolls out a Deployment whose init container is told nothing', async () => {
    const labels = { app: 'init' };
    const spec = { initContainers: [{ name: 'migrate', image: 'migrate:1' }], containers: [{ name: 'a', image: 'i' }] };
    await apply({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'init' },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
    });
    expect(await fixture.kubectl('rollout status deployment/init --timeout=20s')).toMatchObject({ code: 0 });
  });
});
