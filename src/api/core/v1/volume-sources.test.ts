import { expect, test } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, Volume } from '../../generated/types/core.v1.ts';
import { persistentVolume } from './persistent-volume.ts';
import { persistentVolumeClaim } from './persistent-volume-claim.ts';
import { checkVolumes } from './pod/validation/volumes.ts';

const shown = (errors: readonly { field: string; message: string }[] | undefined): string[] =>
  (errors ?? []).map(({ field, message }) => `${field}: ${message}`);
const REQUIRED = 'Required value';
const ONE_TOO_MANY = 'Forbidden: may not specify more than 1 volume type';

test.each<[string, Omit<Volume, 'name'>, string[]]>([
  ['nothing', {}, [`v[0]: ${REQUIRED}: must specify a volume type`]],
  [
    'several, with upstream’s slips',
    { emptyDir: {}, cephfs: { monitors: ['a'] }, downwardAPI: {} },
    [`v[0].cephFS: ${ONE_TOO_MANY}`, `v[0].downwarAPI: ${ONE_TOO_MANY}`],
  ],
  [
    'a disk',
    { gcePersistentDisk: { pdName: '', partition: 256 } },
    [`v[0].persistentDisk.pdName: ${REQUIRED}`, 'v[0].persistentDisk.partition: Invalid value: 256: must be between 1 and 255, inclusive'],
  ],
  [
    'a name of iSCSI',
    { iscsi: { targetPortal: 'a', iqn: 'iqn.x', lun: 0, initiatorName: 'x' } },
    [
      'v[0].iscsi.iqn: Invalid value: "iqn.x": must be valid format',
      'v[0].iscsi.initiatorname: Invalid value: "x": must be valid format starting with iqn, eui, or naa',
    ],
  ],
  [
    'Quobyte',
    { quobyte: { registry: 'a:1,b', volume: 'v' } },
    ['v[0].quobyte.registry: Invalid value: "a:1,b": must be a host:port pair or multiple pairs separated by commas'],
  ],
  ['Fibre Channel', { fc: { targetWWNs: ['a'] } }, ['v[0].fc.lun: Required value: lun is required if targetWWNs is specified']],
  [
    'reserved options',
    { flexVolume: { driver: 'd', options: { 'a.k8s.io/b': 'c', 'k8s.iox': 'd' } } },
    ['v[0].flexVolume.options[a.k8s.io/b]: Invalid value: "a.k8s.io/b": kubernetes.io and k8s.io namespaces are reserved'],
  ],
  [
    'a managed disk',
    { azureDisk: { diskName: 'd', diskURI: 'https://a', kind: 'Managed' } },
    [expect.stringMatching(/^v\[0\].azureDisk.diskURI: Unsupported value: "https:\/\/a": supported values: "\/subscriptions/)] as string[],
  ],
  ['a driver', { csi: { driver: '-' } }, [expect.stringMatching(/^v\[0\].csi.driver: Invalid value: "-": a lowercase RFC 1123/)] as string[]],
  [
    'two files of one path',
    { projected: { sources: [{ secret: { name: 's', items: [{ key: 'a', path: 'p' }] } }, { configMap: { name: 'm', items: [{ key: 'a', path: 'p' }] } }] } },
    ['v[0].projected: Invalid value: "m": conflicting duplicate paths'],
  ],
  [
    'two things projected at once',
    { projected: { sources: [{ secret: { name: 's' }, configMap: { name: 'm' } }] } },
    ['v[0].projected.sources[0]: Forbidden: may not specify more than 1 volume type per source'],
  ],
  [
    'a claim template',
    { ephemeral: { volumeClaimTemplate: { metadata: { name: 'x' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } } } } },
    ['v[0].ephemeral.volumeClaimTemplate.metadata.name: Forbidden: cannot be set'],
  ],
])('a volume of a pod: %s', (_name, source, wanted) => {
  expect(shown(checkVolumes([{ name: 'v', ...source }], 'v', { isPod: true }).errors)).toEqual(wanted);
});

const volume = (spec: object, metadata: object = {}): PersistentVolume =>
  ({
    metadata: { name: 'p', ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, ...spec },
    status: {},
  }) as unknown as PersistentVolume;

test.each<[string, PersistentVolume, string[]]>([
  ['a local volume is somewhere', volume({ local: { path: '/a' } }), ['spec.nodeAffinity: Required value: Local volume requires node affinity']],
  ['a flexible one is never one too many', volume({ nfs: { server: 's', path: '/' }, flexVolume: { driver: 'd' } }), []],
  [
    'the root is not recycled',
    volume({ hostPath: { path: '/./' }, persistentVolumeReclaimPolicy: 'Recycle' }),
    ["spec.persistentVolumeReclaimPolicy: Forbidden: may not be 'recycle' for a hostPath mount of '/'"],
  ],
  ['secrets of no pod', volume({ cinder: { volumeID: 'v', secretRef: { name: 's' } } }), [`spec.cinder.secretRef.namespace: ${REQUIRED}`]],
  [
    'attributes want a driver',
    volume({ nfs: { server: 's', path: '/' }, volumeAttributesClassName: 'a' }),
    ['spec.csi: Required value: has to be specified when using volumeAttributesClassName'],
  ],
  [
    'options of a mount',
    volume({ hostPath: { path: '/a' } }, { annotations: { 'volume.beta.kubernetes.io/mount-options': 'ro' } }),
    ['metadata.annotations.volume.beta.kubernetes.io/mount-options: Forbidden: may not specify mount options for this volume type'],
  ],
])('a PersistentVolume: %s', (_name, object, wanted) => {
  expect(shown(persistentVolume.validate?.(object))).toEqual(wanted);
});

test('a PersistentVolume may be told new names of node labels', () => {
  const at = (key: string): PersistentVolume =>
    volume({ local: { path: '/a' }, nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [{ key, operator: 'In', values: ['a'] }] }] } } });
  const old = at('failure-domain.beta.kubernetes.io/zone');
  expect(persistentVolume.validateUpdate?.(at('topology.kubernetes.io/zone'), old)).toEqual([]);
  expect(shown(persistentVolume.validateUpdate?.(at('zone'), old))).toEqual([
    expect.stringMatching(/^nodeAffinity: Invalid value: \{"Required":.*field is immutable, except/),
  ]);
});

