import { expect, test } from 'vitest';
import { CLAIM_FINALIZER } from '../../api/core/v1/storage-finalizers.ts';
import type { PersistentVolumeClaim } from '../../api/generated/types/core.v1.ts';
import { PersistentVolumeClaims } from '../../api/resources.ts';
import { planProtection } from './controller.ts';

const OTHER = 'example.com/hold';

test.each([
  { what: 'a claim has it', finalizers: [CLAIM_FINALIZER], deleted: false, inUse: false, becomes: undefined },
  { what: 'one without it gets it', finalizers: [OTHER], deleted: false, inUse: false, becomes: [OTHER, CLAIM_FINALIZER] },
  { what: 'a deleted one loses it', finalizers: [OTHER, CLAIM_FINALIZER], deleted: true, inUse: false, becomes: [OTHER] },
  { what: 'not while it is used', finalizers: [CLAIM_FINALIZER], deleted: true, inUse: true, becomes: undefined },
  { what: 'a deleted one does not get it', finalizers: [OTHER], deleted: true, inUse: true, becomes: undefined },
])('$what', ({ finalizers, deleted, inUse, becomes }) => {
  const metadata = { name: 'c', namespace: 'n', finalizers, ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}) };
  const object: PersistentVolumeClaim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec: { resources: {} }, status: {} };
  const { actions } = planProtection(PersistentVolumeClaims, CLAIM_FINALIZER, { object, inUse });
  expect(actions).toEqual(
    becomes ? [{ type: 'update', resource: PersistentVolumeClaims, object: { ...object, metadata: { ...metadata, finalizers: becomes } } }] : [],
  );
});
