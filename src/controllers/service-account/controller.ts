import type { Namespace } from '../../api/generated/types/core.v1.ts';
import { Namespaces, ServiceAccounts } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { type Controller, watchRule } from '../runtime/controller.ts';
import { NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';

const NAME = 'default';

export interface ServiceAccountSnapshot {
  namespace: Namespace;
  exists: boolean;
}

/** Sees to it that every active namespace has its default ServiceAccount. Upstream: pkg/controller/serviceaccount. */
export function serviceAccountController(informers: InformerFactory): Controller<ServiceAccountSnapshot> {
  const namespaces = informers.lister(Namespaces);
  const serviceAccounts = informers.lister(ServiceAccounts);
  return {
    name: 'service-account-controller',
    watches: [
      watchRule(Namespaces, ({ type, object }) => (type === 'deleted' ? [] : [object.metadata.name!])),
      watchRule(ServiceAccounts, ({ type, object }) => (type === 'deleted' && object.metadata.name === NAME ? [object.metadata.namespace!] : [])),
    ],
    observe: async (key) => {
      const namespace = namespaces.get('', key);
      return namespace && { namespace, exists: serviceAccounts.get(key, NAME) !== undefined };
    },
    plan: planServiceAccount,
  };
}

export function planServiceAccount({ namespace, exists }: ServiceAccountSnapshot): Plan {
  if (exists || namespace.status.phase !== 'Active') return NOTHING_TO_DO;
  const object = { metadata: { name: NAME, namespace: namespace.metadata.name } };
  return { actions: [{ type: 'create', resource: ServiceAccounts, object, ifExists: 'get', ignoreTerminatingNamespace: true }] };
}
