import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Deployments } from '../../src/api/resources.ts';
import { type ClusterFixture, startFixture } from './cluster-fixture.ts';

const chart = join(import.meta.dirname, 'chart');

describe('helm 4.1', () => {
  let fixture: ClusterFixture;
  beforeAll(async () => {
    fixture = await startFixture();
  });
  afterAll(() => fixture.stop());

  const image = async (name: string): Promise<string | undefined> =>
    (await fixture.cluster.client.resource(Deployments).get('default', name)).spec.template.spec.containers[0]?.image;

  for (const [name, how] of [
    ['applied', '--server-side=true'],
    ['patched', '--server-side=false'],
  ] as const) {
    it(`installs, upgrades, rolls back and uninstalls a chart with ${how}`, async () => {
      const { helm, kubectl } = fixture;
      expect(await helm(`install ${name} ${chart} ${how} --wait --timeout 30s`)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('STATUS: deployed'),
      });
      expect((await kubectl(`get pods,deploy,svc,cm,secret,ingress,hpa -o name`)).stdout).toContain(`ingress.networking.k8s.io/${name}`);
      // The hook ran before the rest, and was deleted because it succeeded.
      expect((await kubectl(`get pod ${name}-migrate`)).code).toBe(1);

      expect(await helm(`upgrade ${name} ${chart} ${how} --set image=registry.example.com/demo:v2 --wait --timeout 30s`)).toMatchObject({ code: 0 });
      expect(await image(name)).toBe('registry.example.com/demo:v2');
      expect((await kubectl(`rollout history deployment/${name}`)).stdout).toMatch(/^1 .*\n2 /m);

      expect(await helm(`rollback ${name} 1 --wait --timeout 30s`)).toMatchObject({ code: 0, stdout: expect.stringContaining('Rollback was a success') });
      expect(await image(name)).toBe('registry.example.com/demo:v1');

      const history = JSON.parse((await helm(`history ${name} -o json`)).stdout) as { revision: number; status: string; description: string }[];
      expect(history.map(({ revision, status, description }) => [revision, status, description])).toEqual([
        [1, 'superseded', 'Install complete'],
        [2, 'superseded', 'Upgrade complete'],
        [3, 'deployed', 'Rollback to 1'],
      ]);

      expect(await helm(`uninstall ${name} --wait --timeout 30s`)).toMatchObject({ code: 0 });
      expect((await kubectl(`get deploy,svc,cm,ingress,hpa -o name`)).stdout).not.toContain(`/${name}`);
    });
  }

  it('tells that a release did not come up', async () => {
    const { helm } = fixture;
    expect(await helm(`install broken ${chart} --set replicas=1 --wait --timeout 20s`)).toMatchObject({ code: 0 });
    const stuck = await helm(`upgrade broken ${chart} --set replicas=1 --set selector.disk=ssd --wait --timeout 2s`);
    expect(stuck).toMatchObject({ code: 1, stderr: expect.stringMatching(/resource Deployment\/default\/broken not ready|context deadline exceeded/) });
  });
});
