import type { Pod, Service } from '../../api/generated/types/core.v1.ts';

/** The services of a namespace, as far as they are known by now. */
export interface ServiceSource {
  services(namespace: string): Promise<readonly Service[]>;
}

/** The one service that every pod is told of. */
const MASTER = { namespace: 'default', name: 'kubernetes' };

/** Variables that tell a pod's containers where services are (upstream: pkg/kubelet/envvars, getServiceEnvVarMap). */
export async function serviceEnvironment({ metadata, spec }: Pod, source: ServiceSource): Promise<Map<string, string>> {
  const isMaster = ({ metadata: { name } }: Service): boolean => name === MASTER.name;
  const byName = new Map<string, Service>();
  if (spec.enableServiceLinks ?? true) {
    for (const service of await source.services(metadata.namespace ?? '')) byName.set(service.metadata.name ?? '', service);
  }
  for (const service of await source.services(MASTER.namespace)) if (isMaster(service) && !byName.has(MASTER.name)) byName.set(MASTER.name, service);
  const services = [...byName.values()].filter(({ spec: { clusterIP } }) => clusterIP && clusterIP !== 'None');
  return new Map(services.flatMap(variablesOf));
}

const upper = (name: string): string => name.replaceAll('-', '_').toUpperCase();

function variablesOf({ metadata, spec }: Service): [string, string][] {
  const name = upper(metadata.name ?? '');
  const address = spec.clusterIP ?? '';
  const [first, ...others] = spec.ports ?? [];
  if (!first) return [];
  const host = address.includes(':') ? `[${address}]` : address;
  const links = [first, ...others].flatMap(({ port, protocol = 'TCP' }, index): [string, string][] => {
    const url = `${protocol.toLowerCase()}://${host}:${port}`;
    const key = `${name}_PORT_${port}_${protocol.toUpperCase()}`;
    return [
      ...(index === 0 ? [[`${name}_PORT`, url] as [string, string]] : []),
      [key, url],
      [`${key}_PROTO`, protocol.toLowerCase()],
      [`${key}_PORT`, String(port)],
      [`${key}_ADDR`, address],
    ];
  });
  const named = [first, ...others].filter((port) => port.name);
  return [
    [`${name}_SERVICE_HOST`, address],
    [`${name}_SERVICE_PORT`, String(first.port)],
    ...named.map((port): [string, string] => [`${name}_SERVICE_PORT_${upper(port.name!)}`, String(port.port)]),
    ...links,
  ];
}
