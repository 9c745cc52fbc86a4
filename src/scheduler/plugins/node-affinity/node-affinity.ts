import { allowsNode, matchesTerm } from '../../../api/core/v1/node/selector.ts';
import { type FilterPlugin, normalize, type ScorePlugin } from '../../framework.ts';

export const nodeAffinity: FilterPlugin & ScorePlugin = {
  name: 'NodeAffinity',
  weight: 2,
  filter({ pod: { spec } }) {
    if (!spec.nodeSelector && !spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution) return undefined;
    return ({ node }) => (allowsNode(spec, node) ? undefined : { reasons: ["node(s) didn't match Pod's node affinity/selector"], unresolvable: true });
  },
  score({ pod: { spec } }, nodes) {
    const terms = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
    if (terms.length === 0) return undefined;
    const sums = nodes.map(({ node }) => terms.reduce((sum, { weight, preference }) => sum + (matchesTerm(preference, node) ? weight : 0), 0));
    return normalize(sums, { reverse: false });
  },
};
