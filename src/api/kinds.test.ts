import { expect, test } from 'vitest';
import { kinds } from './kinds.ts';
import type { KubeObject } from './object.ts';

const behaviourOf = (kind: string, group: string) => kinds.find((behaviour) => behaviour.kind === kind && `${behaviour.group}/${behaviour.version}` === group)!;
const shown = (errors: readonly { field: string; message: string }[] | undefined): string[] =>
  (errors ?? []).map(({ field, message }) => `${field}: ${message}`);
const made = (kind: string, group: string, body: object): KubeObject => {
  const object = { apiVersion: '', kind, metadata: { name: 'o', namespace: 'n' }, spec: {}, status: {}, ...structuredClone(body) } as KubeObject;
  behaviourOf(kind, group).setDefaults?.(object);
  return object;
};

const AUTOSCALER = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }, maxReplicas: 3 };
const hpa = (more: object): [string, string, object] => ['HorizontalPodAutoscaler', 'autoscaling/v2', { spec: { ...AUTOSCALER, ...more } }];
const ingress = (spec: object): [string, string, object] => ['Ingress', 'networking.k8s.io/v1', { spec }];
const path = (more: object): object => ({
  rules: [{ http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 'web', port: { number: 80 } } }, ...more }] } }],
});
const policy = (spec: object): [string, string, object] => ['NetworkPolicy', 'networking.k8s.io/v1', { spec: { podSelector: {}, ...spec } }];
const quota = (spec: object): [string, string, object] => ['ResourceQuota', '/v1', { spec }];
const limits = (item: object): [string, string, object] => ['LimitRange', '/v1', { spec: { limits: [item] } }];
const volume = (spec: object): [string, string, object] => [
  'PersistentVolume',
  '/v1',
  { spec: { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/a' }, ...spec } },
];
const PATH = 'spec.rules[0].http.paths[0]';

test.each<[string, [kind: string, group: string, body: object], string[]]>([
  ['an autoscaler as it should be', hpa({}), []],
  [
    'bounds and target',
    hpa({ minReplicas: 0, maxReplicas: 0, scaleTargetRef: { kind: 'a/b', name: '' } }),
    [
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
      'spec.maxReplicas: Invalid value: 0: must be greater than 0',
      'spec.scaleTargetRef.kind: Invalid value: "a/b": may not contain \'/\'',
      'spec.scaleTargetRef.name: Required value',
      'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ],
  ],
  [
    'a metric without its source and with another',
    hpa({ metrics: [{ type: 'Pods', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 0 } } }] }),
    [
      'spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0',
      'spec.metrics[0].pods: Required value: must populate information for the given metric source',
    ],
  ],
  [
    'two sources in one metric',
    hpa({
      metrics: [
        {
          type: 'Resource',
          pods: { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '1' } },
          resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
        },
      ],
    }),
    ['spec.metrics[0].pods: Forbidden: must populate the given metric source only'],
  ],
  [
    'a metric of the pods',
    hpa({ metrics: [{ type: 'Pods', pods: { metric: {}, target: { type: 'AverageValue', averageValue: '-1' } } }] }),
    [
      'spec.metrics[0].pods.metric.name: Required value: must specify a metric name',
      'spec.metrics[0].pods.target.averageValue: Invalid value: "-1": must be positive',
    ],
  ],
  [
    'both a raw value and a share',
    hpa({ metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 5, averageValue: '1' } } }] }),
    ['spec.metrics[0].resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization'],
  ],
  [
    'behaviour',
    hpa({ behavior: { scaleDown: { stabilizationWindowSeconds: 4000, selectPolicy: 'Mean', policies: [{ type: 'Part', value: 0, periodSeconds: 1801 }] } } }),
    [
      'spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 4000: must be less than or equal to 3600',
      'spec.behavior.scaleDown.selectPolicy: Unsupported value: "Mean": supported values: "Disabled", "Max", "Min"',
      'spec.behavior.scaleDown.policies[0].type: Unsupported value: "Part": supported values: "Percent", "Pods"',
      'spec.behavior.scaleDown.policies[0].value: Invalid value: 0: must be greater than zero',
      'spec.behavior.scaleDown.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
    ],
  ],
  [
    'a v1 autoscaler is told of v2',
    ['HorizontalPodAutoscaler', 'autoscaling/v1', { spec: { ...AUTOSCALER, targetCPUUtilizationPercentage: 0 } }],
    ['spec.metrics[0].resource.target.averageUtilization: Invalid value: 0: must be greater than 0'],
  ],
  ['an ingress as it should be', ingress(path({})), []],
  ['an ingress of nothing', ingress({}), ['spec: Invalid value: null: either `defaultBackend` or `rules` must be specified']],
  [
    'paths',
    ingress(path({ path: 'a//b/..' })),
    [
      `${PATH}.path: Invalid value: "a//b/..": must be an absolute path`,
      `${PATH}.path: Invalid value: "a//b/..": must not contain '//'`,
      `${PATH}.path: Invalid value: "a//b/..": cannot end with '/..'`,
    ],
  ],
  ['no path type', ingress(path({ pathType: undefined })), [`${PATH}.pathType: Required value: pathType must be specified`]],
  [
    'another path type',
    ingress(path({ pathType: 'Regex' })),
    [`${PATH}.pathType: Unsupported value: "Regex": supported values: "Exact", "ImplementationSpecific", "Prefix"`],
  ],
  ['no backend', ingress(path({ backend: {} })), [`${PATH}.backend: Invalid value: "": resource or service backend is required`]],
  [
    'a backend without a port',
    ingress({ defaultBackend: { service: { name: '' } } }),
    ['spec.defaultBackend.service.name: Required value', 'spec.defaultBackend: Required value: port name or number is required'],
  ],
  [
    'hosts and secrets',
    ingress({ rules: [{ host: '1.2.3.4' }], tls: [{ hosts: ['*.a.b', '*'], secretName: 'A' }], defaultBackend: { resource: { kind: '', name: 'x' } } }),
    [
      'spec.defaultBackend.resource.kind: Required value',
      'spec.rules[0].host: Invalid value: "1.2.3.4": must be a DNS name, not an IP address',
      expect.stringMatching(/^spec\.tls\[0\]\.hosts\[1\]: Invalid value: "\*": a wildcard DNS-1123 subdomain must start with/),
      expect.stringMatching(/^spec\.tls\[0\]\.secretName: Invalid value: "A": a lowercase RFC 1123 subdomain/),
    ] as string[],
  ],
  [
    'an ingress class',
    ['IngressClass', 'networking.k8s.io/v1', { spec: { controller: 'acme', parameters: { kind: 'P', name: 'p', scope: 'Namespace' } } }],
    [
      'spec.controller: Invalid value: "acme": must be a domain-prefixed path (such as "acme.io/foo")',
      "spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'",
    ],
  ],
  [
    'ports of a network policy',
    policy({ ingress: [{ ports: [{ port: 80, endPort: 70 }, { port: 'web', endPort: 1 }, { endPort: 1 }, { protocol: 'ICMP', port: 0 }] }] }),
    [
      'spec.ingress[0].ports[0].endPort: Invalid value: 80: must be greater than or equal to `port`',
      'spec.ingress[0].ports[1].endPort: Invalid value: 1: may not be specified when `port` is non-numeric',
      'spec.ingress[0].ports[2].endPort: Invalid value: 1: may not be specified when `port` is not specified',
      'spec.ingress[0].ports[3].protocol: Unsupported value: "ICMP": supported values: "TCP", "UDP", "SCTP"',
      'spec.ingress[0].ports[3].port: Invalid value: 0: must be between 1 and 65535, inclusive',
    ],
  ],
  [
    'peers of a network policy',
    policy({
      policyTypes: ['Egress', 'Other'],
      egress: [
        {
          to: [
            {},
            { podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } },
            { ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16', '11.0.0.0/16', '10.0.0.0/8'] } },
            { ipBlock: { cidr: '2001:db8::/32', except: ['2001:db8:1::/48'] } },
          ],
        },
      ],
    }),
    [
      'spec.egress[0].to[0]: Required value: must specify a peer',
      'spec.egress[0].to[1]: Forbidden: may not specify both ipBlock and another peer',
      'spec.egress[0].to[2].ipBlock.except[1]: Invalid value: "11.0.0.0/16": must be a strict subset of `cidr`',
      'spec.egress[0].to[2].ipBlock.except[2]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`',
      'spec.policyTypes[1]: Unsupported value: "Other": supported values: "Ingress", "Egress"',
    ],
  ],
  ['a quota as it should be', quota({ hard: { pods: '10', 'requests.cpu': '4', 'count/deployments.apps': '5', 'hugepages-2Mi': '1' } }), []],
  [
    'amounts of a quota',
    quota({ hard: { pods: '1500m', cars: '1', cpu: '-1' } }),
    [
      'spec.hard[cars]: Invalid value: "cars": must be a standard resource type or fully qualified',
      'spec.hard[cars]: Invalid value: "cars": must be a standard resource for quota',
      'spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.hard[pods]: Invalid value: "1500m": must be an integer',
    ],
  ],
  [
    'scopes of a quota',
    quota({ hard: { services: '1' }, scopes: ['BestEffort', 'NotBestEffort', 'Odd'] }),
    [
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Odd"]: unsupported scope applied to resource',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Odd"]: unsupported scope applied to resource',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Odd"]: unsupported scope',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Odd"]: conflicting scopes',
    ],
  ],
  [
    'a scope selector',
    quota({
      scopeSelector: {
        matchExpressions: [
          { scopeName: 'PriorityClass', operator: 'In' },
          { scopeName: 'PriorityClass', operator: 'Like' },
        ],
      },
    }),
    [
      "spec.scopeSelector.matchExpressions.values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
      'spec.scopeSelector.matchExpressions.operator: Invalid value: "Like": not a valid selector operator',
    ],
  ],
  [
    'limits of containers',
    limits({ type: 'Container', max: { cpu: '1' }, min: { cpu: '2' }, maxLimitRequestRatio: { memory: '500m' } }),
    [
      'spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1',
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "1": min value 2 is greater than default request value 1',
      'spec.limits[0].default[cpu]: Invalid value: "2": min value 2 is greater than default value 1',
      'spec.limits[0].maxLimitRequestRatio[memory]: Invalid value: "500m": ratio 500m is less than 1',
    ],
  ],
  [
    'limits of pods',
    limits({ type: 'Pod', default: { cpu: '1' }, max: { cpu: '4' }, min: { cpu: '1' }, maxLimitRequestRatio: { cpu: '5' } }),
    [
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
      'spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "5": ratio 5 is greater than max/min = 4.000000',
    ],
  ],
  [
    'limits of claims',
    limits({ type: 'PersistentVolumeClaim' }),
    ['spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided'],
  ],
  ['limits of something else', limits({ type: 'Car' }), ['spec.limits[0].type: Invalid value: "Car": must be a standard limit type or fully qualified']],
  [
    'the finalizers of a namespace',
    ['Namespace', '/v1', { spec: { finalizers: ['kubernetes', 'mine', 'a.b/c'] } }],
    ['spec.finalizers: Invalid value: "mine": name is neither a standard finalizer name nor is it fully qualified'],
  ],
  [
    'rules of a Role',
    [
      'Role',
      'rbac.authorization.k8s.io/v1',
      {
        rules: [
          { verbs: [], resources: ['pods'] },
          { verbs: ['get'], nonResourceURLs: ['/x'] },
        ],
      },
    ],
    [
      'rules[0].verbs: Required value: verbs must contain at least one value',
      'rules[0].apiGroups: Required value: resource rules must supply at least one api group',
      'rules[1].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
    ],
  ],
  [
    'a ClusterRoleBinding',
    [
      'ClusterRoleBinding',
      'rbac.authorization.k8s.io/v1',
      {
        roleRef: { kind: 'Role', name: '' },
        subjects: [
          { kind: 'ServiceAccount', name: 'a' },
          { kind: 'Robot', name: 'r' },
        ],
      },
    ],
    [
      'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
      'roleRef.name: Required value',
      'subjects[0].namespace: Required value',
      'subjects[1].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
    ],
  ],
  [
    'a StorageClass',
    ['StorageClass', 'storage.k8s.io/v1', { provisioner: 'a b', reclaimPolicy: 'Recycle' }],
    [
      expect.stringMatching(/^provisioner: Invalid value: "a b": name part must consist/),
      'reclaimPolicy: Unsupported value: "Recycle": supported values: "Delete", "Retain"',
    ] as string[],
  ],
  [
    'taints of a node',
    [
      'Node',
      '/v1',
      {
        spec: {
          taints: [
            { key: 'a', effect: 'NoSchedule' },
            { key: 'a', value: 'b', effect: 'NoSchedule' },
            { key: 'b', effect: 'Maybe' },
          ],
        },
      },
    ],
    [
      'metadata.taints[1]: Duplicate value: {"Key":"a","Value":"b","Effect":"NoSchedule","TimeAdded":null}: taints must be unique by key and effect pair',
      'metadata.taints[2].effect: Unsupported value: "Maybe": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
  ],
  [
    'a volume of nothing',
    ['PersistentVolume', '/v1', { spec: {} }],
    [
      'spec.accessModes: Required value',
      'spec.capacity: Required value',
      'spec.capacity: Unsupported value: null: supported values: "storage"',
      'spec: Required value: must specify a volume type',
    ],
  ],
  ['a volume as it should be', volume({}), []],
  [
    'a volume of too much',
    volume({
      accessModes: ['ReadWriteOncePod', 'ReadOnlyMany', 'Often'],
      capacity: { storage: '0' },
      nfs: {},
      persistentVolumeReclaimPolicy: 'Keep',
      volumeMode: 'Tape',
    }),
    [
      'spec.accessModes: Unsupported value: "Often": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
      'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
      'spec.capacity[storage]: Invalid value: "0": must be greater than zero',
      'spec.persistentVolumeReclaimPolicy: Unsupported value: "Keep": supported values: "Delete", "Recycle", "Retain"',
      'spec.nfs: Forbidden: may not specify more than 1 volume type',
      'spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"',
    ],
  ],
  [
    'a RuntimeClass',
    ['RuntimeClass', 'node.k8s.io/v1', { handler: 'A_' }],
    [expect.stringMatching(/^handler: Invalid value: "A_": a lowercase RFC 1123 label/)] as string[],
  ],
])('%s', (_name, [kind, group, body], wanted) => {
  expect(shown(behaviourOf(kind, group).validate?.(made(kind, group, body)))).toEqual(wanted);
});

