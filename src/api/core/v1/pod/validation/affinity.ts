import { at, type FieldError, forbidden, invalid, required } from '../../../../field-error.ts';
import type { Affinity, NodeSelector, NodeSelectorRequirement, NodeSelectorTerm, PodAffinity, PodAffinityTerm } from '../../../../generated/types/core.v1.ts';
import { validateLabelName, validateLabelSelector } from '../../../../label-validation.ts';
import { dns1123LabelFaults, dns1123SubdomainFaults, labelValueFaults } from '../../../../names.ts';
import { checkLabelKeys } from './scheduling.ts';

function checkRequirement({ operator, key, values = [] }: NodeSelectorRequirement, field: string, { checkValues }: { checkValues: boolean }): FieldError[] {
  const errors: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length === 0) errors.push(required(`${field}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values.length > 0) errors.push(forbidden(`${field}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"));
  } else if (operator === 'Gt' || operator === 'Lt') {
    if (values.length !== 1) errors.push(required(`${field}.values`, "must be specified single value when `operator` is 'Lt' or 'Gt'"));
  } else errors.push(invalid(`${field}.operator`, operator ?? '', 'not a valid selector operator'));
  errors.push(...validateLabelName(key ?? '', `${field}.key`));
  if (!checkValues) return errors;
  return [...errors, ...values.flatMap((value, index) => labelValueFaults(value).map((fault) => invalid(at(`${field}.values`, index), value, fault)))];
}

function checkFieldRequirement({ operator, key, values = [] }: NodeSelectorRequirement, field: string): FieldError[] {
  const errors: FieldError[] = [];
  if (operator === 'In' || operator === 'NotIn') {
    if (values.length !== 1) errors.push(required(`${field}.values`, "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"));
  } else errors.push(invalid(`${field}.operator`, operator ?? '', 'not a valid selector operator'));
  if (key !== 'metadata.name') return [...errors, invalid(`${field}.key`, key ?? '', 'not a valid field selector key')];
  return [...errors, ...values.flatMap((value, index) => dns1123SubdomainFaults(value).map((fault) => invalid(at(`${field}.values`, index), value, fault)))];
}

function checkTerm({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm, field: string, options: { checkValues: boolean }): FieldError[] {
  return [
    ...matchExpressions.flatMap((requirement, index) => checkRequirement(requirement, at(`${field}.matchExpressions`, index), options)),
    ...matchFields.flatMap((requirement, index) => checkFieldRequirement(requirement, at(`${field}.matchFields`, index))),
  ];
}

export function checkNodeSelector({ nodeSelectorTerms }: NodeSelector, field: string): FieldError[] {
  const path = `${field}.nodeSelectorTerms`;
  if (!nodeSelectorTerms?.length) return [required(path, 'must have at least one node selector term')];
  return nodeSelectorTerms.flatMap((term, index) => checkTerm(term, at(path, index), { checkValues: true }));
}

const checkWeight = (weight: number, field: string): FieldError[] =>
  weight >= 1 && weight <= 100 ? [] : [invalid(`${field}.weight`, weight ?? 0, 'must be in the range 1-100')];

function checkPodTerm(term: PodAffinityTerm, field: string): FieldError[] {
  const { labelSelector, namespaceSelector, namespaces = [], topologyKey = '' } = term;
  const errors = [...validateLabelSelector(labelSelector, `${field}.labelSelector`), ...validateLabelSelector(namespaceSelector, `${field}.namespaceSelector`)];
  for (const name of namespaces) errors.push(...dns1123LabelFaults(name).map((fault) => invalid(`${field}.namespace`, name, fault)));
  errors.push(...checkLabelKeys(term, field));
  if (!topologyKey) errors.push(required(`${field}.topologyKey`, 'can not be empty'));
  return [...errors, ...validateLabelName(topologyKey, `${field}.topologyKey`)];
}

function checkPodAffinity(affinity: PodAffinity, field: string): FieldError[] {
  const { requiredDuringSchedulingIgnoredDuringExecution: hard = [], preferredDuringSchedulingIgnoredDuringExecution: soft = [] } = affinity;
  return [
    ...hard.flatMap((term, index) => checkPodTerm(term, at(`${field}.requiredDuringSchedulingIgnoredDuringExecution`, index))),
    ...soft.flatMap(({ weight, podAffinityTerm }, index) => {
      const path = at(`${field}.preferredDuringSchedulingIgnoredDuringExecution`, index);
      return [...checkWeight(weight, path), ...checkPodTerm(podAffinityTerm ?? { topologyKey: '' }, `${path}.podAffinityTerm`)];
    }),
  ];
}

/** Upstream: validateAffinity. */
export function checkAffinity(affinity: Affinity | undefined, field: string): FieldError[] {
  const { nodeAffinity, podAffinity, podAntiAffinity } = affinity ?? {};
  const errors: FieldError[] = [];
  const hard = nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (hard) errors.push(...checkNodeSelector(hard, `${field}.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution`));
  (nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).forEach(({ weight, preference }, index) => {
    const path = at(`${field}.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution`, index);
    errors.push(...checkWeight(weight, path), ...checkTerm(preference ?? {}, `${path}.preference`, { checkValues: false }));
  });
  if (podAffinity) errors.push(...checkPodAffinity(podAffinity, `${field}.podAffinity`));
  if (podAntiAffinity) errors.push(...checkPodAffinity(podAntiAffinity, `${field}.podAntiAffinity`));
  return errors;
}
