import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clientBinary } from './client-binaries.ts';
import { type ClusterFixture, type CommandResult, run, startFixture } from './cluster-fixture.ts';

const configMap = (fields: string): string => `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings}\n${fields}\n`;

/** Up to 1.26 kubectl learns the types, and whether the server takes a dry run, from OpenAPI v2 in protobuf. */
describe('kubectl 1.24', () => {
  let fixture: ClusterFixture;
  beforeAll(async () => {
    fixture = await startFixture({ nodes: 0 });
  });
  afterAll(() => fixture.stop());

  const kubectl = (args: string, input?: string): Promise<CommandResult> =>
    run(clientBinary('kubectl', 'v24'), args.split(' '), {
      env: { ...process.env, KUBECONFIG: fixture.kubeconfigFile, HOME: fixture.directory },
      ...(input === undefined ? {} : { input }),
    });

  it('explains fields', async () => {
    const { code, stdout } = await kubectl('explain deployment.spec.paused');
    expect(code).toBe(0);
    expect(stdout).toContain('FIELD:    paused <boolean>');
    expect(stdout).toContain('Indicates that the deployment is paused.');
  });

  it('applies, with and without a dry run, and merges by the schema', async () => {
    expect(await kubectl('apply -f - --dry-run=server', configMap('data: {a: "1"}'))).toMatchObject({
      code: 0,
      stdout: 'configmap/settings created (server dry run)\n',
    });
    expect((await kubectl('apply -f -', configMap('data: {a: "1", b: "2"}'))).stdout).toBe('configmap/settings created\n');
    expect((await kubectl('apply -f -', configMap('data: {a: "3"}'))).stdout).toBe('configmap/settings configured\n');
    expect((await kubectl('get configmap settings -o jsonpath={.data}')).stdout).toBe('{"a":"3"}');
  });

  it('refuses unknown fields', async () => {
    const { code, stderr } = await kubectl('create -f -', configMap('datta: {a: "1"}'));
    expect(code).toBe(1);
    expect(stderr).toContain('unknown field "datta"');
  });
});
