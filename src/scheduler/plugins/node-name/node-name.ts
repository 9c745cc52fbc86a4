import type { FilterPlugin } from '../../framework.ts';

export const nodeName: FilterPlugin = {
  name: 'NodeName',
  filter({ pod }) {
    const wanted = pod.spec.nodeName;
    if (!wanted) return undefined;
    return ({ name }) => (name === wanted ? undefined : { reasons: ["node(s) didn't match the requested node name"], unresolvable: true });
  },
};
