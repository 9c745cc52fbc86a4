import { age } from '../../duration.ts';
import type { APIService } from '../../generated/types/apiregistration.v1.ts';
import type { KindBehaviour } from '../../kind.ts';

function availability({ status }: APIService): string {
  const condition = status?.conditions?.find(({ type }) => type === 'Available');
  if (!condition) return 'Unknown';
  return condition.status !== 'True' && condition.reason ? `${condition.status} (${condition.reason})` : condition.status;
}

/** Upstream: kube-aggregator/pkg/registry/apiservice/etcd, ConvertToTable. */
export const apiService: KindBehaviour<APIService> = {
  group: 'apiregistration.k8s.io',
  version: 'v1',
  kind: 'APIService',
  storagePrefix: 'apiregistration.k8s.io/apiservices',
  row: (object, nowMs) => {
    const { metadata, spec } = object;
    const service = spec.service ? `${spec.service.namespace ?? ''}/${spec.service.name ?? ''}` : 'Local';
    return [metadata.name ?? '', service, availability(object), age(metadata.creationTimestamp, nowMs)];
  },
};
