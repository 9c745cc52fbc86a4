import { expect, test } from 'vitest';
import { countIndexes } from './job-indexes.ts';

test.each<[string, number | string]>([
  ['', 0],
  ['0', 1],
  ['1,3-5,7', 5],
  ['9', 'too large index: "9"'],
  ['3-9', 'too large index: "9"'],
  ['a', 'cannot convert string to integer for index: "a"'],
  ['3-3', 'non-increasing order, previous: 3, current: 3'],
  ['3,2', 'non-increasing order, previous: 3, current: 2'],
  ['1-2-3', 'the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by \'-\''],
])('the indexes %s of nine', (text, wanted) => {
  expect(countIndexes(text, 9)).toEqual(typeof wanted === 'number' ? wanted : { fault: wanted });
});
