import type { RoleBinding } from '../../generated/types/rbac.v1.ts';
import { pathSegmentFaults } from '../../meta/validation.ts';
import type { KindBehaviour } from '../../resource.ts';
import { bindingRow, setBindingDefaults } from './rows.ts';

/** Upstream: pkg/registry/rbac. Names may hold anything that may stand in a path. */
export const roleBinding: KindBehaviour<RoleBinding> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'RoleBinding',
  validateName: pathSegmentFaults,
  setDefaults: setBindingDefaults,
  row: bindingRow,
};
