import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { KubeList, KubeObject } from '../../api/object.ts';
import type { Types } from '../../api/type.ts';
import { withoutKind } from '../storage/stored-object.ts';
import { FORMS, type Json, MAGIC, type Messages } from './messages.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1.';

interface MessageField {
  number: number;
  name: string;
  /** Without the mark of a repeated field. */
  type: string;
  repeated: boolean;
  message: string;
}

/** Writes objects in the binary form that Go clients prefer. */
export class ProtobufEncoder {
  readonly #types: Types;
  readonly #messages: Messages;
  readonly #fields = new Map<string, readonly MessageField[]>();

  constructor(types: Types, messages: Messages) {
    this.#types = types;
    this.#messages = messages;
  }

  /** Whether objects of this type, by its id, can be written. */
  knows(typeId: string): boolean {
    return Object.hasOwn(this.#messages, typeId);
  }

  /** An object or a list in its envelope, as the body of an answer. @param typeId of the object, or of a list's items. */
  encode(object: KubeObject | KubeList, typeId: string): Uint8Array {
    const { apiVersion, kind } = object;
    const isList = 'items' in object && Array.isArray(object.items);
    const body = isList ? this.#list(object as KubeList, typeId) : this.#message(typeId, object as unknown as Json);
    const envelope = new BinaryWriter();
    envelope.tag(1, WireType.LengthDelimited).bytes(this.#message('io.k8s.apimachinery.pkg.runtime.TypeMeta', { apiVersion, kind }));
    envelope.tag(2, WireType.LengthDelimited).bytes(body);
    // Go's writer has both, though they are empty.
    envelope.tag(3, WireType.LengthDelimited).string('').tag(4, WireType.LengthDelimited).string('');
    return Buffer.concat([MAGIC, envelope.finish()]);
  }

  /** One event of a watch, in a frame of its own: four bytes of length, and a WatchEvent with the object in its envelope. */
  encodeEvent(type: string, object: KubeObject, typeId: string): Uint8Array {
    const raw = new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(this.encode(object, typeId)).finish();
    const event = new BinaryWriter().tag(1, WireType.LengthDelimited).string(type).tag(2, WireType.LengthDelimited).bytes(raw).finish();
    const length = Buffer.alloc(4);
    length.writeUInt32BE(event.length);
    return Buffer.concat([length, event]);
  }

  /** All lists have their metadata first, and their items second. */
  #list({ metadata, items }: KubeList, typeId: string): Uint8Array {
    const writer = new BinaryWriter();
    writer.tag(1, WireType.LengthDelimited).bytes(this.#message(`${META}ListMeta`, metadata as Json));
    for (const item of items) writer.tag(2, WireType.LengthDelimited).bytes(this.#message(typeId, withoutKind(item) as Json));
    return writer.finish();
  }

  #message(id: string, value: Json): Uint8Array {
    const writer = new BinaryWriter();
    this.#writeFields(writer, id, value);
    return writer.finish();
  }

  #writeFields(writer: BinaryWriter, id: string, value: Json): void {
    const known = this.#types.get(id)?.fields;
    for (const field of this.#fieldsOf(id)) {
      if (field.type === 'message' && known && !known.has(field.name)) {
        // A struct that Go embeds: its fields are those of the JSON object around it.
        writer.tag(field.number, WireType.LengthDelimited).bytes(this.#message(field.message, value));
        continue;
      }
      const inner = value[field.name];
      if (inner === undefined || inner === null) continue;
      if (field.type !== 'message') for (const one of field.repeated ? (inner as unknown[]) : [inner]) writeScalar(writer, field, one);
      else if (this.#isEntry(field, id)) for (const [key, one] of Object.entries(inner as Json)) this.#writeEntry(writer, field, key, one);
      else for (const one of field.repeated ? (inner as unknown[]) : [inner]) this.#writeMessage(writer, field.number, field.message, one);
    }
  }

  #writeMessage(writer: BinaryWriter, number: number, id: string, value: unknown): void {
    const form = FORMS[id];
    // Verbs, ExtraValue and the like are a message around one list.
    const fields = form ? form.write(value) : Array.isArray(value) ? { items: value } : (value as Json);
    writer.tag(number, WireType.LengthDelimited).fork();
    this.#writeFields(writer, id, fields);
    writer.join();
  }

  #isEntry({ message }: MessageField, owner: string): boolean {
    return message.endsWith('Entry') && message.startsWith(`${owner}.`);
  }

  #writeEntry(writer: BinaryWriter, { number, message }: MessageField, key: string, value: unknown): void {
    const [, valueField] = this.#fieldsOf(message);
    writer.tag(number, WireType.LengthDelimited).fork();
    writer.tag(1, WireType.LengthDelimited).string(key);
    if (valueField!.type === 'message') this.#writeMessage(writer, 2, valueField!.message, value);
    else writeScalar(writer, valueField!, value);
    writer.join();
  }

  #fieldsOf(id: string): readonly MessageField[] {
    let fields = this.#fields.get(id);
    if (!fields) {
      fields = Object.entries(this.#messages[id] ?? {}).map(([number, [name, type, message = '']]) => ({
        number: Number(number),
        name,
        type: type.replace('*', ''),
        repeated: type.endsWith('*'),
        message,
      }));
      this.#fields.set(id, fields);
    }
    return fields;
  }
}

function writeScalar(writer: BinaryWriter, { number, type }: MessageField, value: unknown): void {
  switch (type) {
    case 'string':
      writer.tag(number, WireType.LengthDelimited).string(String(value));
      break;
    case 'bytes':
      writer.tag(number, WireType.LengthDelimited).bytes(Buffer.from(String(value), 'base64'));
      break;
    case 'bool':
      writer.tag(number, WireType.Varint).bool(value === true);
      break;
    case 'int32':
      writer.tag(number, WireType.Varint).int32(Number(value));
      break;
    case 'double':
      writer.tag(number, WireType.Bit64).double(Number(value));
      break;
    default:
      writer.tag(number, WireType.Varint).int64(BigInt(value as number | bigint));
  }
}
