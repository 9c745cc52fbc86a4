import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClusterFixture, startFixture } from '../e2e/cluster-fixture.ts';
import { connect, type GoldenApi } from '../golden/api.mjs';

type Json = Record<string, unknown>;
interface Answer {
  code: number;
  // biome-ignore lint/suspicious/noExplicitAny: answers are picked apart freely here
  json: any;
}

/** Public trouble reports about the API server, by their ids; the cluster has no node, so that nothing moves by itself. */
describe('cases: API', () => {
  let fixture: ClusterFixture;
  let api: GoldenApi;
  let namespace: string;
  let count = 0;
  beforeAll(async () => {
    fixture = await startFixture({ nodes: 0 });
    api = connect(fixture.kubeconfigFile);
  });
  afterAll(async () => {
    api.close();
    await fixture.stop();
  });

  /** A namespace of its own for each case. */
  async function fresh(): Promise<void> {
    namespace = `case-${count++}`;
    await send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    for (let i = 0; i < 100 && (await send('GET', '/api/v1/namespaces/NS/serviceaccounts/default')).code !== 200; i++) await wait(10);
  }
  const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
  const send = async (method: string, path: string, body?: unknown, type?: string): Promise<Answer> =>
    (await api.raw(method, path.replace('NS', namespace), { ...(body === undefined ? {} : { body }), ...(type ? { type } : {}) })) as Answer;
  const patch = (path: string, body: unknown, kind: 'merge' | 'strategic-merge' | 'json' = 'merge'): Promise<Answer> =>
    send('PATCH', path, body, `application/${kind}-patch+json`);
  const apply = (path: string, body: unknown, manager: string): Promise<Answer> =>
    send('PATCH', `${path}?fieldManager=${manager}`, body, 'application/apply-patch+yaml');
  const DEPLOYMENTS = '/apis/apps/v1/namespaces/NS/deployments';
  const WEB = `${DEPLOYMENTS}/web`;
  const CONFIGMAPS = '/api/v1/namespaces/NS/configmaps';

  const web = (replicas = 1, spec: Json = {}, container: Json = {}): Json => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace },
    spec: {
      replicas,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'app', image: 'app:1', ...container }] } },
      ...spec,
    },
  });
  const causes = ({ json }: Answer): string[] => (json.details?.causes ?? []).map((c: { field: string; message: string }) => `${c.field}: ${c.message}`);

  it('one PriorityClass is the default', async () => {
    const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
    const create = (name: string): Promise<Answer> => send('POST', classes, { metadata: { name }, value: 1, globalDefault: true });
    const words = 'PriorityClass pc1 is already marked as default. Only one default can exist';
    expect((await create('pc1')).code).toBe(201);
    expect((await create('pc2')).json).toMatchObject({ code: 403, message: `priorityclasses.scheduling.k8s.io "pc2" is forbidden: ${words}` });
    expect((await patch(`${classes}/pc1`, { description: 'still the default' })).code).toBe(200);
    expect((await send('POST', classes, { metadata: { name: 'pc2' }, value: 2 })).code).toBe(201);
    expect((await patch(`${classes}/pc2`, { globalDefault: true })).json.message).toContain(words);
    for (const name of ['pc1', 'pc2']) await send('DELETE', `${classes}/${name}`);
  });

  it('an Ingress must say of what type its paths are', async () => {
    await fresh();
    const paths = [{ path: '/', backend: { service: { name: 'a', port: { number: 80 } } } }];
    const body = { metadata: { name: 'i' }, spec: { rules: [{ http: { paths } }] } };
    const { code, json } = await send('POST', '/apis/networking.k8s.io/v1/namespaces/NS/ingresses', body);
    expect(code).toBe(422);
    expect(json.details.causes).toEqual([
      { reason: 'FieldValueRequired', message: 'Required value: pathType must be specified', field: 'spec.rules[0].http.paths[0].pathType' },
    ]);
  });

  it('C003: 0 and 0 are refused, as numbers and as percentages', async () => {
    await fresh();
    for (const [maxSurge, maxUnavailable] of [
      [0, 0],
      ['0%', 0],
      [0, '0%'],
      ['0%', '0%'],
    ]) {
      const answer = await send('POST', DEPLOYMENTS, web(3, { strategy: { rollingUpdate: { maxSurge, maxUnavailable } } }));
      expect(answer.code).toBe(422);
      expect(causes(answer)).toEqual([expect.stringMatching(/^spec.strategy.rollingUpdate.maxUnavailable: .*may not be 0 when `maxSurge` is 0$/)]);
    }
    expect((await send('GET', WEB)).code).toBe(404);
  });

  it('C005: quoted integers are no percentages', async () => {
    await fresh();
    const rollingUpdate = async (fields: Json): Promise<string[]> => causes(await send('POST', DEPLOYMENTS, web(3, { strategy: { rollingUpdate: fields } })));
    expect(await rollingUpdate({ maxSurge: '1', maxUnavailable: '1' })).toHaveLength(2);
    expect(await rollingUpdate({ maxSurge: '1.0', maxUnavailable: '1.0' })).toHaveLength(3);
    expect(await rollingUpdate({ maxSurge: '12.5%' })).toEqual([
      expect.stringContaining("a valid percent string must be a numeric string followed by an ending '%'"),
    ]);
    expect(await rollingUpdate({ maxSurge: -1 })).toEqual([expect.stringContaining('must be greater than or equal to 0')]);
  });

  it('C042: collisionCount only grows', async () => {
    await fresh();
    await send('POST', DEPLOYMENTS, web());
    expect((await patch(`${WEB}/status`, { status: { collisionCount: 1 } })).code).toBe(200);
    for (const collisionCount of [0, null]) {
      const answer = await patch(`${WEB}/status`, { status: { collisionCount } });
      expect(answer.code).toBe(422);
      expect(causes(answer)).toEqual([expect.stringMatching(/^status.collisionCount: .*cannot be decremented$/)]);
    }
  });

  it('C048: a selector does not change', async () => {
    await fresh();
    await send('POST', DEPLOYMENTS, web());
    const labels = { app: 'web', x: 'y' };
    const answer = await send(
      'PUT',
      WEB,
      web(1, { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: { containers: [{ name: 'app', image: 'app:1' }] } } }),
    );
    expect(answer.code).toBe(422);
    expect(causes(answer)).toEqual(['spec.selector: Invalid value: {"matchLabels":{"app":"web","x":"y"}}: field is immutable']);
  });

  it('C052: the progress deadline must be longer than minReadySeconds', async () => {
    await fresh();
    for (const spec of [{ minReadySeconds: 30, progressDeadlineSeconds: 30 }, { minReadySeconds: 600 }]) {
      expect(causes(await send('POST', DEPLOYMENTS, web(1, spec)))).toEqual([
        expect.stringMatching(/^spec.progressDeadlineSeconds: .*must be greater than minReadySeconds$/),
      ]);
    }
    expect(causes(await send('POST', DEPLOYMENTS, web(1, { minReadySeconds: -1 })))[0]).toMatch(/^spec.minReadySeconds: .*must be greater than or equal to 0$/);
  });

  it('C060: impossible status numbers are refused', async () => {
    await fresh();
    await send('POST', DEPLOYMENTS, web());
    const status = async (fields: Json): Promise<string[]> => causes(await patch(`${WEB}/status`, { status: { replicas: 2, ...fields } }));
    expect(await status({ updatedReplicas: 3 })).toEqual([expect.stringMatching(/^status.updatedReplicas: .*cannot be greater than status.replicas$/)]);
    expect(await status({ readyReplicas: 3 })).toEqual([expect.stringMatching(/^status.readyReplicas: .*cannot be greater than status.replicas$/)]);
    expect(await status({ readyReplicas: 1, availableReplicas: 2 })).toEqual([
      expect.stringMatching(/^status.availableReplicas: .*cannot be greater than readyReplicas$/),
    ]);
  });

  it('C062: what a PUT of the status may change', async () => {
    await fresh();
    await send('POST', DEPLOYMENTS, web());
    const { json } = await send('GET', WEB);
    const { metadata, spec } = json;
    const answer = await send('PUT', `${WEB}/status`, {
      ...json,
      metadata: { ...metadata, resourceVersion: undefined, labels: { a: 'b' }, annotations: { ...metadata.annotations, c: 'd' } },
      spec: { ...spec, paused: true, replicas: 9 },
    });
    expect(answer).toMatchObject({ code: 200, json: { metadata: { annotations: { c: 'd' }, generation: metadata.generation }, spec: { replicas: 1 } } });
    expect(answer.json.spec.paused).toBeUndefined();
    expect(answer.json.metadata.labels).toBeUndefined();
    const ignored = await patch(WEB, { status: { replicas: 7 } });
    expect(ignored.json.status.replicas ?? 0).not.toBe(7);
  });

  it('C072: from RollingUpdate to Recreate', async () => {
    const recreate = { spec: { strategy: { type: 'Recreate' } } };
    for (const kind of ['merge', 'strategic-merge'] as const) {
      await fresh();
      await send('POST', DEPLOYMENTS, web());
      const answer = await patch(WEB, recreate, kind);
      expect(answer.code).toBe(422);
      expect(causes(answer)).toEqual(["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"]);
    }
    expect((await patch(WEB, { spec: { strategy: { type: 'Recreate', rollingUpdate: null } } })).json.spec.strategy).toEqual({ type: 'Recreate' });
    await fresh();
    await send('POST', DEPLOYMENTS, web());
    expect((await send('PUT', WEB, web(1, { strategy: { type: 'Recreate' } }))).json.spec.strategy).toEqual({ type: 'Recreate' });
    const retained = await patch(WEB, { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } }, 'strategic-merge');
    expect(retained.json.spec.strategy).toEqual({ type: 'Recreate' });
  });

  it('C078: foreground deletion returns at once, and the name stays taken until the end', async () => {
    await fresh();
    // A finalizer of the test's own keeps it from ending before the test has looked.
    await send('POST', DEPLOYMENTS, { ...web(), metadata: { name: 'web', finalizers: ['test.example.com/hold'] } });
    const deleted = await send('DELETE', WEB, { propagationPolicy: 'Foreground' });
    expect(deleted).toMatchObject({
      code: 200,
      json: { kind: 'Deployment', metadata: { deletionGracePeriodSeconds: 0, deletionTimestamp: expect.any(String) } },
    });
    expect(deleted.json.metadata.finalizers).toContain('foregroundDeletion');
    expect((await send('GET', WEB)).code).toBe(200);
    expect(await send('POST', DEPLOYMENTS, web())).toMatchObject({
      code: 409,
      json: { reason: 'AlreadyExists', message: 'object is being deleted: deployments.apps "web" already exists' },
    });
    await patch(WEB, { metadata: { finalizers: null } });
  });

  it('C080: the finalizers of an object on its way out can only shrink', async () => {
    await fresh();
    await send('POST', DEPLOYMENTS, { ...web(), metadata: { name: 'web', finalizers: ['a.test/x'] } });
    await send('DELETE', WEB);
    const more = await patch(WEB, { metadata: { finalizers: ['a.test/x', 'b.test/y'] } });
    expect(more.code).toBe(422);
    expect(causes(more)).toContain(
      'metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"b.test/y"}',
    );
    const types: string[] = [];
    const stop = api.watch(`/apis/apps/v1/namespaces/${namespace}/deployments?watch=1`, (event) => types.push((event as { type: string }).type));
    await wait(200);
    expect((await patch(WEB, { metadata: { finalizers: [] } })).code).toBe(200);
    expect((await send('GET', WEB)).code).toBe(404);
    for (let i = 0; i < 100 && types.at(-1) !== 'DELETED'; i++) await wait(10);
    expect(types.at(-1)).toBe('DELETED');
    stop();
  });

  it('C082: optimistic locking', async () => {
    await fresh();
    await send('POST', CONFIGMAPS, { metadata: { name: 'c' } });
    const stale = (await send('GET', `${CONFIGMAPS}/c`)).json;
    await send('PUT', `${CONFIGMAPS}/c`, { ...stale, metadata: { ...stale.metadata, labels: { a: '1' } } });
    const message =
      'Operation cannot be fulfilled on configmaps "c": the object has been modified; please apply your changes to the latest version and try again';
    expect(await send('PUT', `${CONFIGMAPS}/c`, { ...stale, data: { b: '2' } })).toMatchObject({ code: 409, json: { reason: 'Conflict', message } });
    const overwritten = await send('PUT', `${CONFIGMAPS}/c`, { ...stale, metadata: { name: 'c', annotations: { b: '2' } } });
    expect(overwritten.code).toBe(200);
    expect(overwritten.json.metadata.labels).toBeUndefined();
    expect((await patch(`${CONFIGMAPS}/c`, { data: { c: '3' } })).code).toBe(200);
    expect((await patch(`${CONFIGMAPS}/c`, { metadata: { resourceVersion: stale.metadata.resourceVersion }, data: { d: '4' } })).code).toBe(409);
  });

  it('C084, C086: a past that is gone is told in the stream, or with a token to go on', async () => {
    await fresh();
    for (let i = 0; i < 5; i++) await send('POST', CONFIGMAPS, { metadata: { name: `m${i}`, labels: { page: 'yes' } } });
    const first = await send('GET', `${CONFIGMAPS}?limit=2`);
    expect(first.json).toMatchObject({ items: [{}, {}], metadata: { continue: expect.any(String), remainingItemCount: 4 } });
    await send('POST', CONFIGMAPS, { metadata: { name: 'a0' } });
    const second = await send('GET', `${CONFIGMAPS}?limit=2&continue=${first.json.metadata.continue}`);
    expect(second.json.items.map((i: Json) => (i['metadata'] as Json)['name'])).not.toContain('a0');
    expect(second.json.metadata.resourceVersion).toBe(first.json.metadata.resourceVersion);
    expect((await send('GET', `${CONFIGMAPS}?limit=2&labelSelector=page%3Dyes`)).json.metadata.remainingItemCount).toBeUndefined();
    const last = await send('GET', `${CONFIGMAPS}?limit=500`);
    expect(last.json.metadata.continue).toBeUndefined();
    expect(await send('GET', `${CONFIGMAPS}?continue=${first.json.metadata.continue}&resourceVersion=5`)).toMatchObject({
      code: 400,
      json: { message: 'specifying resource version is not allowed when using continue' },
    });
    expect(await send('GET', `${CONFIGMAPS}?continue=garbage`)).toMatchObject({
      code: 400,
      json: { message: expect.stringContaining('continue key is not valid') },
    });

    await fixture.cluster.apiServer.storage.compact();
    expect(await send('GET', `${CONFIGMAPS}?limit=2&continue=${first.json.metadata.continue}`)).toMatchObject({
      code: 410,
      json: { reason: 'Expired', metadata: { continue: expect.any(String) } },
    });
    const expired = await send('GET', `${CONFIGMAPS}?limit=2&continue=${first.json.metadata.continue}`);
    expect((await send('GET', `${CONFIGMAPS}?limit=500&continue=${expired.json.metadata.continue}`)).json.items.length).toBe(4);
    const events: { type: string; object: Json }[] = [];
    const stop = api.watch(`/api/v1/namespaces/${namespace}/configmaps?watch=true&resourceVersion=1`, (event) => events.push(event as (typeof events)[number]));
    for (let i = 0; i < 100 && events.length === 0; i++) await wait(10);
    stop();
    expect(events).toEqual([
      {
        type: 'ERROR',
        object: expect.objectContaining({
          kind: 'Status',
          reason: 'Expired',
          code: 410,
          message: expect.stringMatching(/^too old resource version: 1 \(\d+\)$/),
        }),
      },
    ]);
  });

  it('C088: a streaming list ends with an annotated bookmark', async () => {
    await fresh();
    for (const name of ['a', 'b']) await send('POST', CONFIGMAPS, { metadata: { name, labels: { mine: 'yes' } } });
    const events: { type: string; object: { metadata: { annotations?: Json; resourceVersion: string } } }[] = [];
    const stop = api.watch(
      `/api/v1/namespaces/${namespace}/configmaps?labelSelector=mine%3Dyes&watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
      (event) => events.push(event as (typeof events)[number]),
    );
    for (let i = 0; i < 100 && events.length < 3; i++) await wait(10);
    await send('POST', CONFIGMAPS, { metadata: { name: 'c', labels: { mine: 'yes' } } });
    for (let i = 0; i < 100 && events.length < 4; i++) await wait(10);
    stop();
    expect(events.map((e) => e.type)).toEqual(['ADDED', 'ADDED', 'BOOKMARK', 'ADDED']);
    expect(events[2]!.object).toEqual({
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { resourceVersion: expect.any(String), annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    const refused = await send('GET', `${CONFIGMAPS}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true`);
    expect(refused.code).toBe(422);
    expect(causes(refused)[0]).toContain('sendInitialEvents requires setting resourceVersionMatch to NotOlderThan');
  });

  it('C090: quantities are stored in their canonical form', async () => {
    await fresh();
    const stored = async (resource: string, value: unknown): Promise<Answer> =>
      send('POST', `${DEPLOYMENTS}?dryRun=All`, web(1, {}, { resources: { limits: { [resource]: value } } }));
    const table: [string, unknown, string][] = [
      ['cpu', 0.5, '500m'],
      ['cpu', '0.25', '250m'],
      ['cpu', 1, '1'],
      ['cpu', '1.2', '1200m'],
      ['cpu', '1000m', '1'],
      ['cpu', '0500m', '500m'],
      ['memory', '1024Mi', '1Gi'],
      ['memory', '1000Mi', '1000Mi'],
      ['memory', '1.5Gi', '1536Mi'],
      ['memory', '0.1Gi', '107374182400m'],
      ['memory', '1000', '1k'],
      ['memory', '1000M', '1G'],
      ['memory', '1048576', '1048576'],
      ['memory', '1e3', '1e3'],
    ];
    for (const [resource, given, canonical] of table)
      expect((await stored(resource, given)).json.spec?.template.spec.containers[0].resources.limits[resource], `${resource} ${given}`).toBe(canonical);
    for (const bad of ['1.1 Gi', '5gi', ''])
      expect(await stored('memory', bad)).toMatchObject({
        code: 400,
        json: { message: expect.stringContaining('quantities must match the regular expression') },
      });
  });

  it('C092: the sizes of metadata', async () => {
    await fresh();
    const create = (metadata: Json): Promise<Answer> => send('POST', `${CONFIGMAPS}?dryRun=All`, { metadata: { name: 'c', ...metadata } });
    expect((await create({ labels: { a: 'x'.repeat(64) } })).code).toBe(422);
    expect((await create({ labels: { [`example.com/${'x'.repeat(64)}`]: 'v' } })).code).toBe(422);
    expect((await create({ annotations: { a: 'x'.repeat(262_143) } })).code).toBe(201);
    expect(causes(await create({ annotations: { a: 'x'.repeat(262_144) } }))).toEqual(['metadata.annotations: Too long: may not be more than 262144 bytes']);
  });

  it('C094: the defaults of a minimal Deployment', async () => {
    await fresh();
    const { json } = await send('POST', `${DEPLOYMENTS}?dryRun=All`, {
      metadata: { name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'app', image: 'app', ports: [{ containerPort: 80 }], readinessProbe: { httpGet: { port: 80 } } }] },
        },
      },
    });
    expect(json.spec).toEqual({
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
      revisionHistoryLimit: 10,
      progressDeadlineSeconds: 600,
      template: {
        metadata: { labels: { app: 'web' } },
        spec: {
          containers: [
            {
              name: 'app',
              image: 'app',
              imagePullPolicy: 'Always',
              terminationMessagePath: '/dev/termination-log',
              terminationMessagePolicy: 'File',
              resources: {},
              ports: [{ containerPort: 80, protocol: 'TCP' }],
              readinessProbe: {
                httpGet: { port: 80, path: '/', scheme: 'HTTP' },
                timeoutSeconds: 1,
                periodSeconds: 10,
                successThreshold: 1,
                failureThreshold: 3,
              },
            },
          ],
          restartPolicy: 'Always',
          dnsPolicy: 'ClusterFirst',
          schedulerName: 'default-scheduler',
          terminationGracePeriodSeconds: 30,
          securityContext: {},
        },
      },
    });
  });

  it('C096: field selectors', async () => {
    await fresh();
    for (const name of ['p', 'q']) await send('POST', '/api/v1/namespaces/NS/pods', { metadata: { name }, spec: { containers: [{ name: 'c', image: 'a' }] } });
    const pods = (selector: string): Promise<Answer> => send('GET', `/api/v1/namespaces/NS/pods?fieldSelector=${encodeURIComponent(selector)}`);
    const names = async (selector: string): Promise<string[]> => (await pods(selector)).json.items.map((i: { metadata: { name: string } }) => i.metadata.name);
    expect(await names('status.phase=Pending')).toEqual(['p', 'q']);
    expect(await names('status.phase=pending')).toEqual([]);
    expect(await names('spec.nodeName=')).toEqual(['p', 'q']);
    expect(await names('metadata.name=p,status.phase!=Failed')).toEqual(['p']);
    expect(await pods('status.qosClass=BestEffort')).toMatchObject({ code: 400, json: { message: 'field label not supported: status.qosClass' } });
    expect((await send('GET', '/api/v1/nodes?fieldSelector=spec.unschedulable%3Dtrue')).code).toBe(200);
    expect(await send('GET', '/api/v1/nodes?fieldSelector=status.phase%3Dx')).toMatchObject({
      code: 400,
      json: { message: 'field label not supported: status.phase' },
    });
    expect(await send('GET', `${DEPLOYMENTS}?fieldSelector=spec.replicas%3D1`)).toMatchObject({
      code: 400,
      json: { message: '"spec.replicas" is not a known field selector: only "metadata.name", "metadata.namespace"' },
    });
  });

  it('C098: a dry run checks everything and stores nothing', async () => {
    await fresh();
    await send('POST', '/api/v1/namespaces/NS/resourcequotas', { metadata: { name: 'q' }, spec: { hard: { pods: '1' } } });
    for (let i = 0; i < 100 && !(await send('GET', '/api/v1/namespaces/NS/resourcequotas/q')).json.status?.used; i++) await wait(10);
    expect(await send('POST', `${DEPLOYMENTS}?dryRun=All`, web(3))).toMatchObject({
      code: 201,
      json: { metadata: { uid: expect.any(String) }, spec: { revisionHistoryLimit: 10 } },
    });
    expect((await send('GET', WEB)).code).toBe(404);
    expect((await send('POST', `${DEPLOYMENTS}?dryRun=All`, web(-1))).code).toBe(422);
    expect(
      (await send('POST', '/api/v1/namespaces/NS/pods?dryRun=All', { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'a' }] } })).code,
    ).toBe(201);
    expect((await send('GET', '/api/v1/namespaces/NS/resourcequotas/q')).json.status.used.pods).toBe('0');
  });

  it('C100: replicas dropped from the applied configuration', async () => {
    await fresh();
    const config = (replicas?: number): Json => {
      const { spec, ...rest } = web() as { spec: Json };
      const { replicas: _, ...others } = spec;
      return { ...rest, spec: { ...others, ...(replicas === undefined ? {} : { replicas }) } };
    };
    await apply(WEB, config(10), 'm');
    expect((await apply(WEB, config(), 'm')).json.spec.replicas).toBe(1);
    await apply(WEB, config(10), 'm');
    await apply(WEB, { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { replicas: 10 } }, 'other');
    const kept = await apply(WEB, config(), 'm');
    expect(kept.json.spec.replicas).toBe(10);
    const owners = kept.json.metadata.managedFields
      .filter((e: { fieldsV1: { 'f:spec'?: Json } }) => e.fieldsV1['f:spec']?.['f:replicas'])
      .map((e: { manager: string }) => e.manager);
    expect(owners).toEqual(['other']);
  });

  it('C102: one port number with TCP and UDP', async () => {
    await fresh();
    const config = (ports: Json[]): Json => web(1, {}, { ports });
    const tcp = { containerPort: 53, protocol: 'TCP', name: 'dns-tcp' };
    const udp = { containerPort: 53, protocol: 'UDP', name: 'dns-udp' };
    const ports = ({ json }: Answer): Json[] => json.spec.template.spec.containers[0].ports;
    expect(ports(await apply(WEB, config([tcp, udp]), 'm'))).toEqual([tcp, udp]);
    expect(ports(await apply(WEB, config([udp]), 'm'))).toEqual([udp]);
    const { protocol: _, ...noProtocol } = tcp;
    const both = await apply(WEB, config([udp, noProtocol]), 'm');
    expect(ports(both)).toEqual([udp, tcp]);
    const twice = await apply(WEB, config([tcp, { ...tcp, name: 'again' }]), 'm');
    expect(twice).toMatchObject({ code: 500, json: { message: expect.stringContaining('duplicate entries for key [containerPort=53,protocol="TCP"]') } });
  });
});
