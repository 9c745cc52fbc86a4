import { expect, test } from 'vitest';
import type { FieldError } from '../../field-error.ts';
import type { KindBehaviour } from '../../kind.ts';
import type { KubeObject } from '../../object.ts';
import { csiDriver } from './csi-driver.ts';
import { csiNode } from './csi-node.ts';
import { csiStorageCapacity } from './csi-storage-capacity.ts';
import { storageClass } from './storage-class.ts';
import { volumeAttachment } from './volume-attachment.ts';
import { volumeAttributesClass } from './volume-attributes-class.ts';

const shown = (errors: readonly FieldError[] | undefined): string[] => (errors ?? []).map(({ field, message }) => `${field}: ${message}`);
const of = <T extends KubeObject>(behaviour: KindBehaviour<T>): KindBehaviour => behaviour as unknown as KindBehaviour;
const made = (behaviour: KindBehaviour, body: object): KubeObject => {
  const object = { apiVersion: '', kind: behaviour.kind, metadata: { name: 'o' }, ...structuredClone(body) } as KubeObject;
  behaviour.setDefaults?.(object);
  return object;
};

const IMMUTABLE = 'field is immutable';
const topology = (...terms: [key: string, ...values: string[]][][]): object => ({
  provisioner: 'p',
  allowedTopologies: terms.map((term) => ({ matchLabelExpressions: term.map(([key, ...values]) => ({ key, values })) })),
});
const driver = (spec: object): object => ({ spec });
const attachment = (source: object, more: object = {}): object => ({ spec: { attacher: 'example.com', nodeName: 'n', source, ...more } });
const CSI = { driver: 'd.io', volumeHandle: 'h' };
const inline = (spec: object): object => attachment({ inlineVolumeSpec: { accessModes: ['ReadWriteOnce'], csi: CSI, ...spec } });
const INLINE = 'spec.source.inlineVolumeSpec';

