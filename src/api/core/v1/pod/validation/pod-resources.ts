import { at, type FieldError, forbidden, invalid, notSupported } from '../../../../field-error.ts';
import type { PodSpec } from '../../../../generated/types/core.v1.ts';
import { compareQuantities } from '../../../../quantity.ts';
import { sortedEntries } from '../../../../validation.ts';
import { podResources } from '../requests.ts';
import { checkRequirements, checkResourceName } from './resources.ts';

const SUPPORTED = ['cpu', 'hugepages-', 'memory'];

/** Upstream: validatePodResourceName. */
function checkName(name: string, field: string): FieldError[] {
  const errors = checkResourceName(name, field);
  if (errors.length) return errors;
  return name === 'cpu' || name === 'memory' || name.startsWith('hugepages-') ? [] : [notSupported(field, name, SUPPORTED)];
}

/** What a pod asks for as a whole, which must do for its containers (upstream: validatePodResources). */
export function checkPodResources(spec: PodSpec, claims: ReadonlySet<string>, field: string): FieldError[] {
  const { resources, os, containers } = spec;
  if (!resources) return [];
  if (os?.name === 'windows') return [forbidden(field, 'may not be set for a windows pod')];
  const errors = resources.claims ? [forbidden(`${field}.claims`, 'claims may not be set for Resources at pod-level')] : [];
  errors.push(...checkRequirements(resources, { checkName, claims, field }));
  const { resources: _, ...parts } = spec;
  const enough = (which: 'requests' | 'limits', name: string, sum: string): void => {
    const whole = resources[which]?.[name];
    if (whole === undefined || compareQuantities(sum, whole) <= 0) return;
    errors.push(invalid(at(`${field}.${which}`, name), whole, `must be greater than or equal to aggregate container ${which} of ${sum}`));
  };
  for (const [name, sum] of sortedEntries(podResources(parts, 'requests', { overhead: false }))) enough('requests', name, sum);
  for (const [name, sum] of sortedEntries(podResources(parts, 'limits', { overhead: false }))) if (name.startsWith('hugepages-')) enough('limits', name, sum);
  (containers ?? []).forEach((container, index) => {
    for (const [name, limit] of sortedEntries(container.resources?.limits)) {
      const whole = resources.limits?.[name];
      if (whole !== undefined && compareQuantities(limit, whole) > 0)
        errors.push(invalid(`${at(at(`${field}.containers`, index), name)}.limits`, limit, `must be less than or equal to pod limits of ${whole}`));
    }
  });
  return errors;
}
