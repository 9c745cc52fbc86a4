import type { Rng } from '../../src/lib/rng.ts';

export interface HostileRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: Buffer;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'];
const TYPES = [
  'application/json',
  'application/yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
  'multipart/form-data; boundary=x',
  '',
];
const ACCEPTS = [
  'application/json',
  '*/*',
  'application/yaml',
  'application/json;as=Table;v=v1;g=meta.k8s.io',
  'text/html',
  'application/vnd.kubernetes.protobuf',
  ';;;,,',
  '',
];
const PLACES = [
  '/api/v1/namespaces/default/configmaps',
  '/api/v1/namespaces/default/configmaps/target',
  '/api/v1/namespaces/default/pods',
  '/api/v1/namespaces/default/pods/x/log',
  '/api/v1/namespaces/default/services',
  '/api/v1/nodes/hollow-1',
  '/api/v1/nodes/hollow-1/status',
  '/api/v1/namespaces/fuzz',
  '/apis/apps/v1/namespaces/default/deployments',
  '/apis/apps/v1/namespaces/default/deployments/target',
  '/apis/apps/v1/namespaces/default/deployments/target/scale',
  '/apis/apps/v1/namespaces/default/deployments/target/status',
  '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers',
  '/apis/events.k8s.io/v1/namespaces/default/events',
  '/apis/batch/v1/namespaces/default/jobs',
  '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
  '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
  '/openapi/v3/apis/apps/v1',
  '/apis/nothing/v9/things',
  '/version',
];
const SEGMENTS = [
  '..',
  '%2e%2e',
  '%00',
  '%',
  '%zz',
  '%ff%fe',
  'a'.repeat(3000),
  '__proto__',
  'constructor',
  ' ',
  '💥',
  '?',
  '#',
  '*',
  '//',
  'status',
  'scale',
  'exec',
  'proxy',
];
const QUERIES = [
  'watch=1&timeoutSeconds=1',
  'limit=-1',
  'limit=999999999999999999999',
  'limit=x',
  'continue=garbage',
  `continue=${Buffer.from('{"v":"meta.k8s.io/v1","rv":1,"start":"../../x"}').toString('base64url')}`,
  'labelSelector=a in (',
  'labelSelector=!!!',
  `labelSelector=${'a,'.repeat(500)}`,
  'fieldSelector=metadata.name=%00',
  'fieldSelector=__proto__=x',
  'resourceVersion=-1',
  'resourceVersion=99999999999999999999',
  'resourceVersion=NaN&watch=1',
  'dryRun=All',
  'dryRun=Sometimes',
  'fieldManager=%00%01',
  `fieldManager=${'m'.repeat(500)}`,
  'fieldManager=f&force=true',
  'fieldValidation=Strict',
  'fieldValidation=Perhaps',
  'propagationPolicy=Sideways',
  'gracePeriodSeconds=-5',
  'pretty=true',
  '__proto__=1&constructor=2',
];
const SCALARS: readonly unknown[] = [
  null,
  true,
  -1,
  0,
  1.5,
  1e308,
  -1e308,
  2 ** 53 + 2,
  '',
  'x',
  '\u0000',
  '💥',
  '\ud800',
  'a'.repeat(300),
  '../..',
  '1Gi',
  '-1',
  '50%',
  '2026-01-01T00:00:00Z',
  [],
  {},
  [null],
  { a: null },
];
const FIELDS = [
  'apiVersion',
  'kind',
  'metadata',
  'name',
  'namespace',
  'labels',
  'annotations',
  'finalizers',
  'ownerReferences',
  'managedFields',
  'resourceVersion',
  'uid',
  'generation',
  'spec',
  'status',
  'data',
  'replicas',
  'selector',
  'matchLabels',
  'template',
  'containers',
  'image',
  'env',
  'ports',
  'containerPort',
  'resources',
  'limits',
  'cpu',
  'strategy',
  'rollingUpdate',
  'maxSurge',
  'volumes',
  'affinity',
  'tolerations',
  'conditions',
  '__proto__',
  'constructor',
  'toString',
  '$patch',
  '$retainKeys',
  '$setElementOrder/containers',
  'op',
  'path',
  'value',
  'from',
  'items',
];

