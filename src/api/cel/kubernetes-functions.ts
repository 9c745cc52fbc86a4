import { ipFamily, isCIDR } from '../ip-address.ts';
import { addQuantities, asNumber, compareQuantities, isQuantity, QUANTITY_FORMAT_ERROR, subtractQuantities } from '../quantity.ts';
import { AuthorizerValue, DecisionValue, GroupCheck, PathCheck, ResourceCheck } from './authorizer.ts';
import type { Environment } from './evaluation.ts';

/** A quantity within an expression, such as `quantity('1Gi')`. */
class Quantity {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** An address within an expression. */
class Address {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A range of addresses within an expression. */
class Range {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

interface OptionalValue {
  hasValue(): boolean;
  value(): unknown;
}

/** What `sets` stands for in `sets.contains(a, b)`. */
class Sets {}

type Handler = (...values: never[]) => unknown;

/**
 * The functions that Kubernetes adds to the language (upstream: apiserver/pkg/cel/library; ext.Strings and ext.Sets of cel-go).
 * Those of dates are the language's own.
 */
export function registerKubernetesFunctions(environment: Environment): void {
  const add = (signature: string, handler: Handler): void => {
    try {
      environment.registerFunction(signature, handler as never);
    } catch (error) {
      // The library brings this one along.
      if (!/already|overlap/i.test((error as Error).message)) throw error;
    }
  };
  environment.registerType('Quantity', Quantity).registerType('IP', Address).registerType('CIDR', Range).registerType('URL', URL);
  environment.registerType('Sets', Sets).registerConstant('sets', 'Sets', new Sets());
  // The library knows no equality of optionals.
  environment.registerOperator('optional<dyn> == optional<dyn>', ((a: OptionalValue, b: OptionalValue) =>
    a.hasValue() && b.hasValue() ? isSame(a.value(), b.value()) : a.hasValue() === b.hasValue()) as never);
  registerLists(add);
  registerStrings(add);
  registerSets(add);
  registerQuantities(add);
  registerAddresses(add);
  registerUrls(add);
  registerAuthorizer(environment, add);
}

function registerAuthorizer(environment: Environment, add: Add): void {
  environment
    .registerType('Authorizer', { ctor: AuthorizerValue, fields: { requestResource: 'ResourceCheck' } } as never)
    .registerType('PathCheck', PathCheck)
    .registerType('GroupCheck', GroupCheck)
    .registerType('ResourceCheck', ResourceCheck)
    .registerType('Decision', DecisionValue);
  add('Authorizer.path(string): PathCheck', ((authorizer: AuthorizerValue, path: string) => authorizer.path(path)) as Handler);
  add('Authorizer.group(string): GroupCheck', ((authorizer: AuthorizerValue, group: string) => authorizer.group(group)) as Handler);
  add('Authorizer.serviceAccount(string, string): Authorizer', ((authorizer: AuthorizerValue, namespace: string, name: string) =>
    authorizer.serviceAccount(namespace, name)) as Handler);
  add('PathCheck.check(string): Decision', ((check: PathCheck, verb: string) => check.check(verb)) as Handler);
  add('GroupCheck.resource(string): ResourceCheck', ((group: GroupCheck, resource: string) => group.resource(resource)) as Handler);
  for (const part of ['subresource', 'namespace', 'name'] as const)
    add(`ResourceCheck.${part}(string): ResourceCheck`, ((check: ResourceCheck, value: string) => check.with({ [part]: value })) as Handler);
  add('ResourceCheck.check(string): Decision', ((check: ResourceCheck, verb: string) => check.check(verb)) as Handler);
  add('Decision.allowed(): bool', (({ allowed }: DecisionValue) => allowed) as Handler);
  add('Decision.reason(): string', (({ reason }: DecisionValue) => reason) as Handler);
  add('Decision.errored(): bool', (() => false) as Handler);
  add('Decision.error(): string', (() => '') as Handler);
}

type Add = (signature: string, handler: Handler) => void;
type Ordered = string | number | bigint;

function registerLists(add: Add): void {
  const extreme = (list: readonly Ordered[], isBetter: (a: Ordered, b: Ordered) => boolean, name: string): Ordered => {
    const [first, ...rest] = list;
    if (first === undefined) throw new Error(`${name} called on empty list`);
    return rest.reduce((best, one) => (isBetter(one, best) ? one : best), first);
  };
  add('list.isSorted(): bool', ((list: Ordered[]) => list.every((one, index) => index === 0 || list[index - 1]! <= one)) as Handler);
  add('list.sum(): dyn', ((list: (number | bigint)[]) =>
    list.some((one) => typeof one === 'number')
      ? list.reduce<number>((sum, one) => sum + Number(one), 0)
      : list.reduce<bigint>((sum, one) => sum + BigInt(one), 0n)) as Handler);
  add('list.min(): dyn', ((list: Ordered[]) => extreme(list, (a, b) => a < b, 'min')) as Handler);
  add('list.max(): dyn', ((list: Ordered[]) => extreme(list, (a, b) => a > b, 'max')) as Handler);
  add('list.indexOf(dyn): int', ((list: unknown[], value: unknown) => BigInt(list.findIndex((one) => isSame(one, value)))) as Handler);
  add('list.lastIndexOf(dyn): int', ((list: unknown[], value: unknown) => BigInt(list.findLastIndex((one) => isSame(one, value)))) as Handler);
}

function isSame(a: unknown, b: unknown): boolean {
  const plain = (value: unknown): string => JSON.stringify(value, (_key, one: unknown) => (typeof one === 'bigint' ? Number(one) : one));
  return a === b || plain(a) === plain(b);
}

function registerStrings(add: Add): void {
  const re = (pattern: string, flags = 'u'): RegExp => new RegExp(pattern.replaceAll('(?P<', '(?<'), flags);
  add('string.find(string): string', ((text: string, pattern: string) => re(pattern).exec(text)?.[0] ?? '') as Handler);
  add('string.findAll(string): list<string>', ((text: string, pattern: string) => text.match(re(pattern, 'gu')) ?? []) as Handler);
  add('string.findAll(string, int): list<string>', ((text: string, pattern: string, limit: bigint) => {
    const found = text.match(re(pattern, 'gu')) ?? [];
    return limit < 0n ? found : found.slice(0, Number(limit));
  }) as Handler);
  add('string.charAt(int): string', ((text: string, index: bigint) => [...text][Number(index)] ?? '') as Handler);
  add('string.replace(string, string): string', ((text: string, from: string, to: string) => text.replaceAll(from, () => to)) as Handler);
  add('string.replace(string, string, int): string', ((text: string, from: string, to: string, limit: bigint) => {
    const parts = text.split(from);
    const kept = limit < 0n ? parts.length : Number(limit) + 1;
    return [...parts.slice(0, kept - 1), parts.slice(kept - 1).join(from)].join(to);
  }) as Handler);
  add('string.lowerAscii(): string', ((text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())) as Handler);
  add('string.upperAscii(): string', ((text: string) => text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase())) as Handler);
  add('string.trim(): string', ((text: string) => text.trim()) as Handler);
  add('string.reverse(): string', ((text: string) => [...text].reverse().join('')) as Handler);
  add('string.split(string): list<string>', ((text: string, by: string) => text.split(by)) as Handler);
  add('string.split(string, int): list<string>', ((text: string, by: string, limit: bigint) => {
    const parts = text.split(by);
    const most = Number(limit);
    if (most < 0 || parts.length <= most) return parts;
    return most === 0 ? [] : [...parts.slice(0, most - 1), parts.slice(most - 1).join(by)];
  }) as Handler);
  add('string.substring(int): string', ((text: string, start: bigint) => [...text].slice(Number(start)).join('')) as Handler);
  add('string.substring(int, int): string', ((text: string, start: bigint, end: bigint) => [...text].slice(Number(start), Number(end)).join('')) as Handler);
  add('string.indexOf(string): int', ((text: string, what: string) => BigInt(text.indexOf(what))) as Handler);
  add('string.lastIndexOf(string): int', ((text: string, what: string) => BigInt(text.lastIndexOf(what))) as Handler);
  add('list.join(): string', ((list: string[]) => list.join('')) as Handler);
  add('list.join(string): string', ((list: string[], by: string) => list.join(by)) as Handler);
}

/** `sets.contains([1, 2], [1])` and its like: the library has them as methods of a namespace. */
function registerSets(add: Add): void {
  const contains = (list: unknown[], others: unknown[]): boolean => others.every((other) => list.some((one) => isSame(one, other)));
  for (const [name, handler] of Object.entries({
    contains,
    equivalent: (a: unknown[], b: unknown[]) => contains(a, b) && contains(b, a),
    intersects: (a: unknown[], b: unknown[]) => a.some((one) => b.some((other) => isSame(one, other))),
  }))
    add(`Sets.${name}(list, list): bool`, ((...values: unknown[]) => handler(...(values.slice(-2) as [unknown[], unknown[]]))) as Handler);
}

function registerQuantities(add: Add): void {
  const made = (text: string): Quantity => {
    if (!isQuantity(text)) throw new Error(QUANTITY_FORMAT_ERROR);
    return new Quantity(text);
  };
  const amount = (value: Quantity | bigint): string => (value instanceof Quantity ? value.text : String(value));
  add('quantity(string): Quantity', made as Handler);
  add('isQuantity(string): bool', isQuantity as Handler);
  add('Quantity.isInteger(): bool', (({ text }: Quantity) => Number.isInteger(asNumber(text))) as Handler);
  add('Quantity.asInteger(): int', (({ text }: Quantity) => {
    const value = asNumber(text);
    if (!Number.isInteger(value)) throw new Error('cannot convert value to integer');
    return BigInt(value);
  }) as Handler);
  add('Quantity.asApproximateFloat(): double', (({ text }: Quantity) => asNumber(text)) as Handler);
  add('Quantity.sign(): int', (({ text }: Quantity) => BigInt(Math.sign(asNumber(text)))) as Handler);
  add('Quantity.compareTo(Quantity): int', ((a: Quantity, b: Quantity) => BigInt(Math.sign(compareQuantities(a.text, b.text)))) as Handler);
  add('Quantity.isLessThan(Quantity): bool', ((a: Quantity, b: Quantity) => compareQuantities(a.text, b.text) < 0) as Handler);
  add('Quantity.isGreaterThan(Quantity): bool', ((a: Quantity, b: Quantity) => compareQuantities(a.text, b.text) > 0) as Handler);
  for (const type of ['Quantity', 'int']) {
    add(`Quantity.add(${type}): Quantity`, ((a: Quantity, b: Quantity | bigint) => new Quantity(addQuantities(a.text, amount(b)))) as Handler);
    add(`Quantity.sub(${type}): Quantity`, ((a: Quantity, b: Quantity | bigint) => new Quantity(subtractQuantities(a.text, amount(b)))) as Handler);
  }
}

function registerAddresses(add: Add): void {
  const address = (text: string): Address => {
    if (ipFamily(text) === undefined) throw new Error(`IP Address ${JSON.stringify(text)} parse error`);
    return new Address(text);
  };
  const range = (text: string): Range => {
    if (!isCIDR(text)) throw new Error(`network address parse error for ${JSON.stringify(text)}`);
    return new Range(text);
  };
  const contains = ({ text }: Range, other: string, bits?: number): boolean => {
    const [base = '', length = '0'] = text.split('/');
    const [left, right] = [bitsOf(base), bitsOf(other)];
    return left.length === right.length && (bits ?? left.length) >= Number(length) && left.slice(0, Number(length)) === right.slice(0, Number(length));
  };
  add('ip(string): IP', address as Handler);
  add('isIP(string): bool', ((text: string) => ipFamily(text) !== undefined) as Handler);
  add('IP.family(): int', (({ text }: Address) => BigInt(ipFamily(text) ?? 0)) as Handler);
  add('IP.isUnspecified(): bool', (({ text }: Address) => /^0+$/.test(bitsOf(text))) as Handler);
  add('IP.isLoopback(): bool', (({ text }: Address) => text === '::1' || text.startsWith('127.')) as Handler);
  add('cidr(string): CIDR', range as Handler);
  add('isCIDR(string): bool', isCIDR as Handler);
  add('CIDR.prefixLength(): int', (({ text }: Range) => BigInt(text.split('/')[1] ?? 0)) as Handler);
  add('CIDR.ip(): IP', (({ text }: Range) => new Address(text.split('/')[0] ?? '')) as Handler);
  add('CIDR.containsIP(string): bool', ((one: Range, other: string) => contains(one, address(other).text)) as Handler);
  add('CIDR.containsIP(IP): bool', ((one: Range, other: Address) => contains(one, other.text)) as Handler);
  const containsRange = (one: Range, { text }: Range): boolean => contains(one, text.split('/')[0] ?? '', Number(text.split('/')[1]));
  add('CIDR.containsCIDR(CIDR): bool', containsRange as Handler);
  add('CIDR.containsCIDR(string): bool', ((one: Range, other: string) => containsRange(one, range(other))) as Handler);
}

/** The bits of an address; nothing for what is none. */
function bitsOf(address: string): string {
  if (ipFamily(address) === 4)
    return address
      .split('.')
      .map((part) => Number(part).toString(2).padStart(8, '0'))
      .join('');
  const [head = '', tail] = address.split('::');
  const groups = (half: string): string[] => (half === '' ? [] : half.split(':'));
  const [before, after] = [groups(head), groups(tail ?? '')];
  const zeros = tail === undefined ? [] : new Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16).toString(2).padStart(16, '0')).join('');
}

function registerUrls(add: Add): void {
  const isUrl = (text: string): boolean => URL.canParse(text) || text.startsWith('/');
  const made = (text: string): URL => {
    if (!isUrl(text)) throw new Error(`URL parse error during conversion from string: parse ${JSON.stringify(text)}: invalid URI for request`);
    return new URL(text, 'x:');
  };
  add('url(string): URL', made as Handler);
  add('isURL(string): bool', isUrl as Handler);
  add('URL.getScheme(): string', (({ protocol }: URL) => protocol.replace(/:$/, '')) as Handler);
  add('URL.getHost(): string', (({ host }: URL) => host) as Handler);
  add('URL.getHostname(): string', (({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')) as Handler);
  add('URL.getPort(): string', (({ port }: URL) => port) as Handler);
  add('URL.getEscapedPath(): string', (({ pathname }: URL) => pathname) as Handler);
  add('URL.getQuery(): map', (({ searchParams }: URL) => {
    const query: Record<string, string[]> = {};
    for (const name of new Set(searchParams.keys())) query[name] = searchParams.getAll(name);
    return query;
  }) as Handler);
}
