import { BinaryReader, BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { MESSAGES, type Message, type MessageName } from './messages.ts';

interface Field {
  name: string;
  number: number;
  type: string;
  repeated: boolean;
}

type Json = Record<string, unknown>;

/** Writes messages in protobuf's binary form, and reads them, by the table of their fields. */
export class Codec {
  readonly #fields = new Map<string, readonly Field[]>();

  encode<Name extends MessageName>(name: Name, message: Message<Name>): Uint8Array {
    return this.#write(name, message as Json);
  }

  decode<Name extends MessageName>(name: Name, bytes: Uint8Array): Message<Name> {
    return this.#read(name, bytes) as Message<Name>;
  }

  #fieldsOf(message: string): readonly Field[] {
    const known = this.#fields.get(message);
    if (known) return known;
    const fields = Object.entries(MESSAGES[message as MessageName]).map(([name, fact]: [string, string]): Field => {
      const [number = '', type = ''] = fact.split(' ');
      const repeated = type.endsWith('*');
      return { name, number: Number(number), type: repeated ? type.slice(0, -1) : type, repeated };
    });
    this.#fields.set(message, fields);
    return fields;
  }

  #write(message: string, value: Json): Uint8Array {
    const writer = new BinaryWriter();
    for (const field of this.#fieldsOf(message)) {
      const inner = value[field.name];
      if (inner === undefined) continue;
      if (field.type === 'map') {
        for (const [key, text] of Object.entries(inner as Json)) {
          const entry = new BinaryWriter()
            .tag(1, WireType.LengthDelimited)
            .string(key)
            .tag(2, WireType.LengthDelimited)
            .string(text as string);
          writer.tag(field.number, WireType.LengthDelimited).bytes(entry.finish());
        }
      } else if (field.repeated) for (const one of inner as unknown[]) this.#writeOne(writer, field, one);
      else if (inner !== 0 && inner !== '' && inner !== false) this.#writeOne(writer, field, inner);
    }
    return writer.finish();
  }

  #writeOne(writer: BinaryWriter, { number, type }: Field, value: unknown): void {
    switch (type) {
      case 'string':
        writer.tag(number, WireType.LengthDelimited).string(value as string);
        break;
      case 'bytes':
        writer.tag(number, WireType.LengthDelimited).bytes(value as Uint8Array);
        break;
      case 'bool':
        writer.tag(number, WireType.Varint).bool(value as boolean);
        break;
      case 'int32':
      case 'uint32':
      case 'int64':
      case 'uint64':
        writer.tag(number, WireType.Varint)[type](value as number);
        break;
      default:
        writer.tag(number, WireType.LengthDelimited).bytes(this.#write(type, value as Json));
    }
  }

  #read(message: string, bytes: Uint8Array): Json {
    const fields = this.#fieldsOf(message);
    const reader = new BinaryReader(bytes);
    const value: Json = {};
    while (reader.pos < reader.len) {
      const [number, wire] = reader.tag();
      const field = fields.find((known) => known.number === number);
      if (!field) reader.skip(wire, number);
      else if (field.type === 'map') value[field.name] = { ...(value[field.name] as Json | undefined), ...readEntry(reader.bytes()) };
      else if (!field.repeated) value[field.name] = this.#readOne(reader, field.type);
      else value[field.name] = [...((value[field.name] as unknown[] | undefined) ?? []), ...this.#readSome(reader, field.type, wire)];
    }
    return value;
  }

  /** Numbers of a list may come one by one, or packed. */
  #readSome(reader: BinaryReader, type: string, wire: WireType): unknown[] {
    if (wire !== WireType.LengthDelimited || !/^u?int/.test(type)) return [this.#readOne(reader, type)];
    const packed = new BinaryReader(reader.bytes());
    const values: unknown[] = [];
    while (packed.pos < packed.len) values.push(this.#readOne(packed, type));
    return values;
  }

  #readOne(reader: BinaryReader, type: string): unknown {
    switch (type) {
      case 'string':
      case 'bytes':
      case 'bool':
      case 'int32':
      case 'uint32':
        return reader[type]();
      case 'int64':
      case 'uint64':
        // Nanoseconds since the epoch lose their last digits; nothing here needs them.
        return Number(reader[type]());
      default:
        return this.#read(type, reader.bytes());
    }
  }
}

function readEntry(bytes: Uint8Array): Record<string, string> {
  const reader = new BinaryReader(bytes);
  let [key, text] = ['', ''];
  while (reader.pos < reader.len) {
    const [number, wire] = reader.tag();
    if (number === 1) key = reader.string();
    else if (number === 2) text = reader.string();
    else reader.skip(wire, number);
  }
  return { [key]: text };
}
