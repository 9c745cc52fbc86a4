import { copyMarks, markEmptied } from '../../api/emptied.ts';
import { define } from '../../api/equality.ts';
import { type Field, goNameOf, type List, type Scalar, type StringMap, type Struct, type Type } from '../../api/type.ts';
import { type Decoded, DecodeError, Path } from './decode.ts';
import { decodeScalar, type Form, GO_SCALARS, jsonType, Mismatch, OwnMismatch, ZERO_SCALARS } from './go-scalars.ts';

/**
 * Decodes as Go does for the built-in types: fields the type does not have are dropped and told, zero values are dropped
 * or written as Go's encoder would, quantities and times become canonical. The result shares nothing with the input.
 *
 * @throws DecodeError in the words of Go's decoder: a malformed text ends it at once, of values of a wrong type the first
 * is told in the end.
 */
export function decodeGo(type: Struct, input: unknown, form: Form = 'json'): Decoded {
  if (!isObject(input)) throw new DecodeError(`json: cannot unmarshal ${jsonType(input)} into Go value of type ${goNameOf(type)}`);
  const context: Context = { form, path: new Path(), unknownFields: [] };
  const object = decodeStruct(type, input, context);
  if (context.firstMismatch) throw context.firstMismatch;
  return { object, unknownFields: context.unknownFields };
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

interface Context {
  form: Form;
  path: Path;
  unknownFields: string[];
  firstMismatch?: DecodeError;
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
      if (isLeftOut(field, value)) markEmptied(out, key, value);
      else if (value !== undefined) out[key] = value;
    }
    path.pop();
  }
  return fillUnset(type, out) ? inOrderOf(type, out) : out;
}

/** What is filled in stands at the end; Go writes it where the type has it. */
function inOrderOf({ fields }: Struct, object: Record<string, unknown>): Record<string, unknown> {
  const ordered: Record<string, unknown> = {};
  for (const key of fields.keys()) if (object[key] !== undefined) ordered[key] = object[key];
  copyMarks(object, ordered);
  return ordered;
}

/** What Go holds by value and does not leave out is written even when it is unset. @returns whether any was */
function fillUnset(type: Struct, out: Record<string, unknown>): boolean {
  let hasFilled = false;
  for (const { name, type: inner, unset } of type.written) {
    if (out[name] !== undefined) continue;
    hasFilled = true;
    if (unset === 'null') out[name] = null;
    else if (inner.shape === 'scalar') out[name] = ZERO_SCALARS[inner.format];
    else if (inner.shape === 'struct') {
      const value: Record<string, unknown> = {};
      fillUnset(inner, value);
      out[name] = value;
    } else {
      out[name] = inner.shape === 'list' ? [] : {};
      markEmptied(out, name, null);
    }
  }
  return hasFilled;
}

function decodeField(owner: Struct, field: Field, value: unknown, context: Context): unknown {
  const { type } = field;
  if (value === null || value === undefined) return field.unset === 'null' ? null : undefined;
  switch (type.shape) {
    case 'list':
      return decodeList(owner, type, value, context);
    case 'map':
      return decodeMap(owner, type, value, context);
    case 'struct':
      return decodeElement(owner, type, value, context);
    case 'scalar': {
      if (type.object && isObject(value)) return decodeStruct(type.object, value, context);
      const out = decodeScalarOf(owner, type, value, context);
      return field.unset === undefined && !field.pointer && isZero(out) ? undefined : out;
    }
  }
}

/** Go writes no empty list or map where its field may be omitted. */
function isLeftOut({ type, unset, required }: Field, value: unknown): boolean {
  if (type.shape === 'scalar' || type.shape === 'struct' || typeof value !== 'object' || value === null) return false;
  return unset === undefined && !required && Object.keys(value).length === 0;
}

function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === false;
}

function decodeList(owner: Struct, type: List, value: unknown, context: Context): unknown[] | undefined {
  if (!Array.isArray(value)) return mismatch(owner, new Mismatch(value, `[]${goTypeOf(type.element)}`), context);
  const { path } = context;
  return value.map((element, i) => {
    path.push(i);
    const out = decodeElement(owner, type.element, element, context);
    path.pop();
    return out;
  });
}

function decodeMap(owner: Struct, type: StringMap, value: unknown, context: Context): Record<string, unknown> | undefined {
  if (!isObject(value)) return mismatch(owner, withName(new Mismatch(value, `map[string]${goTypeOf(type.element)}`), type.goName), context);
  const { path } = context;
  const out: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    path.pushKey(key);
    define(out, key, decodeElement(owner, type.element, value[key], context));
    path.pop();
  }
  return inOrder(out);
}

/** Go writes maps in the order of their keys. */
function inOrder(map: Record<string, unknown>): Record<string, unknown> {
  const keys = Object.keys(map);
  if (keys.every((key, index) => index === 0 || keys[index - 1]! < key)) return map;
  const sorted: Record<string, unknown> = {};
  for (const key of keys.sort()) define(sorted, key, map[key]);
  return sorted;
}

function decodeElement(owner: Struct, type: Type, value: unknown, context: Context): unknown {
  switch (type.shape) {
    case 'struct':
      if (value !== null && !isObject(value)) return mismatch(owner, new Mismatch(value, goNameOf(type)), context);
      return decodeStruct(type, value ?? {}, context);
    case 'list':
      return value === null ? null : decodeList(owner, type, value, context);
    case 'map':
      return value === null ? null : decodeMap(owner, type, value, context);
    case 'scalar':
      return decodeScalarOf(owner, type, value, context);
  }
}

function decodeScalarOf(owner: Struct, { format, goName }: Scalar, value: unknown, context: Context): unknown {
  const out = decodeScalar(format, value, context.form);
  if (out instanceof DecodeError) context.firstMismatch ??= out;
  else if (out instanceof OwnMismatch) throw new DecodeError(context.form === 'map' ? out.message : mismatchText(owner, out, context));
  else if (out instanceof Mismatch) return mismatch(owner, withName(out, goName), context);
  else return out;
  return undefined;
}

const withName = (out: Mismatch, goName: string | undefined): Mismatch => (goName ? { ...out, goType: goName } : out);

/** Notes that a value does not fit its field; the converter stops there. */
function mismatch(owner: Struct, { shown, goType, converterWords }: Mismatch, context: Context): undefined {
  if (context.form === 'map') throw new DecodeError(converterWords);
  context.firstMismatch ??= new DecodeError(mismatchText(owner, { shown, goType }, context));
  return undefined;
}

function mismatchText(owner: Struct, { shown, goType }: Pick<Mismatch, 'shown' | 'goType'>, { path }: Context): string {
  return `json: cannot unmarshal ${shown} into Go struct field ${goNameOf(owner).split('.').at(-1)}.${path.fieldsOnly()} of type ${goType}`;
}

/** The element type of a list or a map, as Go names it. */
function goTypeOf(type: Type): string {
  if (type.shape === 'struct') return goNameOf(type);
  if (type.shape !== 'scalar') return 'string';
  return type.goName ?? GO_SCALARS[type.format] ?? 'string';
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
