import { type FieldError, invalid } from '../field-error.ts';
import { nameFaults } from './names.ts';
import { parse } from './parser.ts';
import { resultType } from './result-type.ts';
import type { Fault } from './tokens.ts';

/** What an expression may speak of. */
export interface ExpressionContext {
  variables: readonly string[];
  /** Those of which nothing is known before they are looked at. */
  dynamic: readonly string[];
}

export interface ExpressionRules extends ExpressionContext {
  /** The types that the value may have; undefined: any. */
  returns?: readonly string[];
}

/**
 * What is wrong with an expression of the Common Expression Language, in the words of cel-go: its form, the names in it,
 * and the type of its value as far as that is told (docs/decisions/0010-cel.md).
 */
export function expressionFault(source: string, { variables, dynamic, returns }: ExpressionRules): string | undefined {
  const { node, faults } = parse(source);
  const found = faults.length ? faults : nameFaults(node, variables);
  if (found.length) return `compilation failed: ${found.map((fault) => shown(fault, source)).join('\n')}`;
  if (!returns) return undefined;
  const type = resultType(source, node, dynamic);
  if (type === undefined || returns.includes(type)) return undefined;
  return `must evaluate to ${returns.length === 1 ? returns[0] : `one of [${returns.join(' ')}]`} but got ${type}`;
}

export function checkExpression(source: string, rules: ExpressionRules, field: string): FieldError[] {
  const fault = expressionFault(source, rules);
  return fault === undefined ? [] : [invalid(field, source, fault)];
}

/** A fault with its line, and a mark under its column; columns are characters, and wide ones get wide marks. */
function shown({ offset, words }: Fault, source: string): string {
  const before = source.slice(0, offset);
  const start = before.lastIndexOf('\n') + 1;
  const line = source.slice(start).split('\n')[0]!.replaceAll('\t', ' ');
  const column = [...before.slice(start)];
  const isWide = (char: string | undefined): boolean => char !== undefined && char > '\x7f';
  const dots = column.map((char) => (isWide(char) ? '．' : '.')).join('');
  const mark = isWide([...line][column.length]) ? '＾' : '^';
  return `ERROR: <input>:${before.split('\n').length}:${column.length + 1}: ${words}\n | ${line}\n | ${dots}${mark}`;
}
