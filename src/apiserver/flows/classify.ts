import type { FlowSchema, PolicyRulesWithSubjects, PriorityLevelConfiguration, Subject } from '../../api/generated/types/flowcontrol.v1.ts';
import type { UserInfo } from '../../api/request.ts';
import { FlowSchemas, PriorityLevelConfigurations } from '../../api/resources.ts';
import type { Attributes, ResourceAttributes } from '../chain/chain.ts';
import type { Registry } from '../registry.ts';
import { mirrorOf } from '../storage/mirror.ts';
import type { Storage } from '../storage/storage.ts';

/** Which flow a request belongs to. */
export interface Flow {
  schema: FlowSchema;
  level: PriorityLevelConfiguration;
}

/** Tells the flow of a request: that of the first schema, by precedence, with a rule that matches (apiserver/pkg/util/flowcontrol/rule.go). */
export function flowClassifier(parts: { storage: Storage; registry: Registry }): (attributes: Attributes) => Promise<Flow | undefined> {
  const schemas = mirrorOf(parts, FlowSchemas);
  const levels = mirrorOf(parts, PriorityLevelConfigurations);
  let seen: readonly FlowSchema[] = [];
  let ranked: readonly FlowSchema[] = [];
  return async (attributes) => {
    const all = (await schemas()).all();
    if (all !== seen) {
      seen = all;
      // They come by name, which decides between equals.
      ranked = [...all].sort((a, b) => (a.spec?.matchingPrecedence ?? 0) - (b.spec?.matchingPrecedence ?? 0));
    }
    for (const schema of ranked) {
      if (!schema.spec?.rules?.some((rule) => matches(rule, attributes))) continue;
      const level = (await levels()).get('', schema.spec.priorityLevelConfiguration.name);
      if (level) return { schema, level };
    }
    return undefined;
  };
}

function matches({ subjects, resourceRules = [], nonResourceRules = [] }: PolicyRulesWithSubjects, { user, verb, path, resource }: Attributes): boolean {
  if (!subjects.some((subject) => isSubject(subject, user))) return false;
  if (path !== undefined) return nonResourceRules.some(({ verbs, nonResourceURLs }) => has(verbs, verb) && nonResourceURLs.some((url) => isBelow(url, path)));
  return resourceRules.some(({ verbs, apiGroups, resources, clusterScope, namespaces = [] }) => {
    const isNamed = has(verbs, verb) && has(apiGroups, resource.group) && has(resources, nameOf(resource));
    return isNamed && (resource.namespace ? has(namespaces, resource.namespace) : clusterScope === true);
  });
}

const has = (values: readonly string[], value: string): boolean => values.some((one) => one === '*' || one === value);
const nameOf = ({ resource, subresource }: ResourceAttributes): string => (subresource ? `${resource}/${subresource}` : resource);
const isBelow = (pattern: string, path: string): boolean =>
  pattern === '*' || pattern === path || (pattern.endsWith('/*') && path.startsWith(pattern.slice(0, -1)));

function isSubject({ kind, user, group, serviceAccount }: Subject, { name, groups }: UserInfo): boolean {
  switch (kind) {
    case 'User':
      return user?.name === '*' || user?.name === name;
    case 'Group':
      return group?.name === '*' || groups.includes(group?.name ?? '');
    default: {
      const prefix = `system:serviceaccount:${serviceAccount?.namespace ?? ''}:`;
      return name.startsWith(prefix) && (serviceAccount?.name === '*' || name === prefix + serviceAccount?.name);
    }
  }
}
