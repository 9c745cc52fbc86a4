import type { ApiRequest } from '../api/request.ts';

export interface Authorizer {
  /** @returns why the request is refused, in the words that follow "is forbidden: "; undefined when it is allowed. */
  authorize(request: ApiRequest): string | undefined;
}

export const MASTERS_GROUP = 'system:masters';

/** Lets administrators do everything and nobody else anything. Roles will take this place. */
export const adminsOnly: Authorizer = {
  authorize(request) {
    if (request.user.groups.includes(MASTERS_GROUP)) return undefined;
    return refusal(request);
  },
};

/** Upstream's words (apiserver/pkg/endpoints/handlers/responsewriters.ForbiddenStatusError). */
function refusal({ user, verb, group, resource, subresource, namespace }: ApiRequest): string {
  const what = subresource ? `${resource}/${subresource}` : resource;
  const where = namespace ? ` in the namespace ${JSON.stringify(namespace)}` : ' at the cluster scope';
  return `User ${JSON.stringify(user.name)} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)}${where}`;
}
