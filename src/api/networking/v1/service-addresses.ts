import { age } from '../../duration.ts';
import type { IPAddress, ParentReference, ServiceCIDR } from '../../generated/types/networking.v1.ts';
import type { KindBehaviour } from '../../kind.ts';

/** `services/default/kubernetes` */
function parentText({ group, resource, namespace, name }: ParentReference): string {
  const type = `${resource ?? ''}${group ? `.${group}` : ''}`.toLowerCase();
  return [type, ...(namespace ? [namespace] : []), name ?? ''].join('/');
}

/** Upstream's row has an age as well, for which there is no column. */
export const ipAddress: KindBehaviour<IPAddress> = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'IPAddress',
  row: ({ metadata, spec }, nowMs) => [metadata.name ?? '', spec.parentRef ? parentText(spec.parentRef) : '<none>', age(metadata.creationTimestamp, nowMs)],
};

export const serviceCIDR: KindBehaviour<ServiceCIDR> = {
  group: 'networking.k8s.io',
  version: 'v1',
  kind: 'ServiceCIDR',
  row: ({ metadata, spec }, nowMs) => [metadata.name ?? '', (spec.cidrs ?? []).join(), age(metadata.creationTimestamp, nowMs)],
};
