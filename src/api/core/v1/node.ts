import { age } from '../../duration.ts';
import type { Node } from '../../generated/types/core.v1.ts';
import type { Cell, KindBehaviour } from '../../resource.ts';
import { roundUpResources } from './pod/defaults.ts';

const ROLE_PREFIX = 'node-role.kubernetes.io/';

function rolesOf({ metadata }: Node): string {
  const roles = new Set<string>();
  for (const [key, value] of Object.entries(metadata.labels ?? {})) {
    if (key.startsWith(ROLE_PREFIX) && key.length > ROLE_PREFIX.length) roles.add(key.slice(ROLE_PREFIX.length));
    else if (key === 'kubernetes.io/role' && value) roles.add(value);
  }
  return [...roles].sort().join(',') || '<none>';
}

function row(node: Node, nowMs: number): Cell[] {
  const ready = node.status.conditions?.find((c) => c.type === 'Ready');
  const status = ready ? (ready.status === 'True' ? 'Ready' : 'NotReady') : 'Unknown';
  const address = (type: string): string => node.status.addresses?.find((a) => a.type === type)?.address ?? '<none>';
  const info = node.status.nodeInfo;
  return [
    node.metadata.name ?? '',
    node.spec.unschedulable ? `${status},SchedulingDisabled` : status,
    rolesOf(node),
    age(node.metadata.creationTimestamp, nowMs),
    info?.kubeletVersion ?? '',
    address('InternalIP'),
    address('ExternalIP'),
    info?.osImage || '<unknown>',
    info?.kernelVersion || '<unknown>',
    info?.containerRuntimeVersion || '<unknown>',
  ];
}

/** Upstream: pkg/registry/core/node/strategy.go. */
export const node: KindBehaviour<Node> = {
  group: '',
  version: 'v1',
  kind: 'Node',
  hasStatus: true,
  allowCreateOnUpdate: false,
  setDefaults: ({ status }) => {
    if (status.capacity) {
      roundUpResources(status.capacity);
      status.allocatable ??= { ...status.capacity };
    }
    if (status.allocatable) roundUpResources(status.allocatable);
  },
  row,
  selectableFields: { 'spec.unschedulable': ({ spec }) => String(spec.unschedulable ?? false) },
};
