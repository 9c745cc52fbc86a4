import type { FlowSchema, PriorityLevelConfiguration } from './generated/types/flowcontrol.v1.ts';
import type { ClusterRole, ClusterRoleBinding, Role, RoleBinding } from './generated/types/rbac.v1.ts';
import type { Draft } from './object.ts';

/** What a v1.34 API server makes at its first start, as facts/bootstrap.json tells it (upstream: plugin/pkg/auth/authorizer/rbac/bootstrappolicy, apis/flowcontrol/bootstrap). */
export interface BootstrapFacts {
  clusterRoles: Draft<ClusterRole>[];
  clusterRoleBindings: Draft<ClusterRoleBinding>[];
  roles: Draft<Role>[];
  roleBindings: Draft<RoleBinding>[];
  priorityLevels: Draft<PriorityLevelConfiguration>[];
  flowSchemas: Draft<FlowSchema>[];
}