test.each<[string, kind: string, group: string, before: object, after: object, string[]]>([
  [
    'a binding keeps its role',
    'RoleBinding',
    'rbac.authorization.k8s.io/v1',
    { roleRef: { kind: 'Role', name: 'a' } },
    { roleRef: { kind: 'Role', name: 'b' } },
    ['roleRef: Invalid value: {"APIGroup":"rbac.authorization.k8s.io","Kind":"Role","Name":"b"}: cannot change roleRef'],
  ],
  [
    'a StorageClass keeps what it is',
    'StorageClass',
    'storage.k8s.io/v1',
    { provisioner: 'p', parameters: { a: 'b' } },
    { provisioner: 'q', volumeBindingMode: 'WaitForFirstConsumer' },
    [
      'parameters: Forbidden: updates to parameters are forbidden.',
      'provisioner: Forbidden: updates to provisioner are forbidden.',
      'volumeBindingMode: Invalid value: "WaitForFirstConsumer": field is immutable',
    ],
  ],
  [
    'an IngressClass keeps its controller',
    'IngressClass',
    'networking.k8s.io/v1',
    { spec: { controller: 'a.b/c' } },
    { spec: { controller: 'a.b/d' } },
    ['spec.controller: Invalid value: "a.b/d": field is immutable'],
  ],
  [
    'a RuntimeClass keeps its handler',
    'RuntimeClass',
    'node.k8s.io/v1',
    { handler: 'a' },
    { handler: 'b' },
    ['handler: Invalid value: "b": field is immutable'],
  ],
  [
    'a volume stays the volume that it is',
    'PersistentVolume',
    '/v1',
    volume({})[2],
    volume({ hostPath: { path: '/b' } })[2],
    [expect.stringMatching(/^spec.persistentvolumesource: Forbidden: spec.persistentvolumesource is immutable after creation\n@@ [^@]*@@\n/)] as string[],
  ],
  [
    'a quota keeps its scopes',
    'ResourceQuota',
    '/v1',
    { spec: { scopes: ['BestEffort'] } },
    { spec: {} },
    ['spec.scopes: Invalid value: null: field is immutable'],
  ],
])('%s', (_name, kind, group, before, after, wanted) => {
  expect(shown(behaviourOf(kind, group).validateUpdate?.(made(kind, group, after), made(kind, group, before)))).toEqual(wanted);
});

