import { tolerates } from '../../../api/core/v1/pod/tolerations.ts';
import type { FilterPlugin } from '../../framework.ts';

const TAINT = { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' };

/** Cordoned nodes take only pods that tolerate that. */
export const nodeUnschedulable: FilterPlugin = {
  name: 'NodeUnschedulable',
  filter({ pod }) {
    if (pod.spec.tolerations?.some((toleration) => tolerates(toleration, TAINT))) return undefined;
    return ({ node }) => (node.spec.unschedulable ? { reasons: ['node(s) were unschedulable'], unresolvable: true } : undefined);
  },
};
