import { normalize, type ScorePlugin } from '../../framework.ts';

/**
 * Spreads the pods of one controller over nodes: what upstream's default topology spread constraints come to on nodes
 * without zones.
 */
export const selectorSpread: ScorePlugin = {
  name: 'SelectorSpread',
  weight: 2,
  score({ pod }, nodes) {
    const owner = pod.metadata.ownerReferences?.find((reference) => reference.controller)?.uid;
    if (!owner || pod.spec.topologySpreadConstraints?.length) return undefined;
    const counts = nodes.map(({ pods }) => {
      let count = 0;
      for (const { pod: other } of pods.values()) {
        if (!other.metadata.deletionTimestamp && other.metadata.ownerReferences?.some(({ uid }) => uid === owner)) count++;
      }
      return count;
    });
    return normalize(counts, { reverse: true });
  },
};
