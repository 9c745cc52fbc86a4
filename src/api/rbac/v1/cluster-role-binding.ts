import type { ClusterRoleBinding } from '../../generated/types/rbac.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { pathSegmentFaults } from '../../meta/validation.ts';
import { bindingRow, setBindingDefaults } from './rows.ts';
import { validateBinding, validateBindingUpdate } from './validation.ts';

/** Upstream: pkg/registry/rbac. Names may hold anything that may stand in a path. */
export const clusterRoleBinding: KindBehaviour<ClusterRoleBinding> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRoleBinding',
  validateName: pathSegmentFaults,
  updateOrder: ['whole', 'whole', 'metadata', 'change'],
  validate: (object) => validateBinding(object, { namespaced: false }),
  validateUpdate: validateBindingUpdate,
  setDefaults: setBindingDefaults,
  row: bindingRow,
};
