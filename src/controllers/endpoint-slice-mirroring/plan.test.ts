import { expect, it } from 'vitest';
import type { Endpoints } from '../../api/generated/types/core.v1.ts';
import type { EndpointSlice } from '../../api/generated/types/discovery.v1.ts';
import { planMirroring } from './plan.ts';

const METADATA = {
  name: 'hand',
  namespace: 'default',
  uid: 'e1',
  labels: { x: 'y' },
  annotations: { a: 'b', 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
};
const endpoints = (...subsets: Endpoints['subsets'] & object): Endpoints => ({ apiVersion: 'v1', kind: 'Endpoints', metadata: METADATA, subsets }) as Endpoints;

/** What an empty cluster would hold after the plan; slices keep the names that they have. */
function carriedOut(mirrored: Endpoints | undefined, slices: EndpointSlice[] = []): EndpointSlice[] {
  const standing = new Map(slices.map((slice) => [slice.metadata.name, slice]));
  for (const action of planMirroring({ endpoints: mirrored, slices }).actions) {
    if (action.type === 'delete') standing.delete(action.name);
    else if (action.type === 'update') standing.set(action.object.metadata.name, action.object as EndpointSlice);
    else if (action.type === 'create') {
      const name = `hand-${standing.size}`;
      standing.set(name, { ...action.object, metadata: { ...action.object.metadata, name } } as unknown as EndpointSlice);
    }
  }
  return [...standing.values()];
}

const HTTP = { name: 'http', port: 80 };

it('each family and set of ports has a slice, with the labels and annotations of the Endpoints', () => {
  const [four, six] = carriedOut(
    endpoints({ addresses: [{ ip: '10.0.0.1', hostname: 'h' }, { ip: 'fd00::1' }], notReadyAddresses: [{ ip: '10.0.0.2' }], ports: [HTTP] }),
  );
  expect(four).toMatchObject({
    addressType: 'IPv4',
    metadata: {
      annotations: { a: 'b' },
      labels: { x: 'y', 'kubernetes.io/service-name': 'hand', 'endpointslice.kubernetes.io/managed-by': 'endpointslicemirroring-controller.k8s.io' },
      ownerReferences: [{ kind: 'Endpoints', name: 'hand', uid: 'e1', controller: true }],
    },
    ports: [{ name: 'http', port: 80, protocol: 'TCP' }],
    endpoints: [
      { addresses: ['10.0.0.1'], conditions: { ready: true }, hostname: 'h' },
      { addresses: ['10.0.0.2'], conditions: { ready: false } },
    ],
  });
  expect(six).toMatchObject({ addressType: 'IPv6', endpoints: [{ addresses: ['fd00::1'] }] });
});

it('what is in line stays, in whatever order', () => {
  const first = carriedOut(endpoints({ addresses: [{ ip: '10.0.0.1' }, { ip: '10.0.0.2' }], ports: [HTTP] }));
  expect(planMirroring({ endpoints: endpoints({ addresses: [{ ip: '10.0.0.2' }, { ip: '10.0.0.1' }], ports: [HTTP] }), slices: first }).actions).toEqual([]);
});

it('a slice of other ports becomes the new one, rather than one going and one coming', () => {
  const first = carriedOut(endpoints({ addresses: [{ ip: '10.0.0.1' }], ports: [HTTP] }));
  const { actions } = planMirroring({ endpoints: endpoints({ addresses: [{ ip: '10.0.0.1' }], ports: [{ name: 'http', port: 81 }] }), slices: first });
  expect(actions).toMatchObject([{ type: 'update', object: { metadata: { name: 'hand-0' }, ports: [{ port: 81 }] } }]);
});

it('nothing is left of what is not to be mirrored, or has no addresses', () => {
  const first = carriedOut(endpoints({ addresses: [{ ip: '10.0.0.1' }], ports: [HTTP] }));
  expect(carriedOut(undefined, first)).toEqual([]);
  expect(carriedOut(endpoints({ ports: [HTTP] }), first)).toEqual([]);
});

it('a thousand addresses of a subset are mirrored, and the rest told of', () => {
  const addresses = Array.from({ length: 1001 }, (_, i) => ({ ip: `10.0.${i >> 8}.${i & 255}` }));
  const { actions } = planMirroring({ endpoints: endpoints({ addresses, ports: [HTTP] }), slices: [] });
  expect(actions).toMatchObject([
    { type: 'event', note: { reason: 'TooManyAddressesToMirror', message: expect.stringContaining('1 addresses were skipped') } },
    { type: 'create', object: { endpoints: { length: 1000 } } },
  ]);
});
