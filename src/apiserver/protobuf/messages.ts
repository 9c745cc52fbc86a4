import { parseExact, stringifyExact } from '../../lib/exact-json.ts';

export type Json = Record<string, unknown>;

/** Messages by the id of their type: their fields by number, each with its name, its wire type (`*`: repeated) and its message. */
export type Messages = Readonly<Record<string, Readonly<Record<string, [name: string, type: string, message?: string]>>>>;

/** `k8s` and a zero byte stand before every object (apimachinery/pkg/runtime/serializer/protobuf). */
export const MAGIC = Buffer.from([0x6b, 0x38, 0x73, 0x00]);

/** The envelope of an object: its apiVersion and kind, and its bytes. */
export const UNKNOWN = 'io.k8s.apimachinery.pkg.runtime.Unknown';

/** How a message stands in JSON that is not an object of the same fields. */
interface Form {
  read(fields: Json): unknown;
  write(value: unknown): Json;
}

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';
const CRD = 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.';

const rawJson = (name: string): Form => ({ read: (fields) => jsonOf(fields[name]), write: (value) => ({ [name]: bytesOf(value) }) });

/** One schema, or something else in its place. */
const oneOr = (name: string, isOther: (value: unknown) => boolean, otherwise: unknown): Form => ({
  read: ({ schema, [name]: other }) => other ?? schema ?? otherwise,
  write: (value) => (isOther(value) ? { [name]: value } : { schema: value }),
});

export const FORMS: Readonly<Record<string, Form>> = {
  [`${META}Time`]: { read: ({ seconds, nanos }) => instant(seconds, nanos, 0), write: (value) => secondsAndNanos(String(value)) },
  [`${META}MicroTime`]: { read: ({ seconds, nanos }) => instant(seconds, nanos, 6), write: (value) => secondsAndNanos(String(value)) },
  'io.k8s.apimachinery.pkg.api.resource.Quantity': { read: ({ string }) => string ?? '0', write: (value) => ({ string: String(value) }) },
  'io.k8s.apimachinery.pkg.util.intstr.IntOrString': {
    read: ({ type, intVal, strVal }) => (type === 1 ? (strVal ?? '') : (intVal ?? 0)),
    write: (value) => (typeof value === 'string' ? { type: 1, strVal: value } : { type: 0, intVal: value }),
  },
  [`${META}FieldsV1`]: rawJson('Raw'),
  'io.k8s.apimachinery.pkg.runtime.RawExtension': rawJson('raw'),
  [`${CRD}JSON`]: rawJson('raw'),
  [`${CRD}JSONSchemaPropsOrArray`]: oneOr('jSONSchemas', Array.isArray, null),
  // `allows` says that a schema may stand there, as well as that anything may.
  [`${CRD}JSONSchemaPropsOrBool`]: {
    read: ({ schema, allows }) => schema ?? allows ?? false,
    write: (value) => (typeof value === 'boolean' ? { allows: value } : { allows: true, schema: value }),
  },
  [`${CRD}JSONSchemaPropsOrStringArray`]: oneOr('property', Array.isArray, null),
};

function instant(seconds: unknown, nanos: unknown, digits: 0 | 6): string | null {
  if (seconds === undefined && nanos === undefined) return null;
  const base = new Date(Number(seconds ?? 0) * 1000).toISOString().slice(0, 19);
  return digits === 0 ? `${base}Z` : `${base}.${String(Math.floor(Number(nanos ?? 0) / 1000)).padStart(6, '0')}Z`;
}

function secondsAndNanos(text: string): Json {
  const micros = /\.(\d{1,6})/.exec(text)?.[1]?.padEnd(6, '0') ?? '0';
  return { seconds: Math.floor(Date.parse(text) / 1000), ...(Number(micros) ? { nanos: Number(micros) * 1000 } : {}) };
}

/** JSON in bytes, which JSON in turn would have as base64. */
function jsonOf(base64: unknown): unknown {
  return typeof base64 === 'string' && base64 ? parseExact(Buffer.from(base64, 'base64').toString()) : null;
}

function bytesOf(value: unknown): string {
  return Buffer.from(stringifyExact(value)).toString('base64');
}
