import { type FieldError, invalid } from '../field-error.ts';
import { nameFaults, namesIn } from './names.ts';
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

export interface Compiled {
  /** What is wrong with its form and the names in it, in the words of cel-go. */
  fault?: string;
  /** The type of its value, where that can be told. */
  type?: string;
  /** The names that it mentions. */
  names: ReadonlySet<string>;
}

/** Reads an expression of the Common Expression Language, as far as validation goes (docs/decisions/0010-cel.md). */
export function compileExpression(source: string, { variables, dynamic }: ExpressionContext): Compiled {
  const { node, faults } = parse(source);
  const found = faults.length ? faults : nameFaults(node, variables);
  const names = namesIn(node);
  if (found.length) return { fault: found.map((fault) => shown(fault, source)).join('\n'), names };
  const type = resultType(source, node, dynamic);
  return { ...(type === undefined ? {} : { type }), names };
}

/** What is wrong with an expression of admission (upstream: apiserver/pkg/admission/plugin/cel, CompileCELExpression). */
export function expressionFault(source: string, { returns, ...context }: ExpressionRules): string | undefined {
  const { fault, type } = compileExpression(source, context);
  if (fault !== undefined) return `compilation failed: ${fault}`;
  if (!returns || type === undefined || returns.includes(type)) return undefined;
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
