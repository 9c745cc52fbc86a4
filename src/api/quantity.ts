/** What upstream answers to text that is no quantity. */
export const QUANTITY_FORMAT_ERROR = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

type Format = 'decimal' | 'binary' | 'exponent';

/** An exact amount, as apimachinery/pkg/api/resource.Quantity: whole billionths, and the form in which it was written. */
export interface Quantity {
  readonly nano: bigint;
  readonly format: Format;
}

const NANO = 1_000_000_000n;
const DECIMAL_SUFFIXES: ReadonlyMap<string, number> = new Map([
  ['n', -9],
  ['u', -6],
  ['m', -3],
  ['', 0],
  ['k', 3],
  ['M', 6],
  ['G', 9],
  ['T', 12],
  ['P', 15],
  ['E', 18],
]);
const BINARY_SUFFIXES: readonly string[] = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL_BY_EXPONENT: ReadonlyMap<number, string> = new Map([...DECIMAL_SUFFIXES].map(([suffix, exponent]) => [exponent, suffix]));
/** Beyond this, an exponent cannot matter: smaller rounds up to one billionth, larger is cut to the greatest value. */
const EXPONENT_LIMIT = 200;
const MAX = ((1n << 63n) - 1n) * NANO;

interface Suffix {
  format: Format;
  /** What one unit stands for: `numerator` times 10^`exponent`. */
  numerator: bigint;
  exponent: number;
}

function parseSuffix(suffix: string): Suffix {
  const decimal = DECIMAL_SUFFIXES.get(suffix);
  if (decimal !== undefined) return { format: 'decimal', numerator: 1n, exponent: decimal };
  const binary = BINARY_SUFFIXES.indexOf(suffix);
  if (binary >= 0) return { format: 'binary', numerator: 1n << BigInt(10 * binary), exponent: 0 };
  const exponent = /^[eE]([-+]?\d+)$/.exec(suffix);
  if (!exponent) throw new RangeError("unable to parse quantity's suffix");
  return { format: 'exponent', numerator: 1n, exponent: Math.max(-EXPONENT_LIMIT, Math.min(EXPONENT_LIMIT, Number(exponent[1]))) };
}

/**
 * Reads a quantity. What is finer than a billionth is rounded away from zero; what is too large is cut to 2^63-1.
 * @throws RangeError with upstream's words.
 */
export function parseQuantity(text: string): Quantity {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*[-+]?\d*)$/.exec(text);
  if (!match || (!match[2] && !match[3])) throw new RangeError(QUANTITY_FORMAT_ERROR);
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  const { format, numerator, exponent } = parseSuffix(suffix);
  const digits = BigInt(whole + fraction || '0') * numerator;
  const scale = exponent - fraction.length + 9;
  let nano = scale >= 0 ? digits * 10n ** BigInt(scale) : divideUp(digits, 10n ** BigInt(-scale));
  if (nano > MAX && format !== 'decimal') nano = MAX;
  return { nano: sign === '-' ? -nano : nano, format };
}

function divideUp(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return quotient * divisor === value ? quotient : quotient + 1n;
}

export function isQuantity(text: string): boolean {
  try {
    parseQuantity(text);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** The canonical text, e.g. `0.5` → `500m`, `1024Mi` → `1Gi` (upstream: Quantity.CanonicalizeBytes). */
export function formatQuantity({ nano, format }: Quantity): string {
  if (nano === 0n) return '0';
  const sign = nano < 0n ? '-' : '';
  const size = nano < 0n ? -nano : nano;
  if (format === 'binary' && size >= 1024n * NANO && size % NANO === 0n) {
    let value = size / NANO;
    let power = 0;
    while (value % 1024n === 0n && power < BINARY_SUFFIXES.length - 1) {
      value /= 1024n;
      power++;
    }
    return `${sign}${value}${BINARY_SUFFIXES[power]}`;
  }
  let value = size;
  let exponent = -9;
  while (value % 1000n === 0n && exponent < 18) {
    value /= 1000n;
    exponent += 3;
  }
  if (format === 'exponent') return `${sign}${value}${exponent === 0 ? '' : `e${exponent}`}`;
  return `${sign}${value}${DECIMAL_BY_EXPONENT.get(exponent)}`;
}

/** The canonical text of a quantity. @throws RangeError */
export function canonicalQuantity(text: string): string {
  return formatQuantity(parseQuantity(text));
}

/** The canonical text, rounded up to thousandths, as resource lists of containers are (upstream: SetDefaults_ResourceList). */
export function roundUpToMilli(text: string): string {
  const { nano, format } = parseQuantity(text);
  const size = divideUp(nano < 0n ? -nano : nano, 1_000_000n) * 1_000_000n;
  return formatQuantity({ nano: nano < 0n ? -size : size, format });
}

/** Negative, zero or positive as a is less than, equal to or more than b. */
export function compareQuantities(a: string, b: string): number {
  const left = parseQuantity(a).nano;
  const right = parseQuantity(b).nano;
  return left < right ? -1 : left > right ? 1 : 0;
}

/** a + b, in the form of a (of b where a is zero), as upstream. */
export function addQuantities(a: string, b: string): string {
  const left = parseQuantity(a);
  const right = parseQuantity(b);
  return formatQuantity({ nano: left.nano + right.nano, format: left.nano === 0n ? right.format : left.format });
}

/** a - b, in the form of a (of b where a is zero), as upstream. */
export function subtractQuantities(a: string, b: string): string {
  const left = parseQuantity(a);
  const right = parseQuantity(b);
  return formatQuantity({ nano: left.nano - right.nano, format: left.nano === 0n ? right.format : left.format });
}

const PLAIN = /^(\d{1,9})(m|Ki|Mi|Gi)?$/;
const PLAIN_MILLI: Readonly<Record<string, number>> = { m: 1, Ki: 1024e3, Mi: 1048576e3, Gi: 1073741824e3 };

/** Thousandths, rounded up (upstream: Quantity.MilliValue). */
export function asMilli(text: string): number {
  const plain = PLAIN.exec(text);
  if (plain) return Number(plain[1]) * (plain[2] === undefined ? 1000 : PLAIN_MILLI[plain[2]]!);
  return roundUp(parseQuantity(text).nano, 1_000_000n);
}

/** Whole units, rounded up (upstream: Quantity.Value). */
export function asNumber(text: string): number {
  const plain = PLAIN.exec(text);
  if (plain && plain[2] !== 'm') return (Number(plain[1]) * (plain[2] === undefined ? 1000 : PLAIN_MILLI[plain[2]]!)) / 1000;
  return roundUp(parseQuantity(text).nano, NANO);
}

function roundUp(nano: bigint, unit: bigint): number {
  return nano < 0n ? -Number(divideUp(-nano, unit)) : Number(divideUp(nano, unit));
}

/** Canonical text of `milli` thousandths. */
export function milliQuantity(milli: number, format: Format = 'decimal'): string {
  return formatQuantity({ nano: BigInt(Math.round(milli)) * 1_000_000n, format });
}

/** Canonical text of `value` whole units, e.g. bytes in the binary form. */
export function wholeQuantity(value: number, format: Format = 'decimal'): string {
  return formatQuantity({ nano: BigInt(Math.round(value)) * NANO, format });
}

export function isZeroQuantity(text: string): boolean {
  return parseQuantity(text).nano === 0n;
}