const claim = (spec: object, { annotations, ...status }: { annotations?: object; phase?: string; capacity?: object } = {}): PersistentVolumeClaim =>
  ({
    metadata: { name: 'c', ...(annotations && { annotations }) },
    spec: { accessModes: ['ReadWriteOnce'], volumeMode: 'Filesystem', resources: { requests: { storage: '2Gi' } }, ...spec },
    status,
  }) as unknown as PersistentVolumeClaim;

const BOUND = { phase: 'Bound', capacity: { storage: '1Gi' } };
const size = (storage: string): object => ({ resources: { requests: { storage } } });
const CLASS = 'volume.beta.kubernetes.io/storage-class';

test.each<[string, PersistentVolumeClaim, PersistentVolumeClaim, string[]]>([
  ['its volume, once', claim({ volumeName: 'v' }), claim({}), []],
  ['its first class', claim({ storageClassName: 's' }), claim({}), []],
  ['more storage for a bound one', claim(size('3Gi'), BOUND), claim({}, BOUND), []],
  ['less, but above what it has', claim(size('1.5Gi'), BOUND), claim({}, BOUND), []],
  ['less than it has', claim(size('1Gi'), BOUND), claim({}, BOUND), ['spec.resources.requests.storage']],
  ['more for one that is not bound', claim(size('3Gi')), claim({}), ['spec']],
  ['its mode', claim({ volumeMode: 'Block' }), claim({}), ['spec', 'volumeMode']],
  ['a class from the annotation', claim({ storageClassName: 's' }), claim({}, { annotations: { [CLASS]: 's' } }), []],
  [
    'another class in the annotation',
    claim({}, { annotations: { [CLASS]: 't' } }),
    claim({}, { annotations: { [CLASS]: 's' } }),
    [`metadata.annotations.${CLASS}`],
  ],
])('what of a claim may change: %s', (_name, object, old, wanted) => {
  expect((persistentVolumeClaim.validateUpdate?.(object, old) ?? []).map(({ field }) => field)).toEqual(wanted);
});

test.each<[string, object, object]>([
  [
    'an old source is told anew',
    { dataSource: { kind: 'PersistentVolumeClaim', name: 'd' } },
    { dataSource: { kind: 'PersistentVolumeClaim', name: 'd' }, dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'd' } },
  ],
  [
    'a new one is told as of old',
    { dataSourceRef: { apiGroup: 'a', kind: 'K', name: 'd' } },
    { dataSource: { apiGroup: 'a', kind: 'K', name: 'd' }, dataSourceRef: { apiGroup: 'a', kind: 'K', name: 'd' } },
  ],
  ['a new one told as of old is dropped', { dataSource: { apiGroup: 'a', kind: 'K', name: 'd' } }, {}],
  ['one of another namespace is dropped', { dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'd', namespace: 'n' } }, {}],
])('the source of a claim: %s', (_name, given, wanted) => {
  const object = claim(given);
  persistentVolumeClaim.prepareForCreate?.(object);
  const { dataSource, dataSourceRef } = object.spec;
  expect({ ...(dataSource && { dataSource }), ...(dataSourceRef && { dataSourceRef }) }).toEqual(wanted);
});