test.each<[string, kind: string, group: string, body: object, string[]]>([
  [
    'a namespace that is not being deleted',
    'Namespace',
    '/v1',
    { status: { phase: 'Terminating' } },
    ['status.Phase: Invalid value: "Terminating": may only be \'Active\' if `deletionTimestamp` is empty'],
  ],
  [
    'the counts of a budget',
    'PodDisruptionBudget',
    'policy/v1',
    { status: { disruptionsAllowed: -1 } },
    ['status.disruptionsAllowed: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'the counts of an autoscaler',
    'HorizontalPodAutoscaler',
    'autoscaling/v2',
    { spec: AUTOSCALER, status: { currentReplicas: -1 } },
    ['status.currentReplicas: Invalid value: -1: must be greater than or equal to 0'],
  ],
])('a status: %s', (_name, kind, group, body, wanted) => {
  const object = made(kind, group, body);
  expect(shown(behaviourOf(kind, group).validateStatusUpdate?.(object, object))).toEqual(wanted);
});

test('what of a claim may change', () => {
  const claim = (spec: object, phase = 'Pending') =>
    made('PersistentVolumeClaim', '/v1', {
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
      status: { phase, capacity: { storage: '1Gi' } },
    });
  const { validateUpdate } = behaviourOf('PersistentVolumeClaim', '/v1');
  const words = 'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims';
  expect(shown(validateUpdate?.(claim({ volumeName: 'v' }), claim({})))).toEqual([]);
  expect(shown(validateUpdate?.(claim({ resources: { requests: { storage: '2Gi' } } }, 'Bound'), claim({}, 'Bound')))).toEqual([]);
  expect(shown(validateUpdate?.(claim({ resources: { requests: { storage: '1Mi' } } }, 'Bound'), claim({}, 'Bound')))).toEqual([
    'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
  ]);
  expect(shown(validateUpdate?.(claim({ storageClassName: 'b' }), claim({ storageClassName: 'a' })))).toEqual([
    `${words}\n@@ -10,7 +10,7 @@\n   }\n  },\n  "VolumeName": "",\n- "StorageClassName": "a",\n+ "StorageClassName": "b",\n  "VolumeMode": "Filesystem",\n  "DataSource": null,\n  "DataSourceRef": null,\n`,
  ]);
});

const AGE = '5s';
test.each<[kind: string, group: string, body: object, cells: unknown[]]>([
  ['RuntimeClass', 'node.k8s.io/v1', { handler: 'runc' }, ['o', 'runc', AGE]],
  ['CSIDriver', 'storage.k8s.io/v1', { spec: {} }, ['o', true, false, false, '<unset>', false, 'Persistent', AGE]],
  [
    'CSIDriver',
    'storage.k8s.io/v1',
    { spec: { tokenRequests: [{ audience: 'a' }, { audience: 'b' }] } },
    ['o', true, false, false, 'a,b', false, 'Persistent', AGE],
  ],
  ['CSINode', 'storage.k8s.io/v1', { spec: { drivers: [{}] } }, ['o', 1, AGE]],
  [
    'VolumeAttachment',
    'storage.k8s.io/v1',
    { spec: { attacher: 'd', nodeName: 'n', source: { persistentVolumeName: 'v' } } },
    ['o', 'd', 'v', 'n', false, AGE],
  ],
  ['VolumeAttributesClass', 'storage.k8s.io/v1', { driverName: 'd' }, ['o', 'd', AGE]],
  ['PriorityLevelConfiguration', 'flowcontrol.apiserver.k8s.io/v1', { spec: { type: 'Exempt' } }, ['o', 'Exempt', '<none>', '<none>', '<none>', '<none>', AGE]],
  [
    'PriorityLevelConfiguration',
    'flowcontrol.apiserver.k8s.io/v1',
    { spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5, limitResponse: { queuing: { queues: 2, handSize: 1, queueLengthLimit: 3 } } } } },
    ['o', 'Limited', 5, 2, 1, 3, AGE],
  ],
  [
    'FlowSchema',
    'flowcontrol.apiserver.k8s.io/v1',
    { spec: { priorityLevelConfiguration: { name: 'p' }, matchingPrecedence: 7 }, status: { conditions: [{ type: 'Dangling', status: 'True' }] } },
    ['o', 'p', 7, '<none>', AGE, 'True'],
  ],
  ['MutatingWebhookConfiguration', 'admissionregistration.k8s.io/v1', {}, ['o', 0, AGE]],
  ['ValidatingWebhookConfiguration', 'admissionregistration.k8s.io/v1', { webhooks: [{}] }, ['o', 1, AGE]],
  [
    'ValidatingAdmissionPolicy',
    'admissionregistration.k8s.io/v1',
    { spec: { validations: [{}], paramKind: { apiVersion: 'v1', kind: 'ConfigMap' } } },
    ['o', 1, 'v1/ConfigMap', AGE],
  ],
  ['ValidatingAdmissionPolicyBinding', 'admissionregistration.k8s.io/v1', { spec: { policyName: 'p' } }, ['o', 'p', '<unset>', AGE]],
  ['ValidatingAdmissionPolicyBinding', 'admissionregistration.k8s.io/v1', { spec: { policyName: 'p', paramRef: { name: 'q' } } }, ['o', 'p', '*/q', AGE]],
  [
    'ValidatingAdmissionPolicyBinding',
    'admissionregistration.k8s.io/v1',
    { spec: { policyName: 'p', paramRef: { selector: { matchExpressions: [{ key: 'a', operator: 'In', values: ['b', 'c'] }] } } } },
    [
      'o',
      'p',
      '&LabelSelector{MatchLabels:map[string]string{},MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:a,Operator:In,Values:[b c],},},}',
      AGE,
    ],
  ],
  ['ResourceClaim', 'resource.k8s.io/v1', {}, ['o', 'pending', AGE]],
  ['ResourceClaim', 'resource.k8s.io/v1', { status: { allocation: {}, reservedFor: [{}] } }, ['o', 'allocated,reserved', AGE]],
  ['ResourceSlice', 'resource.k8s.io/v1', { spec: { driver: 'd', pool: { name: 'p' } } }, ['o', '', 'd', 'p', AGE]],
  ['ServiceCIDR', 'networking.k8s.io/v1', { spec: { cidrs: ['10.0.0.0/8', 'fd00::/108'] } }, ['o', '10.0.0.0/8,fd00::/108', AGE]],
  ['IPAddress', 'networking.k8s.io/v1', { spec: { parentRef: { resource: 'services', namespace: 'n', name: 's' } } }, ['o', 'services/n/s', AGE]],
  ['APIService', 'apiregistration.k8s.io/v1', {}, ['o', 'Local', 'Unknown', AGE]],
  [
    'APIService',
    'apiregistration.k8s.io/v1',
    { spec: { service: { namespace: 'n', name: 's' } }, status: { conditions: [{ type: 'Available', status: 'False', reason: 'Gone' }] } },
    ['o', 'n/s', 'False (Gone)', AGE],
  ],
])('the row of a %s', (kind, group, body, cells) => {
  const object = made(kind, group, { metadata: { name: 'o', creationTimestamp: '2026-01-01T00:00:00Z' }, ...body });
  expect(behaviourOf(kind, group).row?.(object, Date.parse('2026-01-01T00:00:05Z'))).toEqual(cells);
});

