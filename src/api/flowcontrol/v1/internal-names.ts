import { type InternalTypes, internalJson } from '../../internal-json.ts';

/** Go's internal types (pkg/apis/flowcontrol/types.go). */
const TYPES: InternalTypes = {
  FlowSchemaSpec: 'PriorityLevelConfiguration:=Named MatchingPrecedence:# DistinguisherMethod:&FlowDistinguisherMethod Rules:[PolicyRulesWithSubjects',
  FlowDistinguisherMethod: 'Type',
  PolicyRulesWithSubjects: 'Subjects:[Subject ResourceRules:[ResourcePolicyRule NonResourceRules:[NonResourcePolicyRule',
  Subject: 'Kind User:&Named Group:&Named ServiceAccount:&ServiceAccountSubject',
  Named: 'Name',
  ServiceAccountSubject: 'Namespace Name',
  ResourcePolicyRule: 'Verbs:* APIGroups=apiGroups:* Resources:* ClusterScope:? Namespaces:*',
  NonResourcePolicyRule: 'Verbs:* NonResourceURLs:*',
  PriorityLevelConfigurationSpec: 'Type Limited:&LimitedPriorityLevelConfiguration Exempt:&ExemptPriorityLevelConfiguration',
  LimitedPriorityLevelConfiguration: 'NominalConcurrencyShares:# LimitResponse:=LimitResponse LendablePercent:* BorrowingLimitPercent:*',
  ExemptPriorityLevelConfiguration: 'NominalConcurrencyShares:* LendablePercent:*',
  LimitResponse: 'Type Queuing:&QueuingConfiguration',
  QueuingConfiguration: 'Queues:# HandSize:# QueueLengthLimit:#',
};

/** The value as Go's JSON of the internal type has it. */
export function internal(value: object, type: 'FlowSchemaSpec' | 'FlowDistinguisherMethod' | 'PriorityLevelConfigurationSpec'): unknown {
  return internalJson(value, type, TYPES);
}
