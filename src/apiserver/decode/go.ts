import { define } from '../../api/equality.ts';
import { canonicalQuantity } from '../../api/quantity.ts';
import type { ScalarType } from '../../api/schema.ts';
import { type Field, goNameOf, type List, type StringMap, type Struct, type Type } from '../../api/type.ts';
import { type Decoded, DecodeError, Path } from './decode.ts';

/** Go's names of the scalar types, for messages. */
const GO_TYPES: Partial<Record<ScalarType, string>> = {
  string: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
  bytes: '[]uint8',
};

/**
 * Decodes as Go does for the built-in types: fields the type does not have are dropped and told, zero values are dropped
 * or written as Go's encoder would, quantities and times become canonical. The result shares nothing with the input.
 *
 * @throws DecodeError in the words of Go's decoder.
 */
export function decodeGo(type: Struct, input: unknown): Decoded {
  if (!isObject(input)) throw new DecodeError(`json: cannot unmarshal ${jsonType(input)} into Go value of type ${goNameOf(type)}`);
  const context: Context = { path: new Path(), unknownFields: [] };
  return { object: decodeStruct(type, input, context), unknownFields: context.unknownFields };
}

/** The object that Go would write for an empty value of the type: structs held by value, and null for required lists and the like. */
export function zeroObject(type: Struct): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const { name, type: inner, unset, required } of type.fields.values()) {
    if (name === 'metadata' && inner.shape === 'struct') out[name] = {};
    else if (unset === 'null') out[name] = null;
    else if (unset === 'zero' && inner.shape === 'struct') out[name] = zeroObject(inner);
    else if (required || unset === 'zero') out[name] = inner.shape === 'scalar' ? ZERO_SCALARS[inner.format] : null;
  }
  return out;
}

const ZERO_SCALARS: Partial<Record<ScalarType, unknown>> = {
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

interface Context {
  path: Path;
  unknownFields: string[];
}

function decodeStruct(type: Struct, input: Record<string, unknown>, context: Context): Record<string, unknown> {
  const { path } = context;
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(input)) {
    path.push(key);
    const field = type.fields.get(key);
    if (!field) context.unknownFields.push(path.show());
    else {
      const value = decodeField(type, field, input[key], context);
      if (value !== undefined) out[key] = value;
    }
    path.pop();
  }
  fillUnset(type, out);
  return out;
}

/** What Go holds by value and does not leave out is written even when it is unset. */
function fillUnset(type: Struct, out: Record<string, unknown>): void {
  for (const { name, type: inner, unset } of type.written) {
    if (out[name] !== undefined) continue;
    if (unset === 'null') out[name] = null;
    else if (inner.shape === 'scalar') out[name] = ZERO_SCALARS[inner.format];
    else if (inner.shape === 'struct') {
      const value: Record<string, unknown> = {};
      fillUnset(inner, value);
      out[name] = value;
    } else out[name] = inner.shape === 'list' ? [] : {};
  }
}

function decodeField(owner: Struct, field: Field, value: unknown, context: Context): unknown {
  const { type } = field;
  if (value === null || value === undefined) return field.unset === 'null' ? null : undefined;
  const isOmittedWhenEmpty = field.unset === undefined && !field.required;
  switch (type.shape) {
    case 'list':
      return Array.isArray(value) && value.length === 0 && isOmittedWhenEmpty ? undefined : decodeList(owner, type, value, context);
    case 'map': {
      const out = decodeMap(owner, type, value, context);
      return isOmittedWhenEmpty && Object.keys(out).length === 0 ? undefined : out;
    }
    case 'struct':
      return decodeElement(owner, type, value, context);
    case 'scalar': {
      const out = decodeScalar(owner, type.format, value, context);
      return field.unset === undefined && !field.pointer && isZero(out) ? undefined : out;
    }
  }
}

function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}

function decodeList(owner: Struct, type: List, value: unknown, context: Context): unknown[] {
  if (!Array.isArray(value)) throw mismatch(owner, value, `[]${goTypeOf(type.element)}`, context);
  const { path } = context;
  return value.map((element, i) => {
    path.push(i);
    const out = decodeElement(owner, type.element, element, context);
    path.pop();
    return out;
  });
}

function decodeMap(owner: Struct, type: StringMap, value: unknown, context: Context): Record<string, unknown> {
  if (!isObject(value)) throw mismatch(owner, value, `map[string]${goTypeOf(type.element)}`, context);
  const { path } = context;
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    path.pushKey(key);
    define(out, key, decodeElement(owner, type.element, value[key], context));
    path.pop();
  }
  return out;
}

