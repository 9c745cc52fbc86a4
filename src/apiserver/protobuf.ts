import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { define } from '../api/equality.ts';
import { messages } from '../api/generated/protobuf.ts';
import { schema } from '../api/generated/schema.ts';
import { badRequest } from '../api/status.ts';

/** `k8s` and a zero byte stand before every body (apimachinery/pkg/runtime/serializer/protobuf). */
const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);
const MAX_DEPTH = 100;

type Json = Record<string, unknown>;

/**
 * Reads the binary form of an object, in which Go clients send the built-in kinds, into what its JSON would have been.
 *
 * @param typeOf gives the schema id of an apiVersion and kind.
 * @throws StatusError BadRequest for bytes that are no such object.
 */
export function decodeProtobuf(body: Uint8Array, typeOf: (apiVersion: string, kind: string) => string | undefined): Json {
  if (!MAGIC.equals(body.subarray(0, 4))) throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  try {
    const unknown = decodeMessage('io.k8s.apimachinery.pkg.runtime.Unknown', body.subarray(4), 0) as {
      typeMeta?: { apiVersion?: string; kind?: string };
      raw?: string;
    };
    const { apiVersion = '', kind = '' } = unknown.typeMeta ?? {};
    const type = typeOf(apiVersion, kind);
    if (!type || !messages[type]) throw badRequest(`no kind ${JSON.stringify(kind)} is known in protobuf for version ${JSON.stringify(apiVersion)}: send JSON`);
    return { ...decodeMessage(type, Buffer.from(unknown.raw ?? '', 'base64'), 0), apiVersion, kind };
  } catch (error) {
    if (error instanceof RangeError || error instanceof TypeError || (error as Error).name === 'Error')
      throw badRequest(`the body of the request is not valid protobuf: ${(error as Error).message}`);
    throw error;
  }
}

type Special = (fields: Json) => unknown;

const CRD = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.';

/** Messages whose JSON is not an object of the same fields. */
const SPECIAL: Record<string, Special> = {
  'io.k8s.apimachinery.pkg.apis.meta.v1.Time': ({ seconds, nanos }) => instant(seconds, nanos, 0),
  'io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime': ({ seconds, nanos }) => instant(seconds, nanos, 6),
  'io.k8s.apimachinery.pkg.api.resource.Quantity': ({ string }) => string ?? '0',
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': ({ type, intVal, strVal }) => (type === 1 ? (strVal ?? '') : (intVal ?? 0)),
  'io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1': ({ Raw }) => json(Raw),
  'io.k8s.apimachinery.pkg.runtime.RawExtension': ({ raw }) => json(raw),
  [`${CRD}JSON`]: ({ raw }) => json(raw),
  [`${CRD}JSONSchemaPropsOrArray`]: ({ schema: one, jSONSchemas }) => jSONSchemas ?? one ?? null,
  [`${CRD}JSONSchemaPropsOrBool`]: ({ schema: one, allows }) => one ?? allows ?? false,
  [`${CRD}JSONSchemaPropsOrStringArray`]: ({ schema: one, property }) => property ?? one ?? null,
};

function instant(seconds: unknown, nanos: unknown, digits: 0 | 6): string | null {
  if (seconds === undefined && nanos === undefined) return null;
  const base = new Date(Number(seconds ?? 0) * 1000).toISOString().slice(0, 19);
  return digits === 0 ? `${base}Z` : `${base}.${String(Math.floor(Number(nanos ?? 0) / 1000)).padStart(6, '0')}Z`;
}

function json(base64: unknown): unknown {
  return typeof base64 === 'string' && base64 ? JSON.parse(Buffer.from(base64, 'base64').toString()) : null;
}

function decodeMessage(type: string, bytes: Uint8Array, depth: number): Json {
  if (depth > MAX_DEPTH) throw new RangeError('nests too deep');
  const fields = messages[type];
  if (!fields) throw new TypeError(`unknown message ${type}`);
  const known = schema[type]?.fields;
  const reader = new BinaryReader(bytes);
  const out: Json = {};
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    const field = fields[number];
    if (!field) {
      reader.skip(wire, number);
      continue;
    }
    const [name, kind, ref] = field;
    const repeated = kind.endsWith('*');
    const base = repeated ? kind.slice(0, -1) : kind;
    if (base !== 'message') {
      for (const value of readScalars(reader, base, wire)) {
        if (repeated) push(out, name, value);
        else define(out, name, value);
      }
      continue;
    }
    const inner = reader.bytes();
    if (ref!.endsWith('Entry') && ref!.startsWith(`${type}.`)) {
      const { key = '', value } = decodeMessage(ref!, inner, depth + 1) as { key?: string; value?: unknown };
      out[name] ??= {};
      define(out[name] as Json, key, value ?? emptyOf(ref!));
      continue;
    }
    const value = special(ref!, decodeMessage(ref!, inner, depth + 1));
    if (repeated) push(out, name, value);
    // A struct that Go embeds has no field of its own in JSON.
    else if (known && !known[name] && typeof value === 'object' && value !== null) Object.assign(out, value);
    else define(out, name, value);
  }
  return out;
}

function special(type: string, fields: Json): unknown {
  const make = SPECIAL[type];
  if (make) return make(fields);
  // Verbs, ExtraValue and the like: a message around one list.
  if (!schema[type] && Object.keys(fields).length <= 1 && 'items' in (fields as { items?: unknown })) return fields['items'];
  return fields;
}

/** The value of a map entry that was left out because it is zero. */
function emptyOf(entry: string): unknown {
  const [, kind, ref] = messages[entry]?.[2] ?? ['value', 'string'];
  return kind === 'message' ? special(ref!, {}) : kind === 'string' || kind === 'bytes' ? '' : kind === 'bool' ? false : 0;
}

function push(out: Json, name: string, value: unknown): void {
  const list = out[name] as unknown[] | undefined;
  if (list) list.push(value);
  else out[name] = [value];
}

function readScalars(reader: BinaryReader, type: string, wire: WireType): unknown[] {
  if (wire === WireType.LengthDelimited && type !== 'string' && type !== 'bytes') {
    const packed = new BinaryReader(reader.bytes());
    const values: unknown[] = [];
    while (packed.pos < packed.len) values.push(readScalar(packed, type));
    return values;
  }
  return [readScalar(reader, type)];
}

function readScalar(reader: BinaryReader, type: string): unknown {
  switch (type) {
    case 'string':
      return reader.string();
    case 'bytes':
      return Buffer.from(reader.bytes()).toString('base64');
    case 'bool':
      return reader.bool();
    case 'int32':
      return reader.int32();
    case 'uint32':
      return reader.uint32();
    case 'double':
      return reader.double();
    default:
      return Number(reader.int64());
  }
}
