import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest, UserInfo } from '../../api/request.ts';
import { type Authorizer, MASTERS_GROUP } from '../chain/authorization.ts';
import { targetOf } from '../decode/body.ts';
import type { Handlers } from '../served-resource.ts';
import { writeOptions } from '../write/options.ts';
import type { HandlerParts } from './parts.ts';

type Spec = Record<string, unknown>;
type Answer = (spec: Spec, request: ApiRequest) => Promise<object> | object;

/** Handlers of the kinds that are questions, by resource: a create is answered, and nothing is stored. */
export function reviewHandlers({ bodies }: HandlerParts, authorizer: Authorizer): Readonly<Record<string, Handlers>> {
  const answering = (answer: Answer): Handlers => ({
    async create(resource, request) {
      const { fieldValidation } = writeOptions('CreateOptions', request);
      const { object, warnings } = bodies.decode(request, targetOf(resource), fieldValidation);
      const review = object as KubeObject & { spec?: Spec };
      const spec = review.spec ?? {};
      return { code: 201, object: { ...review, spec, status: await answer(spec, request) } as KubeObject, warnings };
    },
  });
  return {
    selfsubjectreviews: answering((_spec, { user }) => ({ userInfo: userInfo(user) })),
    tokenreviews: answering(() => ({ user: {}, error: '[invalid bearer token]' })),
    selfsubjectaccessreviews: answering((spec, { user }) => access(authorizer, spec, user)),
    subjectaccessreviews: answering((spec) => access(authorizer, spec, subjectOf(spec))),
    localsubjectaccessreviews: answering((spec) => access(authorizer, spec, subjectOf(spec))),
    selfsubjectrulesreviews: answering((_spec, { user }) => rules(user)),
  };
}

function userInfo({ name, groups, uid, extra }: UserInfo): object {
  return { username: name, ...(uid ? { uid } : {}), groups, ...(extra ? { extra } : {}) };
}

function subjectOf(spec: Spec): UserInfo {
  const { user = '', groups = [], uid, extra } = spec as { user?: string; groups?: string[]; uid?: string; extra?: Record<string, string[]> };
  return { name: user, groups, ...(uid ? { uid } : {}), ...(extra ? { extra } : {}) };
}

async function access(authorizer: Authorizer, spec: Spec, user: UserInfo): Promise<object> {
  const { verb = 'get', path, ...resource } = (spec['resourceAttributes'] ?? spec['nonResourceAttributes'] ?? {}) as Record<string, string | undefined>;
  const decision = await authorizer.authorize(
    spec['nonResourceAttributes']
      ? { user, verb, path: path ?? '' }
      : {
          user,
          verb,
          resource: {
            group: resource['group'] ?? '',
            version: resource['version'] ?? '*',
            resource: resource['resource'] ?? '',
            subresource: resource['subresource'] ?? '',
            namespace: resource['namespace'] ?? '',
            name: resource['name'] ?? '',
          },
        },
  );
  return { allowed: decision.allowed };
}

function rules({ groups }: UserInfo): object {
  const all = groups.includes(MASTERS_GROUP);
  return {
    incomplete: false,
    resourceRules: all ? [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] : [],
    nonResourceRules: all ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : [],
  };
}
