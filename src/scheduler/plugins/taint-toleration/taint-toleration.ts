import { tolerates, untolerated } from '../../../api/core/v1/pod/tolerations.ts';
import { type FilterPlugin, normalize, type ScorePlugin } from '../../framework.ts';

/** Upstream words the reason so since v1.34.2; before, it named the taint. */
const REASON = 'node(s) had untolerated taint(s)';

export const taintToleration: FilterPlugin & ScorePlugin = {
  name: 'TaintToleration',
  weight: 3,
  filter({ pod }) {
    return ({ node }) =>
      untolerated(node.spec.taints, pod.spec.tolerations, ['NoSchedule', 'NoExecute']) ? { reasons: [REASON], unresolvable: true } : undefined;
  },
  /** The fewer PreferNoSchedule taints that the pod does not tolerate, the better. */
  score({ pod }, nodes) {
    const tolerations = (pod.spec.tolerations ?? []).filter(({ effect }) => !effect || effect === 'PreferNoSchedule');
    const counts = nodes.map(
      ({ node }) =>
        (node.spec.taints ?? []).filter((taint) => taint.effect === 'PreferNoSchedule' && !tolerations.some((toleration) => tolerates(toleration, taint)))
          .length,
    );
    return counts.every((count) => count === 0) ? undefined : normalize(counts, { reverse: true });
  },
};
