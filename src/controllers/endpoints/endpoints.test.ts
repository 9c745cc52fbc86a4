import { describe, expect, it } from 'vitest';
import type { Endpoints, Pod, Service } from '../../api/generated/types/core.v1.ts';
import type { EndpointSlice } from '../../api/generated/types/discovery.v1.ts';
import type { Action, CreateAction, UpdateAction } from '../runtime/plan.ts';
import type { ServiceSnapshot } from './backends.ts';
import { planEndpointSlices } from './endpoint-slices.ts';
import { planEndpoints } from './endpoints.ts';
import { TRIGGER_TIME, TriggerTimes } from './trigger-times.ts';

const service = (spec: object): Service =>
  ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 's', namespace: 'n', uid: 'service' },
    spec: { selector: { app: 'web' }, ipFamilies: ['IPv4'], ...spec },
    status: { loadBalancer: {} },
  }) as Service;

function pod(
  name: string,
  {
    ready = true,
    ports = [] as { name: string; containerPort: number; protocol: string }[],
    ...metadata
  }: { ready?: boolean; ports?: { name: string; containerPort: number; protocol: string }[]; deletionTimestamp?: string } = {},
): Pod {
  const number = Number(name.slice(1));
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'n', uid: name, labels: { app: 'web' }, ...metadata },
    spec: { nodeName: 'node', containers: [{ name: 'c', image: 'a', resources: {}, ports }] },
    status: { phase: 'Running', podIP: `10.0.0.${number}`, conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  } as Pod;
}

const snapshot = (of: Service | undefined, pods: Pod[], slices: EndpointSlice[] = []): ServiceSnapshot => ({
  key: { namespace: 'n', name: 's' },
  service: of,
  pods,
  endpoints: undefined,
  slices,
});
const created = (actions: Action[]): EndpointSlice[] => actions.filter((a): a is CreateAction => a.type === 'create').map((a) => a.object as EndpointSlice);
const stored = (slice: EndpointSlice, name: string): EndpointSlice => ({
  ...slice,
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { ...slice.metadata, name, uid: name },
});
const names = (slice: EndpointSlice): (string | undefined)[] => (slice.endpoints ?? []).map((endpoint) => endpoint.targetRef?.name);

