import { deepEqual, define } from '../../api/equality.ts';
import { isAtomic, type List, type Scalar, type StringMap, type Struct, type Type } from '../../api/type.ts';
import { FieldSet, showPath } from './field-set.ts';
import { elementOf } from './path-element.ts';

type Json = unknown;
type Fields = Record<string, Json>;

/** An object that does not fit its schema. */
export class TypedError extends Error {}

/** What a schema lets be without saying anything of it: maps go by their keys, all else is one value (structured-merge-diff's deduced type). */
const DEDUCED: StringMap = deduced();
const ONE_VALUE: Scalar = Object.freeze({ shape: 'scalar', format: 'any' });

function deduced(): StringMap {
  const map: { shape: 'map'; atomic: boolean; element?: StringMap } = { shape: 'map', atomic: false };
  map.element = map as StringMap;
  return Object.freeze(map) as StringMap;
}

/** A type, or what the values make of one that says nothing. */
function seen(type: Type, ...values: readonly Json[]): Type {
  const isMap = (value: Json): boolean => value === null || value === undefined || (typeof value === 'object' && !Array.isArray(value));
  return type === DEDUCED && !values.every(isMap) ? ONE_VALUE : type;
}

/** The type of a named value inside a struct or a map; undefined: the struct has no such field. */
function typeOf(type: Exclude<Type, List>, name: string): Type | undefined {
  if (type.shape === 'scalar') return undefined;
  if (type.shape === 'map') return type.element;
  return type.fields.get(name)?.type ?? (type.preservesUnknownFields ? DEDUCED : undefined);
}

/** Every field that the object sets (structured-merge-diff: TypedValue.ToFieldSet). */
export function toFieldSet(type: Struct, object: Json): FieldSet {
  const out = new FieldSet();
  collect(type, object, [], out);
  return out;
}

function collect(given: Type, value: Json, path: string[], out: FieldSet): void {
  const type = seen(given, value);
  if (isAtomic(type)) {
    if (path.length) out.add(path);
    return;
  }
  if (value === null || value === undefined) return;
  if (type.shape === 'list') {
    for (const { element, item } of elementsOf(type, value, path)) {
      path.push(element);
      collect(type.element, item, path, out);
      out.add(path);
      path.pop();
    }
    return;
  }
  for (const [name, inner] of Object.entries(expectMap(value, path))) {
    if (inner === undefined) continue;
    const next = typeOf(type, name);
    path.push(`f:${name}`);
    if (!next) throw new TypedError(`${showPath(path)}: field not declared in schema`);
    collect(next, inner, path, out);
    if (type.shape === 'map' || next === DEDUCED || inner === null || isEmptyMap(inner)) out.add(path);
    path.pop();
  }
}

export interface Comparison {
  added: FieldSet;
  modified: FieldSet;
  removed: FieldSet;
}

/** How `after` differs from `before` (structured-merge-diff: TypedValue.Compare). What both share by reference is not looked at. */
export function compare(type: Struct, before: Json, after: Json): Comparison {
  const out = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  compareValue(type, before, after, [], out);
  return out;
}

function compareValue(given: Type, before: Json, after: Json, path: string[], out: Comparison): void {
  if (before === after) return;
  const type = seen(given, before, after);
  if (isAtomic(type) || (isEmpty(before) && isEmpty(after))) {
    if (path.length === 0) return;
    if (before === undefined) out.added.add(path);
    else if (after === undefined) out.removed.add(path);
    else if (!deepEqual(before, after)) out.modified.add(path);
    return;
  }
  if (type.shape === 'list') compareList(type, before, after, path, out);
  else {
    const left = mapOrEmpty(before, path);
    const right = mapOrEmpty(after, path);
    const compareField = (name: string): void => {
      if (left[name] === right[name]) return;
      const next = typeOf(type as Exclude<Type, List>, name);
      if (!next) return;
      path.push(`f:${name}`);
      compareValue(next, left[name], right[name], path, out);
      path.pop();
    };
    for (const name of Object.keys(left)) compareField(name);
    for (const name of Object.keys(right)) if (!Object.hasOwn(left, name)) compareField(name);
  }
  if (path.length === 0) return;
  if (before === undefined) out.added.add(path);
  else if (after === undefined) out.removed.add(path);
}

function compareList(type: List, before: Json, after: Json, path: string[], out: Comparison): void {
  const left = groupElements(type, before, path);
  const right = groupElements(type, after, path);
  for (const element of new Set([...left.keys(), ...right.keys()])) {
    const a = left.get(element);
    const b = right.get(element);
    path.push(element);
    const wasTwice = a && a.length > 1;
    const isTwice = b && b.length > 1;
    // Elements that stand there twice are one value; what becomes of them, or what they come from, is looked into.
    if (wasTwice && isTwice) {
      if (!deepEqual(a, b)) out.modified.add(path);
    } else {
      const [before, after] = [wasTwice ? undefined : a?.[0], isTwice ? undefined : b?.[0]];
      if (before !== undefined || after !== undefined) compareValue(type.element, before, after, path, out);
      if (wasTwice) out.removed.add(path);
      if (isTwice) out.added.add(path);
    }
    path.pop();
  }
}

