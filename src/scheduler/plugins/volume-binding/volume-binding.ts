import type { FilterPlugin } from '../../framework.ts';
import { claimsOf, volumeConflict } from '../../storage.ts';

/** A pod goes where its volumes are, or can be. Upstream: pkg/scheduler/framework/plugins/volumebinding. */
export const volumeBinding: FilterPlugin = {
  name: 'VolumeBinding',
  preFilter({ pod }, { storage }) {
    if (!storage) return undefined;
    const claims = claimsOf(pod, storage);
    return 'fault' in claims ? claims.fault : undefined;
  },
  filter({ pod }, { storage }) {
    if (!storage) return undefined;
    const claims = claimsOf(pod, storage);
    if ('fault' in claims || claims.bound.length + claims.waiting.length === 0) return undefined;
    return ({ node }) => {
      const reason = volumeConflict(node, claims, storage);
      return reason === undefined ? undefined : { reasons: [reason], unresolvable: true };
    };
  },
};
