import { type Document, isNode, parseDocument, visit } from 'yaml';
import { define } from '../../api/equality.ts';
import { badRequest } from '../../api/status.ts';
import { exactInteger } from '../../lib/exact-json.ts';
import type { Repeats } from './strict.ts';

/** Aliases multiply a small text into a huge object; no manifest needs this many. */
const MAX_ALIASES = 100;

function parse(text: string): Document.Parsed {
  try {
    return parseDocument(text, { version: '1.1', uniqueKeys: false, merge: true, logLevel: 'silent', intAsBigInt: true });
  } catch (error) {
    // The parser recurses; what overflows it is no manifest.
    if (error instanceof RangeError) throw badRequest('the body of the request nests too deep');
    throw error;
  }
}

/**
 * Reads a YAML body by the rules of YAML 1.1, as upstream does (`y` is true).
 *
 * @throws StatusError BadRequest with line and column.
 */
export function parseYaml(text: string): { value: unknown; repeats: Repeats } {
  const document = parse(text);
  const error = document.errors[0];
  if (error) throw badRequest(`error converting YAML to JSON: yaml: line ${error.linePos?.[0].line ?? 1}: ${error.message.split('\n')[0]}`);
  const lines: string[] = [];
  const lineAt = lineOf(text);
  let depth = 0;
  visit(document, {
    Node(_key, _node, path) {
      depth = Math.max(depth, path.length);
    },
    Map(_key, map) {
      const seen = new Set<string>();
      for (const { key, value } of map.items) {
        const name = String(key);
        if (seen.has(name)) lines.push(`line ${lineAt(value ?? key)}: key ${JSON.stringify(name)} already set in map`);
        seen.add(name);
      }
    },
  });
  if (depth > 1000) throw badRequest('the body of the request nests too deep');
  try {
    return { value: document.contents ? withNumbers(document.toJS({ maxAliasCount: MAX_ALIASES })) : {}, repeats: { type: 'yaml', lines } };
  } catch (failure) {
    throw badRequest(`error converting YAML to JSON: yaml: ${(failure as Error).message}`);
  }
}

/** The line that a node begins on, counted from one. */
function lineOf(text: string): (node: unknown) => number {
  return (node) => {
    const range = isNode(node) ? node.range : undefined;
    return text.slice(0, range?.[0] ?? 0).split('\n').length;
  };
}

/** Integers as numbers, but for those that a number cannot hold. */
function withNumbers(value: unknown): unknown {
  if (typeof value === 'bigint') return exactInteger(value);
  if (Array.isArray(value)) return value.map(withNumbers);
  if (typeof value !== 'object' || value === null) return value;
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) define(out, key, withNumbers((value as Record<string, unknown>)[key]));
  return out;
}
