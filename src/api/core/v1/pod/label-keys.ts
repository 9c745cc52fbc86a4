import type { Pod, PodAffinityTerm } from '../../../generated/types/core.v1.ts';

type LabelKeys = Pick<PodAffinityTerm, 'matchLabelKeys' | 'mismatchLabelKeys' | 'labelSelector'>;

/** Adds to the selector what the pod's own labels say for the keys. One without a selector matches nothing, and stays so. */
function merge({ matchLabelKeys = [], mismatchLabelKeys = [], labelSelector }: LabelKeys, labels: Readonly<Record<string, string>>): void {
  if (!labelSelector) return;
  for (const [operator, keys] of Object.entries({ In: matchLabelKeys, NotIn: mismatchLabelKeys })) {
    const added = keys.filter((key) => labels[key] !== undefined).map((key) => ({ key, operator, values: [labels[key]!] }));
    if (added.length) labelSelector.matchExpressions = [...(labelSelector.matchExpressions ?? []), ...added];
  }
}

/** Upstream: pkg/registry/core/pod/strategy.go, mutatePodAffinity and mutateTopologySpreadConstraints. */
export function mergeLabelKeys({ metadata: { labels = {} }, spec }: Pod): void {
  for (const affinity of [spec.affinity?.podAffinity, spec.affinity?.podAntiAffinity]) {
    for (const { podAffinityTerm } of affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []) merge(podAffinityTerm, labels);
    for (const term of affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []) merge(term, labels);
  }
  for (const constraint of spec.topologySpreadConstraints ?? []) merge(constraint, labels);
}
