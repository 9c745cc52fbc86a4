import { expect, test } from 'vitest';
import { meetsFieldSelector, parseFieldSelector } from './field-selectors.ts';
import { parseSelector } from './label-parser.ts';
import { validateLabelSelector } from './label-validation.ts';
import { formatSelector, selectorFrom } from './labels.ts';

test.each([
  ['t=x', { t: 'x' }, true],
  ['t==x', { t: 'y' }, false],
  ['t!=x', {}, true],
  ['t in (x,y)', { t: 'y' }, true],
  ['t notin (x)', {}, true],
  ['t', { t: '' }, true],
  ['!t', {}, true],
  ['n>0', { n: '1' }, true],
  ['n<1', { n: 'a' }, false],
  ['in in (in,notin)', { in: 'notin' }, true],
  ['t in (,x)', { t: '' }, true],
  ['', {}, true],
  ['t=', { t: '' }, true],
])('%s of %j', (text, labels, matches) => {
  expect(parseSelector(text).matches(labels as Record<string, string>)).toBe(matches);
});

test.each([
  ['t in (x', "unable to parse requirement: found '', expected: ',' or ')'"],
  ['t=x y', "found 'y', expected: ',' or 'end of string'"],
  [',', "found ',', expected: !, identifier, or 'end of string'"],
  ['a,', "found '', expected: identifier after ','"],
  ['a in x', "unable to parse requirement: found 'x' expected: '('"],
])('%s is refused', (text, message) => {
  expect(() => parseSelector(text)).toThrow(message);
});

test('text of a selector is sorted by key', () => {
  const selector = parseSelector('z notin (b,a),a=1,!q,m');
  expect(String(selector)).toBe('a=1,m,!q,z notin (a,b)');
});

test('LabelSelector objects', () => {
  const selector = { matchLabels: { b: '1' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['y', 'x'] }] };
  expect(formatSelector(selector)).toBe('a in (x,y),b=1');
  expect(selectorFrom(undefined).matches({})).toBe(false);
  expect(selectorFrom({}).matches(undefined)).toBe(true);
  expect(validateLabelSelector({ matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] }, 'spec.selector')).toEqual([
    {
      reason: 'FieldValueForbidden',
      field: 'spec.selector.matchExpressions[0].values',
      message: "Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
    },
  ]);
});

test('field selectors', () => {
  expect(parseFieldSelector('metadata.name=p,status.phase!=Failed')).toEqual([
    { field: 'metadata.name', operator: '=', value: 'p' },
    { field: 'status.phase', operator: '!=', value: 'Failed' },
  ]);
  expect(parseFieldSelector('a==b\\,c')).toEqual([{ field: 'a', operator: '=', value: 'b,c' }]);
  expect(() => parseFieldSelector('a')).toThrow("invalid selector: 'a'; can't understand 'a'");
  expect(() => parseFieldSelector('a=b=c')).toThrow('unescaped character');
  expect(meetsFieldSelector(parseFieldSelector('spec.nodeName='), () => '')).toBe(true);
});
