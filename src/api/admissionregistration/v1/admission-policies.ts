import { age } from '../../duration.ts';
import type { ParamRef, ValidatingAdmissionPolicy, ValidatingAdmissionPolicyBinding } from '../../generated/types/admissionregistration.v1.ts';
import type { LabelSelector } from '../../generated/types/meta.v1.ts';
import type { KindBehaviour } from '../../kind.ts';
import { sortedEntries } from '../../validation.ts';

/** A selector as Go's generated String method prints it. */
function goSelector({ matchLabels, matchExpressions = [] }: LabelSelector): string {
  const labels = sortedEntries(matchLabels).map(([key, value]) => `${key}: ${value},`);
  const expressions = matchExpressions.map(
    ({ key, operator, values = [] }) => `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
  );
  return `&LabelSelector{MatchLabels:map[string]string{${labels.join('')}},MatchExpressions:[]LabelSelectorRequirement{${expressions.join('')}},}`;
}

/** Whether a parameter has a namespace cannot be told from here: those without one are shown under all. */
function parameterOf(reference: ParamRef | undefined): string {
  if (reference?.name) return `${reference.namespace || '*'}/${reference.name}`;
  return reference?.selector ? goSelector(reference.selector) : '<unset>';
}

export const validatingAdmissionPolicy: KindBehaviour<ValidatingAdmissionPolicy> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicy',
  hasGeneration: true,
  row: ({ metadata, spec }, nowMs) => [
    metadata.name ?? '',
    spec.validations?.length ?? 0,
    spec.paramKind ? `${spec.paramKind.apiVersion ?? ''}/${spec.paramKind.kind ?? ''}` : '<unset>',
    age(metadata.creationTimestamp, nowMs),
  ],
};

export const validatingAdmissionPolicyBinding: KindBehaviour<ValidatingAdmissionPolicyBinding> = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  hasGeneration: true,
  row: ({ metadata, spec }, nowMs) => [metadata.name ?? '', spec.policyName ?? '', parameterOf(spec.paramRef), age(metadata.creationTimestamp, nowMs)],
};
