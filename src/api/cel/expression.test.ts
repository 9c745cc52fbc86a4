import { expect, test } from 'vitest';
import { expressionFault } from './expression.ts';

const RULES = { variables: ['object', 'oldObject', 'request', 'namespaceObject', 'authorizer'], dynamic: ['object', 'oldObject'], returns: ['bool'] };
const OPERANDS = "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** Places and words of faults without the lines that they show. */
function faultsOf(source: string): string[] {
  const fault = expressionFault(source, RULES);
  if (fault === undefined) return [];
  if (!fault.startsWith('compilation failed: ')) return [fault];
  return [...fault.matchAll(/ERROR: <input>:(\d+:\d+: .*)/g)].map(([, words = '']) =>
    words
      .replace(/^(\d+:\d+): /, '$1 ')
      .replace(OPERANDS, 'OPERANDS')
      .replace(" (in container '')", ''),
  );
}

/** What cel-go of Kubernetes v1.34 says of validations of a policy: recorded. */
test.each<[source: string, ...faults: string[]]>([
  ['!!true'],
  ['!', "1:2 Syntax error: extraneous input '<EOF>' expecting OPERANDS"],
  ['!*', "1:2 Syntax error: extraneous input '*' expecting OPERANDS", "1:3 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ['#', "1:1 Syntax error: token recognition error at: '#'", "1:2 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ['$(A)', "1:1 Syntax error: token recognition error at: '$'"],
  ['&& a', "1:1 Syntax error: extraneous input '&&' expecting OPERANDS"],
  [
    "'\\q'",
    "1:1 Syntax error: token recognition error at: ''\\q'",
    "1:4 Syntax error: token recognition error at: '''",
    "1:5 Syntax error: mismatched input '<EOF>' expecting OPERANDS",
  ],
  ["'a", "1:1 Syntax error: token recognition error at: ''a'", "1:3 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ["'a'.size()", 'must evaluate to bool but got int'],
  ["'日本' + x", "1:8 undeclared reference to 'x'"],
  ['(', "1:2 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ['()', "1:2 Syntax error: mismatched input ')' expecting OPERANDS"],
  ['(a b c)', "1:4 Syntax error: mismatched input 'b' expecting ')'"],
  ['(a b)', "1:4 Syntax error: extraneous input 'b' expecting ')'"],
  ['(a', "1:3 Syntax error: missing ')' at '<EOF>'"],
  [')', "1:1 Syntax error: mismatched input ')' expecting OPERANDS"],
  [
    '- *',
    "1:3 Syntax error: no viable alternative at input '- *'",
    "1:3 Syntax error: mismatched input '*' expecting OPERANDS",
    "1:4 Syntax error: mismatched input '<EOF>' expecting OPERANDS",
  ],
  ['-', "1:2 Syntax error: no viable alternative at input '-'", "1:2 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ['-(-1)', 'must evaluate to bool but got int'],
  ['--1', 'must evaluate to bool but got int'],
  ['-1', 'must evaluate to bool but got int'],
  ['-x', "1:2 undeclared reference to 'x'"],
  ['..', "1:2 Syntax error: no viable alternative at input '..'"],
  ['.a', "1:2 undeclared reference to '.a'"],
  ['.object == 1'],
  ['// c', "1:5 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ['/abs', "1:1 Syntax error: extraneous input '/' expecting OPERANDS"],
  ['0777', 'must evaluate to bool but got int'],
  ['0x1F', 'must evaluate to bool but got int'],
  ['1 + + 2', "1:5 Syntax error: extraneous input '+' expecting OPERANDS"],
  ['1 + 1', 'must evaluate to bool but got int'],
  ['1 +', "1:4 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ['1 < 2'],
  ['1 in [1]'],
  ['1', 'must evaluate to bool but got int'],
  ['1.', "1:3 Syntax error: no viable alternative at input '.'"],
  ['1.5', 'must evaluate to bool but got double'],
  ['10.0.0.300', "1:5 Syntax error: mismatched input '.0' expecting <EOF>"],
  ['100m', "1:4 Syntax error: extraneous input 'm' expecting <EOF>"],
  ['127.0.0.1', "1:6 Syntax error: mismatched input '.0' expecting <EOF>"],
  ['1Gi', "1:2 Syntax error: extraneous input 'Gi' expecting <EOF>"],
  ['1_000', "1:2 Syntax error: extraneous input '_000' expecting <EOF>"],
  ['1a', "1:2 Syntax error: extraneous input 'a' expecting <EOF>"],
  ['1e5', 'must evaluate to bool but got double'],
  ['50%', "1:4 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ['9999999999999999999', '1:1 invalid int literal'],
  [':', "1:1 Syntax error: mismatched input ':' expecting OPERANDS"],
  ['::', "1:1 Syntax error: mismatched input ':' expecting OPERANDS"],
  ['::1', "1:1 Syntax error: mismatched input ':' expecting OPERANDS"],
  ['<', "1:1 Syntax error: mismatched input '<' expecting OPERANDS", "1:2 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ['==', "1:1 Syntax error: mismatched input '==' expecting OPERANDS", "1:3 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ['?', "1:1 Syntax error: mismatched input '?' expecting OPERANDS", "1:2 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ['Always', "1:1 undeclared reference to 'Always'"],
  ['Foo{a: 1}', "1:4 undeclared reference to 'Foo'"],
  [
    '[',
    "1:2 Syntax error: mismatched input '<EOF>' expecting {'[', ']', '{', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ['[1 2 3]', "1:4 Syntax error: mismatched input '2' expecting {']', ','}"],
  ['[1 2]', "1:4 Syntax error: extraneous input '2' expecting {']', ','}"],
  ['[1, 2', "1:6 Syntax error: mismatched input '<EOF>' expecting {']', ','}"],
  ['[1]', 'must evaluate to bool but got list(int)'],
  ['[]', 'must evaluate to bool but got list(dyn)'],
  ['[a, b]', "1:2 undeclared reference to 'a'", "1:5 undeclared reference to 'b'"],
  ['"""a\nb"""', 'must evaluate to bool but got string'],
  ['"a', "1:1 Syntax error: token recognition error at: '\"a'", "1:3 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ['"a"', 'must evaluate to bool but got string'],
  ['\ta', "1:2 undeclared reference to 'a'"],
  [']', "1:1 Syntax error: mismatched input ']' expecting OPERANDS"],
  ['_', "1:1 undeclared reference to '_'"],
  ['_a', "1:1 undeclared reference to '_a'"],
  ['a & b', "1:3 Syntax error: token recognition error at: '& '", "1:5 Syntax error: extraneous input 'b' expecting <EOF>"],
  ['a && ', "1:6 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ['a &&& b', "1:5 Syntax error: token recognition error at: '& '"],
  ['a +\nb', "1:1 undeclared reference to 'a'", "2:1 undeclared reference to 'b'"],
  ['a < b < c', "1:1 undeclared reference to 'a'", "1:5 undeclared reference to 'b'", "1:9 undeclared reference to 'c'"],
  ['a <', "1:4 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ['a = b', "1:3 Syntax error: token recognition error at: '= '", "1:5 Syntax error: extraneous input 'b' expecting <EOF>"],
  ['a == == b', "1:6 Syntax error: extraneous input '==' expecting OPERANDS"],
  ['a ? b : ', "1:9 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ['a ? b : c', "1:1 undeclared reference to 'a'", "1:5 undeclared reference to 'b'", "1:9 undeclared reference to 'c'"],
  ['a ? b', "1:6 Syntax error: mismatched input '<EOF>' expecting ':'"],
  ['a ?: b', "1:4 Syntax error: extraneous input ':' expecting OPERANDS", "1:7 Syntax error: mismatched input '<EOF>' expecting ':'"],
  ['a @ b', "1:3 Syntax error: token recognition error at: '@'", "1:5 Syntax error: extraneous input 'b' expecting <EOF>"],
  ['a b c', "1:3 Syntax error: mismatched input 'b' expecting <EOF>"],
  ['a b', "1:3 Syntax error: extraneous input 'b' expecting <EOF>"],
  ['a in', "1:5 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ['a | b', "1:3 Syntax error: token recognition error at: '| '", "1:5 Syntax error: extraneous input 'b' expecting <EOF>"],
  ['a || || b', "1:6 Syntax error: extraneous input '||' expecting OPERANDS"],
  ['a', "1:1 undeclared reference to 'a'"],
  ['a()', "1:2 undeclared reference to 'a'"],
  ['a)', "1:2 Syntax error: extraneous input ')' expecting <EOF>"],
  ['a.', "1:3 Syntax error: no viable alternative at input '.'"],
  ['a.+', "1:3 Syntax error: no viable alternative at input '.+'", "1:4 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ['a..b', "1:3 Syntax error: no viable alternative at input '..'"],
  ['a.b', "1:1 undeclared reference to 'a'"],
  [
    'a.b(',
    "1:5 Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ['a.b()', "1:1 undeclared reference to 'a'", "1:4 undeclared reference to 'b'"],
  ['a.b(1', "1:6 Syntax error: missing ')' at '<EOF>'"],
  ['a.b.', "1:5 Syntax error: no viable alternative at input '.'"],
  ['a.b.c == d.e.f', "1:1 undeclared reference to 'a'", "1:10 undeclared reference to 'd'"],
  ['a/b', "1:1 undeclared reference to 'a'", "1:3 undeclared reference to 'b'"],
  ['a; b', "1:2 Syntax error: token recognition error at: ';'", "1:4 Syntax error: extraneous input 'b' expecting <EOF>"],
  ['a?.b', "1:5 Syntax error: mismatched input '<EOF>' expecting ':'"],
  [
    'a[',
    "1:3 Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ['a[1', "1:4 Syntax error: missing ']' at '<EOF>'"],
  [
    'a[]',
    "1:3 Syntax error: mismatched input ']' expecting {'[', '{', '(', '.', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ['a]', "1:2 Syntax error: extraneous input ']' expecting <EOF>"],
  ['b"a"', 'must evaluate to bool but got bytes'],
  [
    'cel.bind(x, y, x)',
    "1:1 undeclared reference to 'cel'",
    "1:9 undeclared reference to 'bind'",
    "1:10 undeclared reference to 'x'",
    "1:13 undeclared reference to 'y'",
    "1:16 undeclared reference to 'x'",
  ],
  ['default', "1:1 undeclared reference to 'default'"],
  ["duration('1s')", 'must evaluate to bool but got google.protobuf.Duration'],
  ['dyn(x)', "1:5 undeclared reference to 'x'"],
  ['example.com/x', "1:1 undeclared reference to 'example'", "1:13 undeclared reference to 'x'"],
  [
    'f(',
    "1:3 Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  [
    'f(,)',
    "1:3 Syntax error: extraneous input ',' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ['f(1 2)', "1:5 Syntax error: extraneous input '2' expecting ')'"],
  ['f(1', "1:4 Syntax error: missing ')' at '<EOF>'"],
  ['foo(1)', "1:4 undeclared reference to 'foo'"],
  ['for', '1:1 reserved identifier: for'],
  ['has(a)', '1:5 invalid argument to has() macro'],
  ['has(b.a)', "1:5 undeclared reference to 'b'"],
  ['has(object.a)'],
  ['if', '1:1 reserved identifier: if'],
  ['in', "1:1 Syntax error: mismatched input 'in' expecting OPERANDS", "1:3 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ["int('1')", 'must evaluate to bool but got int'],
  ['not valid', "1:5 Syntax error: extraneous input 'valid' expecting <EOF>"],
  ['null', 'must evaluate to bool but got null_type'],
  ['object ? true : false'],
  ['object', 'must evaluate to bool but got dyn'],
  ['object.`a b`.c', "1:8 unsupported syntax: '`'"],
  ['object.`a-b`', "1:8 unsupported syntax: '`'"],
  ['object.a + 1', 'must evaluate to bool but got int'],
  ['object.a.b(c, d)', "1:11 undeclared reference to 'b'", "1:12 undeclared reference to 'c'", "1:15 undeclared reference to 'd'"],
  ['object.all(request, request)'],
  ['object.all(x, x > z)', "1:19 undeclared reference to 'z'"],
  ['object.all(x, y)', "1:15 undeclared reference to 'y'"],
  ['object.exists(i, v, v > w)', "1:25 undeclared reference to 'w'"],
  ['object.filter(1, true)', '1:15 argument is not an identifier'],
  ['object.foo(1)', "1:11 undeclared reference to 'foo'"],
  ['object.if', 'must evaluate to bool but got dyn'],
  ['object.in', "1:8 Syntax error: no viable alternative at input '.in'", "1:10 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  ['object.map(x, x, y)', "1:18 undeclared reference to 'y'"],
  ['object[e]', "1:8 undeclared reference to 'e'"],
  ['oldObject == null'],
  ['optional.of(1)', 'must evaluate to bool but got optional_type(int)'],
  ['params', "1:1 undeclared reference to 'params'"],
  ["r'\\q'", 'must evaluate to bool but got string'],
  ["size('a')", 'must evaluate to bool but got int'],
  ['string(1)', 'must evaluate to bool but got string'],
  ["timestamp('2020-01-01T00:00:00Z')", 'must evaluate to bool but got google.protobuf.Timestamp'],
  ['true // c'],
  ['true'],
  ['variables', "1:1 undeclared reference to 'variables'"],
  ['variables.a', "1:1 undeclared reference to 'variables'"],
  ['web', "1:1 undeclared reference to 'web'"],
  ['x -> y', "1:4 Syntax error: extraneous input '>' expecting OPERANDS"],
  ['x-', "1:3 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  [
    '{',
    "1:2 Syntax error: mismatched input '<EOF>' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
  ],
  ["{'a': 1}", 'must evaluate to bool but got map(string, int)'],
  ['{1:2 3:4}', "1:6 Syntax error: mismatched input '3' expecting {'}', ','}"],
  ['{1:2', "1:5 Syntax error: mismatched input '<EOF>' expecting {'}', ','}"],
  ['{1}', "1:3 Syntax error: mismatched input '}' expecting ':'"],
  ['{a: b}', "1:2 undeclared reference to 'a'", "1:5 undeclared reference to 'b'"],
  ['{}', 'must evaluate to bool but got map(dyn, dyn)'],
  ['}', "1:1 Syntax error: mismatched input '}' expecting OPERANDS"],
  ['ü', "1:1 Syntax error: token recognition error at: 'ü'", "1:2 Syntax error: mismatched input '<EOF>' expecting OPERANDS"],
  [
    '日本',
    "1:1 Syntax error: token recognition error at: '日'",
    "1:2 Syntax error: token recognition error at: '本'",
    "1:3 Syntax error: mismatched input '<EOF>' expecting OPERANDS",
  ],
])('%s', (source, ...faults) => {
  expect(faultsOf(source)).toEqual(faults);
});

test('a fault shows its line, with wide marks for wide characters', () => {
  expect(expressionFault("true &&\n\t'日本' + x", RULES)).toBe(
    "compilation failed: ERROR: <input>:2:9: undeclared reference to 'x' (in container '')\n |  '日本' + x\n | ..．．....^",
  );
});

test('several types are allowed', () => {
  expect(expressionFault('1', { ...RULES, returns: ['string', 'null_type'] })).toBe('must evaluate to one of [string null_type] but got int');
  expect(expressionFault('null', { ...RULES, returns: ['string', 'null_type'] })).toBeUndefined();
});

test("what Kubernetes' own functions return is let through", () => {
  for (const source of [
    "quantity('1Gi')",
    "url('https://a')",
    'authorizer.group("").resource("pods").check("get").allowed()',
    'object.a.isSorted()',
    'sets.contains([1], [1])',
  ])
    expect(expressionFault(source, RULES)).toBeUndefined();
});
