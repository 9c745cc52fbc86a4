import { forbidden, StatusError } from '../../api/status.ts';
import type { Attributes, Filter } from './chain.ts';

export interface Decision {
  allowed: boolean;
  /** Why, where the authorizer says so. */
  reason?: string;
}

export interface Authorizer {
  authorize(attributes: Attributes): Promise<Decision>;
}

export const MASTERS_GROUP = 'system:masters';
export const AUTHENTICATED_GROUP = 'system:authenticated';
export const UNAUTHENTICATED_GROUP = 'system:unauthenticated';

/** What everybody may ask of himself (upstream: the role system:basic-user). */
const SELF_REVIEWS = ['selfsubjectreviews', 'selfsubjectaccessreviews', 'selfsubjectrulesreviews'];
/** Pages that tell nothing but whether and what the server is; everybody may read them (upstream: the role system:public-info-viewer). */
const PUBLIC_PAGES = /^\/(version\/?|(healthz|livez|readyz)(\/.*)?)$/;
/** What every known user may read (upstream: the role system:discovery). */
const DISCOVERY_PAGES = /^\/(|api|apis|openapi)(\/.*)?$/;

/** Lets administrators do everything, and others look around and ask what they may. Roles will take this place. */
export const adminsOnly: Authorizer = {
  authorize(attributes) {
    const { user, verb, path, resource } = attributes;
    const isKnown = user.groups.includes(AUTHENTICATED_GROUP);
    const allowed =
      user.groups.includes(MASTERS_GROUP) ||
      (path === undefined
        ? isKnown && verb === 'create' && SELF_REVIEWS.includes(resource.resource)
        : verb === 'get' && (PUBLIC_PAGES.test(path) || (isKnown && DISCOVERY_PAGES.test(path))));
    return Promise.resolve({ allowed });
  },
};

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
