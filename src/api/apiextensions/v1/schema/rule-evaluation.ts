import { compile, optionalOf, type Program, toCel } from '../../../cel/evaluation.ts';
import { deepEqual } from '../../../equality.ts';
import { at, duplicate, type FieldError, forbidden, invalid, required } from '../../../field-error.ts';
import type { ValidationRule } from '../../../generated/types/apiextensions.v1.ts';
import { additionalOf, itemsOf, type JSONSchemaProps } from './schema.ts';
import { counterpart } from './value.ts';

/** What rules say of an object, and what they would say of values that have not changed. */
export interface RuleFindings {
  errors: FieldError[];
  ratcheted: FieldError[];
}

interface CompiledRule {
  rule: ValidationRule;
  program: Program | string;
  message: Program | undefined;
  usesOld: boolean;
}

const compiled = new WeakMap<JSONSchemaProps, readonly CompiledRule[]>();

/** Rules are read once for each schema that has some. */
function rulesOf(schema: JSONSchemaProps): readonly CompiledRule[] {
  const found = compiled.get(schema);
  if (found) return found;
  const rules = (schema['x-kubernetes-validations'] ?? []).map((rule) => ({
    rule,
    program: attempt(rule.rule),
    message: rule.messageExpression ? asProgram(attempt(rule.messageExpression)) : undefined,
    usesOld: /\boldSelf\b/.test(rule.rule),
  }));
  compiled.set(schema, rules);
  return rules;
}

const asProgram = (program: Program | string): Program | undefined => (typeof program === 'string' ? undefined : program);

function attempt(source: string): Program | string {
  try {
    return compile(source);
  } catch (error) {
    return (error as Error).message.split('\n')[0] ?? '';
  }
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Holds an object against the rules of its schema (upstream: apiextensions-apiserver/pkg/apiserver/schema/cel/validation.go).
 * Rules about a change are asked where there is a value to compare with.
 */
export function ruleFaults(object: unknown, schema: JSONSchemaProps, old: unknown): RuleFindings {
  const findings: RuleFindings = { errors: [], ratcheted: [] };
  visit(object, schema, { old, hasOld: old !== undefined, field: '', findings });
  return findings;
}

interface Visit {
  /** The value of before, where there is one to compare with. */
  old: unknown;
  /** There was an object before, so that values that stay may be let through. */
  hasOld: boolean;
  field: string;
  findings: RuleFindings;
}

function visit(value: unknown, schema: JSONSchemaProps, { old, hasOld, field, findings }: Visit): void {
  if (value === null || value === undefined) return;
  const isSame = hasOld && old !== undefined && deepEqual(value, old);
  for (const rule of rulesOf(schema)) {
    const error = check(rule, value, old, schema, field || '<nil>');
    if (error) (isSame && !rule.usesOld ? findings.ratcheted : findings.errors).push(error);
  }
  const into = (one: unknown, inner: JSONSchemaProps, before: unknown, path: string): void => visit(one, inner, { old: before, hasOld, field: path, findings });
  if (Array.isArray(value)) {
    const element = itemsOf(schema)?.schema;
    if (element) for (const [index, one] of value.entries()) into(one, element, counterpart(one, old, schema), at(field, index));
  } else if (isObject(value)) {
    const additional = additionalOf(schema.additionalProperties)?.schema;
    const before = isObject(old) ? old : {};
    for (const [name, one] of Object.entries(value)) {
      const property = schema.properties?.[name];
      if (property) into(one, property, before[name], field ? `${field}.${name}` : name);
      else if (additional) into(one, additional, before[name], at(field, name));
    }
  }
}

function check(
  { rule, program, message, usesOld }: CompiledRule,
  value: unknown,
  old: unknown,
  schema: JSONSchemaProps,
  field: string,
): FieldError | undefined {
  const type = schema.type ?? '';
  if (typeof program === 'string') return invalid(field, type, `rule compile error: ${program}`);
  if (usesOld && old === undefined && !rule.optionalOldSelf) return undefined;
  const before = old === undefined ? undefined : toCel(old);
  const variables = { self: toCel(value), ...(rule.optionalOldSelf ? { oldSelf: optionalOf(before) } : before === undefined ? {} : { oldSelf: before }) };
  const result = program(variables);
  const asked = rule.rule.replaceAll('\n', ' ').trim();
  if (!result.ok) {
    const words =
      result.error === 'no such overload'
        ? `'no such overload': call arguments did not match a supported operator, function or macro signature for rule: ${asked}`
        : `${result.error} evaluating rule: ${asked}`;
    return invalid(field, type, words);
  }
  if (result.value === true) return undefined;
  const path = rule.fieldPath ? `${field === '<nil>' ? '' : field}${rule.fieldPath}`.replace(/^\./, '') : field;
  return withReason(rule.reason, path, type, messageOf(rule, message, variables));
}

function messageOf(rule: ValidationRule, message: Program | undefined, variables: Record<string, unknown>): string {
  const computed = message?.(variables);
  // A message that comes to nothing fit to be shown gives way to the plain one.
  if (computed?.ok && typeof computed.value === 'string' && computed.value.trim() && !computed.value.includes('\n')) return computed.value.trim();
  return rule.message?.trim() || `failed rule: ${rule.rule.replaceAll('\n', ' ').trim()}`;
}

function withReason(reason: string | undefined, field: string, type: string, words: string): FieldError {
  switch (reason) {
    case 'FieldValueForbidden':
      return forbidden(field, words);
    case 'FieldValueRequired':
      return required(field, words);
    case 'FieldValueDuplicate':
      return duplicate(field, type);
    default:
      return invalid(field, type, words);
  }
}
