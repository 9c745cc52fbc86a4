import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { define } from '../../api/equality.ts';
import { badRequest } from '../../api/status.ts';
import { exactInteger } from '../../lib/exact-json.ts';
import type { Registry } from '../registry.ts';
import { FORMS, type Json, MAGIC, type Messages, UNKNOWN } from './messages.ts';

const MAX_DEPTH = 100;

/** Reads the binary form of objects, in which Go clients send the built-in kinds, into what their JSON would have been. */
export class ProtobufDecoder {
  readonly #registry: Registry;
  readonly #messages: Messages;

  constructor(registry: Registry, messages: Messages) {
    this.#registry = registry;
    this.#messages = messages;
  }

  /** @throws StatusError BadRequest for bytes that are no object. */
  decode(body: Uint8Array): Json {
    if (!MAGIC.equals(body.subarray(0, 4))) throw badRequest('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
    try {
      const unknown = this.#message(UNKNOWN, body.subarray(4), 0) as {
        typeMeta?: { apiVersion?: string; kind?: string };
        raw?: string;
      };
      const { apiVersion = '', kind = '' } = unknown.typeMeta ?? {};
      const id = this.#registry.typeOf(apiVersion, kind)?.id;
      if (!id || !this.#messages[id])
        throw badRequest(`no kind ${JSON.stringify(kind)} is known in protobuf for version ${JSON.stringify(apiVersion)}: send JSON`);
      return { ...this.#message(id, Buffer.from(unknown.raw ?? '', 'base64'), 0), apiVersion, kind };
    } catch (error) {
      if (error instanceof RangeError || error instanceof TypeError || (error as Error).name === 'Error')
        throw badRequest(`the body of the request is not valid protobuf: ${(error as Error).message}`);
      throw error;
    }
  }

  #message(type: string, bytes: Uint8Array, depth: number): Json {
    if (depth > MAX_DEPTH) throw new RangeError('nests too deep');
    const fields = this.#messages[type];
    if (!fields) throw new TypeError(`unknown message ${type}`);
    const known = this.#registry.types.get(type)?.fields;
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
        const { key = '', value } = this.#message(ref!, inner, depth + 1) as { key?: string; value?: unknown };
        out[name] ??= {};
        define(out[name] as Json, key, value ?? this.#emptyOf(ref!));
        continue;
      }
      const value = this.#special(ref!, this.#message(ref!, inner, depth + 1));
      if (repeated) push(out, name, value);
      // A struct that Go embeds has no field of its own in JSON.
      else if (known && !known.has(name) && typeof value === 'object' && value !== null) Object.assign(out, value);
      else define(out, name, value);
    }
    return out;
  }

  #special(type: string, fields: Json): unknown {
    const form = FORMS[type];
    if (form) return form.read(fields);
    // Verbs, ExtraValue and the like: a message around one list.
    if (!this.#registry.types.has(type) && Object.keys(fields).length <= 1 && 'items' in (fields as { items?: unknown })) return fields['items'];
    return fields;
  }

  /** The value of a map entry that was left out because it is zero. */
  #emptyOf(entry: string): unknown {
    const [, kind, ref] = this.#messages[entry]?.[2] ?? ['value', 'string'];
    return kind === 'message' ? this.#special(ref!, {}) : kind === 'string' || kind === 'bytes' ? '' : kind === 'bool' ? false : 0;
  }
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
      return exactInteger(BigInt(reader.int64()));
  }
}
