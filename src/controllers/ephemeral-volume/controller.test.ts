import { expect, it } from 'vitest';
import type { PersistentVolumeClaim, Pod } from '../../api/generated/types/core.v1.ts';
import { actionsOf, says } from '../runtime/played-plan.ts';
import { planEphemeralVolumes } from './controller.ts';

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 't', uid: 'pod' },
  spec: { containers: [], volumes: [{ name: 'v', ephemeral: { volumeClaimTemplate: { metadata: { labels: { a: 'b' } }, spec: {} } } }] },
} as unknown as Pod;

it('a pod gets the claims of its ephemeral volumes, and nobody else’s', () => {
  const [create] = actionsOf(planEphemeralVolumes({ pod, claims: new Map() }));
  expect(create).toMatchObject({
    type: 'create',
    object: { metadata: { name: 'p-v', labels: { a: 'b' }, ownerReferences: [{ kind: 'Pod', uid: 'pod', controller: true }] } },
  });
  const other = { metadata: { name: 'p-v', namespace: 't' } } as PersistentVolumeClaim;
  const plan = planEphemeralVolumes({ pod, claims: new Map([['p-v', other]]) });
  expect(actionsOf(plan).map(says)).toEqual(['event FailedBinding']);
  expect(plan.failure).toBe('PVC t/p-v was not created for pod t/p (pod is not owner)');
  const refused = actionsOf(planEphemeralVolumes({ pod, claims: new Map() }), ({ type }) => type === 'create');
  expect(refused.map(says)).toEqual(['create PersistentVolumeClaim p-v', 'event FailedBinding']);
});
