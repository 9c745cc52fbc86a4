import { Namespaces } from '../../api/resources.ts';
import { forbidden, notFound } from '../../api/status.ts';
import type { AdmissionPlugin } from './admission.ts';

const IMMORTAL = new Set(['default', 'kube-system', 'kube-public']);
/** Requests about access rather than content, which need no namespace object. */
const EXEMPT_GROUPS = new Set(['authorization.k8s.io', 'authentication.k8s.io']);

/** Nothing new in a namespace that is missing or on its way out; the system's own namespaces stay. */
export const namespaceLifecycle: AdmissionPlugin = {
  name: 'NamespaceLifecycle',

  async admit({ operation, resource, subresource, namespace, name, object }, context) {
    if (operation !== 'CREATE' || !resource.namespaced || subresource || EXEMPT_GROUPS.has(resource.facts.group)) return object;
    const found = await context.get(Namespaces, { namespace: '', name: namespace });
    if (!found) throw notFound(Namespaces, namespace);
    const { status, metadata } = found;
    if (status.phase !== 'Terminating' && !metadata.deletionTimestamp) return object;
    const error = forbidden(resource.facts, name, `unable to create new content in namespace ${namespace} because it is being terminated`);
    error.status.details!.causes = [{ reason: 'NamespaceTerminating', message: `namespace ${namespace} is being terminated`, field: 'metadata.namespace' }];
    throw error;
  },

  validate({ operation, resource, name }) {
    if (operation === 'DELETE' && resource.facts.kind === 'Namespace' && IMMORTAL.has(name))
      throw forbidden(resource.facts, name, 'this namespace may not be deleted');
  },
};
