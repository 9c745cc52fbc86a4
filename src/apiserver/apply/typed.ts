import { deepEqual, define } from '../../api/equality.ts';
import { schema } from '../../api/generated/schema.ts';
import type { FieldSchema } from '../../api/schema.ts';
import { FieldSet, showPath } from './field-set.ts';

type Json = unknown;
type Fields = Record<string, Json>;

/** The keys of list elements that a client may leave out, with what then counts (`+default` in upstream's types). */
const KEY_DEFAULTS: Record<string, Json> = { protocol: 'TCP' };

/** An object that does not fit its schema, or whose list has an element twice. */
export class TypedError extends Error {}

/** What a value is, as far as ownership is concerned. */
type Shape =
  | { kind: 'leaf' }
  | { kind: 'struct'; field(name: string): FieldSchema | undefined }
  | { kind: 'map'; element: FieldSchema }
  | { kind: 'list'; element: FieldSchema; keys: readonly string[] | undefined };

const LEAF: Shape = { kind: 'leaf' };

function shapeOf(field: FieldSchema): Shape {
  if (field.list) {
    if (field.listType !== 'map' && field.listType !== 'set') return LEAF;
    const { list: _, listType: _t, ...element } = field;
    return { kind: 'list', element, keys: field.listType === 'map' ? (field.listMapKeys ?? []) : undefined };
  }
  if (field.map) {
    if (field.mapType === 'atomic') return LEAF;
    const { map: _, ...element } = field;
    return { kind: 'map', element: field.of ?? element };
  }
  if (!field.ref || field.mapType === 'atomic') return LEAF;
  const type = schema[field.ref]!;
  if (type.mapType === 'atomic') return LEAF;
  return { kind: 'struct', field: (name) => (Object.hasOwn(type.fields, name) ? type.fields[name] : undefined) };
}

/** Every field that the object sets (structured-merge-diff: TypedValue.ToFieldSet). */
export function toFieldSet(typeId: string, object: Json): FieldSet {
  const out = new FieldSet();
  collect({ ref: typeId }, object, [], out);
  return out;
}

function collect(field: FieldSchema, value: Json, path: readonly string[], out: FieldSet): void {
  const shape = shapeOf(field);
  if (shape.kind === 'leaf') {
    if (path.length) out.add(path);
    return;
  }
  if (value === null || value === undefined) return;
  if (shape.kind === 'list') {
    for (const { element, item } of elementsOf(shape, value, path)) {
      collect(shape.element, item, [...path, element], out);
      out.add([...path, element]);
    }
    return;
  }
  for (const [name, inner] of Object.entries(expectMap(value, path))) {
    if (inner === undefined) continue;
    const next = shape.kind === 'map' ? shape.element : shape.field(name);
    if (!next) throw new TypedError(`${showPath([...path, `f:${name}`])}: field not declared in schema`);
    const at = [...path, `f:${name}`];
    collect(next, inner, at, out);
    if (shape.kind === 'map' || inner === null || isEmptyMap(inner)) out.add(at);
  }
}

export interface Comparison {
  added: FieldSet;
  modified: FieldSet;
  removed: FieldSet;
}

/** How `after` differs from `before` (structured-merge-diff: TypedValue.Compare). */
export function compare(typeId: string, before: Json, after: Json): Comparison {
  const out = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  compareValue({ ref: typeId }, before, after, [], out);
  return out;
}

function compareValue(field: FieldSchema, before: Json, after: Json, path: readonly string[], out: Comparison): void {
  if (before === undefined && after === undefined) return;
  const shape = shapeOf(field);
  const bothEmpty = isEmpty(before) && isEmpty(after);
  if (shape.kind === 'leaf' || bothEmpty) {
    if (path.length === 0) return;
    if (before === undefined) out.added.add(path);
    else if (after === undefined) out.removed.add(path);
    else if (!deepEqual(before, after)) out.modified.add(path);
    return;
  }
  if (shape.kind === 'list') compareList(shape, before, after, path, out);
  else {
    const left = mapOrEmpty(before, path);
    const right = mapOrEmpty(after, path);
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const next = shape.kind === 'map' ? shape.element : shape.field(name);
      if (next) compareValue(next, left[name], right[name], [...path, `f:${name}`], out);
    }
  }
  if (path.length === 0) return;
  if (before === undefined) out.added.add(path);
  else if (after === undefined) out.removed.add(path);
}

function compareList(shape: Shape & { kind: 'list' }, before: Json, after: Json, path: readonly string[], out: Comparison): void {
  const left = groupElements(shape, before, path);
  const right = groupElements(shape, after, path);
  for (const element of new Set([...left.keys(), ...right.keys()])) {
    const a = left.get(element);
    const b = right.get(element);
    const at = [...path, element];
    // An element that stands there twice is compared as a whole.
    if ((a && a.length > 1) || (b && b.length > 1)) {
      if (!a) out.added.add(at);
      else if (!b) out.removed.add(at);
      else if (!deepEqual(a, b)) out.modified.add(at);
    } else compareValue(shape.element, a?.[0], b?.[0], at, out);
  }
}

/** `applied` laid over `live`: maps and keyed lists merge, all else is replaced (structured-merge-diff: TypedValue.Merge). */
export function merge(typeId: string, live: Json, applied: Json): Json {
  return mergeValue({ ref: typeId }, live, applied, []);
}

