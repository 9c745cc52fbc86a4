import type { Pod } from '../../api/generated/types/core.v1.ts';
import type { Machine, PodSandboxConfig, PortMapping } from '../../runtime/runtime.ts';
import { NODE_LABEL, POD_NAME_LABEL, POD_NAMESPACE_LABEL, POD_UID_LABEL } from '../labels.ts';
import { hostnameOf } from './hosts-file.ts';
import type { NodePaths } from './node-paths.ts';
import { type ClusterDns, podDns } from './pod-dns.ts';
import { sandboxSecurity } from './security.ts';

export interface SandboxContext {
  attempt: number;
  paths: NodePaths;
  clusterDns: ClusterDns;
  machine: Machine;
  cgroupParent: string | undefined;
  /** The handler that the pod's RuntimeClass names. */
  runtimeHandler: string | undefined;
}

/** What the runtime is told of a pod as a whole; the same each time that it is worked out (upstream: kuberuntime_sandbox.go). */
export function sandboxConfig(pod: Pod, { attempt, paths, clusterDns, machine, cgroupParent, runtimeHandler }: SandboxContext): PodSandboxConfig {
  const { name = '', namespace = '', uid = '', labels = {}, annotations = {} } = pod.metadata;
  const { spec } = pod;
  const sysctls = Object.fromEntries((spec.securityContext?.sysctls ?? []).map((sysctl) => [sysctl.name, sysctl.value]));
  return {
    metadata: { name, namespace, uid, attempt },
    hostname: spec.hostNetwork ? '' : hostnameOf(pod, clusterDns.domain).hostname,
    labels: { ...labels, [POD_NAME_LABEL]: name, [POD_NAMESPACE_LABEL]: namespace, [POD_UID_LABEL]: uid, [NODE_LABEL]: spec.nodeName ?? '' },
    annotations,
    logDirectory: paths.logs(pod.metadata),
    dns: podDns(pod, clusterDns, machine.dns),
    portMappings: portMappings(pod),
    sysctls,
    securityContext: sandboxSecurity(pod),
    ...(cgroupParent === undefined ? {} : { cgroupParent }),
    ...(runtimeHandler === undefined ? {} : { runtimeHandler }),
  };
}

function portMappings({ spec }: Pod): PortMapping[] {
  if (spec.hostNetwork) return [];
  const sidecars = (spec.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...sidecars, ...spec.containers]
    .flatMap(({ ports = [] }) => ports)
    .filter(({ hostPort }) => hostPort)
    .map(({ protocol = 'TCP', containerPort, hostPort = 0, hostIP = '' }) => ({
      protocol: protocol as PortMapping['protocol'],
      containerPort,
      hostPort,
      hostIP,
    }));
}
