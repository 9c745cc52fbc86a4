import type { KubeObject } from '../../api/object.ts';
import { parseExact, stringifyExact } from '../../lib/exact-json.ts';
import type { KeyValue, StoreEvent, Value } from '../../store/store.ts';

const METADATA_OPENS = Buffer.from('"metadata":{');
const ITEM_OPENS = Buffer.from('{"metadata":{');

/** The resourceVersion as the first field of the metadata; `next` is the byte that follows. */
function versionAt(revision: number, next: number | undefined): Buffer {
  return Buffer.from(`"resourceVersion":"${revision}"${next === 0x7d ? '' : ','}`);
}

/** An object as it stands in a list of its kind. */
export function withoutKind({ kind: _, apiVersion: __, ...rest }: KubeObject): Omit<KubeObject, 'kind' | 'apiVersion'> {
  return rest;
}

/**
 * An object as the store keeps it: without its resourceVersion, which is the store's revision. It is encoded at most once,
 * whoever stores, reads, lists or watches it; a reader's copy gets the resourceVersion spliced into the same bytes.
 */
export class StoredObject implements Value {
  readonly object: KubeObject;
  #bytes: Uint8Array | undefined;
  /** The object with its resourceVersion; one value has one revision, or two when it is deleted. */
  #at: { revision: number; object: KubeObject } | undefined;

  constructor(object: KubeObject, bytes?: Uint8Array) {
    this.object = object;
    this.#bytes = bytes;
  }

  get bytes(): Uint8Array {
    this.#bytes ??= Buffer.from(stringifyExact(this.object));
    return this.#bytes;
  }

  at(revision: number): KubeObject {
    if (this.#at?.revision !== revision)
      this.#at = { revision, object: { ...this.object, metadata: { ...this.object.metadata, resourceVersion: String(revision) } } };
    return this.#at.object;
  }
}

/** Turns what a store returns into objects, and objects that came from a store into JSON without encoding them again. */
export class ObjectCodec {
  /** Values that this process did not write, once they have been parsed. */
  readonly #parsed = new WeakMap<Value, StoredObject>();
  readonly #origins = new WeakMap<KubeObject, { stored: StoredObject; revision: number }>();

  /** An object without resourceVersion, its first fields in the order that the splice relies on. */
  stored(object: KubeObject): StoredObject {
    const { kind, apiVersion, metadata, ...rest } = object;
    const { resourceVersion: _, ...meta } = metadata;
    return new StoredObject({ kind, apiVersion, metadata: meta, ...rest } as KubeObject);
  }

  object(item: Pick<KeyValue, 'value' | 'revision'>): KubeObject {
    return this.#materialize(item.value, item.revision);
  }

  /** The object of an event; a deleted object carries the revision of its removal. */
  eventObject(event: StoreEvent): KubeObject {
    return this.#materialize(event.value, event.revision);
  }

  /** JSON of any object; cheap for one that came from the store. */
  json(object: KubeObject): Uint8Array {
    const origin = this.#origins.get(object);
    if (!origin) return Buffer.from(stringifyExact(object));
    const bytes = origin.stored.bytes as Buffer;
    const cut = bytes.indexOf(METADATA_OPENS) + METADATA_OPENS.length;
    return Buffer.concat([bytes.subarray(0, cut), versionAt(origin.revision, bytes[cut]), bytes.subarray(cut)]);
  }

  /** JSON of an object as it stands in a list of its kind, which alone says what kind that is. */
  itemJson(object: KubeObject): Uint8Array {
    const origin = this.#origins.get(object);
    if (!origin) return Buffer.from(stringifyExact(withoutKind(object)));
    const bytes = origin.stored.bytes as Buffer;
    const cut = bytes.indexOf(METADATA_OPENS) + METADATA_OPENS.length;
    return Buffer.concat([ITEM_OPENS, versionAt(origin.revision, bytes[cut]), bytes.subarray(cut)]);
  }

  #materialize(value: Value, revision: number): KubeObject {
    const stored = this.#storedOf(value);
    const object = stored.at(revision);
    if (!this.#origins.has(object)) this.#origins.set(object, { stored, revision });
    return object;
  }

  #storedOf(value: Value): StoredObject {
    if (value instanceof StoredObject) return value;
    let stored = this.#parsed.get(value);
    if (!stored) {
      const bytes = Buffer.from(value.bytes.buffer, value.bytes.byteOffset, value.bytes.byteLength);
      stored = new StoredObject(parseExact(bytes.toString()) as KubeObject, bytes);
      this.#parsed.set(value, stored);
    }
    return stored;
  }
}