describe('endpoints of a Service', () => {
  it('C147 EP-3 EP-4: a named target port is looked up in each pod, by protocol too', () => {
    const http = (containerPort: number, protocol = 'TCP') => ({ ports: [{ name: 'http', containerPort, protocol }] });
    const pods = [pod('p1', http(8080)), pod('p2', http(9090)), pod('p3', http(8080, 'UDP')), pod('p4')];
    const named = service({ ports: [{ port: 80, protocol: 'TCP', targetPort: 'http' }] });
    const slices = created(planEndpointSlices(snapshot(named, pods)).actions);
    expect(slices.map((slice) => [slice.ports?.[0]?.port, names(slice)])).toEqual([
      [8080, ['p1']],
      [9090, ['p2']],
    ]);
    const { subsets } = (planEndpoints(snapshot(named, pods)).actions[0] as CreateAction).object as {
      subsets: { addresses: { ip: string }[]; ports: object[] }[];
    };
    expect(subsets.map(({ addresses, ports }) => [addresses.map((a) => a.ip), ports])).toEqual([
      [['10.0.0.1'], [{ port: 8080, protocol: 'TCP' }]],
      [['10.0.0.2'], [{ port: 9090, protocol: 'TCP' }]],
    ]);
    const numeric = service({ ports: [{ port: 80, protocol: 'TCP', targetPort: 8080 }] });
    expect(names(created(planEndpointSlices(snapshot(numeric, pods)).actions)[0]!)).toEqual(['p1', 'p2', 'p3', 'p4']);
  });

  it('EP-5: a pod on its way out serves, but is not ready; one that is not ready is told as such', () => {
    const pods = [pod('p1'), pod('p2', { deletionTimestamp: '2026-01-01T00:00:00Z' }), pod('p3', { ready: false })];
    const [slice] = created(planEndpointSlices(snapshot(service({ ports: [{ port: 80, protocol: 'TCP' }] }), pods)).actions);
    expect(slice?.endpoints.map((e) => e.conditions)).toEqual([
      { ready: true, serving: true, terminating: false },
      { ready: false, serving: true, terminating: true },
      { ready: false, serving: false, terminating: false },
    ]);
    const eager = created(planEndpointSlices(snapshot(service({ ports: [{ port: 80, protocol: 'TCP' }], publishNotReadyAddresses: true }), pods)).actions)[0];
    expect(eager?.endpoints.map((e) => e.conditions?.ready)).toEqual([true, true, true]);
  });

  it('EP-20: a hundred in a slice; those that stay, stay where they are', () => {
    const of = service({ ports: [{ port: 80, protocol: 'TCP' }] });
    const pods = Array.from({ length: 150 }, (_, i) => pod(`p${i}`));
    const slices = created(planEndpointSlices(snapshot(of, pods)).actions).map((slice, i) => stored(slice, `s-${i}`));
    expect(slices.map((slice) => slice.endpoints.length)).toEqual([100, 50]);
    expect(planEndpointSlices(snapshot(of, pods, slices)).actions).toEqual([]);
    const changed = [...pods.slice(1), pod('p999')];
    const updates = planEndpointSlices(snapshot(of, changed, slices)).actions as UpdateAction[];
    expect(updates.map((a) => [a.type, a.object.metadata.name])).toEqual([['update', 's-0']]);
    expect(names(updates[0]!.object as EndpointSlice).at(-1)).toBe('p999');
  });

  it('EP-1 EP-21: one empty slice where nothing matches, none where the endpoints are somebody else’s', () => {
    const of = service({ ports: [{ port: 80, protocol: 'TCP' }] });
    const [empty] = created(planEndpointSlices(snapshot(of, [])).actions);
    expect(empty).toMatchObject({ endpoints: [], addressType: 'IPv4' });
    expect(planEndpointSlices(snapshot(of, [], [stored(empty!, 's-0')])).actions).toEqual([]);
    for (const spec of [{ selector: undefined }, { type: 'ExternalName' }])
      expect(planEndpointSlices(snapshot(service(spec), [pod('p1')])).actions).toEqual([]);
    expect(planEndpointSlices(snapshot(undefined, [])).actions).toEqual([]);
  });
});

describe('what an endpoint and its objects look like', () => {
  const PORTS = [{ port: 80, protocol: 'TCP' }];
  const subsetsOf = (of: Service, pods: Pod[]): unknown => ((planEndpoints(snapshot(of, pods)).actions[0] as CreateAction).object as Endpoints).subsets;

  it('EP-2 EP-10: ready pods and others apart, by address; without an address, ended or going: none', () => {
    const [waiting, ended] = [pod('p4'), pod('p5')];
    const pods = [
      pod('p2'),
      pod('p1'),
      pod('p3', { ready: false }),
      pod('p6', { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      { ...waiting, status: { ...waiting.status, podIP: undefined } } as unknown as Pod,
      { ...ended, status: { ...ended.status, phase: 'Succeeded' } } as Pod,
    ];
    expect(subsetsOf(service({ ports: PORTS }), pods)).toMatchObject([
      { addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }], notReadyAddresses: [{ ip: '10.0.0.3' }], ports: [{ port: 80, protocol: 'TCP' }] },
    ]);
    expect(subsetsOf(service({ ports: PORTS, publishNotReadyAddresses: true }), pods)).toMatchObject([
      { addresses: ['10.0.0.1', '10.0.0.2', '10.0.0.3', '10.0.0.6'].map((ip) => ({ ip })) },
    ]);
  });

  it('EP-6: a pod of the Service’s subdomain has its hostname', () => {
    const named = (subdomain: string): Pod => ({ ...pod('p1'), spec: { ...pod('p1').spec, hostname: 'web-0', subdomain } }) as Pod;
    for (const [subdomain, hostname] of [
      ['s', 'web-0'],
      ['other', undefined],
    ] as const) {
      const [slice] = created(planEndpointSlices(snapshot(service({ ports: PORTS }), [named(subdomain)])).actions);
      expect(slice?.endpoints[0]?.hostname).toBe(hostname);
    }
  });

  it('EP-11 EP-12: the object has the Service’s labels and its keeper’s, changes only with what it shows, and goes with the Service', () => {
    const of = service({ ports: PORTS, clusterIP: 'None' });
    const labelled = { ...of, metadata: { ...of.metadata, labels: { team: 'a' } } };
    const written = (planEndpoints(snapshot(labelled, [pod('p1')])).actions[0] as CreateAction).object as Endpoints;
    const labels = { team: 'a', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller', 'service.kubernetes.io/headless': '' };
    expect(written.metadata).toMatchObject({ name: 's', namespace: 'n', labels });
    const stored = { ...written, metadata: { ...written.metadata, uid: 'e' } };
    expect(planEndpoints({ ...snapshot(labelled, [pod('p1')]), endpoints: stored }).actions).toEqual([]);
    expect(planEndpoints({ ...snapshot(of, [pod('p1')]), endpoints: stored }).actions).toMatchObject([{ type: 'update' }]);
    expect(planEndpoints({ ...snapshot(undefined, []), endpoints: stored }).actions).toMatchObject([{ type: 'delete', name: 's', uid: 'e' }]);
    const foreign = { ...stored, metadata: { ...stored.metadata, labels: {} } };
    expect(planEndpoints({ ...snapshot(undefined, []), endpoints: foreign }).actions).toEqual([]);
  });

  it('EP-22 EP-23: a slice belongs to its Service; one that is empty beside others, or of other ports, goes', () => {
    const of = service({ ports: PORTS });
    const pods = Array.from({ length: 101 }, (_, i) => pod(`p${i}`));
    const [first, second] = created(planEndpointSlices(snapshot(of, pods)).actions);
    expect(first).toMatchObject({
      metadata: {
        generateName: 's-',
        labels: { 'kubernetes.io/service-name': 's', 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 's', uid: 'service', controller: true, blockOwnerDeletion: true }],
      },
      addressType: 'IPv4',
    });
    const slices = [stored(first!, 's-0'), stored(second!, 's-1')];
    expect(planEndpointSlices(snapshot(of, pods.slice(0, 100), slices)).actions).toMatchObject([{ type: 'delete', name: 's-1' }]);
    const moved = service({ ports: [{ port: 81, protocol: 'TCP' }] });
    const actions = planEndpointSlices(snapshot(moved, pods.slice(0, 1), slices)).actions;
    expect(actions.map((action) => action.type)).toEqual(['create', 'delete', 'delete']);
  });
});

