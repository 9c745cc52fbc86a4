import { describe, expect, it } from 'vitest';
import { parseJsonPath, printed } from './json-path.ts';

const OBJECT = {
  spec: { size: 3, 'odd.name': 'x', list: ['a', 'b'] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True', since: 4 },
      { type: 'Busy', status: 'False', since: 9 },
    ],
  },
};

describe('a path', () => {
  it.each([
    ['.spec.size', '3'],
    [".spec['odd.name']", 'x'],
    ['.spec.list[1]', 'b'],
    ['.spec.list[-1]', 'b'],
    ['.spec.list', '["a","b"]'],
    ['.spec.list[*]', 'a'],
    ['.status.conditions[?(@.type=="Ready")].status', 'True'],
    ['.status.conditions[?(@.since>5)].type', 'Busy'],
    [".status.conditions[?(@.status!='True')].type", 'Busy'],
    ['.status.none', ''],
    ['.spec.size.deeper', ''],
  ])('%s leads to %s', (path, found) => {
    expect(printed(parseJsonPath(path)?.(OBJECT)[0])).toBe(found);
  });

  it.each(['spec', '.spec[', '.a[?(@.b)', '.a b', '.a..'])('%s is none', (path) => {
    expect(parseJsonPath(path)).toBeUndefined();
  });
});
