import { expect, it } from 'vitest';
import type { Volume } from '../../../generated/types/core.v1.ts';
import { overlapWarnings } from './overlapping-paths.ts';

const item = (path: string) => ({ key: 'k', path });

it.each<[string, Volume, string[]]>([
  ['apart', { name: 'v', configMap: { name: 'c', items: [item('a'), item('ab')] } }, []],
  ['below', { name: 'v', configMap: { name: 'c', items: [item('p'), item('p/q/')] } }, ['volume "v" (ConfigMap "c"): overlapping paths: "p/q" with "p"']],
  ['the same', { name: 'v', secret: { secretName: 's', items: [item('p/q'), item('p/q')] } }, ['volume "v" (Secret "s"): overlapping paths: "p/q" with "p/q"']],
  [
    'across sources',
    { name: 'v', projected: { sources: [{ configMap: { name: 'c', items: [item('t')] } }, { serviceAccountToken: { path: 't' } }, {}] } },
    ['volume "v" (Projected) has no sources provided', 'volume "v" (Projected): overlapping paths: "t" (ServiceAccountToken) with "t" (ConfigMap "c")'],
  ],
])('C218: paths that lie %s', (_what, volume, warnings) => {
  expect(overlapWarnings(volume)).toEqual(warnings);
});
