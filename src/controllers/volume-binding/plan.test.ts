import { describe, expect, it } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim } from '../../api/generated/types/core.v1.ts';
import type { StorageClass } from '../../api/generated/types/storage.v1.ts';
import { actionsOf, says, writtenStatus } from '../runtime/played-plan.ts';
import { type ClaimSnapshot, planClaim } from './claim-plan.ts';
import { planVolume } from './volume-plan.ts';

const BOUND = 'pv.kubernetes.io/bound-by-controller';

function volume(
  name: string,
  { size = '1Gi', phase = 'Available', ...spec }: { size?: string; phase?: string } & Partial<PersistentVolume['spec']> = {},
): PersistentVolume {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, uid: name },
    spec: {
      capacity: { storage: size },
      accessModes: ['ReadWriteOnce'],
      storageClassName: 's',
      persistentVolumeReclaimPolicy: 'Retain',
      hostPath: { path: '/x' },
      ...spec,
    },
    status: { phase },
  } as PersistentVolume;
}

function claim(
  { size = '1Gi', annotations, ...spec }: { size?: string; annotations?: Record<string, string> } & Partial<PersistentVolumeClaim['spec']> = {},
  phase = 'Pending',
) {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'c', namespace: 't', uid: 'claim', ...(annotations ? { annotations } : {}) },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: 's', resources: { requests: { storage: size } }, ...spec },
    status: { phase },
  } as PersistentVolumeClaim;
}

const storageClass = (provisioner: string, volumeBindingMode = 'Immediate'): StorageClass =>
  ({ metadata: { name: 's' }, provisioner, volumeBindingMode }) as StorageClass;

const snapshot = (of: PersistentVolumeClaim, volumes: PersistentVolume[] = [], parts: Partial<ClaimSnapshot> = {}): ClaimSnapshot => ({
  claim: of,
  volumes,
  storageClass: undefined,
  defaultClass: undefined,
  waitingPods: [],
  ...parts,
});
const done = (...parts: Parameters<typeof snapshot>): string[] => actionsOf(planClaim(snapshot(...parts))).map(says);
const reference = (uid = 'claim', name = 'c') => ({ kind: 'PersistentVolumeClaim', namespace: 't', name, uid, apiVersion: 'v1' });

describe('a claim', () => {
  const binding = (name: string): string[] => [
    `update PersistentVolume ${name}`,
    `update PersistentVolume ${name} status`,
    'update PersistentVolumeClaim c',
    'update PersistentVolumeClaim c status',
  ];
  it.each([
    [
      'VOL-1: takes the smallest that will do',
      claim(),
      [volume('big', { size: '5Gi' }), volume('fit', { size: '2Gi' }), volume('small', { size: '1Mi' })],
      binding('fit'),
    ],
    ['VOL-1: takes what is kept for it', claim(), [volume('a'), volume('mine', { size: '9Gi', claimRef: reference('') })], binding('mine')],
    ['VOL-1: takes what it names', claim({ volumeName: 'b' }), [volume('a'), volume('b')], binding('b')],
    [
      'VOL-1: not of another class, mode or owner',
      claim(),
      [volume('a', { storageClassName: '' }), volume('b', { accessModes: [] }), volume('d', { claimRef: reference('x', 'x') })],
      ['event ProvisioningFailed'],
    ],
    ['VOL-5: told that what it names is taken', claim({ volumeName: 'a' }), [volume('a', { claimRef: reference('x', 'x') })], ['event FailedBinding']],
    ['VOL-5: told that what it names will not do', claim({ volumeName: 'a', size: '9Gi' }), [volume('a')], ['event VolumeMismatch']],
    ['VOL-5: told that there is nothing', claim({ storageClassName: '' }), [], ['event FailedBinding']],
  ])('%s', (_, of, volumes, wanted) => {
    expect(done(of, volumes)).toEqual(wanted);
  });

  it('VOL-3: shows modes and size of its volume, and is lost with it', () => {
    expect(writtenStatus(planClaim(snapshot(claim(), [volume('a', { size: '2Gi' })])))).toEqual({
      phase: 'Bound',
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '2Gi' },
    });
    const bound = claim({ volumeName: 'gone', annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } }, 'Bound');
    expect(done(bound)).toEqual(['update PersistentVolumeClaim c status', 'event ClaimLost']);
    expect(done({ ...bound, status: { phase: 'Lost' } })).toEqual([]);
  });

  it('VOL-5: is looked at again', () => {
    expect(planClaim(snapshot(claim())).requeueAfterMs).toBe(15_000);
  });

  it.each([
    ['VOL-6: told whom it waits for', storageClass('example.com/disk'), ['update PersistentVolumeClaim c', 'event ExternalProvisioning']],
    ['VOL-6: told that nobody will', storageClass('kubernetes.io/nothing'), ['event ProvisioningFailed']],
    ['VOL-7: waits for a pod', storageClass('example.com/disk', 'WaitForFirstConsumer'), ['event WaitForFirstConsumer']],
  ])('%s', (_, of, wanted) => {
    expect(done(claim(), [], { storageClass: of })).toEqual(wanted);
  });

  it('VOL-7: gets the default class, and waits for the pod by name', () => {
    const none = claim();
    delete none.spec.storageClassName;
    expect(done(none, [], { defaultClass: storageClass('x') })).toEqual(['update PersistentVolumeClaim c']);
    const [event] = planClaim(snapshot(claim(), [], { storageClass: storageClass('x', 'WaitForFirstConsumer'), waitingPods: ['p', 'q'] })).actions;
    expect(event).toMatchObject({ note: { reason: 'WaitForPodScheduled', message: 'waiting for pods p,q to be scheduled' } });
  });
});

