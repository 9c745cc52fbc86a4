import type { Call, Node } from './parser.ts';
import type { Fault } from './tokens.ts';

/** Names of types, which are values as well, and the first parts of those that have several. */
const TYPES = ['bool', 'bytes', 'double', 'dyn', 'google', 'int', 'list', 'map', 'null_type', 'optional_type', 'string', 'type', 'uint'];

/** Functions of the language and of the libraries that Kubernetes adds (apiserver/pkg/cel/environment/base.go, cel-go ext). */
const FUNCTIONS = new Set(
  [
    'bool bytes double dyn duration int string timestamp type uint',
    'size contains startsWith endsWith matches',
    'getFullYear getMonth getDayOfYear getDate getDayOfMonth getDayOfWeek getHours getMinutes getSeconds getMilliseconds',
    'charAt format indexOf join lastIndexOf lowerAscii upperAscii quote replace split substring trim',
    'isSorted sum min max slice flatten sort sortBy distinct reverse first last',
    'find findAll url isURL getScheme getHost getHostname getPort getEscapedPath getQuery',
    'quantity isQuantity asApproximateFloat asInteger isInteger sign add sub isGreaterThan isLessThan compareTo',
    'ip isIP family isUnspecified isLoopback isLinkLocalMulticast isLinkLocalUnicast isGlobalUnicast',
    'cidr isCIDR containsIP containsCIDR prefixLength masked',
    'semver isSemver major minor patch',
    'path group serviceAccount resource subresource namespace name check allowed reason errored error fieldSelector labelSelector',
    'hasValue value or orValue unwrap unwrapOpt validate',
  ].flatMap((names) => names.split(' ')),
);

/** Functions whose names have a first part. */
const QUALIFIED = new Set([
  ...['of', 'none', 'ofNonZeroValue'].map((name) => `optional.${name}`),
  ...['contains', 'equivalent', 'intersects'].map((name) => `sets.${name}`),
  ...['range'].map((name) => `lists.${name}`),
  ...['isCanonical'].map((name) => `ip.${name}`),
  ...['escapeKey'].map((name) => `jsonpatch.${name}`),
  ...['dns1123Label', 'dns1123Subdomain', 'dns1035Label', 'qualifiedName', 'dns1123LabelPrefix', 'dns1123SubdomainPrefix', 'dns1035LabelPrefix'].map(
    (name) => `format.${name}`,
  ),
  ...['labelValue', 'uri', 'uuid', 'byte', 'date', 'datetime', 'named'].map((name) => `format.${name}`),
  ...['quote'].map((name) => `strings.${name}`),
]);

/** How many of a macro's first arguments name variables, by its name and the number of its arguments. */
const MACROS: Readonly<Record<string, number>> = {
  'all/2': 1,
  'all/3': 2,
  'exists/2': 1,
  'exists/3': 2,
  'existsOne/2': 1,
  'existsOne/3': 2,
  'exists_one/2': 1,
  'exists_one/3': 2,
  'filter/2': 1,
  'map/2': 1,
  'map/3': 1,
  'optMap/2': 1,
  'optFlatMap/2': 1,
  'sortBy/2': 1,
  'transformList/3': 2,
  'transformList/4': 2,
  'transformMap/3': 2,
  'transformMap/4': 2,
  'transformMapEntry/3': 2,
  'transformMapEntry/4': 2,
};

interface NameFault extends Fault {
  /** Of a macro: what is left is no expression, and its names do not count. */
  isMisuse?: true;
}

type Scope = ReadonlySet<string>;

/**
 * Names that nothing declares, or misuses of macros.
 *
 * @param variables what an expression may speak of; `variables.x` stands for a field of `variables`.
 */
export function nameFaults(node: Node, variables: readonly string[]): Fault[] {
  const faults = faultsOf(node, new Set([...variables, ...TYPES]));
  const misuses = faults.filter(({ isMisuse }) => isMisuse);
  return (misuses.length ? misuses : faults).sort((a, b) => a.offset - b.offset);
}

const undeclared = (name: string, offset: number): NameFault => ({ offset, words: `undeclared reference to '${name}' (in container '')` });
const misuse = (words: string, { offset }: Node): NameFault => ({ offset, words, isMisuse: true });
const withoutDot = (name: string): string => name.replace(/^\./, '');

function faultsOf(node: Node, scope: Scope): NameFault[] {
  switch (node.shape) {
    case 'identifier':
      return scope.has(withoutDot(node.name)) ? [] : [undeclared(node.name, node.offset)];
    case 'select':
      return [...unknownField(node, scope), ...faultsOf(node.operand, scope)];
    case 'message':
      return [...(node.name.startsWith('google.') ? [] : [undeclared(node.name, node.offset)]), ...allFaults(node.parts, scope)];
    case 'call':
      return faultsOfMacro(node, scope) ?? faultsOfCall(node, scope);
    case 'other':
      return allFaults(node.parts, scope);
  }
}

/** The fields of `variables` are all known; those of everything else are not. */
function unknownField({ operand, field, offset }: Extract<Node, { shape: 'select' }>, scope: Scope): NameFault[] {
  const isOfVariables = operand.shape === 'identifier' && operand.name === 'variables' && scope.has('variables');
  return isOfVariables && !scope.has(`variables.${field}`) ? [{ offset, words: `undefined field '${field}'` }] : [];
}

const allFaults = (nodes: readonly Node[], scope: Scope): NameFault[] => nodes.flatMap((node) => faultsOf(node, scope));

function faultsOfCall({ name, target, parts, offset }: Call, scope: Scope): NameFault[] {
  if (target?.shape === 'identifier' && QUALIFIED.has(`${target.name}.${name}`)) return allFaults(parts, scope);
  return [...(target ? faultsOf(target, scope) : []), ...(FUNCTIONS.has(withoutDot(name)) ? [] : [undeclared(name, offset)]), ...allFaults(parts, scope)];
}

/** @returns undefined where the call is no macro's. */
function faultsOfMacro({ name, target, parts }: Call, scope: Scope): NameFault[] | undefined {
  if (!target) {
    const [argument] = parts;
    if (name !== 'has' || !argument || parts.length > 1) return undefined;
    return argument.shape === 'select' ? faultsOf(argument, scope) : [misuse('invalid argument to has() macro', argument)];
  }
  const count = MACROS[`${name}/${parts.length}`];
  if (count === undefined) return undefined;
  const variables = parts.slice(0, count);
  const names = variables.flatMap((part) => (part.shape === 'identifier' ? [part.name] : []));
  return [
    ...faultsOf(target, scope),
    ...variables.flatMap((part) => (part.shape === 'identifier' ? [] : [misuse('argument is not an identifier', part)])),
    ...allFaults(parts.slice(count), new Set([...scope, ...names])),
  ];
}

/** Every name that stands where a variable may. */
export function namesIn(node: Node): Set<string> {
  switch (node.shape) {
    case 'identifier':
      return new Set([withoutDot(node.name)]);
    case 'select':
      return namesIn(node.operand);
    default: {
      const target = node.shape === 'call' && node.target ? [node.target] : [];
      return new Set([...target, ...node.parts].flatMap((part) => [...namesIn(part)]));
    }
  }
}