/** A request that no friendly client would send; the same rng gives the same requests. */
export function hostileRequest(rng: Rng): HostileRequest {
  if (rng.chance(0.3)) return nearlyRight(rng);
  const method = rng.pick(METHODS);
  let path = rng.pick(PLACES);
  if (rng.chance(0.2)) path += `/${encodeURI(rng.pick(SEGMENTS)).replaceAll('%25', '%')}`;
  if (rng.chance(0.05)) path = `/${path.slice(1 + rng.integer(path.length))}`;
  if (rng.chance(0.4)) path += `?${encodeURI(rng.pick(QUERIES)).replaceAll('%25', '%').replaceAll('#', '%23')}`;
  const headers: Record<string, string> = { 'content-type': rng.pick(TYPES), accept: rng.pick(ACCEPTS) };
  if (rng.chance(0.05)) headers['content-encoding'] = 'gzip';
  if (method === 'GET' || method === 'HEAD' || rng.chance(0.1)) return { method, path, headers };
  return { method, path, headers, body: hostileBody(rng) };
}

/** A request that would succeed, with at most one thing wrong with it: it gets past the door. */
function nearlyRight(rng: Rng): HostileRequest {
  const [method, path, type, body] = rng.pick(RIGHT);
  return {
    method,
    path,
    headers: { 'content-type': type, accept: 'application/json' },
    body: Buffer.from(JSON.stringify(rng.chance(0.3) ? body : withMistakes(rng, body))),
  };
}

function hostileBody(rng: Rng): Buffer {
  switch (rng.integer(10)) {
    case 0:
      return Buffer.from(Array.from({ length: rng.integer(200) }, () => rng.integer(256)));
    case 1:
      return Buffer.from('{"a":'.repeat(1 + rng.integer(100_000)));
    case 2:
      return Buffer.from('['.repeat(100_000) + ']'.repeat(100_000));
    case 3:
      return Buffer.concat([Buffer.from([0x6b, 0x38, 0x73, 0x00]), Buffer.from(Array.from({ length: rng.integer(300) }, () => rng.integer(256)))]);
    case 4:
      return Buffer.from('a: &a [x,x]\nb: &b [*a,*a,*a]\nc: &c [*b,*b,*b]\nd: &d [*c,*c,*c]\ne: &e [*d,*d,*d]\nf: [*e,*e,*e]\n');
    case 5:
      return Buffer.from(`{"kind":"ConfigMap","data":{"a":${'9'.repeat(400)}},"data":{"b":"${'x'.repeat(rng.integer(50_000))}"}}`);
    default: {
      const text = JSON.stringify(hostileValue(rng, 0));
      // Sometimes cut short, sometimes with a byte turned over.
      if (rng.chance(0.2)) return Buffer.from(text).subarray(0, rng.integer(text.length));
      const bytes = Buffer.from(text);
      if (rng.chance(0.2) && bytes.length) bytes[rng.integer(bytes.length)] = rng.integer(256);
      return bytes;
    }
  }
}

function hostileValue(rng: Rng, depth: number): unknown {
  if (depth === 0 && rng.chance(0.5)) return withMistakes(rng, rng.pick(PLAUSIBLE));
  if (depth > 4 || rng.chance(0.3)) return rng.pick(SCALARS);
  if (rng.chance(0.3)) return Array.from({ length: rng.integer(4) }, () => hostileValue(rng, depth + 1));
  return Object.fromEntries(Array.from({ length: rng.integer(5) }, () => [rng.pick(FIELDS), hostileValue(rng, depth + 1)]));
}

