import type { Node } from '../../api/generated/types/core.v1.ts';
import type { AdmissionPlugin } from './admission.ts';

const NOT_READY = 'node.kubernetes.io/not-ready';

/** No pod comes to a new node before it is known to be ready (upstream: plugin/pkg/admission/nodetaint). */
export const taintNodesByCondition: AdmissionPlugin = {
  name: 'TaintNodesByCondition',

  admit({ operation, resource, subresource, object }) {
    if (operation !== 'CREATE' || subresource || resource.facts.kind !== 'Node' || resource.facts.group !== '') return object;
    const node = object as Node;
    node.spec ??= {};
    const taints = node.spec.taints ?? [];
    if (!taints.some(({ key, effect }) => key === NOT_READY && effect === 'NoSchedule'))
      node.spec.taints = [...taints, { key: NOT_READY, effect: 'NoSchedule' }];
    return object;
  },
};
