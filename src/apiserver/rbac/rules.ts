import type { PolicyRule } from '../../api/generated/types/rbac.v1.ts';
import type { Attributes } from '../chain/chain.ts';

const ALL = '*';

/** Whether a rule allows a request (upstream: plugin/pkg/auth/authorizer/rbac, RuleAllows). */
export function ruleAllows({ verb, path, resource }: Attributes, rule: PolicyRule): boolean {
  if (!includes(rule.verbs, verb)) return false;
  if (path !== undefined) return (rule.nonResourceURLs ?? []).some((url) => coversPath(url, path));
  const { group, name, subresource } = resource;
  const what = subresource ? `${resource.resource}/${subresource}` : resource.resource;
  const names = rule.resourceNames ?? [];
  return includes(rule.apiGroups, group) && coversResource(rule.resources ?? [], what) && (names.length === 0 || names.includes(name));
}

const includes = (values: readonly string[] | undefined, value: string): boolean => values?.includes(ALL) || values?.includes(value) || false;

/** `*` at the end of a path stands for all that begins so. */
const coversPath = (pattern: string, path: string): boolean =>
  pattern === ALL || pattern === path || (pattern.endsWith(ALL) && path.startsWith(pattern.replace(/\*+$/, '')));

/** A star before the slash stands for that subresource of everything. */
function coversResource(resources: readonly string[], what: string): boolean {
  if (resources.includes(ALL) || resources.includes(what)) return true;
  const slash = what.indexOf('/');
  return slash >= 0 && resources.includes(`*${what.slice(slash)}`);
}

/** The smallest parts of a rule: one verb, one resource of one group with one name or any, or one path. */
function breakDown(rule: PolicyRule): PolicyRule[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs } = rule;
  const names = resourceNames.length ? resourceNames : [undefined];
  return [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        verbs.flatMap((verb) =>
          names.map((name) => ({ apiGroups: [group], resources: [resource], ...(name === undefined ? {} : { resourceNames: [name] }), verbs: [verb] })),
        ),
      ),
    ),
    ...nonResourceURLs.flatMap((url) => verbs.map((verb) => ({ nonResourceURLs: [url], verbs: [verb] }))),
  ];
}

/** Whether an owner's rule grants at least what a part of another does; `*` is covered by `*` alone. */
function covers(owner: PolicyRule, { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [], verbs }: PolicyRule): boolean {
  const [owned, names] = [owner.resources ?? [], owner.resourceNames ?? []];
  return (
    verbs.every((verb) => includes(owner.verbs, verb)) &&
    apiGroups.every((group) => includes(owner.apiGroups, group)) &&
    resources.every((resource) => coversResource(owned, resource)) &&
    (names.length === 0 || (resourceNames.length > 0 && resourceNames.every((name) => names.includes(name)))) &&
    nonResourceURLs.every((url) => (owner.nonResourceURLs ?? []).some((pattern) => pattern === url || (pattern.endsWith(ALL) && coversPath(pattern, url))))
  );
}

/** What of `wanted` the owner's rules do not grant, in small parts (component-helpers/auth/rbac/validation: Covers). */
export function missingRules(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): PolicyRule[] {
  return wanted.flatMap(breakDown).filter((part) => !owned.some((rule) => covers(rule, part)));
}

/** Rules in one line each, those that differ by their verbs alone together, sorted (registry/rbac/validation: CompactRules, CompactString). */
export function describeRules(rules: readonly PolicyRule[]): string {
  const together = new Map<string, PolicyRule>();
  for (const { verbs, ...rest } of rules) {
    const id = JSON.stringify(rest) + (rest.nonResourceURLs ? JSON.stringify(verbs) : '');
    const before = together.get(id);
    together.set(id, { ...rest, verbs: [...(before?.verbs ?? []), ...verbs] });
  }
  return [...new Set([...together.values()].map(describe))].sort().join('\n');
}

function describe({ apiGroups, resources, nonResourceURLs, resourceNames, verbs }: PolicyRule): string {
  const parts: [string, readonly string[] | undefined][] = [
    ['APIGroups', apiGroups],
    ['Resources', resources],
    ['NonResourceURLs', nonResourceURLs],
    ['ResourceNames', resourceNames],
    ['Verbs', verbs],
  ];
  const shown = parts.flatMap(([name, values]) => (values?.length ? [`${name}:${quoted(values)}`] : []));
  return `{${shown.join(', ')}}`;
}

/** As Go prints a list of texts: `["a" "b"]`. */
export const quoted = (values: readonly string[]): string => `[${values.map((value) => JSON.stringify(value)).join(' ')}]`;
