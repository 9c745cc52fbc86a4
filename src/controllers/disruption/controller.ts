import type { Pod } from '../../api/generated/types/core.v1.ts';
import type { PodDisruptionBudget } from '../../api/generated/types/policy.v1.ts';
import { nothing, type Selector, selectorFrom } from '../../api/labels.ts';
import { type KubeObject, keyOf, type Resource } from '../../api/object.ts';
import { Deployments, PodDisruptionBudgets, Pods, ReplicaSets, ReplicationControllers, StatefulSets } from '../../api/resources.ts';
import type { InformerFactory, Lister } from '../../client/informer.ts';
import { controllerOf } from '../ownership.ts';
import { byKey, type Controller, watchRule } from '../runtime/controller.ts';
import { type DisruptionSnapshot, planDisruption, type Scale } from './plan.ts';

/** The resources whose size is known, and that may control pods. */
const SCALED: readonly Resource[] = [ReplicationControllers, ReplicaSets, StatefulSets, Deployments];

/** Keeps the status of PodDisruptionBudgets, by which evictions are allowed. Upstream: pkg/controller/disruption. */
export function disruptionController(informers: InformerFactory): Controller<DisruptionSnapshot> {
  const budgets = informers.lister(PodDisruptionBudgets);
  const pods = informers.lister(Pods);
  const owners = new Map(SCALED.map((resource) => [resource.kind, informers.lister(resource)]));
  return {
    name: 'controllermanager',
    watches: [
      watchRule(PodDisruptionBudgets, ({ object }) => [keyOf(object)]),
      watchRule(Pods, ({ object }) => budgetsOf(budgets, object).map(keyOf)),
      ...SCALED.map((resource) => watchRule(resource, () => [])),
    ],
    observe: async (key, { now }) => {
      const budget = byKey(budgets, key);
      if (!budget) return undefined;
      const selected = pods.list({ namespace: budget.metadata.namespace ?? '', selector: selectorOf(budget) });
      return { now, budget, pods: selected, scale: scaleOf(selected, owners) };
    },
    plan: planDisruption,
  };
}

/** A selector that is left out selects nothing, an empty one everything. */
function selectorOf({ spec }: PodDisruptionBudget): Selector {
  return spec.selector ? selectorFrom(spec.selector) : nothing();
}

function budgetsOf(budgets: Lister<PodDisruptionBudget>, { metadata }: Pod): PodDisruptionBudget[] {
  return budgets.list({ namespace: metadata.namespace ?? '' }).filter((budget) => selectorOf(budget).matches(metadata.labels));
}

type Owners = ReadonlyMap<string, Lister<KubeObject>>;

/** Each controller counts once, however many of its pods are there. */
function scaleOf(pods: readonly Pod[], owners: Owners): Scale {
  const sizes = new Map<string, number>();
  const unmanaged: Pod[] = [];
  let uncontrolled: Pod | undefined;
  for (const pod of pods) {
    if (!controllerOf(pod)) {
      unmanaged.push(pod);
      continue;
    }
    const scaled = scaledOwner(pod, owners);
    if (scaled) sizes.set(scaled.metadata.uid!, (scaled as KubeObject & { spec: { replicas?: number } }).spec.replicas ?? 1);
    else uncontrolled ??= pod;
  }
  return { expected: [...sizes.values()].reduce((sum, size) => sum + size, 0), unmanaged, uncontrolled };
}

/** A ReplicaSet's Deployment speaks for it. */
function scaledOwner(object: KubeObject, owners: Owners): KubeObject | undefined {
  const reference = controllerOf(object);
  const owner = reference && owners.get(reference.kind)?.get(object.metadata.namespace ?? '', reference.name);
  if (!owner || owner.metadata.uid !== reference.uid) return undefined;
  return owner.kind === 'ReplicaSet' && controllerOf(owner)?.kind === 'Deployment' ? scaledOwner(owner, owners) : owner;
}
