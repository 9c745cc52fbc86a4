import { afterEach, expect, test } from 'vitest';
import { RuntimeClasses } from '../../src/api/resources.ts';
import { NodeFixture } from './node-fixture.ts';

let fixture: NodeFixture;
afterEach(() => fixture.stop());

const containers = [{ name: 'c', image: 'a' }];
const gpu = { key: 'gpu', operator: 'Exists', effect: 'NoSchedule' };

async function withClass(): Promise<void> {
  fixture = await NodeFixture.start();
  await fixture.client.resource(RuntimeClasses).create({
    metadata: { name: 'sandboxed' },
    handler: 'kata',
    overhead: { podFixed: { cpu: '10m' } },
    scheduling: { nodeSelector: { kind: 'kata' }, tolerations: [gpu] },
  });
}

test('a runtime class tells what a pod costs and where it can run', async () => {
  await withClass();
  const { spec } = await fixture.create({ containers, runtimeClassName: 'sandboxed', nodeSelector: { zone: 'a' }, tolerations: [{ ...gpu, key: 'gpu' }] });
  expect(spec).toMatchObject({ overhead: { cpu: '10m' }, nodeSelector: { zone: 'a', kind: 'kata' } });
  expect(spec.tolerations?.filter(({ key }) => key === 'gpu')).toEqual([gpu]);
});

test.each([
  ['a class that is not there', { runtimeClassName: 'gone' }, 'pod rejected: RuntimeClass "gone" not found'],
  ['another overhead', { runtimeClassName: 'sandboxed', overhead: { cpu: '1' } }, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"],
  ['an overhead without a class', { overhead: { cpu: '1' } }, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead'],
  [
    'another kind of node',
    { runtimeClassName: 'sandboxed', nodeSelector: { kind: 'runc' } },
    'conflict: runtimeClass.scheduling.nodeSelector[kind] = kata; pod.spec.nodeSelector[kind] = runc',
  ],
])('%s is refused', async (_, spec, message) => {
  await withClass();
  await expect(fixture.create({ containers, ...spec })).rejects.toMatchObject({ status: { code: 403, message: `pods "p" is forbidden: ${message}` } });
});
