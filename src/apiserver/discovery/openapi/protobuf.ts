import { BinaryWriter } from '@bufbuild/protobuf/wire';

type Json = Record<string, unknown>;

/** What clients before kubectl 1.27 ask for, in both spellings that they use. */
export const PROTOBUF_TYPE = /application\/com\.github\.proto-openapi\.spec\.v2[.@]v1\.0\+protobuf/;

/**
 * An OpenAPI v2 document in the binary form that kubectl up to 1.26 reads it in; the field numbers are those of gnostic's
 * openapiv2/OpenAPIv2.proto.
 *
 * @throws Error for a keyword that the documents built here did not have so far.
 */
export function encodeOpenApiV2(document: Json): Uint8Array {
  return new Message()
    .fields(document, {
      swagger: (m, value) => m.text(1, value),
      info: (m, value) => m.message(2, (info) => info.fields(value, { title: (i, v) => i.text(1, v), version: (i, v) => i.text(2, v) })),
      paths: (m, value) => m.message(8, (paths) => paths.named(2, value, encodePath)),
      definitions: (m, value) => m.message(9, (definitions) => definitions.named(1, value, encodeSchema)),
    })
    .finish();
}

type Encode = (message: Message, value: never) => void;

/** Writes one message. */
class Message {
  readonly #writer: BinaryWriter;

  constructor(writer = new BinaryWriter()) {
    this.#writer = writer;
  }

  finish(): Uint8Array {
    return this.#writer.finish();
  }

  text(number: number, value: string): void {
    this.#writer.tag(number, 2).string(value);
  }

  texts(number: number, values: readonly string[]): void {
    for (const value of values) this.text(number, value);
  }

  flag(number: number, value: boolean): void {
    this.#writer.tag(number, 0).bool(value);
  }

  number(number: number, value: number): void {
    this.#writer.tag(number, 1).double(value);
  }

  count(number: number, value: number): void {
    this.#writer.tag(number, 0).int64(value);
  }

  message(number: number, write: (message: Message) => void): void {
    this.#writer.tag(number, 2).fork();
    write(new Message(this.#writer));
    this.#writer.join();
  }

  /** A map, as a list of messages of a name (1) and a value (2). */
  named<T>(number: number, values: Readonly<Record<string, T>>, write: (message: Message, value: T) => void): void {
    for (const [name, value] of Object.entries(values)) {
      this.message(number, (entry) => {
        entry.text(1, name);
        entry.message(2, (inner) => write(inner, value));
      });
    }
  }

  /** Every keyword by its encoder; extensions (x-…) as a map of YAML texts under the number given. */
  fields(value: Json, encoders: Readonly<Record<string, Encode>>, extensionNumber?: number): this {
    for (const [keyword, part] of Object.entries(value)) {
      if (keyword.startsWith('x-') && extensionNumber !== undefined) this.named(extensionNumber, { [keyword]: part }, encodeAny);
      else if (encoders[keyword]) encoders[keyword](this, part as never);
      else throw new Error(`OpenAPI v2 in protobuf: no field is known for the keyword "${keyword}"`);
    }
    return this;
  }
}

/** JSON is YAML. */
function encodeAny(message: Message, value: unknown): void {
  message.text(2, JSON.stringify(value));
}

const SCHEMA: Readonly<Record<string, Encode>> = {
  $ref: (m, value: string) => m.text(1, value),
  format: (m, value: string) => m.text(2, value),
  description: (m, value: string) => m.text(4, value),
  title: (m, value: string) => m.text(3, value),
  default: (m, value: unknown) => m.message(5, (any) => encodeAny(any, value)),
  multipleOf: (m, value: number) => m.number(6, value),
  maximum: (m, value: number) => m.number(7, value),
  exclusiveMaximum: (m, value: boolean) => m.flag(8, value),
  minimum: (m, value: number) => m.number(9, value),
  exclusiveMinimum: (m, value: boolean) => m.flag(10, value),
  maxLength: (m, value: number) => m.count(11, value),
  minLength: (m, value: number) => m.count(12, value),
  pattern: (m, value: string) => m.text(13, value),
  maxItems: (m, value: number) => m.count(14, value),
  minItems: (m, value: number) => m.count(15, value),
  uniqueItems: (m, value: boolean) => m.flag(16, value),
  maxProperties: (m, value: number) => m.count(17, value),
  minProperties: (m, value: number) => m.count(18, value),
  enum: (m, value: unknown[]) => {
    for (const one of value) m.message(20, (any) => encodeAny(any, one));
  },
  required: (m, value: string[]) => m.texts(19, value),
  additionalProperties: (m, value: Json | boolean) =>
    m.message(21, (item) => (typeof value === 'boolean' ? item.flag(2, value) : item.message(1, (schema) => encodeSchema(schema, value)))),
  type: (m, value: string) => m.message(22, (type) => type.text(1, value)),
  items: (m, value: Json) => m.message(23, (items) => items.message(1, (schema) => encodeSchema(schema, value))),
  externalDocs: (m, value: Json) =>
    m.message(28, (docs) => docs.fields(value, { description: (d, text: string) => d.text(1, text), url: (d, text: string) => d.text(2, text) })),
  example: (m, value: unknown) => m.message(29, (any) => encodeAny(any, value)),
  properties: (m, value: Record<string, Json>) => m.message(25, (properties) => properties.named(1, value, encodeSchema)),
};

function encodeSchema(message: Message, schema: Json): void {
  message.fields(schema, SCHEMA, 31);
}

const METHODS: Readonly<Record<string, number>> = { get: 2, put: 3, post: 4, delete: 5, options: 6, head: 7, patch: 8 };

function encodePath(message: Message, path: Record<string, Json>): void {
  for (const [method, operation] of Object.entries(path)) {
    if (METHODS[method]) message.message(METHODS[method], (inner) => inner.fields(operation, OPERATION, 13));
  }
}

const OPERATION: Readonly<Record<string, Encode>> = {
  parameters: (m, value: Json[]) => {
    for (const parameter of value) {
      // A parameter that stands in the query: ParametersItem > Parameter > NonBodyParameter > QueryParameterSubSchema.
      m.message(8, (item) => item.message(1, (one) => one.message(2, (nonBody) => nonBody.message(3, (query) => query.fields(parameter, QUERY_PARAMETER)))));
    }
  },
  responses: (m, value: Record<string, Json>) =>
    m.message(9, (responses) => responses.named(1, value, (one, response) => one.message(1, (inner) => inner.fields(response, RESPONSE)))),
};

const QUERY_PARAMETER: Readonly<Record<string, Encode>> = {
  in: (m, value: string) => m.text(2, value),
  name: (m, value: string) => m.text(4, value),
  type: (m, value: string) => m.text(6, value),
  uniqueItems: (m, value: boolean) => m.flag(20, value),
};

const RESPONSE: Readonly<Record<string, Encode>> = {
  description: (m, value: string) => m.text(1, value),
  schema: (m, value: Json) => m.message(2, (item) => item.message(1, (schema) => encodeSchema(schema, value))),
};
