import { expect, test } from 'vitest';
import { byVersionRank } from './version-rank.ts';

test('versions go from the stable and new to the early and old, and odd names come last', () => {
  const ranked = ['v10', 'v2', 'v1', 'v11beta2', 'v10beta3', 'v3beta1', 'v12alpha1', 'v11alpha2', 'foo1', 'foo10', 'v0', 'v1gamma1'];
  expect([...ranked].reverse().sort(byVersionRank)).toEqual(ranked);
});