test('a ResourceSlice is selected by its node and its driver', () => {
  const { selectableFields } = behaviourOf('ResourceSlice', 'resource.k8s.io/v1');
  const slice = made('ResourceSlice', 'resource.k8s.io/v1', { spec: { nodeName: 'n', driver: 'd' } });
  expect(Object.entries(selectableFields!).map(([field, read]) => [field, read(slice)])).toEqual([
    ['spec.nodeName', 'n'],
    ['spec.driver', 'd'],
  ]);
});

test('a DaemonSet counts the changes of its template', () => {
  const KEY = 'deprecated.daemonset.template.generation';
  const daemonSet = (image: string, annotations: object = {}) =>
    made('DaemonSet', 'apps/v1', { metadata: { name: 'o', annotations }, spec: { template: { spec: { containers: [{ name: 'c', image }] } } } });
  const { prepareForCreate, prepareForUpdate, prepareForStatusUpdate } = behaviourOf('DaemonSet', 'apps/v1');
  const first = daemonSet('a');
  prepareForCreate?.(first);
  expect(first.metadata.annotations).toEqual({ [KEY]: '1' });
  const same = daemonSet('a', { [KEY]: '9', x: 'y' });
  prepareForUpdate?.(same, first);
  expect(same.metadata.annotations).toEqual({ [KEY]: '1', x: 'y' });
  const changed = daemonSet('b');
  prepareForUpdate?.(changed, first);
  expect(changed.metadata.annotations).toEqual({ [KEY]: '2' });
  const status = daemonSet('b', { [KEY]: '7' });
  prepareForStatusUpdate?.(status, changed);
  expect(status.metadata.annotations).toEqual({ [KEY]: '2' });
});

test('what a CSIDriver is when nothing is said', () => {
  expect(made('CSIDriver', 'storage.k8s.io/v1', {})).toMatchObject({
    spec: {
      attachRequired: true,
      podInfoOnMount: false,
      storageCapacity: false,
      fsGroupPolicy: 'ReadWriteOnceWithFSType',
      volumeLifecycleModes: ['Persistent'],
      requiresRepublish: false,
      seLinuxMount: false,
    },
  });
});
