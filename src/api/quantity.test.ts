import { describe, expect, test } from 'vitest';
import {
  addQuantities,
  asMilli,
  asNumber,
  canonicalQuantity,
  compareQuantities,
  QUANTITY_FORMAT_ERROR,
  roundUpToMilli,
  subtractQuantities,
} from './quantity.ts';

describe('canonical form', () => {
  test.each([
    ['0.5', '500m'],
    ['0.25', '250m'],
    ['1', '1'],
    ['1.0', '1'],
    ['1.2', '1200m'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['0500m', '500m'],
    ['0.0005', '500u'],
    ['1024Mi', '1Gi'],
    ['1000Mi', '1000Mi'],
    ['1.5Gi', '1536Mi'],
    ['0.1Gi', '107374182400m'],
    ['1000', '1k'],
    ['1000M', '1G'],
    ['1048576', '1048576'],
    ['1e3', '1e3'],
    ['1E3', '1e3'],
    ['.001Ki', '1024m'],
    ['1Ki', '1Ki'],
    ['0.5Ki', '512'],
    ['0Gi', '0'],
    ['-1Mi', '-1Mi'],
    ['1.5G', '1500M'],
    ['0.0000000001', '1n'],
    ['+3', '3'],
    ['100E', '100E'],
    ['1e30', '9223372036854775807'],
  ])('%s → %s', (text, canonical) => {
    expect(canonicalQuantity(text)).toBe(canonical);
    if (canonical !== '9223372036854775807') expect(canonicalQuantity(canonical)).toBe(canonical);
  });
});

test.each(['', '5gi', '1.1 Gi', '1e3m', '.', 'Mi', '1.2.3'])('%j is refused', (text) => {
  expect(() => canonicalQuantity(text)).toThrow(QUANTITY_FORMAT_ERROR);
});

test('a suffix of the right letters that is none', () => {
  expect(() => canonicalQuantity('5ki')).toThrow("unable to parse quantity's suffix");
});

test('arithmetic keeps the form of the first', () => {
  expect(addQuantities('1Gi', '512Mi')).toBe('1536Mi');
  expect(addQuantities('0', '512Mi')).toBe('512Mi');
  expect(subtractQuantities('1', '250m')).toBe('750m');
  expect(compareQuantities('1000m', '1')).toBe(0);
  expect(compareQuantities('1Gi', '1G')).toBe(1);
});

test('numbers are rounded up', () => {
  expect(asMilli('0.0005')).toBe(1);
  expect(asMilli('1500m')).toBe(1500);
  expect(asNumber('1500m')).toBe(2);
  expect(asNumber('1Gi')).toBe(2 ** 30);
  expect(roundUpToMilli('0.0005')).toBe('1m');
});