function decodeElement(owner: Struct, type: Type, value: unknown, context: Context): unknown {
  switch (type.shape) {
    case 'struct':
      if (value !== null && !isObject(value)) throw mismatch(owner, value, goNameOf(type), context);
      return decodeStruct(type, value ?? {}, context);
    case 'list':
      return value === null ? null : decodeList(owner, type, value, context);
    case 'map':
      return value === null ? null : decodeMap(owner, type, value, context);
    case 'scalar':
      return decodeScalar(owner, type.format, value, context);
  }
}

function decodeScalar(owner: Struct, format: ScalarType, value: unknown, context: Context): unknown {
  switch (format) {
    case 'any':
      return value;
    case 'string':
      if (value === null) return '';
      if (typeof value !== 'string') throw mismatch(owner, value, 'string', context);
      return value;
    case 'boolean':
      if (value === null) return false;
      if (typeof value !== 'boolean') throw mismatch(owner, value, 'bool', context);
      return value;
    case 'int32':
    case 'int64':
      if (value === null) return 0;
      if (typeof value !== 'number') throw mismatch(owner, value, format, context);
      if (!Number.isInteger(value) || Math.abs(value) > (format === 'int32' ? (value < 0 ? 2147483648 : 2147483647) : 2 ** 63))
        throw mismatch(owner, value, format, context);
      return value;
    case 'double':
      if (typeof value !== 'number') throw mismatch(owner, value, 'float64', context);
      return value;
    case 'intOrString':
      if (typeof value === 'string') return value;
      if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) > 2147483648)
        throw new DecodeError(`json: cannot unmarshal ${jsonType(value)} into Go value of type int32`);
      return value;
    case 'quantity':
      return decodeQuantity(value);
    case 'time':
    case 'microTime':
      return decodeTime(format, value, owner, context);
    case 'bytes':
      if (value === null) return '';
      if (typeof value !== 'string') throw mismatch(owner, value, '[]uint8', context);
      return decodeBase64(value);
  }
}

function decodeQuantity(value: unknown): string {
  if (value === null) return '0';
  if (typeof value !== 'string' && typeof value !== 'number')
    throw new DecodeError("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
  try {
    return canonicalQuantity(String(value));
  } catch (error) {
    throw new DecodeError((error as Error).message);
  }
}

function decodeTime(format: 'time' | 'microTime', value: unknown, owner: Struct, context: Context): string | null {
  if (value === null) return null;
  if (typeof value !== 'string') throw mismatch(owner, value, 'string', context);
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms))
    throw new DecodeError(
      `parsing time ${JSON.stringify(value)} as ${format === 'time' ? '"2006-01-02T15:04:05Z07:00"' : '"2006-01-02T15:04:05.000000Z07:00"'}: cannot parse ${JSON.stringify(value)} as "2006"`,
    );
  if (format === 'time') return new Date(ms).toISOString().slice(0, 19) + 'Z';
  const fraction = value.match(/\.(\d+)/)?.[1] ?? '';
  return `${new Date(ms).toISOString().slice(0, 19)}.${fraction.slice(0, 6).padEnd(6, '0')}Z`;
}

function decodeBase64(text: string): string {
  const clean = text.replaceAll('\n', '').replaceAll('\r', '');
  const bad = clean.search(/[^A-Za-z0-9+/=]/);
  if (bad >= 0 || clean.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(clean))
    throw new DecodeError(`illegal base64 data at input byte ${bad >= 0 ? bad : clean.length - (clean.length % 4)}`);
  return clean;
}

function mismatch(owner: Struct, value: unknown, goType: string, { path }: Context): DecodeError {
  const shown = typeof value === 'number' && (goType === 'int32' || goType === 'int64') ? `number ${JSON.stringify(value)}` : jsonType(value);
  return new DecodeError(
    `json: cannot unmarshal ${shown} into Go struct field ${goNameOf(owner).split('.').at(-1)}.${path.fieldsOnly()} of type ${goType}`,
    converterWords(value, goType),
  );
}

/** Upstream: apimachinery/pkg/runtime/converter.go. */
function converterWords(value: unknown, goType: string): string {
  const kind = Array.isArray(value)
    ? 'slice'
    : isObject(value)
      ? 'map'
      : typeof value === 'number'
        ? Number.isInteger(value)
          ? 'int64'
          : 'float64'
        : jsonType(value);
  if (goType.startsWith('[]')) return `cannot restore slice from ${kind}`;
  if (goType.startsWith('map[')) return `cannot restore map from ${kind}`;
  if (goType.includes('.')) return `cannot restore struct from: ${kind}`;
  return `unrecognized type: ${goType}`;
}

/** The element type of a list or a map, as Go names it. */
function goTypeOf(type: Type): string {
  if (type.shape === 'struct') return goNameOf(type);
  return (type.shape === 'scalar' && GO_TYPES[type.format]) || 'string';
}

function jsonType(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