function mergeValue(field: FieldSchema, live: Json, applied: Json, path: readonly string[]): Json {
  if (applied === undefined) return live;
  const shape = shapeOf(field);
  if (shape.kind === 'leaf' || live === undefined || live === null || applied === null) return applied;
  if (shape.kind === 'list') return mergeList(shape, live, applied, path);
  const out: Fields = { ...mapOrEmpty(live, path) };
  for (const [name, value] of Object.entries(mapOrEmpty(applied, path))) {
    const next = shape.kind === 'map' ? shape.element : shape.field(name);
    define(out, name, next ? mergeValue(next, Object.hasOwn(out, name) ? out[name] : undefined, value, [...path, `f:${name}`]) : value);
  }
  return out;
}

/** Elements only in `live` keep their places; the applied ones keep their order among themselves. */
function mergeList(shape: Shape & { kind: 'list' }, live: Json, applied: Json, path: readonly string[]): Json[] {
  const left = elementsOf(shape, live, path);
  const right = elementsOf(shape, applied, path);
  const byElement = new Map(left.map((entry) => [entry.element, entry.item]));
  const inRight = new Set(right.map((entry) => entry.element));
  const out: Json[] = [];
  let next = 0;
  const takeRightThrough = (element: string | undefined): void => {
    while (next < right.length) {
      const entry = right[next++]!;
      out.push(mergeValue(shape.element, byElement.get(entry.element), entry.item, [...path, entry.element]));
      if (entry.element === element) return;
    }
  };
  const done = (element: string): boolean => right.findIndex((entry) => entry.element === element) < next;
  for (const { element, item } of left) {
    if (!inRight.has(element)) out.push(item);
    else if (!done(element)) takeRightThrough(element);
  }
  takeRightThrough(undefined);
  return out;
}

/** The object without what stands at the paths of `set` (structured-merge-diff: TypedValue.RemoveItems). */
export function removeItems(typeId: string, object: Json, set: FieldSet): Json {
  return removeFrom({ ref: typeId }, object, set);
}

function removeFrom(field: FieldSchema, value: Json, set: FieldSet): Json {
  const shape = shapeOf(field);
  if (set.isEmpty || shape.kind === 'leaf' || value === null || value === undefined) return value;
  if (shape.kind === 'list') {
    const out: Json[] = [];
    for (const { element, item } of elementsOf(shape, value, [])) {
      if (set.members.has(element)) continue;
      const below = set.children.get(element);
      out.push(below ? removeFrom(shape.element, item, below) : item);
    }
    return out.length ? out : null;
  }
  const out: Fields = {};
  for (const [name, inner] of Object.entries(mapOrEmpty(value, []))) {
    const element = `f:${name}`;
    if (set.members.has(element)) continue;
    const below = set.children.get(element);
    const next = shape.kind === 'map' ? shape.element : shape.field(name);
    define(out, name, below && next ? removeFrom(next, inner, below) : inner);
  }
  return Object.keys(out).length ? out : null;
}

/** Also the named fields on the way to each path; keys of maps and lists are not added (EnsureNamedFieldsAreMembers). */
export function withNamedFields(typeId: string, set: FieldSet): FieldSet {
  return ensureNamed({ ref: typeId }, set);
}

function ensureNamed(field: FieldSchema | undefined, set: FieldSet): FieldSet {
  const out = new FieldSet();
  const shape = field ? shapeOf(field) : LEAF;
  for (const member of set.members) out.members.add(member);
  for (const [element, child] of set.children) {
    let next: FieldSchema | undefined;
    if (shape.kind === 'struct') {
      next = shape.field(element.slice(2));
      if (next && element.startsWith('f:')) out.members.add(element);
    } else if (shape.kind !== 'leaf') next = shape.element;
    out.children.set(element, ensureNamed(next, child));
  }
  return out;
}

/** @throws TypedError when a list has an element twice. */
export function checkDuplicates(typeId: string, object: Json): void {
  findDuplicate({ ref: typeId }, object, []);
}

function findDuplicate(field: FieldSchema, value: Json, path: readonly string[]): void {
  const shape = shapeOf(field);
  if (shape.kind === 'leaf' || value === null || value === undefined) return;
  if (shape.kind === 'list') {
    const seen = new Set<string>();
    for (const { element, item } of elementsOf(shape, value, path)) {
      if (seen.has(element)) throw new TypedError(`${showPath(path)}: duplicate entries for key ${showPath([element])}`);
      seen.add(element);
      findDuplicate(shape.element, item, [...path, element]);
    }
    return;
  }
  for (const [name, inner] of Object.entries(expectMap(value, path))) {
    const next = shape.kind === 'map' ? shape.element : shape.field(name);
    if (!next) throw new TypedError(`${showPath([...path, `f:${name}`])}: field not declared in schema`);
    findDuplicate(next, inner, [...path, `f:${name}`]);
  }
}

function elementsOf(shape: Shape & { kind: 'list' }, value: Json, path: readonly string[]): { element: string; item: Json }[] {
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new TypedError(`${showPath(path)}: expected list, got ${describe(value)}`);
  return value.map((item: Json, index) => ({ item, element: elementName(shape, item, path, index) }));
}

function elementName({ keys }: Shape & { kind: 'list' }, item: Json, path: readonly string[], index: number): string {
  if (!keys) return `v:${JSON.stringify(item)}`;
  const fields = expectMap(item, path);
  const named: Fields = {};
  for (const key of [...keys].sort()) {
    const value = fields[key] ?? KEY_DEFAULTS[key];
    if (value !== undefined) named[key] = value;
    else
      throw new TypedError(
        `${showPath(path)}: element ${index}: associative list with keys has an element that omits key field ${JSON.stringify(key)} (and doesn't have default value)`,
      );
  }
  return `k:${JSON.stringify(named)}`;
}

function groupElements(shape: Shape & { kind: 'list' }, value: Json, path: readonly string[]): Map<string, Json[]> {
  const groups = new Map<string, Json[]>();
  for (const { element, item } of elementsOf(shape, value, path)) {
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
