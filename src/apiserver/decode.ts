import { define } from '../api/equality.ts';
import { schema } from '../api/generated/schema.ts';
import type { KubeObject } from '../api/object.ts';
import { canonicalQuantity } from '../api/quantity.ts';
import type { FieldSchema, ScalarType, TypeSchema } from '../api/schema.ts';

export interface Decoded {
  object: Record<string, unknown>;
  /** Paths of fields that the type does not have, e.g. `spec.template.foo`. */
  unknownFields: string[];
}

/** The message of a value that does not fit its field. */
export class DecodeError extends Error {
  /** The same in the words of Go's converter from maps, which reads the outcome of a strategic merge patch. */
  readonly converterMessage: string;

  constructor(message: string, converterMessage = message) {
    super(message);
    this.converterMessage = converterMessage;
  }
}

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
 * Makes an object of the type named from parsed JSON: fields the type does not have are dropped and told, zero values are
 * dropped or written as Go's encoder would, quantities and times become canonical. The result shares nothing with the
 * input.
 *
 * @throws DecodeError in the words of Go's decoder.
 */
export function decode(typeId: string, input: unknown): Decoded {
  const unknownFields: string[] = [];
  const type = schema[typeId];
  if (!type) throw new Error(`no schema for ${typeId}`);
  if (!isObject(input)) throw new DecodeError(`json: cannot unmarshal ${jsonType(input)} into Go value of type ${goName(typeId)}`);
  return { object: decodeStruct(typeId, type, input, { path: '', goPath: '', unknownFields }), unknownFields };
}

/** The object that Go would write for an empty value of the type: structs held by value, and null for required lists and the like. */
export function zeroObject(typeId: string): KubeObject {
  return zero(schema[typeId]!) as unknown as KubeObject;
}

function zero(type: TypeSchema): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(type.fields)) {
    if (name === 'metadata' && field.ref?.endsWith('.ObjectMeta')) out[name] = {};
    else if (field.zeroNull) out[name] = null;
    else if (field.embedded && field.ref && !field.list && !field.map) out[name] = zero(schema[field.ref]!);
    else if (field.required) out[name] = field.list || field.map || field.ref ? null : ZERO_SCALARS[field.type!];
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
  path: string;
  /** The path without indices, as Go's messages have it. */
  goPath: string;
  unknownFields: string[];
}

function decodeStruct(typeId: string, type: TypeSchema, input: Record<string, unknown>, context: Context): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(input)) {
    const path = context.path ? `${context.path}.${key}` : key;
    const field = Object.hasOwn(type.fields, key) ? type.fields[key] : undefined;
    if (!field) {
      context.unknownFields.push(path);
      continue;
    }
    const value = decodeField(typeId, field, input[key], {
      path,
      goPath: context.goPath ? `${context.goPath}.${key}` : key,
      unknownFields: context.unknownFields,
    });
    if (value !== undefined) out[key] = value;
  }
  fillZeroes(type, out);
  return out;
}

/** What Go holds by value and does not leave out is written even when it is unset: structs, times, required lists and scalars. */
function fillZeroes(type: TypeSchema, out: Record<string, unknown>): void {
  for (const [name, field] of zeroFields(type)) {
    if (out[name] !== undefined) continue;
    if (field.zeroNull) out[name] = null;
    else if (field.list) out[name] = [];
    else if (field.type) out[name] = ZERO_SCALARS[field.type];
    else {
      const inner: Record<string, unknown> = {};
      fillZeroes(schema[field.ref!]!, inner);
      out[name] = inner;
    }
  }
}

function isWrittenEmpty({ zeroNull, list, map, required, embedded, ref, type }: FieldSchema): boolean {
  if (zeroNull) return true;
  if (list) return required === true;
  if (map) return false;
  return ref ? embedded === true : required === true && type !== undefined && (ZERO_SCALARS[type] ?? null) !== null;
}

const zeroFieldsOf = new WeakMap<TypeSchema, [string, FieldSchema][]>();
function zeroFields(type: TypeSchema): [string, FieldSchema][] {
  const known = zeroFieldsOf.get(type);
  if (known) return known;
  const fields = Object.entries(type.fields).filter(([, field]) => isWrittenEmpty(field));
  zeroFieldsOf.set(type, fields);
  return fields;
}

function decodeField(owner: string, field: FieldSchema, value: unknown, context: Context): unknown {
  if (value === null || value === undefined) return field.zeroNull ? null : undefined;
  if (field.list) {
    if (!Array.isArray(value)) throw mismatch(owner, value, `[]${goName(field.ref) || GO_TYPES[field.type!] || 'string'}`, context);
    if (value.length === 0 && !field.required) return undefined;
    return value.map((element, i) => decodeElement(owner, field, element, { ...context, path: `${context.path}[${i}]` }));
  }
  if (field.map) {
    if (!isObject(value)) throw mismatch(owner, value, `map[string]${goName(field.ref) || GO_TYPES[field.type!] || 'string'}`, context);
    const keys = Object.keys(value);
    if (keys.length === 0 && !field.required) return undefined;
    const out: Record<string, unknown> = {};
    for (const key of keys) {
      const path = `${context.path}.${key}`;
      define(out, key, decodeElement(owner, field, value[key], { path, goPath: `${context.goPath}.${key}`, unknownFields: context.unknownFields }));
    }
    return out;
  }
  const out = decodeElement(owner, field, value, context);
  return !field.required && !field.pointer && isZero(out) ? undefined : out;
}

function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}

function decodeElement(owner: string, field: FieldSchema, value: unknown, context: Context): unknown {
  if (field.of) return decodeField(owner, { ...field.of, required: true }, value, context) ?? null;
  if (field.ref) {
    const type = schema[field.ref]!;
    if (value === null) value = {};
    if (!isObject(value)) throw mismatch(owner, value, goName(field.ref), context);
    return decodeStruct(field.ref, type, value, context);
  }
  return decodeScalar(owner, field.type!, value, context);
}

function decodeScalar(owner: string, type: ScalarType, value: unknown, context: Context): unknown {
  switch (type) {
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
      if (typeof value !== 'number') throw mismatch(owner, value, type, context);
      if (!Number.isInteger(value) || Math.abs(value) > (type === 'int32' ? (value < 0 ? 2147483648 : 2147483647) : 2 ** 63))
        throw mismatch(owner, value, type, context);
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
      return decodeTime(type, value, owner, context);
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

function decodeTime(type: 'time' | 'microTime', value: unknown, owner: string, context: Context): string {
  if (typeof value !== 'string') throw mismatch(owner, value, 'string', context);
  const ms = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value) ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(ms))
    throw new DecodeError(
      `parsing time ${JSON.stringify(value)} as ${type === 'time' ? '"2006-01-02T15:04:05Z07:00"' : '"2006-01-02T15:04:05.000000Z07:00"'}: cannot parse ${JSON.stringify(value)} as "2006"`,
    );
  if (type === 'time') return new Date(ms).toISOString().slice(0, 19) + 'Z';
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

function mismatch(owner: string, value: unknown, goType: string, context: Context): DecodeError {
  const shown = typeof value === 'number' && (goType === 'int32' || goType === 'int64') ? `number ${JSON.stringify(value)}` : jsonType(value);
  return new DecodeError(
    `json: cannot unmarshal ${shown} into Go struct field ${owner.slice(owner.lastIndexOf('.') + 1)}.${context.goPath} of type ${goType}`,
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

/** `v1.Container` for `io.k8s.api.core.v1.Container`. */
function goName(typeId: string | undefined): string {
  return typeId ? typeId.split('.').slice(-2).join('.') : '';
}

function jsonType(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