const PLAUSIBLE: readonly unknown[] = [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'target', labels: { a: 'b' } }, data: { a: '1' } },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'target' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'x' } },
      strategy: { rollingUpdate: { maxSurge: 1, maxUnavailable: '25%' } },
      template: {
        metadata: { labels: { app: 'x' } },
        spec: {
          nodeSelector: { nowhere: 'true' },
          containers: [{ name: 'c', image: 'a', env: [{ name: 'A', value: 'b' }], ports: [{ containerPort: 80 }], resources: { limits: { cpu: '1' } } }],
        },
      },
    },
  },
  {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { generateName: 'p-' },
    spec: {
      nodeSelector: { nowhere: 'true' },
      containers: [{ name: 'c', image: 'a', livenessProbe: { httpGet: { port: 80 } }, volumeMounts: [{ name: 'v', mountPath: '/v' }] }],
      volumes: [{ name: 'v', emptyDir: {} }],
    },
  },
  { apiVersion: 'v1', kind: 'Service', metadata: { generateName: 's-' }, spec: { ports: [{ port: 80, name: 'a' }], type: 'NodePort', selector: { a: 'b' } } },
  { apiVersion: 'autoscaling/v1', kind: 'Scale', metadata: { name: 'target' }, spec: { replicas: 2 } },
  [
    { op: 'replace', path: '/spec/replicas', value: 2 },
    { op: 'add', path: '/metadata/labels', value: { x: 'y' } },
  ],
  { spec: { template: { spec: { containers: [{ name: 'c', image: 'b', $patch: 'replace' }] } } } },
  { propagationPolicy: 'Orphan', preconditions: { uid: 'nobody' } },
];

const RIGHT: readonly (readonly [method: string, path: string, type: string, body: unknown])[] = [
  ['POST', '/api/v1/namespaces/default/configmaps', 'application/json', PLAUSIBLE[0]],
  ['PUT', '/api/v1/namespaces/default/configmaps/target', 'application/json', PLAUSIBLE[0]],
  ['POST', '/apis/apps/v1/namespaces/default/deployments', 'application/json', PLAUSIBLE[1]],
  ['PUT', '/apis/apps/v1/namespaces/default/deployments/target', 'application/json', PLAUSIBLE[1]],
  ['PATCH', '/apis/apps/v1/namespaces/default/deployments/target?fieldManager=f&force=true', 'application/apply-patch+yaml', PLAUSIBLE[1]],
  ['POST', '/api/v1/namespaces/default/pods', 'application/json', PLAUSIBLE[2]],
  ['POST', '/api/v1/namespaces/default/services', 'application/json', PLAUSIBLE[3]],
  ['PUT', '/apis/apps/v1/namespaces/default/deployments/target/scale', 'application/json', PLAUSIBLE[4]],
  ['PATCH', '/apis/apps/v1/namespaces/default/deployments/target', 'application/json-patch+json', PLAUSIBLE[5]],
  ['PATCH', '/apis/apps/v1/namespaces/default/deployments/target', 'application/strategic-merge-patch+json', PLAUSIBLE[6]],
  ['PATCH', '/apis/apps/v1/namespaces/default/deployments/target', 'application/merge-patch+json', PLAUSIBLE[6]],
  ['DELETE', '/api/v1/namespaces/default/configmaps/target', 'application/json', PLAUSIBLE[7]],
];

/** The value with one thing in it replaced by nonsense. */
function withMistakes(rng: Rng, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || rng.chance(0.15)) return rng.pick(SCALARS);
  if (Array.isArray(value)) {
    const at = rng.integer(value.length + 1);
    return value.map((item, i) => (i === at ? withMistakes(rng, item) : item));
  }
  const keys = Object.keys(value);
  const key = rng.chance(0.1) ? rng.pick(FIELDS) : rng.pick(keys.length ? keys : FIELDS);
  return { ...value, [key]: withMistakes(rng, (value as Record<string, unknown>)[key]) };
}
