import type { ClusterRole, ClusterRoleBinding, PolicyRule, Role, RoleBinding, RoleRef, Subject } from '../../api/generated/types/rbac.v1.ts';
import type { KubeObject, Resource } from '../../api/object.ts';
import type { UserInfo } from '../../api/request.ts';
import { ClusterRoleBindings, ClusterRoles, RoleBindings, Roles } from '../../api/resources.ts';
import type { Authorizer, Decision, RuleResolver } from '../chain/authorization.ts';
import type { Attributes } from '../chain/chain.ts';
import type { Registry } from '../registry.ts';
import { Mirror } from '../storage/mirror.ts';
import type { Storage } from '../storage/storage.ts';
import { ruleAllows } from './rules.ts';

type Binding = ClusterRoleBinding | RoleBinding;

/** A binding that concerns a user, and the first of its subjects that does. */
interface Applying {
  binding: Binding;
  subject: Subject;
}

/** Decides by roles and their bindings (upstream: plugin/pkg/auth/authorizer/rbac, pkg/registry/rbac/validation/rule.go). */
export class RoleAuthorizer implements Authorizer, RuleResolver {
  readonly #storage: Storage;
  readonly #registry: Registry;
  #mirrors: Mirrors | undefined;
  /** Bindings by namespace, '' for the whole cluster, and by whom they name. */
  #index: Map<string, Map<string, Applying[]>> | undefined;

  /** Looks into the storage with the first question, when the kinds are served. */
  constructor(storage: Storage, registry: Registry) {
    this.#storage = storage;
    this.#registry = registry;
  }

  async #ready(): Promise<Mirrors> {
    this.#mirrors ??= {
      clusterRoles: this.#mirror(ClusterRoles),
      roles: this.#mirror(Roles),
      clusterRoleBindings: this.#mirror(ClusterRoleBindings),
      roleBindings: this.#mirror(RoleBindings),
    };
    await Promise.all(Object.values(this.#mirrors).map((mirror: Mirror) => mirror.ready));
    return this.#mirrors;
  }

  #mirror<T extends KubeObject>(resource: Resource<T>): Mirror<T> {
    const mirror = new Mirror<T>(this.#storage, this.#registry.get(resource));
    mirror.onChange(() => {
      this.#index = undefined;
    });
    return mirror;
  }

  async authorize(attributes: Attributes): Promise<Decision> {
    const mirrors = await this.#ready();
    const namespace = attributes.resource?.namespace ?? '';
    const errors: string[] = [];
    for (const { binding, subject } of this.#applying(mirrors, attributes.user, namespace)) {
      const rules = rulesOf(mirrors, binding.roleRef, binding.metadata.namespace ?? '');
      if (typeof rules === 'string') errors.push(rules);
      else if (rules.some((rule) => ruleAllows(attributes, rule))) return { allowed: true, reason: `RBAC: allowed by ${describe(binding, subject)}` };
    }
    return { allowed: false, ...(errors.length ? { reason: `RBAC: ${aggregate(errors)}` } : {}) };
  }

  async rulesFor(user: UserInfo, namespace: string): Promise<{ rules: PolicyRule[]; errors: string[] }> {
    const mirrors = await this.#ready();
    const rules: PolicyRule[] = [];
    const errors: string[] = [];
    for (const { binding } of this.#applying(mirrors, user, namespace)) {
      const granted = rulesOf(mirrors, binding.roleRef, binding.metadata.namespace ?? '');
      if (typeof granted === 'string') errors.push(granted);
      else rules.push(...granted);
    }
    return { rules, errors };
  }

  /** The rules of a role; a text says why there are none. */
  async rulesOf(roleRef: RoleRef, namespace: string): Promise<readonly PolicyRule[] | string> {
    return rulesOf(await this.#ready(), roleRef, namespace);
  }

  /** The bindings that concern the user: those of the cluster, then those of the namespace, each by name. */
  *#applying(mirrors: Mirrors, user: UserInfo, namespace: string): Generator<Applying> {
    this.#index ??= makeIndex(mirrors);
    const ids = [`User ${user.name}`, ...user.groups.map((group) => `Group ${group}`)];
    for (const scope of namespace ? ['', namespace] : ['']) {
      const bySubject = this.#index.get(scope);
      const found = new Map<Binding, Applying>();
      for (const id of ids) for (const one of bySubject?.get(id) ?? []) keepFirst(found, one);
      yield* [...found.values()].sort((a, b) => (nameOf(a.binding) < nameOf(b.binding) ? -1 : 1));
    }
  }
}

interface Mirrors {
  clusterRoles: Mirror<ClusterRole>;
  roles: Mirror<Role>;
  clusterRoleBindings: Mirror<ClusterRoleBinding>;
  roleBindings: Mirror<RoleBinding>;
}

function rulesOf({ clusterRoles, roles }: Mirrors, { kind, name }: RoleRef, namespace: string): readonly PolicyRule[] | string {
  const isCluster = kind === 'ClusterRole';
  const role = isCluster ? clusterRoles.get('', name) : roles.get(namespace, name);
  return role ? (role.rules ?? []) : `${isCluster ? 'clusterrole' : 'role'}.rbac.authorization.k8s.io ${JSON.stringify(name)} not found`;
}

function makeIndex({ clusterRoleBindings, roleBindings }: Mirrors): Map<string, Map<string, Applying[]>> {
  const index = new Map<string, Map<string, Applying[]>>();
  for (const binding of [...clusterRoleBindings.all(), ...roleBindings.all()]) {
    const { namespace = '' } = binding.metadata;
    const bySubject = index.get(namespace) ?? new Map<string, Applying[]>();
    index.set(namespace, bySubject);
    for (const subject of binding.subjects ?? []) {
      const id = subjectId(subject, namespace);
      if (id !== undefined) bySubject.set(id, [...(bySubject.get(id) ?? []), { binding, subject }]);
    }
  }
  return index;
}

/** Of several subjects that concern the user, the first in the binding is told. */
function keepFirst(found: Map<Binding, Applying>, one: Applying): void {
  const before = found.get(one.binding);
  const at = ({ binding, subject }: Applying): number => binding.subjects?.indexOf(subject) ?? 0;
  if (!before || at(one) < at(before)) found.set(one.binding, one);
}

const nameOf = ({ metadata }: Binding): string => metadata.name ?? '';

function subjectId({ kind, name, namespace }: Subject, ofBinding: string): string | undefined {
  if (kind === 'User' || kind === 'Group') return `${kind} ${name}`;
  const home = namespace || ofBinding;
  return kind === 'ServiceAccount' && home ? `User system:serviceaccount:${home}:${name}` : undefined;
}

function describe({ metadata, roleRef }: Binding, { kind, name, namespace }: Subject): string {
  const of = metadata.namespace;
  const who = kind === 'ServiceAccount' ? `${name}/${namespace || of || ''}` : name;
  const what = of === undefined ? 'ClusterRoleBinding' : 'RoleBinding';
  return `${what} ${JSON.stringify(of === undefined ? metadata.name : `${metadata.name}/${of}`)} of ${roleRef.kind} ${JSON.stringify(roleRef.name)} to ${kind} ${JSON.stringify(who)}`;
}

const aggregate = (errors: readonly string[]): string => {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? distinct[0]! : `[${distinct.join(', ')}]`;
};
