import { createRequire } from 'node:module';
import type * as Cel from '@marcbachmann/cel-js';
import type { Node } from './parser.ts';

type Environment = InstanceType<typeof Cel.Environment>;

const require = createRequire(import.meta.url);
let loaded: Environment | undefined;

/** The library is loaded with the first expression whose type is asked for: most servers never see one. */
function environment(): Environment {
  const { Environment } = require('@marcbachmann/cel-js') as typeof Cel;
  loaded ??= new Environment({ unlistedVariablesAreDyn: true, enableOptionalTypes: true });
  return loaded;
}

/**
 * The type of an expression's value as cel-go names it, e.g. `list(int)`; undefined where it cannot be told, which is so
 * for all that Kubernetes' own functions have a part in.
 *
 * @param dynamic variables of which nothing is known before they are looked at.
 */
export function resultType(source: string, node: Node, dynamic: readonly string[]): string | undefined {
  if (isPathInto(node, dynamic)) return 'dyn';
  const asked = authorizerType(node);
  if (asked) return `kubernetes.authorization.${asked}`;
  const { valid, type } = environment().check(source);
  if (!valid || !type || type === 'dyn' || type === 'type') return undefined;
  if (type === 'null') return 'null_type';
  return type
    .replace('optional<', 'optional_type<')
    .replace(/\b[TKV]\b/g, 'dyn')
    .replaceAll('<', '(')
    .replaceAll('>', ')');
}

const AUTHORIZER_CALLS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Authorizer: { path: 'PathCheck', group: 'GroupCheck', serviceAccount: 'Authorizer' },
  PathCheck: { check: 'Decision' },
  GroupCheck: { resource: 'ResourceCheck' },
  ResourceCheck: { subresource: 'ResourceCheck', namespace: 'ResourceCheck', name: 'ResourceCheck', check: 'Decision' },
};

/** The type of a step on the way from `authorizer` to an answer (upstream: apiserver/pkg/cel/library/authz.go). */
function authorizerType(node: Node): string | undefined {
  if (node.shape === 'identifier') return node.name === 'authorizer' ? 'Authorizer' : undefined;
  if (node.shape === 'select') return authorizerType(node.operand) === 'Authorizer' && node.field === 'requestResource' ? 'ResourceCheck' : undefined;
  if (node.shape !== 'call' || !node.target) return undefined;
  return AUTHORIZER_CALLS[authorizerType(node.target) ?? '']?.[node.name];
}

function isPathInto(node: Node, dynamic: readonly string[]): boolean {
  if (node.shape === 'identifier') return dynamic.includes(node.name);
  return node.shape === 'select' && isPathInto(node.operand, dynamic);
}
