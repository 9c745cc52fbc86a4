import { claimsUsedBy } from '../../../api/core/v1/volume-matching.ts';
import type { FilterPlugin } from '../../framework.ts';

const IN_USE = 'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod';

/** A ReadWriteOncePod claim is for one pod at a time. Upstream: pkg/scheduler/framework/plugins/volumerestrictions. */
export const volumeRestrictions: FilterPlugin = {
  name: 'VolumeRestrictions',
  filter({ pod }, { storage, nodes }) {
    if (!storage) return undefined;
    const { namespace = '', uid } = pod.metadata;
    const isExclusive = (name: string): boolean => storage.claim(namespace, name)?.spec.accessModes?.includes('ReadWriteOncePod') ?? false;
    const names = claimsUsedBy(pod)
      .map(({ name }) => name)
      .filter(isExclusive);
    if (names.length === 0) return undefined;
    const others = nodes
      .flatMap((node) => [...node.pods.values()])
      .filter((other) => other.pod.metadata.namespace === namespace && other.pod.metadata.uid !== uid);
    if (!others.some((other) => claimsUsedBy(other.pod).some(({ name }) => names.includes(name)))) return undefined;
    return () => ({ reasons: [IN_USE], unresolvable: false });
  },
};
