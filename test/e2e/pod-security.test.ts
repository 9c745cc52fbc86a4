import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ClusterFixture, startFixture } from './cluster-fixture.ts';

let fixture: ClusterFixture;
beforeAll(async () => {
  fixture = await startFixture({ nodes: 0 });
});
afterAll(() => fixture.stop());

it('a namespace may ask its pods to be of a standard; workloads are warned, pods are refused', async () => {
  const { kubectl } = fixture;
  await kubectl('create namespace strict');
  await kubectl('run before -n strict --image=a');
  const labelled = await kubectl('label namespace strict pod-security.kubernetes.io/enforce=restricted');
  expect(labelled.stderr).toContain('Warning: existing pods in namespace "strict" violate the new PodSecurity enforce level "restricted:latest"');
  expect(labelled.stderr).toContain('Warning: before: allowPrivilegeEscalation != false, unrestricted capabilities, runAsNonRoot != true, seccompProfile');
  expect((await kubectl('run late -n strict --image=a')).stderr).toContain('pods "late" is forbidden: violates PodSecurity "restricted:latest"');
  const deployed = await kubectl('create deployment web -n strict --image=a');
  expect(deployed).toMatchObject({ code: 0, stderr: expect.stringContaining('Warning: would violate PodSecurity "restricted:latest"') });
  expect((await kubectl('label namespace strict pod-security.kubernetes.io/warn=lax')).stderr).toContain('must be one of privileged, baseline, restricted');
});
