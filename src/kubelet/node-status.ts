import type { Node, NodeCondition } from '../api/generated/types/core.v1.ts';
import type { Draft } from '../api/object.ts';
import { timestamp } from '../lib/clock.ts';
import type { Machine, RuntimeCondition } from '../runtime/runtime.ts';

export const KUBELET_VERSION = 'v1.34.0';

/** What a node says of itself. */
export interface NodeDescription {
  name: string;
  hostIP: string;
  /** Range of the pods' addresses; undefined where the runtime's own network decides. */
  podCIDR: string | undefined;
  machine: Machine;
  /** Quantities by resource that stand before the machine's own. */
  capacity?: Readonly<Record<string, string>> | undefined;
  labels?: Readonly<Record<string, string>> | undefined;
  taints?: readonly { key: string; value?: string; effect: string }[] | undefined;
  /** `containerd://1.7.2`; for the runtime that answers `version()`. */
  containerRuntimeVersion: string;
  /** Stable identifiers of the machine. */
  uuid: string;
  kubeletPort?: number | undefined;
}

/** Upstream: pkg/kubelet/nodestatus/setters.go. @param fault why the node can run no pods, where it cannot */
export function nodeConditions(old: readonly NodeCondition[] | undefined, nowMs: number, fault?: string): NodeCondition[] {
  const now = timestamp(nowMs);
  const condition = (type: string, status: string, reason: string, message: string): NodeCondition => {
    const before = old?.find((c) => c.type === type);
    const since = before?.status === status ? before.lastTransitionTime : undefined;
    return { type, status, lastHeartbeatTime: now, lastTransitionTime: since ?? now, reason, message };
  };
  return [
    condition('MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
    condition('DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
    condition('PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
    fault === undefined ? condition('Ready', 'True', 'KubeletReady', 'kubelet is posting ready status') : condition('Ready', 'False', 'KubeletNotReady', fault),
  ];
}

/** The Node as the kubelet registers it. */
export function nodeObject(description: NodeDescription, nowMs: number): Draft<Node> {
  const { name, hostIP, podCIDR, labels, taints, uuid, machine } = description;
  const capacity = { ...machine.capacity, ...description.capacity };
  return {
    metadata: {
      name,
      labels: {
        'beta.kubernetes.io/arch': machine.architecture,
        'beta.kubernetes.io/os': 'linux',
        'kubernetes.io/arch': machine.architecture,
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        ...labels,
      },
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    },
    spec: { ...(podCIDR === undefined ? {} : { podCIDR, podCIDRs: [podCIDR] }), ...(taints?.length ? { taints: taints.map((taint) => ({ ...taint })) } : {}) },
    status: {
      capacity,
      allocatable: capacity,
      conditions: nodeConditions(undefined, nowMs),
      addresses: [
        { type: 'InternalIP', address: hostIP },
        { type: 'Hostname', address: name },
      ],
      daemonEndpoints: { kubeletEndpoint: { Port: description.kubeletPort ?? 10250 } },
      nodeInfo: {
        machineID: machine.machineId ?? uuid.replaceAll('-', ''),
        systemUUID: uuid,
        bootID: machine.bootId ?? uuid,
        kernelVersion: machine.kernelVersion,
        osImage: machine.osImage,
        containerRuntimeVersion: description.containerRuntimeVersion,
        kubeletVersion: KUBELET_VERSION,
        kubeProxyVersion: '',
        operatingSystem: 'linux',
        architecture: machine.architecture,
      },
    },
  };
}

/** What keeps a runtime from running pods (upstream: pkg/kubelet/runtime.go). @param ask for its conditions */
export async function runtimeFault(ask: () => Promise<readonly RuntimeCondition[]>): Promise<string | undefined> {
  let conditions: readonly RuntimeCondition[];
  try {
    conditions = await ask();
  } catch {
    return 'container runtime is down';
  }
  const spoken = ({ type, status, reason, message }: RuntimeCondition): string => `${type}=${status} reason:${reason} message:${message}`;
  const [runtime, network] = ['RuntimeReady', 'NetworkReady'].map((type) => conditions.find((condition) => condition.type === type && !condition.status));
  if (runtime) return `container runtime not ready: ${spoken(runtime)}`;
  return network && `container runtime network not ready: ${spoken(network)}`;
}
