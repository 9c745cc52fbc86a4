import { deepEqual } from '../../api/equality.ts';
import type { ClusterRole, PolicyRule } from '../../api/generated/types/rbac.v1.ts';
import { selectorFrom } from '../../api/labels.ts';
import type { Draft } from '../../api/object.ts';
import { ClusterRoles } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { type Controller, watchRule } from '../runtime/controller.ts';
import { NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';

export interface AggregationSnapshot {
  role: ClusterRole;
  others: readonly ClusterRole[];
}

/** Gives roles that gather others' rules those rules. Upstream: pkg/controller/clusterroleaggregation. */
export function clusterRoleAggregationController(informers: InformerFactory): Controller<AggregationSnapshot> {
  const roles = informers.lister(ClusterRoles);
  const gathering = (): string[] => roles.list().flatMap(({ metadata, aggregationRule }) => (aggregationRule ? [metadata.name ?? ''] : []));
  return {
    name: 'clusterrole-aggregation-controller',
    writesAs: 'clusterrole-aggregation-controller',
    watches: [watchRule(ClusterRoles, gathering)],
    observe: async (key) => {
      const role = roles.get('', key);
      return role && { role, others: roles.list().filter(({ metadata }) => metadata.name !== key) };
    },
    plan: planAggregation,
  };
}

export function planAggregation({ role, others }: AggregationSnapshot): Plan {
  const byName = [...others].sort((a, b) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1));
  const rules: PolicyRule[] = [];
  for (const rule of role.aggregationRule?.clusterRoleSelectors ?? []) {
    const selector = selectorFrom(rule);
    for (const { metadata, rules: theirs } of byName) {
      if (!selector.matches(metadata.labels)) continue;
      for (const one of theirs ?? []) if (!rules.some((other) => deepEqual(other, one))) rules.push(one);
    }
  }
  if (deepEqual(role.rules ?? [], rules)) return NOTHING_TO_DO;
  return { actions: [{ type: 'apply', resource: ClusterRoles, object: { metadata: { name: role.metadata.name }, rules } as Draft<ClusterRole> }] };
}
