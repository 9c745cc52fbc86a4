import type { Pod } from '../../api/generated/types/core.v1.ts';

const LONGEST_HOSTNAME = 63;

/** The name that a pod's processes see, and the domain that its subdomain makes (upstream: GeneratePodHostNameAndDomain). */
export function hostnameOf({ metadata, spec }: Pod, clusterDomain: string): { hostname: string; domain: string } {
  // A name is cut at the length that the kernel takes, and does not end in a dash or a dot then.
  const hostname = (spec.hostname || (metadata.name ?? '')).slice(0, LONGEST_HOSTNAME).replace(/[-.]+$/, '');
  return { hostname, domain: spec.subdomain ? `${spec.subdomain}.${metadata.namespace}.svc.${clusterDomain}` : '' };
}

export interface HostsFileOptions {
  podIPs: readonly string[];
  clusterDomain: string;
  /** What the machine's own file says, for pods on its network. */
  machineHosts: string;
}

/** A pod's /etc/hosts (upstream: pkg/kubelet/kubelet_pods.go). */
export function hostsFile(pod: Pod, { podIPs, clusterDomain, machineHosts }: HostsFileOptions): string {
  const aliases = pod.spec.hostAliases ?? [];
  const added = aliases.length
    ? ['', '# Entries added by HostAliases.', ...aliases.map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join('\t')}`), ''].join('\n')
    : '';
  if (pod.spec.hostNetwork) return `# Kubernetes-managed hosts file (host network).\n${machineHosts}${added}`;
  const { hostname, domain } = hostnameOf(pod, clusterDomain);
  const own = podIPs.map((ip) => `${ip}\t${domain ? `${hostname}.${domain}\t` : ''}${hostname}\n`).join('');
  return `# Kubernetes-managed hosts file.\n${LOOPBACK}${own}${added}`;
}

const LOOPBACK = [
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
  '',
].join('\n');
