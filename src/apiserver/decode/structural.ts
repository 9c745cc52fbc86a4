import { deepCopy, define } from '../../api/equality.ts';
import type { Struct, Type } from '../../api/type.ts';
import { type Decoded, Path } from './decode.ts';
import { decodeGo } from './go.ts';

/**
 * Decodes as a custom resource's structural schema asks: what was sent stays as it is, zeros and empty lists included;
 * fields that the schema does not have are pruned and told, unless it preserves them; then defaults fill in what is not
 * there (apiextensions-apiserver: pruning, defaulting). Whether values fit is for validation to say. The result shares
 * nothing with the input.
 */
export function decodeStructural(type: Struct, input: unknown): Decoded {
  const unknownFields: string[] = [];
  const object = isObject(input) ? decodeStruct(type, input, new Path(), unknownFields) : {};
  return { object, unknownFields };
}

function decodeValue(type: Type, value: unknown, path: Path, unknownFields: string[]): unknown {
  if (type.shape === 'struct' && isObject(value)) {
    if (type.id === '') return decodeStruct(type, value, path, unknownFields);
    // A type of Go's within a custom resource: its metadata.
    const decoded = decodeGo(type, value);
    unknownFields.push(...decoded.unknownFields.map((field) => `${path.show()}.${field}`));
    return decoded.object;
  }
  if (type.shape === 'list' && Array.isArray(value))
    return value.map((element: unknown, i) => {
      path.push(i);
      const out = decodeValue(type.element, element, path, unknownFields);
      path.pop();
      return out;
    });
  if (type.shape === 'map' && isObject(value)) {
    const out: Record<string, unknown> = {};
    for (const key of Object.keys(value)) {
      path.pushKey(key);
      define(out, key, decodeValue(type.element, value[key], path, unknownFields));
      path.pop();
    }
    return out;
  }
  return deepCopy(value);
}

function decodeStruct(type: Struct, input: Record<string, unknown>, path: Path, unknownFields: string[]): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(input)) {
    const field = type.fields.get(key);
    path.push(key);
    if (field) {
      // A null where the schema allows none counts as absent, so that the default takes its place.
      const isAbsent = input[key] === null && !field.type.nullable && field.default !== undefined;
      if (!isAbsent) define(out, key, decodeValue(field.type, input[key], path, unknownFields));
    } else if (type.preservesUnknownFields) define(out, key, deepCopy(input[key]));
    else unknownFields.push(path.show());
    path.pop();
  }
  for (const { name, type: inner, default: value } of type.fields.values()) {
    if (value === undefined || Object.hasOwn(out, name)) continue;
    // The default is completed by the defaults inside it.
    define(out, name, decodeValue(inner, value, path, []));
  }
  return out;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
