import { checkExpression, type ExpressionContext } from '../../cel/expression.ts';
import { at, duplicate, type FieldError, required, tooMany } from '../../field-error.ts';
import type { MatchCondition } from '../../generated/types/admissionregistration.v1.ts';
import { qualifiedNameFaults } from '../../names.ts';
import { checkWith } from '../../validation.ts';

const MOST_CONDITIONS = 64;

/** What the expressions of webhooks and policies may speak of (upstream: apiserver/pkg/admission/plugin/cel). */
export function admissionContext({
  hasParams,
  hasAuthorizer,
  variables,
}: {
  hasParams: boolean;
  hasAuthorizer: boolean;
  /** The names of the policy's variables; undefined: it has none. */
  variables?: readonly string[] | undefined;
}): ExpressionContext {
  return {
    dynamic: ['object', 'oldObject', 'params'],
    variables: [
      'object',
      'oldObject',
      'namespaceObject',
      'request',
      ...(hasParams ? ['params'] : []),
      ...(hasAuthorizer ? ['authorizer'] : []),
      ...(variables ? ['variables', ...variables.map((name) => `variables.${name}`)] : []),
    ],
  };
}

/** Upstream: validateMatchConditions. */
export function checkMatchConditions(conditions: readonly MatchCondition[], { hasParams }: { hasParams: boolean }, field: string): FieldError[] {
  const context = admissionContext({ hasParams, hasAuthorizer: true });
  const names = conditions.map(({ name = '' }) => name);
  return [
    ...(conditions.length > MOST_CONDITIONS ? [tooMany(field, conditions.length, MOST_CONDITIONS)] : []),
    ...conditions.flatMap(({ name = '', expression = '' }, index) => {
      const path = at(field, index);
      const trimmed = expression.trim();
      return [
        ...(trimmed ? checkExpression(trimmed, { ...context, returns: ['bool'] }, `${path}.expression`) : [required(`${path}.expression`)]),
        ...(name ? checkWith(qualifiedNameFaults, name, `${path}.name`) : [required(`${path}.name`)]),
        ...(name && names.indexOf(name) < index ? [duplicate(`${path}.name`, name)] : []),
      ];
    }),
  ];
}
