import type { KubeObject } from '../api/object.ts';
import type { ApiRequest, ApiResponse, UserInfo, Verb } from '../api/request.ts';
import { MASTERS_GROUP } from './authorization.ts';
import type { ApiContext } from './context.ts';
import { decodeBody, writeOptions } from './operation.ts';
import type { ServedResource } from './registry.ts';
import { bind } from './subresources/binding.ts';

type Review = KubeObject & { spec: Record<string, unknown> };
type Answer = (context: ApiContext, review: Review, request: ApiRequest) => Record<string, unknown>;

/** Kinds that are questions: a create is answered, and nothing is stored. */
const ANSWERS: Record<string, Answer> = {
  selfsubjectreviews: (_context, _review, { user }) => ({ userInfo: { username: user.name, groups: user.groups } }),
  tokenreviews: () => ({ user: {}, error: '[invalid bearer token]' }),
  selfsubjectaccessreviews: (context, { spec }, { user }) => access(context, spec, user),
  subjectaccessreviews: (context, { spec }) => access(context, spec, subjectOf(spec)),
  localsubjectaccessreviews: (context, { spec }) => access(context, spec, subjectOf(spec)),
  selfsubjectrulesreviews: (_context, _review, { user }) => rules(user),
};

/** Answers a create of a review, or of a Binding outside its pod; undefined for resources that are stored. */
export function reviewer(resource: ServedResource): ((context: ApiContext, resource: ServedResource, request: ApiRequest) => Promise<ApiResponse>) | undefined {
  const name = resource.facts.resource;
  if (name === 'bindings') return bindByBody;
  const answer = ANSWERS[name];
  if (!answer) return undefined;
  return async (context, _resource, request) => {
    const { fieldValidation } = writeOptions('CreateOptions', request);
    const warnings: string[] = [];
    const review = decodeBody(request, { ...resource, kind: resource.facts.kind }, fieldValidation, warnings) as Review;
    review.spec ??= {};
    return { code: 201, object: { ...review, status: answer(context, review, request) } as KubeObject, warnings };
  };
}

/** The older door for bindings: the pod's name stands in the body. */
async function bindByBody(context: ApiContext, _resource: ServedResource, request: ApiRequest): Promise<ApiResponse> {
  const pods = context.registry.find({ group: '', version: 'v1', resource: 'pods' })!;
  const body = decodeBody(request, { schemaId: 'io.k8s.api.core.v1.Binding', kind: 'Binding', apiVersion: 'v1' }, 'Ignore', []);
  return bind(context, pods, { ...request, resource: 'pods', name: body.metadata.name ?? '', body, subresource: 'binding' });
}

function subjectOf(spec: Record<string, unknown>): UserInfo {
  return { name: String(spec['user'] ?? ''), groups: (spec['groups'] as string[] | undefined) ?? [] };
}

function access(context: ApiContext, spec: Record<string, unknown>, user: UserInfo): Record<string, unknown> {
  const {
    verb = 'get',
    group = '',
    version = '*',
    resource = '',
    subresource,
    namespace,
    name,
  } = (spec['resourceAttributes'] ?? {}) as Record<string, string | undefined>;
  const refusal = context.authorizer.authorize({
    verb: verb as Verb,
    group,
    version,
    resource,
    query: {},
    user,
    ...(subresource ? { subresource } : {}),
    ...(namespace ? { namespace } : {}),
    ...(name ? { name } : {}),
  });
  return { allowed: refusal === undefined };
}

function rules({ groups }: UserInfo): Record<string, unknown> {
  const all = groups.includes(MASTERS_GROUP);
  return {
    incomplete: false,
    resourceRules: all ? [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }] : [],
    nonResourceRules: all ? [{ verbs: ['*'], nonResourceURLs: ['*'] }] : [],
  };
}
