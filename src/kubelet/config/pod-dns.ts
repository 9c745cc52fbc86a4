import type { Pod } from '../../api/generated/types/core.v1.ts';
import type { Machine, PodSandboxConfig } from '../../runtime/runtime.ts';

const MAX_SERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;
const CLUSTER_OPTIONS = ['ndots:5'];

export interface ClusterDns {
  /** Addresses of the servers that know the cluster's names; empty where there are none. */
  servers: readonly string[];
  /** `cluster.local` */
  domain: string;
}

type Dns = NonNullable<PodSandboxConfig['dns']>;

/** What a pod's /etc/resolv.conf says (upstream: pkg/kubelet/network/dns). */
export function podDns({ metadata, spec }: Pod, cluster: ClusterDns, machine: Machine['dns']): Dns {
  const base = baseOf(spec, metadata.namespace ?? '', cluster, machine);
  const { nameservers = [], searches = [], options = [] } = spec.dnsConfig ?? {};
  const merged = new Map(base.options.map((option): [string, string] => [option.split(':')[0]!, option]));
  for (const { name = '', value } of options) merged.set(name, value ? `${name}:${value}` : name);
  return {
    servers: [...new Set([...base.servers, ...nameservers])].slice(0, MAX_SERVERS),
    searches: fitting([...new Set([...base.searches, ...searches])]),
    options: [...merged.values()],
  };
}

function baseOf({ dnsPolicy, hostNetwork }: Pod['spec'], namespace: string, { servers, domain }: ClusterDns, machine: Machine['dns']): Dns {
  if (dnsPolicy === 'None') return { servers: [], searches: [], options: [] };
  const wantsCluster = dnsPolicy === 'ClusterFirstWithHostNet' || (dnsPolicy !== 'Default' && !hostNetwork);
  if (!wantsCluster || servers.length === 0) return machine;
  const own = domain ? [`${namespace}.svc.${domain}`, `svc.${domain}`, domain] : [];
  return { servers, searches: [...own, ...machine.searches], options: CLUSTER_OPTIONS };
}

function fitting(searches: readonly string[]): string[] {
  const fit: string[] = [];
  for (const search of searches) {
    if (fit.length === MAX_SEARCHES || [...fit, search].join(' ').length > MAX_SEARCH_CHARACTERS) break;
    fit.push(search);
  }
  return fit;
}
