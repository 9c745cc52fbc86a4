import { age } from '../../duration.ts';
import type { DeviceClass, ResourceClaim, ResourceSlice } from '../../generated/types/resource.v1.ts';
import type { KindBehaviour } from '../../kind.ts';

function stateOf({ metadata, status }: ResourceClaim): string {
  const { allocation, reservedFor } = status ?? {};
  const isLeaving = metadata.deletionTimestamp !== undefined;
  return [
    ...(isLeaving ? ['deleted'] : []),
    ...(allocation ? ['allocated', ...(reservedFor?.length ? ['reserved'] : [])] : isLeaving ? [] : ['pending']),
  ].join();
}

export const resourceClaim: KindBehaviour<ResourceClaim> = {
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceClaim',
  returnsDeleted: true,
  row: (object, nowMs) => [object.metadata.name ?? '', stateOf(object), age(object.metadata.creationTimestamp, nowMs)],
};

export const deviceClass: KindBehaviour<DeviceClass> = {
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'DeviceClass',
  hasGeneration: true,
};

/** Upstream: pkg/registry/resource/resourceslice/strategy.go. */
export const resourceSlice: KindBehaviour<ResourceSlice> = {
  group: 'resource.k8s.io',
  version: 'v1',
  kind: 'ResourceSlice',
  hasGeneration: true,
  row: ({ metadata, spec }, nowMs) => [
    metadata.name ?? '',
    spec.nodeName ?? '',
    spec.driver ?? '',
    spec.pool?.name ?? '',
    age(metadata.creationTimestamp, nowMs),
  ],
  selectableFields: {
    'spec.nodeName': ({ spec }) => spec.nodeName ?? '',
    'spec.driver': ({ spec }) => spec.driver ?? '',
  },
};