test.each<[string, KindBehaviour, object, string[]]>([
  ['a StorageClass without a provisioner', of(storageClass), {}, ['provisioner: Required value']],
  [
    'an empty policy is let through, an empty mode is not',
    of(storageClass),
    { provisioner: 'p', reclaimPolicy: '', volumeBindingMode: '' },
    ['volumeBindingMode: Unsupported value: "": supported values: "Immediate", "WaitForFirstConsumer"'],
  ],
  [
    'parameters',
    of(storageClass),
    { provisioner: 'p', parameters: { '': 'x', a: 'y'.repeat(256 * 1024) } },
    ['parameters: Invalid value: "": field can not be empty.', 'parameters: Too long: may not be more than 262144 bytes'],
  ],
  [
    'topologies: a key twice, a value twice, none at all',
    of(storageClass),
    topology([['a', 'x', 'x'], ['a'], ['b', 'y']]),
    [
      'allowedTopologies[0].matchLabelExpressions[0].values[1]: Duplicate value: "x"',
      'allowedTopologies[0].matchLabelExpressions[1].values: Required value',
      'allowedTopologies[0].matchLabelExpressions[1].key: Duplicate value: "a"',
    ],
  ],
  [
    'the same topology twice',
    of(storageClass),
    topology([['a', 'x', 'y']], [['a', 'y', 'x']]),
    ['allowedTopologies[1].matchLabelExpressions: Duplicate value: ""'],
  ],
  [
    'an empty topology counts as one more of as many',
    of(storageClass),
    topology([], [['a', 'x']]),
    ['allowedTopologies[0].matchLabelExpressions: Duplicate value: ""', 'allowedTopologies[0].matchLabelExpressions: Duplicate value: ""'],
  ],
  [
    'a CSIDriver',
    of(csiDriver),
    driver({
      fsGroupPolicy: 'A',
      volumeLifecycleModes: ['Never'],
      tokenRequests: [{ audience: 'a', expirationSeconds: 1 }, { audience: 'a' }, { audience: 'b', expirationSeconds: 2 ** 33 }],
    }),
    [
      'spec.fsGroupPolicy: Unsupported value: "A": supported values: "File", "None", "ReadWriteOnceWithFSType"',
      'spec.tokenRequests[0].expirationSeconds: Invalid value: 1: may not specify a duration less than 10 minutes',
      'spec.tokenRequests[1].audience: Duplicate value: "a"',
      'spec.tokenRequests[2].expirationSeconds: Invalid value: 8589934592: may not specify a duration larger than 2^32 seconds',
      'spec.volumeLifecycleModes: Unsupported value: "Never": supported values: "Persistent", "Ephemeral"',
    ],
  ],
  [
    'a CSINode',
    of(csiNode),
    driver({
      drivers: [
        { name: 'a.io', nodeID: 'n', topologyKeys: ['x', 'x', ''] },
        { name: 'a.io', nodeID: '', allocatable: { count: -1 } },
      ],
    }),
    [
      'spec.drivers[0]: Duplicate value: "x"',
      'spec.drivers[0]: Required value',
      expect.stringMatching(/^spec.drivers\[0\]: Invalid value: "": name part must be non-empty/),
      expect.stringMatching(/^spec.drivers\[0\]: Invalid value: "": name part must consist/),
      'spec.drivers[1].nodeID: Required value',
      'spec.drivers[1].allocatable.count: Invalid value: -1: must be greater than or equal to 0',
      'spec.drivers[1].name: Duplicate value: "a.io"',
    ] as string[],
  ],
  [
    'a VolumeAttributesClass',
    of(volumeAttributesClass),
    {},
    ['driverName: Required value', 'parameters: Required value: must contain at least one key/value pair'],
  ],
  [
    'a CSIStorageCapacity',
    of(csiStorageCapacity),
    { storageClassName: 'A', capacity: '-1', nodeTopology: { matchExpressions: [{ key: 'a', operator: 'Is' }] } },
    [
      'nodeTopology.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
      expect.stringMatching(/^storageClassName: Invalid value: "A": a lowercase RFC 1123 subdomain/),
      'capacity: Invalid value: "-1": must be greater than or equal to 0',
    ] as string[],
  ],
  [
    'an attachment of nothing',
    of(volumeAttachment),
    attachment({}),
    ['spec.source: Required value: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
  ],
  [
    'an attachment of two volumes',
    of(volumeAttachment),
    attachment({ persistentVolumeName: 'v', inlineVolumeSpec: {} }),
    ['spec.source: Forbidden: must specify exactly one of inlineVolumeSpec and persistentVolumeName'],
  ],
  [
    'an attacher is looked at twice',
    of(volumeAttachment),
    { spec: { nodeName: 'n', source: { persistentVolumeName: 'v' } } },
    [
      'spec.attacher: Required value',
      'spec.attacher: Required value',
      expect.stringMatching(/^spec.attacher: Invalid value: "": a lowercase RFC 1123 subdomain/),
    ] as string[],
  ],
  ['an inline volume as it should be', of(volumeAttachment), inline({ persistentVolumeReclaimPolicy: 'Retain', volumeMode: 'Filesystem' }), []],
  [
    'what an inline volume may not have',
    of(volumeAttachment),
    inline({ claimRef: {}, capacity: { storage: '1' }, persistentVolumeReclaimPolicy: 'Delete', nodeAffinity: {}, storageClassName: 's', volumeMode: 'Block' }),
    [
      `${INLINE}.claimRef: Forbidden: may not be specified in the context of inline volumes`,
      `${INLINE}.capacity: Forbidden: may not be specified in the context of inline volumes`,
      `${INLINE}.persistentVolumeReclaimPolicy: Forbidden: may only be Retain in the context of inline volumes`,
      `${INLINE}.nodeAffinity: Forbidden: may not be specified in the context of inline volumes`,
      `${INLINE}.storageClassName: Forbidden: may not be specified in the context of inline volumes`,
      `${INLINE}.volumeMode: Forbidden: may not specify volumeMode other than Filesystem in the context of inline volumes`,
    ],
  ],
  [
    'an inline volume of no driver',
    of(volumeAttachment),
    attachment({ inlineVolumeSpec: {} }),
    [
      `${INLINE}.csi: Required value: has to be specified in the context of inline volumes`,
      `${INLINE}.accessModes: Required value`,
      `${INLINE}: Required value: must specify a volume type`,
    ],
  ],
  [
    'an inline volume of a driver that lacks something',
    of(volumeAttachment),
    inline({ csi: { driver: '', nodePublishSecretRef: { name: 's' } }, accessModes: ['ReadWriteOncePod', 'ReadOnlyMany', 'Often'] }),
    [
      `${INLINE}.accessModes: Unsupported value: "Often": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"`,
      `${INLINE}.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes`,
      `${INLINE}.csi.driver: Required value`,
      expect.stringMatching(/csi.driver: Invalid value: "": a lowercase RFC 1123 subdomain/),
      `${INLINE}.csi.volumeHandle: Required value`,
      `${INLINE}.csi.nodePublishSecretRef.namespace: Required value`,
    ] as string[],
  ],
])('%s', (_name, behaviour, body, wanted) => {
  const object = made(behaviour, body);
  expect(shown([...(behaviour.validate?.(object) ?? []), ...(behaviour.validateNew?.(object) ?? [])])).toEqual(wanted);
});

test.each<[string, KindBehaviour, before: object, after: object, string[]]>([
  [
    'a CSIDriver keeps how it attaches and lives',
    of(csiDriver),
    driver({}),
    driver({ attachRequired: false, volumeLifecycleModes: ['Ephemeral'] }),
    [`spec.attachedRequired: Invalid value: false: ${IMMUTABLE}`, `spec.volumeLifecycleModes: Invalid value: ["Ephemeral"]: ${IMMUTABLE}`],
  ],
  [
    'a driver of a CSINode keeps what it is',
    of(csiNode),
    driver({ drivers: [{ name: 'a', nodeID: 'n' }] }),
    driver({
      drivers: [
        { name: 'a', nodeID: 'm' },
        { name: 'b', nodeID: 'm' },
      ],
    }),
    [`spec.drivers: Invalid value: {"Name":"a","NodeID":"m","TopologyKeys":null,"Allocatable":null}: ${IMMUTABLE}`],
  ],
  [
    'a VolumeAttributesClass keeps all',
    of(volumeAttributesClass),
    { driverName: 'd', parameters: { a: 'b' } },
    { driverName: 'e', parameters: { a: 'c' } },
    ['driverName: Forbidden: updates to driverName are forbidden.', 'parameters: Forbidden: updates to parameters are forbidden.'],
  ],
  [
    'a CSIStorageCapacity keeps what was asked',
    of(csiStorageCapacity),
    { storageClassName: 'a' },
    { storageClassName: 'b', capacity: '1' },
    [`storageClassName: Invalid value: "b": ${IMMUTABLE}`],
  ],
  [
    'an attachment keeps its spec',
    of(volumeAttachment),
    attachment({ persistentVolumeName: 'v' }),
    attachment({ persistentVolumeName: 'w' }),
    [`spec: Invalid value: {"Attacher":"example.com","Source":{"PersistentVolumeName":"w","InlineVolumeSpec":null},"NodeName":"n"}: ${IMMUTABLE}`],
  ],
])('%s', (_name, behaviour, before, after, wanted) => {
  expect(shown(behaviour.validateUpdate?.(made(behaviour, after), made(behaviour, before)))).toEqual(wanted);
});

test('a CSIDriver counts changes of its spec, not its creation, and drops what is not enabled', () => {
  const before = made(of(csiDriver), { spec: {} });
  const after = made(of(csiDriver), { spec: { podInfoOnMount: true, nodeAllocatableUpdatePeriodSeconds: 20 } });
  of(csiDriver).prepareForUpdate?.(after, before);
  expect(after).toMatchObject({ metadata: { generation: 1 }, spec: { podInfoOnMount: true } });
  expect(after).not.toHaveProperty('spec.nodeAllocatableUpdatePeriodSeconds');
});

test('a status of an attachment drops the codes of errors', () => {
  const object = made(of(volumeAttachment), { ...attachment({}), status: { attachError: { message: 'm', errorCode: 3 } } });
  of(volumeAttachment).prepareForStatusUpdate?.(object, made(of(volumeAttachment), attachment({})));
  expect(object).toHaveProperty('status', { attachError: { message: 'm' } });
});

test('labels of nodes that have newer names are told', () => {
  const words = 'deprecated since v1.14; use "kubernetes.io/os" instead';
  expect(storageClass.warnings?.(made(of(storageClass), topology([['beta.kubernetes.io/os', 'x']])) as never, undefined)).toEqual([
    `allowedTopologies[0].matchLabelExpressions[0].key: ${words}`,
  ]);
  expect(
    csiStorageCapacity.warnings?.(
      made(of(csiStorageCapacity), { storageClassName: 's', nodeTopology: { matchLabels: { 'beta.kubernetes.io/os': 'x' } } }) as never,
      undefined,
    ),
  ).toEqual([`nodeTopology.matchLabels.beta.kubernetes.io/os: ${words}`]);
});
