import { canonicalQuantity } from '../../api/quantity.ts';
import type { ScalarType } from '../../api/schema.ts';
import { DecodeError } from './decode.ts';
import { LAYOUTS, parseGoTime } from './go-time.ts';

/** A value that is of another type than its field. */
export class Mismatch {
  /** The value, as Go's JSON decoder names it: `string`, `number 1.5`. */
  readonly shown: string;
  /** What it should have been. */
  readonly goType: string;
  /** The same in the words of Go's converter from maps. */
  readonly converterWords: string;

  constructor(value: unknown, goType: string) {
    this.shown = shownFor(value, goType);
    this.goType = goType;
    this.converterWords = converterWords(value, goType);
  }
}

/** A value that the decoder of a type itself cannot take. Go stops there. */
export class OwnMismatch extends Mismatch {
  /** Without the place, of which the type knows nothing. */
  get message(): string {
    return `json: cannot unmarshal ${this.shown} into Go value of type ${this.goType}`;
  }
}

/** What Go writes for a scalar that is unset. */
export const ZERO_SCALARS: Partial<Record<ScalarType, unknown>> = {
  string: '',
  boolean: false,
  int32: 0,
  int64: 0,
  double: 0,
  bytes: null,
  time: null,
  microTime: null,
  quantity: '0',
  intOrString: 0,
};

/** Go's names of the scalar types, for messages. */
export const GO_SCALARS: Partial<Record<ScalarType, string>> = {
  string: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
  bytes: '[]uint8',
};

/** From JSON, or from a map that a patch has made (apimachinery/pkg/runtime/converter.go), which lets other numbers in. */
export type Form = 'json' | 'map';

/**
 * @returns a Mismatch for a value of another type, a DecodeError for bytes that are malformed; Go reads on after both, but
 * for an OwnMismatch.
 * @throws DecodeError for any other text that is malformed.
 */
export function decodeScalar(format: ScalarType, value: unknown, form: Form): unknown {
  switch (format) {
    case 'any':
      return value;
    case 'string':
    case 'boolean':
      if (value === null) return ZERO_SCALARS[format];
      return typeof value === format ? value : new Mismatch(value, GO_SCALARS[format]!);
    case 'int32':
    case 'int64':
      return value === null ? 0 : decodeInteger(format, value, form);
    case 'double':
      if (value === null) return 0;
      return isNumber(value) ? Number(value) : new Mismatch(value, 'float64');
    case 'intOrString':
      return decodeIntOrString(value);
    case 'quantity':
      return decodeQuantity(value);
    case 'time':
    case 'microTime':
      return decodeTime(format, value);
    case 'bytes':
      return decodeBytes(value, form);
  }
}

const MAX_INT32 = 2 ** 31;

/** A number is exact up to 53 bits; what is longer comes as a bigint. */
const isNumber = (value: unknown): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

const isInt64 = (value: unknown): value is number | bigint =>
  typeof value === 'bigint' ? BigInt.asIntN(64, value) === value : typeof value === 'number' && Number.isSafeInteger(value);

const isInt32 = (value: number | bigint): boolean => typeof value === 'number' && Number.isInteger(value) && value >= -MAX_INT32 && value < MAX_INT32;

function decodeInteger(format: 'int32' | 'int64', value: unknown, form: Form): unknown {
  if (!isInt64(value)) return new Mismatch(value, format);
  if (format === 'int64' || isInt32(value)) return value;
  // The converter keeps the lower bits of what is too much.
  return form === 'map' ? Number(BigInt.asIntN(32, BigInt(value))) : new Mismatch(value, format);
}

function decodeIntOrString(value: unknown): unknown {
  if (typeof value === 'string') return value;
  if (value === null) return 0;
  if (typeof value !== 'number' || !isInt32(value)) return new OwnMismatch(value, 'int32');
  return value;
}

function decodeQuantity(value: unknown): string {
  if (value === null) return '0';
  if (typeof value !== 'string' && !isNumber(value))
    throw new DecodeError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  try {
    return canonicalQuantity(String(value));
  } catch (error) {
    throw new DecodeError((error as Error).message);
  }
}

function decodeTime(format: 'time' | 'microTime', value: unknown): unknown {
  if (value === null) return null;
  if (typeof value !== 'string') return new OwnMismatch(value, 'string');
  const parsed = parseGoTime(value, LAYOUTS[format]);
  if ('fault' in parsed) throw new DecodeError(parsed.fault);
  const seconds = new Date(parsed.ms).toISOString().slice(0, 19);
  return format === 'time' ? `${seconds}Z` : `${seconds}.${parsed.fraction}Z`;
}

function decodeBytes(value: unknown, form: Form): unknown {
  if (value === null) return '';
  if (Array.isArray(value)) return bytesOf(value, form);
  if (typeof value !== 'string') return new Mismatch(value, '[]uint8');
  const clean = value.replaceAll('\n', '').replaceAll('\r', '');
  const bad = clean.search(/[^A-Za-z0-9+/=]/);
  if (bad < 0 && clean.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(clean)) return clean;
  const fault = `illegal base64 data at input byte ${bad >= 0 ? bad : clean.length - (clean.length % 4)}`;
  if (form === 'map') throw new DecodeError(`error decoding from json: ${fault}`);
  return new DecodeError(fault);
}

/** Bytes may be given as numbers, one by one. */
function bytesOf(values: readonly unknown[], form: Form): unknown {
  const isByte = (value: unknown): boolean => value === null || (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 256);
  const bad = values.find((value) => !isByte(value) && !(form === 'map' && Number.isInteger(value)));
  return bad === undefined ? Buffer.from(values as number[]).toString('base64') : new Mismatch(bad, 'uint8');
}

const INTEGERS = ['int32', 'int64', 'uint8'];

/** JSON numbers show themselves where an integer is wanted. */
function shownFor(value: unknown, goType: string): string {
  return isNumber(value) && INTEGERS.includes(goType) ? `number ${value}` : jsonType(value);
}

export function jsonType(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : isNumber(value) ? 'number' : typeof value;
}

/** Upstream: apimachinery/pkg/runtime/converter.go. */
function converterWords(value: unknown, goType: string): string {
  const isObject = typeof value === 'object' && value !== null;
  const number = isNumber(value) ? (typeof value === 'bigint' || Number.isInteger(value) ? 'int64' : 'float64') : undefined;
  const kind = Array.isArray(value) ? 'slice' : isObject ? 'map' : (number ?? jsonType(value));
  if (goType.startsWith('[]')) return `cannot restore slice from ${kind}`;
  if (goType.startsWith('map[')) return `cannot restore map from ${kind}`;
  if (goType.includes('.')) return `cannot restore struct from: ${kind}`;
  const isConvertible = (number !== undefined && INTEGERS.includes(goType)) || (number === 'int64' && goType === 'string');
  return isConvertible ? `cannot convert ${kind} to ${goType}` : `unrecognized type: ${goType}`;
}
