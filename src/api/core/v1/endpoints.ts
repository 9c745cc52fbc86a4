import { age } from '../../duration.ts';
import type { Endpoints } from '../../generated/types/core.v1.ts';
import { ipFamily } from '../../names.ts';
import type { KindBehaviour } from '../../resource.ts';

const SHOWN = 3;

function addressesOf({ subsets }: Endpoints): string {
  const all = (subsets ?? []).flatMap(({ addresses = [], ports = [] }) =>
    ports.length === 0
      ? addresses.map(({ ip }) => ip)
      : ports.flatMap(({ port }) => addresses.map(({ ip }) => (ipFamily(ip) === 6 ? `[${ip}]:${port}` : `${ip}:${port}`))),
  );
  if (all.length === 0) return '<none>';
  return all.length > SHOWN ? `${all.slice(0, SHOWN).join(',')} + ${all.length - SHOWN} more...` : all.join(',');
}

/** Upstream: pkg/registry/core/endpoint/strategy.go. */
export const endpoints: KindBehaviour<Endpoints> = {
  group: '',
  version: 'v1',
  kind: 'Endpoints',
  allowCreateOnUpdate: true,
  setDefaults: ({ subsets }) => {
    for (const { ports } of subsets ?? []) for (const port of ports ?? []) port.protocol ||= 'TCP';
  },
  row: (object, nowMs) => [object.metadata.name ?? '', addressesOf(object), age(object.metadata.creationTimestamp, nowMs)],
  warnings: () => ['v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice'],
};
