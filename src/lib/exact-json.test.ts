import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { exactInteger, parseExact, stringifyExact } from './exact-json.ts';

const INT64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const LEAF = fc.oneof(INT64.map(exactInteger), fc.string(), fc.boolean(), fc.constant(null), fc.stringMatching(/^[\uE000"\\0-9]{0,30}$/));
const { tree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    LEAF,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(
      fc.string().filter((key) => key !== '__proto__'),
      tie('tree'),
      { maxKeys: 4 },
    ),
  ),
}));

describe('exact JSON', () => {
  it('keeps every 64-bit integer', () => {
    for (const digits of ['9223372036854775807', '-9223372036854775808', '3546343826724305832', '9007199254740993', '9007199254740991', '0'])
      expect(stringifyExact(parseExact(`{"a":[${digits}]}`))).toBe(`{"a":[${digits}]}`);
  });

  it('leaves what only looks like one', () => {
    expect(parseExact('{"3546343826724305832":"a 3546343826724305832","f":35463438267245000.0,"e":1e20}')).toEqual({
      '3546343826724305832': 'a 3546343826724305832',
      f: 35463438267245000,
      e: 1e20,
    });
    expect(parseExact('["\uE0003546343826724305832", 3546343826724305832]')).toEqual(['\uE0003546343826724305832', 3546343826724305832n]);
  });

  it('tells of a text that is not JSON', () => {
    expect(() => parseExact('{"a":3546343826724305832')).toThrow(SyntaxError);
  });

  it('reads what it wrote', () => {
    fc.assert(fc.property(tree, (value) => void expect(parseExact(stringifyExact(value))).toEqual(value)));
    fc.assert(fc.property(tree, (value) => void expect(parseExact(stringifyExact(value, 2))).toEqual(value)));
  });
});
