import type { ApiRequest } from '../api/request.ts';

export interface Authorizer {
  /** @returns why the request is refused, in the words that follow "is forbidden: "; undefined when it is allowed. */
  authorize(request: ApiRequest): string | undefined;
}

export const MASTERS_GROUP = 'system:masters';
export const AUTHENTICATED_GROUP = 'system:authenticated';

/** What everybody may ask of himself (upstream: the role system:basic-user). */
const SELF_REVIEWS = ['selfsubjectreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews'];

/** Lets administrators do everything, and others ask what they may. Roles will take this place. */
export const adminsOnly: Authorizer = {
  authorize(request) {
    const { groups } = request.user;
    if (groups.includes(MASTERS_GROUP)) return undefined;
    if (groups.includes(AUTHENTICATED_GROUP) && request.verb === 'create' && SELF_REVIEWS.includes(request.resource)) return undefined;
    return refusal(request);
  },
};

/** Upstream's words (apiserver/pkg/endpoints/handlers/responsewriters.ForbiddenStatusError). */
function refusal({ user, verb, group, resource, subresource, namespace }: ApiRequest): string {
  const what = subresource ? `${resource}/${subresource}` : resource;
  const where = namespace ? ` in the namespace ${JSON.stringify(namespace)}` : ' at the cluster scope';
  return `User ${JSON.stringify(user.name)} cannot ${verb} resource ${JSON.stringify(what)} in API group ${JSON.stringify(group)}${where}`;
}
