import { expect, test } from 'vitest';
import { AssertionError, assert } from './assert.ts';

test('a broken invariant crashes, one that holds narrows the type', () => {
  const value = ['a'].at(0);
  assert(value !== undefined, 'there is one');
  expect(value.length).toBe(1);
  expect(() => assert(false, 'a pod has a uid')).toThrow(new AssertionError('invariant broken: a pod has a uid'));
});
