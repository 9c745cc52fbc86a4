import { compileExpression } from '../../../cel/expression.ts';
import { at, type FieldError, invalid, notSupported, required } from '../../../field-error.ts';
import type { ValidationRule } from '../../../generated/types/apiextensions.v1.ts';
import { internalRule } from '../internal-names.ts';
import { followPath } from './field-path.ts';
import type { JSONSchemaProps } from './schema.ts';
import { unstructurable } from './structural.ts';

/** Sorted, as upstream lists them. */
const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];
const CONTEXT = { variables: ['self', 'oldSelf'], dynamic: [] };

const hasLineBreak = (text: string): boolean => /[\n\r]/.test(text);
const pathOf = (field: string, index: number): string => at(`${field}.x-kubernetes-validations`, index);

/** What is wrong with the rules of a schema, but for their expressions. */
export function ruleFormFaults(schema: JSONSchemaProps, field: string): FieldError[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  return rules.flatMap((rule, index) => {
    const path = pathOf(field, index);
    const { messageExpression = '', reason } = rule;
    return [
      ...textFaults(rule, path),
      ...(messageExpression && !messageExpression.trim() ? [required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified')] : []),
      ...(reason === undefined || REASONS.includes(reason) ? [] : [notSupported(`${path}.reason`, reason, REASONS)]),
      ...fieldPathFaults(schema, rule, path),
    ];
  });
}

function textFaults({ rule = '', message = '' }: ValidationRule, path: string): FieldError[] {
  if (!rule.trim()) return [required(`${path}.rule`, 'rule is not specified')];
  if (message && !message.trim()) return [invalid(`${path}.message`, message, 'must be non-empty if specified')];
  if (hasLineBreak(message.trim())) return [invalid(`${path}.message`, message, 'must not contain line breaks')];
  return hasLineBreak(rule.trim()) && !message ? [required(`${path}.message`, 'message must be specified if rule contains line breaks')] : [];
}

function fieldPathFaults(schema: JSONSchemaProps, { fieldPath = '' }: ValidationRule, path: string): FieldError[] {
  if (!fieldPath) return [];
  const wrong = (words: string): FieldError => invalid(`${path}.fieldPath`, fieldPath, words);
  const isFollowed = unstructurable(schema) !== undefined || typeof followPath(fieldPath, schema, { mayQuote: true }) !== 'string';
  return [
    ...(fieldPath.trim() ? [] : [wrong('must be non-empty if specified')]),
    ...(hasLineBreak(fieldPath) ? [wrong('must not contain line breaks')] : []),
    ...(isFollowed ? [] : [wrong('must be a valid path')]),
  ];
}

/**
 * What is wrong with the expressions of a schema's rules (upstream: apiextensions-apiserver/pkg/apiserver/schema/cel,
 * compileRule). Types of the schema's fields and costs are not looked at yet (docs/decisions/0010-cel.md).
 *
 * @param uncorrelated the schema around whose old value cannot be told, if there is one.
 */
export function ruleFaults(schema: JSONSchemaProps, field: string, uncorrelated: string | undefined): FieldError[] {
  return (schema['x-kubernetes-validations'] ?? []).flatMap((rule, index) => expressionFaults(rule, pathOf(field, index), uncorrelated));
}

function expressionFaults(rule: ValidationRule, path: string, uncorrelated: string | undefined): FieldError[] {
  const { fault, type, names } = compileExpression(rule.rule, CONTEXT);
  const ruleFault =
    fault !== undefined ? `compilation failed: ${fault}` : type !== undefined && type !== 'bool' ? 'cel expression must evaluate to a bool' : undefined;
  const messageFault = ruleFault === undefined ? messageExpressionFault(rule.messageExpression) : undefined;
  const usesOldSelf = ruleFault === undefined && names.has('oldSelf');
  const UNCORRELATED = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelated}`;
  return [
    ...(ruleFault === undefined ? [] : [invalid(`${path}.rule`, internalRule(rule), ruleFault)]),
    ...(messageFault === undefined ? [] : [invalid(`${path}.messageExpression`, internalRule(rule), messageFault)]),
    ...(usesOldSelf && uncorrelated !== undefined ? [invalid(`${path}.rule`, rule.rule, UNCORRELATED)] : []),
    ...(!usesOldSelf && rule.optionalOldSelf !== undefined
      ? [invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, 'may not be set if oldSelf is not used in rule')]
      : []),
  ];
}

function messageExpressionFault(expression: string | undefined): string | undefined {
  if (!expression) return undefined;
  const { fault, type } = compileExpression(expression, CONTEXT);
  if (fault !== undefined) return `messageExpression compilation failed: ${fault}`;
  return type !== undefined && type !== 'string' ? 'messageExpression must evaluate to a string' : undefined;
}
