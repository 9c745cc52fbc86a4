import type { FlowSchemaSpec, PolicyRulesWithSubjects, PriorityLevelConfigurationSpec } from '../../generated/types/flowcontrol.v1.ts';

/** Objects that every server has, and that nobody may change (upstream: apiserver/pkg/apis/flowcontrol/bootstrap). */

const all = (...groups: string[]): PolicyRulesWithSubjects => ({
  subjects: groups.map((name) => ({ kind: 'Group', group: { name } })),
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
});

export const MANDATORY_FLOW_SCHEMAS: Readonly<Record<string, FlowSchemaSpec>> = {
  exempt: { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 1, rules: [all('system:masters')] },
  'catch-all': {
    priorityLevelConfiguration: { name: 'catch-all' },
    matchingPrecedence: 10_000,
    distinguisherMethod: { type: 'ByUser' },
    rules: [all('system:unauthenticated', 'system:authenticated')],
  },
};

export const MANDATORY_PRIORITY_LEVELS: Readonly<Record<string, PriorityLevelConfigurationSpec>> = {
  exempt: { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } },
  'catch-all': { type: 'Limited', limited: { nominalConcurrencyShares: 5, lendablePercent: 0, limitResponse: { type: 'Reject' } } },
};
