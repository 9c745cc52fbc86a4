import { goNumber, goSyntax, goText } from '../../api/go-text.ts';
import type { ScalarType } from '../../api/schema.ts';
import type { List, Scalar, Struct, Type } from '../../api/type.ts';
import { showPath } from './field-set.ts';
import { elementOf } from './path-element.ts';

type Json = unknown;

/**
 * What keeps a configuration from being applied: values that do not fit the schema, fields it does not have, list elements
 * that stand there twice or cannot be told apart (structured-merge-diff: typed/validate.go).
 *
 * @returns the words of all faults in one; undefined for none.
 */
export function typedFault(type: Struct, object: Json): string | undefined {
  const faults: string[] = [];
  validate(type, object, { path: [], faults });
  if (faults.length < 2) return faults[0];
  return ['errors:', ...faults.map((fault) => `  ${fault}`)].join('\n');
}

interface Context {
  path: string[];
  faults: string[];
}

function tell({ path, faults }: Context, words: string): void {
  faults.push(path.length ? `${showPath(path)}: ${words}` : words);
}

/** As Go prints the value's wrapper with %v. */
const wrapped = (value: Json): string => `&{${goText(value, goNumber)}}`;

function validate(type: Type, value: Json, context: Context): void {
  if (value === null || value === undefined) return;
  if (type.shape === 'scalar') validateScalar(type, value, context);
  else if (type.shape === 'list') {
    if (Array.isArray(value)) validateList(type, value, context);
    else tell(context, `expected list, got ${wrapped(value)}`);
  } else if (isMap(value)) validateMap(type, value, context);
  else tell(context, `expected map, got ${wrapped(value)}`);
}

function validateMap(type: Exclude<Type, List | Scalar>, value: Record<string, Json>, context: Context): void {
  for (const name of Object.keys(value)) {
    const inner = type.shape === 'map' ? type.element : type.fields.get(name)?.type;
    if (!inner && type.shape === 'struct' && type.preservesUnknownFields) continue;
    context.path.push(`f:${name}`);
    if (inner) validate(inner, value[name], context);
    else tell(context, 'field not declared in schema');
    context.path.pop();
    if (!inner) return;
  }
}

function validateList(type: List, items: readonly Json[], context: Context): void {
  const isAssociative = type.listType === 'set' || type.listType === 'map';
  const seen = new Set<string>();
  for (const [index, item] of items.entries()) {
    let element = `i:${index}`;
    if (isAssociative) {
      const found = elementOf(type, item);
      if ('fault' in found) {
        tell(context, `element ${index}: ${found.fault}`);
        return;
      }
      element = found.element;
      if (seen.has(element)) tell(context, `duplicate entries for key ${showPath([element])}`);
      seen.add(element);
    }
    context.path.push(element);
    validate(type.element, item, context);
    context.path.pop();
  }
}

/** What the schema lets in for each kind of scalar; of the rest only that it is one. */
const EXPECTED: Partial<Record<ScalarType, { isFit: (value: Json) => boolean; fault: (value: Json) => string }>> = (() => {
  const text = { isFit: (value: Json) => typeof value === 'string', fault: (value: Json) => `expected string, got ${goSyntax(value)}` };
  const number = {
    isFit: (value: Json) => typeof value === 'number' || typeof value === 'bigint',
    fault: (value: Json) => `expected numeric (int or float), got ${goTypeOf(value)}`,
  };
  const scalar = { isFit: (value: Json) => typeof value !== 'object', fault: (value: Json) => `expected any scalar, got ${wrapped(value)}` };
  const boolean = { isFit: (value: Json) => typeof value === 'boolean', fault: (value: Json) => `expected boolean, got ${wrapped(value)}` };
  return { string: text, bytes: text, int32: number, int64: number, double: number, time: scalar, microTime: scalar, quantity: scalar, boolean };
})();

function validateScalar({ format }: Scalar, value: Json, context: Context): void {
  const expected = EXPECTED[format];
  if (expected && !expected.isFit(value)) tell(context, expected.fault(value));
}

function goTypeOf(value: Json): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (isMap(value)) return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

function isMap(value: Json): value is Record<string, Json> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
