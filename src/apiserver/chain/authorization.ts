import type { PolicyRule } from '../../api/generated/types/rbac.v1.ts';
import type { UserInfo } from '../../api/request.ts';
import { forbidden, StatusError } from '../../api/status.ts';
import type { Attributes, Filter } from './chain.ts';

export interface Decision {
  allowed: boolean;
  /** Nobody else is asked. */
  denied?: true;
  /** Why, where the authorizer says so. */
  reason?: string;
}

export interface Authorizer {
  authorize(attributes: Attributes): Promise<Decision>;
}

/** Tells what somebody may do, as far as rules tell it. */
export interface RuleResolver {
  rulesFor(user: UserInfo, namespace: string): Promise<{ rules: PolicyRule[]; errors: string[] }>;
}

export const MASTERS_GROUP = 'system:masters';
export const AUTHENTICATED_GROUP = 'system:authenticated';
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated';

/** Lets the administrators' group do everything (upstream: authorizerfactory.NewPrivilegedGroups). */
export const privileged: Authorizer = {
  authorize: ({ user }) => Promise.resolve({ allowed: user.groups.includes(MASTERS_GROUP) }),
};

/** Lets everybody do everything. */
export const alwaysAllow: Authorizer = { authorize: () => Promise.resolve({ allowed: true }) };

/** Allows what one of them allows; they are asked in order (upstream: authorizer/union). */
export function anyOf(authorizers: readonly Authorizer[]): Authorizer {
  return {
    async authorize(attributes) {
      const reasons: string[] = [];
      for (const authorizer of authorizers) {
        const decision = await authorizer.authorize(attributes);
        if (decision.allowed || decision.denied) return decision;
        if (decision.reason) reasons.push(decision.reason);
      }
      return { allowed: false, ...(reasons.length ? { reason: reasons.join('\n') } : {}) };
    },
  };
}

/** Refuses what the authorizer does not allow. */
export function authorization(authorizer: Authorizer): Filter {
  return async (attributes, next) => {
    const decision = await authorizer.authorize(attributes);
    if (!decision.allowed) throw refusal(attributes, decision);
    return next();
  };
}

/** Upstream's words (apiserver/pkg/endpoints/handlers/responsewriters.ForbiddenStatusError). */
export function refusal({ user, verb, path, resource }: Attributes, { reason }: Decision): StatusError {
  const why = reason ? `: ${reason}` : '';
  const who = `User ${JSON.stringify(user.name)} cannot ${verb}`;
  if (path !== undefined) return new StatusError(403, 'Forbidden', `forbidden: ${who} path ${JSON.stringify(path)}${why}`, {});
  const { group, subresource, namespace, name } = resource;
  const what = subresource ? `${resource.resource}/${subresource}` : resource.resource;
  const where = namespace ? ` in the namespace ${JSON.stringify(namespace)}` : ' at the cluster scope';
  return forbidden(resource, name, `${who} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)}${where}${why}`);
}
