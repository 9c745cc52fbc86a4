import type { Role } from '../../generated/types/rbac.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { pathSegmentFaults } from '../../meta/validation.ts';
import { forgetEmptyRules, roleRow } from './rows.ts';
import { validateRules } from './validation.ts';

/** Upstream: pkg/registry/rbac. Names may hold anything that may stand in a path. */
export const role: KindBehaviour<Role> = {
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  kind: 'Role',
  validateName: pathSegmentFaults,
  updateOrder: ['whole', 'whole', 'metadata'],
  prepareForCreate: forgetEmptyRules,
  prepareForUpdate: forgetEmptyRules,
  validate: ({ rules }) => validateRules(rules, { namespaced: true }),
  row: roleRow,
};
