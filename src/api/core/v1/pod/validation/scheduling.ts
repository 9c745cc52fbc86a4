import { at, duplicate, type FieldError, forbidden, invalid, notSupported, required } from '../../../../field-error.ts';
import type { PodAffinityTerm, PodSchedulingGate, PodSpec, Toleration, TopologySpreadConstraint } from '../../../../generated/types/core.v1.ts';
import { validateLabelName, validateLabelSelector } from '../../../../label-validation.ts';
import { labelValueFaults, qualifiedNameFaults } from '../../../../names.ts';
import { checkOptionalOneOf, checkWith } from '../../../../validation.ts';

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];
const POSITIVE = 'must be greater than zero';

export function checkTolerations(tolerations: readonly Toleration[] | undefined, field: string): FieldError[] {
  return (tolerations ?? []).flatMap(({ key, operator, value = '', effect, tolerationSeconds }, index) => {
    const path = at(field, index);
    const errors: FieldError[] = key ? validateLabelName(key, `${path}.key`) : [];
    if (!key && operator !== 'Exists') {
      errors.push(invalid(`${path}.operator`, operator ?? '', 'operator must be Exists when `key` is empty, which means "match all values and all keys"'));
    }
    if (tolerationSeconds !== undefined && effect !== 'NoExecute') {
      errors.push(invalid(`${path}.effect`, effect ?? '', "effect must be 'NoExecute' when `tolerationSeconds` is set"));
    }
    if (!operator || operator === 'Equal') {
      const faults = labelValueFaults(value);
      if (faults.length) errors.push(invalid(`${path}.operator`, value, faults.join(';')));
    } else if (operator === 'Exists') {
      if (value) errors.push(invalid(`${path}.operator`, value, "value must be empty when `operator` is 'Exists'"));
    } else errors.push(notSupported(`${path}.operator`, operator, ['Equal', 'Exists']));
    if (effect && !EFFECTS.includes(effect)) errors.push(notSupported(`${path}.effect`, effect, EFFECTS));
    return errors;
  });
}

function checkSpread(constraint: TopologySpreadConstraint, field: string, { isRepeated }: { isRepeated: boolean }): FieldError[] {
  const { maxSkew = 0, topologyKey, whenUnsatisfiable, minDomains, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  const errors: FieldError[] = [];
  if (maxSkew <= 0) errors.push(invalid(`${field}.maxSkew`, maxSkew, POSITIVE));
  if (!topologyKey) errors.push(required(`${field}.topologyKey`, 'can not be empty'));
  errors.push(...checkOptionalOneOf(whenUnsatisfiable ?? '', ['DoNotSchedule', 'ScheduleAnyway'], `${field}.whenUnsatisfiable`));
  if (isRepeated) errors.push(duplicate(`${field}.{topologyKey, whenUnsatisfiable}`, `{${topologyKey}, ${whenUnsatisfiable}}`));
  if (minDomains !== undefined) {
    if (minDomains <= 0) errors.push(invalid(`${field}.minDomains`, minDomains, POSITIVE));
    if (whenUnsatisfiable !== 'DoNotSchedule') {
      errors.push(invalid(`${field}.minDomains`, minDomains, `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${whenUnsatisfiable ?? ''}`));
    }
  }
  errors.push(...checkOptionalOneOf(nodeAffinityPolicy, ['Honor', 'Ignore'], `${field}.nodeAffinityPolicy`));
  errors.push(...checkOptionalOneOf(nodeTaintsPolicy, ['Honor', 'Ignore'], `${field}.nodeTaintsPolicy`));
  return errors;
}

type LabelKeys = Pick<PodAffinityTerm, 'matchLabelKeys' | 'mismatchLabelKeys' | 'labelSelector'>;

/** Keys whose values a new pod's own labels give (upstream: ValidateMatchLabelKeysAndMismatchLabelKeys). */
export function checkLabelKeys({ matchLabelKeys = [], mismatchLabelKeys = [], labelSelector }: LabelKeys, field: string): FieldError[] {
  const errors: FieldError[] = [];
  for (const [name, keys] of Object.entries({ matchLabelKeys, mismatchLabelKeys })) {
    const path = `${field}.${name}`;
    if (keys.length && !labelSelector) errors.push(forbidden(path, 'must not be specified when labelSelector is not set'));
    else errors.push(...keys.flatMap((key, index) => validateLabelName(key, at(path, index))));
  }
  const selected = new Set(Object.keys(labelSelector?.matchLabels ?? {}));
  for (const { key } of labelSelector?.matchExpressions ?? []) {
    const index = matchLabelKeys.lastIndexOf(key);
    if (index >= 0 && selected.has(key)) errors.push(invalid(at(field, index), key, 'exists in both matchLabelKeys and labelSelector'));
    selected.add(key);
  }
  matchLabelKeys.forEach((key, index) => {
    if (mismatchLabelKeys.includes(key)) errors.push(invalid(at(`${field}.matchLabelKeys`, index), key, 'exists in both matchLabelKeys and mismatchLabelKeys'));
  });
  return errors;
}

/** Upstream: validateTopologySpreadConstraints. */
export function checkSpreadConstraints(constraints: readonly TopologySpreadConstraint[] | undefined, field: string): FieldError[] {
  return (constraints ?? []).flatMap((constraint, index, all) => {
    const path = at(field, index);
    const { topologyKey, whenUnsatisfiable, labelSelector } = constraint;
    const isRepeated = all.slice(index + 1).some((other) => other.topologyKey === topologyKey && other.whenUnsatisfiable === whenUnsatisfiable);
    return [
      ...checkSpread(constraint, path, { isRepeated }),
      ...checkLabelKeys(constraint, path),
      ...validateLabelSelector(labelSelector, `${path}.labelSelector`),
    ];
  });
}

export function checkSchedulingGates(gates: readonly PodSchedulingGate[] | undefined, field: string): FieldError[] {
  const seen = new Set<string>();
  return (gates ?? []).flatMap(({ name }, index) => {
    const path = at(field, index);
    const errors = checkWith(qualifiedNameFaults, name, path);
    if (seen.has(name)) errors.push(duplicate(path, name));
    seen.add(name);
    return errors;
  });
}

export function checkReadinessGates({ readinessGates }: PodSpec, field: string): FieldError[] {
  return (readinessGates ?? []).flatMap(({ conditionType }, index) => checkWith(qualifiedNameFaults, conditionType, `${at(field, index)}.conditionType`));
}
