import type { ValidatingAdmissionPolicy } from '../../api/generated/types/admissionregistration.v1.ts';
import type { Draft } from '../../api/object.ts';
import { ValidatingAdmissionPolicies } from '../../api/resources.ts';
import type { InformerFactory } from '../../client/informer.ts';
import { type Controller, watchRule } from '../runtime/controller.ts';
import { NOTHING_TO_DO, type Plan } from '../runtime/plan.ts';

/**
 * Says of each ValidatingAdmissionPolicy which generation has been looked at. Upstream: pkg/controller/validatingadmissionpolicystatus,
 * whose type checker also warns of expressions that do not fit the kinds they are for; this one warns of none.
 */
export function admissionPolicyController(informers: InformerFactory): Controller<ValidatingAdmissionPolicy> {
  const policies = informers.lister(ValidatingAdmissionPolicies);
  return {
    name: 'validatingadmissionpolicy-status',
    writesAs: 'validatingadmissionpolicy-status',
    watches: [watchRule(ValidatingAdmissionPolicies, ({ type, object }) => (type === 'deleted' ? [] : [object.metadata.name!]))],
    observe: async (key) => policies.get('', key),
    plan: planPolicyStatus,
  };
}

export function planPolicyStatus(policy: ValidatingAdmissionPolicy): Plan {
  const { generation = 0, name } = policy.metadata;
  if (generation <= (policy.status?.observedGeneration ?? 0)) return NOTHING_TO_DO;
  const object: Draft<ValidatingAdmissionPolicy> = { metadata: { name }, status: { observedGeneration: generation, typeChecking: {} } };
  return { actions: [{ type: 'apply', resource: ValidatingAdmissionPolicies, subresource: 'status', object }] };
}