/** `applied` laid over `live`: maps and keyed lists merge, all else is replaced (structured-merge-diff: TypedValue.Merge). */
export function merge(type: Struct, live: Json, applied: Json): Json {
  return mergeValue(type, live, applied, []);
}

function mergeValue(given: Type, live: Json, applied: Json, path: readonly string[]): Json {
  const type = seen(given, live, applied);
  if (applied === undefined) return live;
  if (isAtomic(type) || live === undefined || live === null) return applied;
  if (applied === null) return isEmpty(live) ? null : live;
  if (type.shape === 'list') return mergeList(type, live, applied, path);
  const out: Fields = { ...mapOrEmpty(live, path) };
  for (const [name, value] of Object.entries(mapOrEmpty(applied, path))) {
    const next = typeOf(type, name);
    define(out, name, next ? mergeValue(next, Object.hasOwn(out, name) ? out[name] : undefined, value, [...path, `f:${name}`]) : value);
  }
  return out;
}

/** Elements only in `live` keep their places; the applied ones keep their order among themselves. */
function mergeList(type: List, live: Json, applied: Json, path: readonly string[]): Json[] {
  const left = elementsOf(type, live, path);
  const right = elementsOf(type, applied, path);
  const byElement = new Map(left.map((entry) => [entry.element, entry.item]));
  const places = new Map(right.map((entry, place) => [entry.element, place]));
  const out: Json[] = [];
  let next = 0;
  const takeRightThrough = (place: number): void => {
    while (next <= place && next < right.length) {
      const entry = right[next++]!;
      out.push(mergeValue(type.element, byElement.get(entry.element), entry.item, [...path, entry.element]));
    }
  };
  for (const { element, item } of left) {
    const place = places.get(element);
    if (place === undefined) out.push(item);
    else takeRightThrough(place);
  }
  takeRightThrough(right.length);
  return out;
}

/** The object without what stands at the paths of `set` (structured-merge-diff: TypedValue.RemoveItems). */
export function removeItems(type: Struct, object: Json, set: FieldSet): Json {
  return removeFrom(type, object, set);
}

function removeFrom(given: Type, value: Json, set: FieldSet): Json {
  const type = seen(given, value);
  if (set.isEmpty || isAtomic(type) || value === null || value === undefined) return value;
  if (type.shape === 'list') {
    const out: Json[] = [];
    for (const { element, item } of elementsOf(type, value, [])) {
      if (set.members.has(element)) continue;
      const below = set.children.get(element);
      out.push(below ? removeFrom(type.element, item, below) : item);
    }
    return out.length ? out : null;
  }
  const out: Fields = {};
  for (const [name, inner] of Object.entries(mapOrEmpty(value, []))) {
    const element = `f:${name}`;
    if (set.members.has(element)) continue;
    const below = set.children.get(element);
    const next = typeOf(type, name);
    define(out, name, below && next ? removeFrom(next, inner, below) : inner);
  }
  return Object.keys(out).length ? out : null;
}

/** Also the named fields on the way to each path; keys of maps and lists are not added (EnsureNamedFieldsAreMembers). */
export function withNamedFields(type: Struct, set: FieldSet): FieldSet {
  return ensureNamed(type, set);
}

function ensureNamed(type: Type | undefined, set: FieldSet): FieldSet {
  const out = new FieldSet();
  for (const member of set.members) out.members.add(member);
  for (const [element, child] of set.children) {
    let next: Type | undefined;
    if (type && !isAtomic(type)) {
      next = type.shape === 'list' ? type.element : typeOf(type, element.slice(2));
      if (next && type.shape === 'struct' && element.startsWith('f:')) out.members.add(element);
    }
    out.children.set(element, ensureNamed(next, child));
  }
  return out;
}

function elementsOf(type: List, value: Json, path: readonly string[]): { element: string; item: Json }[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new TypedError(`${showPath(path)}: expected list, got ${describe(value)}`);
  return value.map((item: Json, index) => {
    const found = elementOf(type, item);
    if ('fault' in found) throw new TypedError(`${showPath(path)}: element ${index}: ${found.fault}`);
    return { item, element: found.element };
  });
}

function groupElements(type: List, value: Json, path: readonly string[]): Map<string, Json[]> {
  const groups = new Map<string, Json[]>();
  for (const { element, item } of elementsOf(type, value, path)) {
    const group = groups.get(element);
    if (group) group.push(item);
    else groups.set(element, [item]);
  }
  return groups;
}

function expectMap(value: Json, path: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new TypedError(`${showPath(path)}: expected map, got ${describe(value)}`);
  return value as Fields;
}

function mapOrEmpty(value: Json, path: readonly string[]): Fields {
  return value === null || value === undefined ? {} : expectMap(value, path);
}

function isEmpty(value: Json): boolean {
  return value === undefined || value === null || (Array.isArray(value) ? value.length === 0 : typeof value === 'object' && Object.keys(value).length === 0);
}

function isEmptyMap(value: Json): boolean {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0;
}

function describe(value: Json): string {
  return value === null ? 'null' : Array.isArray(value) ? 'list' : typeof value === 'object' ? 'map' : `&{${String(value)}}`;
}
