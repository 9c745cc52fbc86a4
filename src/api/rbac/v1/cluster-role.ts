import type { ClusterRole } from '../../generated/types/rbac.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { pathSegmentFaults } from '../../meta/validation.ts';
import { forgetEmptyRules, roleRow } from './rows.ts';
import { validateClusterRole } from './validation.ts';

/** Upstream: pkg/registry/rbac. Names may hold anything that may stand in a path. */
export const clusterRole: KindBehaviour<ClusterRole> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'ClusterRole',
  validateName: pathSegmentFaults,
  updateOrder: ['whole', 'whole', 'metadata'],
  prepareForCreate: forgetEmptyRules,
  prepareForUpdate: forgetEmptyRules,
  validate: validateClusterRole,
  row: roleRow,
};
