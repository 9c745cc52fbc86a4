import { age } from '../../duration.ts';
import type { EndpointSlice } from '../../generated/types/discovery.v1.ts';
import type { KindBehaviour } from '../../resource.ts';

const SHOWN = 3;

function brief(all: readonly string[]): string {
  if (all.length === 0) return '<unset>';
  return all.length > SHOWN ? `${all.slice(0, SHOWN).join(',')} + ${all.length - SHOWN} more...` : all.join(',');
}

/** Upstream: pkg/apis/discovery/v1/defaults.go, pkg/registry/discovery/endpointslice/strategy.go. */
export const endpointSlice: KindBehaviour<EndpointSlice> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  hasGeneration: true,
  setDefaults: ({ ports }) => {
    for (const port of ports ?? []) {
      port.name ??= '';
      port.protocol ??= 'TCP';
    }
  },
  row: ({ metadata, addressType, ports, endpoints }, nowMs) => [
    metadata.name ?? '',
    addressType,
    brief((ports ?? []).map(({ port }) => (port === undefined ? '*' : String(port)))),
    brief((endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
    age(metadata.creationTimestamp, nowMs),
  ],
};
