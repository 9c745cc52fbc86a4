import type { PolicyRule } from '../../api/generated/types/rbac.v1.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ApiRequest, UserInfo } from '../../api/request.ts';
import { badRequest, invalid } from '../../api/status.ts';
import { type Clock, timestamp } from '../../lib/clock.ts';
import type { Authorizer, RuleResolver } from '../chain/authorization.ts';
import { targetOf } from '../decode/body.ts';
import type { Handlers } from '../served-resource.ts';
import { authenticateWith, type TokenAuthenticator } from '../tokens/bearer-authenticator.ts';
import type { ServiceAccountTokens } from '../tokens/service-account-tokens.ts';
import { defaultCreate } from '../write/default.ts';
import { writeOptions } from '../write/options.ts';
import { own } from '../write/own.ts';
import { targetOfRequest } from '../write/write.ts';
import type { HandlerParts } from './parts.ts';

type Spec = Record<string, unknown>;
type Answer = (spec: Spec, request: ApiRequest) => Promise<object> | object;

/** By whom questions about rights are answered. */
export interface ReviewParts {
  authorizer: Authorizer;
  rules: RuleResolver;
  clock: Clock;
  tokens: ServiceAccountTokens;
  tokenAuthenticators: readonly TokenAuthenticator[];
}

/** Handlers of the kinds that are questions, by resource: a create is answered, and nothing is stored. */
export function reviewHandlers(
  { bodies }: HandlerParts,
  { authorizer, rules, clock, tokens, tokenAuthenticators }: ReviewParts,
): Readonly<Record<string, Handlers>> {
  const answering = (answer: Answer, { isNew = false } = {}): Handlers => ({
    async create(resource, request) {
      const options = writeOptions('CreateOptions', request);
      const submitted = bodies.decode(request, targetOf(resource), options.fieldValidation);
      const write = own(defaultCreate({ ...targetOfRequest(resource, request), options }, submitted), clock.now());
      const faults = resource.behaviour.validate?.(write.object) ?? [];
      // Upstream names neither the kind nor the review.
      if (faults.length) throw invalid({ group: resource.facts.group, kind: '' }, '', faults);
      const review = write.object as KubeObject & { spec?: Spec };
      const spec = review.spec ?? {};
      const status = await answer(spec, request);
      const { kind, apiVersion } = review;
      const object = isNew ? { kind, apiVersion, metadata: { creationTimestamp: timestamp(clock.now()) }, status } : { ...review, spec, status };
      return { code: 201, object: object as KubeObject, warnings: write.warnings };
    },
  });
  return {
    selfsubjectreviews: answering((_spec, { user }) => ({ userInfo: userInfo(user) }), { isNew: true }),
    tokenreviews: answering(({ token, audiences }) => tokenReview(tokenAuthenticators, String(token ?? ''), listOr(audiences, [tokens.issuer]))),
    selfsubjectaccessreviews: answering((spec, { user }) => access(authorizer, spec, user)),
    subjectaccessreviews: answering((spec) => access(authorizer, spec, subjectOf(spec))),
    localsubjectaccessreviews: answering((spec) => access(authorizer, spec, subjectOf(spec))),
    selfsubjectrulesreviews: answering(({ namespace }, { user }) => rulesIn(rules, user, String(namespace ?? ''))),
  };
}

function listOr(given: unknown, otherwise: readonly string[]): readonly string[] {
  return Array.isArray(given) && given.length ? (given as string[]) : otherwise;
}

async function tokenReview(authenticators: readonly TokenAuthenticator[], token: string, audiences: readonly string[]): Promise<object> {
  if (!token) throw badRequest('token is required for TokenReview in authentication');
  const found = await authenticateWith(authenticators, token, audiences);
  if (typeof found === 'object') return { authenticated: true, user: userInfo(found.user), audiences: found.audiences };
  return { user: {}, error: found === undefined ? 'invalid bearer token' : `[invalid bearer token, ${found}]` };
}

function userInfo({ name, groups, uid, extra }: UserInfo): object {
  return { username: name, ...(uid ? { uid } : {}), groups, ...(extra ? { extra } : {}) };
}

function subjectOf(spec: Spec): UserInfo {
  const { user = '', groups = [], uid, extra } = spec as { user?: string; groups?: string[]; uid?: string; extra?: Record<string, string[]> };
  return { name: user, groups, ...(uid ? { uid } : {}), ...(extra ? { extra } : {}) };
}

async function access(authorizer: Authorizer, spec: Spec, user: UserInfo): Promise<object> {
  const { verb = '', path = '', ...resource } = (spec['resourceAttributes'] ?? spec['nonResourceAttributes'] ?? {}) as Record<string, string | undefined>;
  const text = (name: string): string => resource[name] ?? '';
  const { allowed, denied, reason } = await authorizer.authorize(
    spec['nonResourceAttributes']
      ? { user, verb, path }
      : {
          user,
          verb,
          resource: {
            group: text('group'),
            version: resource['version'] ?? '*',
            resource: text('resource'),
            subresource: text('subresource'),
            namespace: text('namespace'),
            name: text('name'),
          },
        },
  );
  return { allowed, ...(denied ? { denied } : {}), ...(reason ? { reason } : {}) };
}

/** What `kubectl auth can-i --list` shows (upstream: registry/authorization/selfsubjectrulesreview). */
async function rulesIn(resolver: RuleResolver, user: UserInfo, namespace: string): Promise<object> {
  const { rules, errors } = await resolver.rulesFor(user, namespace);
  const without = <Name extends keyof PolicyRule>(rule: PolicyRule, names: readonly Name[]): object =>
    Object.fromEntries(Object.entries(rule).filter(([name]) => !names.includes(name as Name)));
  return {
    resourceRules: rules.filter(({ resources }) => resources?.length).map((rule) => without(rule, ['nonResourceURLs'])),
    nonResourceRules: rules.filter(({ nonResourceURLs }) => nonResourceURLs?.length).map((rule) => without(rule, ['apiGroups', 'resources', 'resourceNames'])),
    incomplete: errors.length > 0,
    ...(errors.length ? { evaluationError: errors.join(', ') } : {}),
  };
}
