import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PolicyRule } from '../../api/generated/types/rbac.v1.ts';
import type { Attributes } from '../chain/chain.ts';
import { describeRules, missingRules, ruleAllows } from './rules.ts';

const user = { name: 'alice', groups: [] };
const toResource = (verb: string, what: string, { group = '', name = '' } = {}): Attributes => {
  const [resource = '', subresource = ''] = what.split('/');
  return { user, verb, resource: { group, version: 'v1', resource, subresource, namespace: 'n', name } };
};
const toPath = (path: string, verb = 'get'): Attributes => ({ user, verb, path });
const pods: PolicyRule = { apiGroups: [''], resources: ['pods'], verbs: ['get', 'list'] };

describe('rules', () => {
  it.each<[string, PolicyRule, Attributes, boolean]>([
    ['what is named', pods, toResource('get', 'pods'), true],
    ['another verb', pods, toResource('delete', 'pods'), false],
    ['another group', pods, toResource('get', 'pods', { group: 'apps' }), false],
    ['a subresource is a right of its own', pods, toResource('get', 'pods/log'), false],
    ['everything', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }, toResource('get', 'pods/log', { group: 'x' }), true],
    ['a subresource of everything', { apiGroups: ['*'], resources: ['*/scale'], verbs: ['*'] }, toResource('get', 'deployments/scale'), true],
    ['but not the thing itself', { apiGroups: ['*'], resources: ['*/scale'], verbs: ['*'] }, toResource('get', 'deployments'), false],
    ['one by its name', { ...pods, resourceNames: ['a'] }, toResource('get', 'pods', { name: 'a' }), true],
    ['and no other', { ...pods, resourceNames: ['a'] }, toResource('get', 'pods', { name: 'b' }), false],
    ['nor all of them', { ...pods, resourceNames: ['a'] }, toResource('list', 'pods'), false],
    ['a path', { nonResourceURLs: ['/healthz'], verbs: ['get'] }, toPath('/healthz'), true],
    ['what begins like a path', { nonResourceURLs: ['/healthz/*'], verbs: ['get'] }, toPath('/healthz/etcd'), true],
    ['not the path itself', { nonResourceURLs: ['/healthz/*'], verbs: ['get'] }, toPath('/healthz'), false],
    ['paths are no resources', { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }, toPath('/healthz'), false],
  ])('allow %s: %o', (_what, rule, attributes, allowed) => {
    expect(ruleAllows(attributes, rule)).toBe(allowed);
  });

  it('tell what is missing, the verbs of one resource together', () => {
    const wanted: PolicyRule = { apiGroups: ['', 'apps'], resources: ['pods', 'secrets'], verbs: ['get', 'list', 'delete'] };
    expect(describeRules(missingRules([pods, { apiGroups: ['apps'], resources: ['*'], verbs: ['*'] }], [wanted]))).toBe(
      '{APIGroups:[""], Resources:["pods"], Verbs:["delete"]}\n{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "delete"]}',
    );
    expect(missingRules([{ nonResourceURLs: ['/a*'], verbs: ['*'] }], [{ nonResourceURLs: ['/ab', '/b'], verbs: ['get'] }])).toEqual([
      { nonResourceURLs: ['/b'], verbs: ['get'] },
    ]);
  });

  it('who holds rules that cover others may do all that those allow', () => {
    const some = (values: string[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 2 });
    const rule = fc.oneof(
      fc.record({ apiGroups: some(['', 'apps', '*']), resources: some(['pods', 'pods/log', '*/log', '*']), verbs: some(['get', 'list', '*']) }),
      fc.record({ apiGroups: some(['']), resources: some(['pods']), verbs: some(['get', '*']), resourceNames: some(['a', 'b']) }),
      fc.record({ nonResourceURLs: some(['/a', '/a/*', '*']), verbs: some(['get', '*']) }),
    );
    const request = fc.oneof(
      fc
        .record({
          verb: fc.constantFrom('get', 'list'),
          what: fc.constantFrom('pods', 'pods/log', 'x'),
          group: fc.constantFrom('', 'apps'),
          name: fc.constantFrom('', 'a', 'b'),
        })
        .map(({ verb, what, ...rest }) => toResource(verb, what, rest)),
      fc.constantFrom('/a', '/a/b', '/c').map((path) => toPath(path)),
    );
    fc.assert(
      fc.property(fc.array(rule, { maxLength: 4 }), fc.array(rule, { maxLength: 2 }), request, (held, given, attributes) => {
        if (missingRules(held, given).length) return;
        if (given.some((one) => ruleAllows(attributes, one))) expect(held.some((one) => ruleAllows(attributes, one))).toBe(true);
      }),
      { numRuns: 5000, seed: 11 },
    );
  });
});
