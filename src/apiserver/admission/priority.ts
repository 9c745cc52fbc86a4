import type { Pod } from '../../api/generated/types/core.v1.ts';
import type { PriorityClass } from '../../api/generated/types/scheduling.v1.ts';
import { PriorityClasses } from '../../api/resources.ts';
import { forbidden } from '../../api/status.ts';
import type { AdmissionContext, AdmissionPlugin } from './admission.ts';

/** Classes that exist in every cluster without being stored by anybody (pkg/apis/scheduling). */
const SYSTEM_CLASSES: Record<string, number> = { 'system-node-critical': 2000001000, 'system-cluster-critical': 2000000000 };

/** Turns a pod's priority class into its number. */
export const priority: AdmissionPlugin = {
  name: 'Priority',

  async admit({ operation, resource, subresource, name, object, old }, context) {
    if (resource.facts.kind !== 'Pod' || subresource) return object;
    const { spec } = object as Pod;
    if (operation === 'UPDATE') {
      const before = (old as Pod).spec;
      if (spec.priority === undefined && before.priority !== undefined) spec.priority = before.priority;
      if (spec.preemptionPolicy === undefined && before.preemptionPolicy !== undefined) spec.preemptionPolicy = before.preemptionPolicy;
      return object;
    }
    if (operation !== 'CREATE') return object;
    const chosen = await choose(context, spec.priorityClassName);
    if (!chosen) throw forbidden(resource.facts, name, `no PriorityClass with name ${spec.priorityClassName} was found`);
    if (spec.priority !== undefined && spec.priority !== chosen.value)
      throw forbidden(
        resource.facts,
        name,
        `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${chosen.value} from the given PriorityClass name`,
      );
    if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== chosen.preemptionPolicy) {
      throw forbidden(
        resource.facts,
        name,
        `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${chosen.preemptionPolicy} from the given PriorityClass name`,
      );
    }
    spec.priority = chosen.value;
    spec.preemptionPolicy = chosen.preemptionPolicy;
    if (chosen.name) spec.priorityClassName = chosen.name;
    return object;
  },

  /** There is one default at most (upstream: validatePriorityClass). */
  async validate({ operation, resource, subresource, name, object }, context) {
    if (resource.facts.kind !== 'PriorityClass' || subresource || !(object as PriorityClass | undefined)?.globalDefault) return undefined;
    const byDefault = defaultOf(await context.all(PriorityClasses));
    if (byDefault && (operation === 'CREATE' || byDefault.metadata.name !== name))
      throw forbidden(resource.facts, name, `PriorityClass ${byDefault.metadata.name} is already marked as default. Only one default can exist`);
    return undefined;
  },
};

const defaultOf = (classes: readonly PriorityClass[]): PriorityClass | undefined => classes.filter((c) => c.globalDefault).sort((a, b) => a.value - b.value)[0];

async function choose(
  context: AdmissionContext,
  className: string | undefined,
): Promise<{ name?: string; value: number; preemptionPolicy: string } | undefined> {
  const classes = await context.all(PriorityClasses);
  const describe = (c: PriorityClass): { name: string; value: number; preemptionPolicy: string } => ({
    name: c.metadata.name!,
    value: c.value,
    preemptionPolicy: c.preemptionPolicy ?? 'PreemptLowerPriority',
  });
  if (className) {
    const found = classes.find((c) => c.metadata.name === className);
    if (found) return describe(found);
    const system = SYSTEM_CLASSES[className];
    return system === undefined ? undefined : { name: className, value: system, preemptionPolicy: 'PreemptLowerPriority' };
  }
  const byDefault = defaultOf(classes);
  return byDefault ? describe(byDefault) : { value: 0, preemptionPolicy: 'PreemptLowerPriority' };
}
