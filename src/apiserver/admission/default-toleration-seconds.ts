import type { Pod, Toleration } from '../../api/generated/types/core.v1.ts';
import type { AdmissionPlugin } from './admission.ts';

const TOLERATION_SECONDS = 300;
const TAINTS = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];

/** Pods outlast five minutes of a node's absence, unless they say otherwise. */
export const defaultTolerationSeconds: AdmissionPlugin = {
  name: 'DefaultTolerationSeconds',

  admit({ operation, resource, subresource, object }) {
    if (resource.facts.kind !== 'Pod' || subresource || (operation !== 'CREATE' && operation !== 'UPDATE')) return object;
    const { spec } = object as Pod;
    const tolerations = spec.tolerations ?? [];
    const missing = TAINTS.filter((key) => !tolerations.some((toleration) => tolerates(toleration, key)));
    if (missing.length)
      spec.tolerations = [...tolerations, ...missing.map((key) => ({ key, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: TOLERATION_SECONDS }))];
    return object;
  },
};

function tolerates({ key, effect }: Toleration, taint: string): boolean {
  return (!key || key === taint) && (!effect || effect === 'NoExecute');
}