describe('the time of the change', () => {
  const T = (second: number): string => `2026-01-01T00:00:0${second}Z`;
  const created = (second: number): Service => {
    const of = service({ ports: [{ port: 80, protocol: 'TCP' }] });
    return { ...of, metadata: { ...of.metadata, creationTimestamp: T(second) } };
  };
  const readySince = (name: string, second: number): Pod => {
    const of = pod(name);
    return { ...of, status: { ...of.status, conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: T(second) }] } };
  };

  it('EP-30: is that of the Service at first, and of the earliest change then', () => {
    const times = new TriggerTimes();
    expect(times.next('n/s', created(3), [readySince('p1', 1)])).toBe(T(3));
    expect(times.next('n/s', created(3), [readySince('p1', 1)])).toBeUndefined();
    expect(times.next('n/s', created(3), [readySince('p1', 5), readySince('p2', 4)])).toBe(T(4));
    expect(times.next('n/s', created(3), [readySince('p2', 4)])).toBeUndefined();
    expect(times.next('n/s', created(6), [readySince('p1', 7)])).toBe(T(6));
    times.forget('n/s');
    expect(times.next('n/s', created(3), [])).toBe(T(3));
  });

  it('EP-31: stands on what is written, and goes when a change has none', () => {
    const of = created(0);
    const annotations = { [TRIGGER_TIME]: T(1) };
    const first = { ...snapshot(of, [pod('p1')]), triggerTime: T(1) };
    const [slice] = (planEndpointSlices(first).actions as CreateAction[]).map((a) => a.object as EndpointSlice);
    expect(slice?.metadata.annotations).toEqual(annotations);
    const written = (planEndpoints(first).actions[0] as CreateAction).object as Endpoints;
    expect(written.metadata.annotations).toEqual(annotations);
    const second = {
      ...snapshot(of, [pod('p2')], [stored(slice!, 's-0')]),
      endpoints: written,
    };
    for (const plan of [planEndpointSlices(second), planEndpoints(second)])
      expect((plan.actions as UpdateAction[]).map((a) => [a.type, a.object.metadata.annotations])).toEqual([['update', undefined]]);
  });
});
