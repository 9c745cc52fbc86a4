// What a write costs inside the process: no network, no disk, everything between the request's bytes and the store.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const OBJECTS = 2_000;
const ROUNDS = 5;

/** @param root of a checkout that has been compiled. */
export async function benchWrites(root, only = '') {
  const load = (path) => import(pathToFileURL(join(root, 'dist', path)).href);
  const [{ ApiServer }, { MemoryStore }, { SystemClock }, { Rng }, { admissionPlugins }, { administrator }] = await Promise.all(
    ['apiserver/api-server.js', 'store/memory/memory-store.js', 'lib/clock.js', 'lib/rng.js', 'cluster/admission.js', 'cluster/users.js'].map(load),
  );
  const server = new ApiServer({ store: new MemoryStore(), clock: new SystemClock(), rng: new Rng(1), admission: admissionPlugins() });
  const bytes = (value) => Buffer.from(JSON.stringify(value));
  const send = (verb, resource, name, body, more = {}) =>
    server.request({
      verb,
      group: '',
      version: 'v1',
      resource,
      namespace: 'bench',
      ...(name ? { name } : {}),
      query: {},
      body,
      contentType: 'application/json',
      user: administrator,
      userAgent: 'bench/1',
      ...more,
    });
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bench' } };
  await send('create', 'namespaces', undefined, bytes(namespace), { namespace: undefined });
  await send('create', 'serviceaccounts', undefined, bytes({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }));
  const configMap = (i) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: `c${i}`, labels: { n: String(i) } }, data: { key: 'x'.repeat(1_500) } });
  const pod = (i) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `p${i}`, labels: { app: 'a' } },
    spec: { containers: [{ name: 'c', image: 'i:1', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: 'b' }] }] },
  });
  const status = (i) => ({ status: { phase: 'Running', podIP: `10.0.0.${i % 250}`, conditions: [{ type: 'Ready', status: 'True' }] } });
  const strategic = { contentType: 'application/strategic-merge-patch+json', subresource: 'status' };
  const cases = {
    'create ConfigMap': (i) => send('create', 'configmaps', undefined, bytes(configMap(i))),
    'merge patch ConfigMap': (i, round) =>
      send('patch', 'configmaps', `c${i}`, bytes({ data: { key: String(round) } }), { contentType: 'application/merge-patch+json' }),
    'delete ConfigMap': (i) => send('delete', 'configmaps', `c${i}`, undefined),
    'create Pod': (i) => send('create', 'pods', undefined, bytes(pod(i))),
    'patch status of Pod': (i, round) => send('patch', 'pods', `p${i}`, { ...status(i + round) }, strategic),
    'delete Pod': (i) => send('delete', 'pods', `p${i}`, undefined),
  };
  const best = {};
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(cases).filter(([name]) => name.includes(only))) {
      const began = process.cpuUsage();
      for (let i = 0; i < OBJECTS; i++) await run(i, round);
      const { user, system } = process.cpuUsage(began);
      best[name] = Math.min(best[name] ?? Number.POSITIVE_INFINITY, (user + system) / OBJECTS);
    }
  }
  return Object.entries(best).map(([name, microseconds]) => ({ name, figure: `${microseconds.toFixed(0)} µs` }));
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) console.table(await benchWrites(process.argv[2] ?? '.', process.argv[3]));
