import { deepEqual } from '../../api/equality.ts';
import type { ClusterRole, PolicyRule, Role, RoleBinding } from '../../api/generated/types/rbac.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import { ClusterRoles, Roles } from '../../api/resources.ts';
import { forbidden, notFound } from '../../api/status.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission/admission.ts';
import { type Authorizer, MASTERS_GROUP } from '../chain/authorization.ts';
import type { RoleAuthorizer } from './role-authorizer.ts';
import { describeRules, missingRules, quoted } from './rules.ts';

const GROUP = 'rbac.authorization.k8s.io';
const EVERYTHING: PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/**
 * Nobody gives, by a role or a binding, what he does not have, unless he may `escalate` or `bind` (upstream: registry/rbac,
 * policybased storage).
 */
export function roleEscalation(authorizer: Authorizer, roles: RoleAuthorizer): AdmissionPlugin {
  const mayDo = async ({ user, namespace }: AdmissionAttributes, verb: string, resource: string, name: string): Promise<boolean> =>
    (await authorizer.authorize({ user, verb, resource: { group: GROUP, version: '*', resource, subresource: '', namespace, name } })).allowed;

  async function checkRole(attributes: AdmissionAttributes & { object: KubeObject }): Promise<void> {
    const { resource, name, object, old } = attributes;
    if (await mayDo(attributes, 'escalate', resource.facts.resource, name)) return;
    await confirm(attributes, (object as Role).rules ?? []);
    const aggregates = [object, old].some((role) => (role as ClusterRole | undefined)?.aggregationRule?.clusterRoleSelectors?.length);
    if (!aggregates) return;
    if (missingRules(await held(attributes), EVERYTHING).length)
      throw forbidden(resource.facts, name, 'must have cluster-admin privileges to use the aggregationRule');
  }

  async function checkBinding(attributes: AdmissionAttributes & { object: KubeObject }): Promise<void> {
    const { roleRef } = attributes.object as RoleBinding;
    const { kind, name = '' } = roleRef ?? {};
    const resource = { ClusterRole: 'clusterroles', Role: 'roles' }[kind as string];
    if (resource && (await mayDo(attributes, 'bind', resource, name))) return;
    const rules = await roles.rulesOf(roleRef, attributes.namespace);
    if (typeof rules === 'string') throw notFound(kind === 'ClusterRole' ? ClusterRoles : Roles, name);
    await confirm(attributes, rules);
  }

  const held = async ({ user, namespace }: AdmissionAttributes): Promise<PolicyRule[]> => (await roles.rulesFor(user, namespace)).rules;

  async function confirm(attributes: AdmissionAttributes, wanted: readonly PolicyRule[]): Promise<void> {
    const { user, resource, name, namespace } = attributes;
    const { rules, errors } = await roles.rulesFor(user, namespace);
    const missing = missingRules(rules, wanted);
    if (missing.length === 0) return;
    const who = `user ${JSON.stringify(user.name)} (groups=${quoted(user.groups)})`;
    const unresolved = errors.length ? `; resolution errors: [${errors.join(' ')}]` : '';
    throw forbidden(resource.facts, name, `${who} is attempting to grant RBAC permissions not currently held:\n${describeRules(missing)}${unresolved}`);
  }

  return {
    name: 'RoleEscalation',
    async claim(attributes) {
      const { resource, subresource, user, old, object, operation } = attributes;
      if (resource.facts.group !== GROUP || subresource || operation === 'DELETE' || user.groups.includes(MASTERS_GROUP)) return undefined;
      if (old && changesOnlyOwnership(object, old)) return undefined;
      await (resource.facts.kind.endsWith('Binding') ? checkBinding(attributes) : checkRole(attributes));
      return undefined;
    },
  };
}

/** What the garbage collector needs to change so that an object can go. */
function changesOnlyOwnership(object: KubeObject, old: KubeObject): boolean {
  const rest = ({ metadata, ...others }: KubeObject): unknown => {
    const { ownerReferences: _o, finalizers: _f, managedFields: _m, resourceVersion: _r, ...kept } = metadata;
    return { ...others, metadata: kept };
  };
  return deepEqual(rest(object), rest(old));
}