describe('a volume', () => {
  const look = (of: PersistentVolume, by?: PersistentVolumeClaim): string[] => actionsOf(planVolume({ volume: of, claim: by })).map(says);

  it('VOL-2: is free again where its claim has another', () => {
    const kept = { ...volume('a', { claimRef: reference(), phase: 'Bound' }), metadata: { name: 'a', annotations: { [BOUND]: 'yes' } } };
    const [update] = actionsOf(planVolume({ volume: kept, claim: claim({ volumeName: 'b' }) }));
    expect(update).toMatchObject({ type: 'update', object: { metadata: { name: 'a' } } });
    expect(update?.type === 'update' && (update.object as PersistentVolume).spec.claimRef).toBeUndefined();
  });

  it.each([
    ['VOL-3: available', volume('a', { phase: '' }), undefined, { phase: 'Available' }],
    ['VOL-3: kept for somebody is available', volume('a', { phase: '', claimRef: reference('') }), undefined, { phase: 'Available' }],
    ['VOL-3: bound', volume('a', { claimRef: reference() }), claim({ volumeName: 'a' }), { phase: 'Bound' }],
    ['VOL-4: released', volume('a', { claimRef: reference() }), undefined, { phase: 'Released' }],
    [
      'VOL-4: failed',
      volume('a', { claimRef: reference(), persistentVolumeReclaimPolicy: 'Delete', phase: 'Released' }),
      undefined,
      { phase: 'Failed', message: 'host_path deleter only supports /tmp/.+ but received provided /x' },
    ],
  ])('%s', (_, of, by, status) => {
    expect(writtenStatus(planVolume({ volume: of, claim: by }))).toEqual(status);
  });

  it('VOL-4: is deleted where that can be done', () => {
    const gone = { claimRef: reference(), persistentVolumeReclaimPolicy: 'Delete' as const, phase: 'Released' };
    expect(look(volume('a', { ...gone, hostPath: { path: '/tmp/x' } }))).toEqual(['delete PersistentVolume a']);
    const { hostPath: _, ...spec } = volume('a', gone).spec;
    expect(look({ ...volume('a', gone), spec: { ...spec, csi: { driver: 'd', volumeHandle: 'h' } } as PersistentVolume['spec'] })).toEqual([]);
  });
});
