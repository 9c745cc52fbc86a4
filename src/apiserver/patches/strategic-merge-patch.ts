import { deepCopy, deepEqual, define } from '../../api/equality.ts';
import { goText } from '../../api/go-text.ts';
import { StatusError } from '../../api/status.ts';
import type { Field, Struct, Type } from '../../api/type.ts';

type Json = unknown;
type Fields = Record<string, Json>;

const PATCH = '$patch';
const RETAIN_KEYS = '$retainKeys';
const ELEMENT_ORDER = '$setElementOrder/';
const DELETE_FROM_LIST = '$deleteFromPrimitiveList/';

/** Upstream answers a patch that contradicts itself with 500 and the bare message (apimachinery/pkg/util/strategicpatch). */
function refused(message: string): StatusError {
  return new StatusError(500, '', message);
}

/**
 * Applies a strategic merge patch: lists merge by the keys that the schema names, `$patch`, `$retainKeys`,
 * `$setElementOrder/…` and `$deleteFromPrimitiveList/…` direct how. New list elements go in front, unless an order is set.
 *
 * @throws StatusError with upstream's words for a patch that cannot be applied.
 */
export function applyStrategicMergePatch(type: Struct, document: Json, patch: Json): Json {
  if (!isObject(patch) || !isObject(document)) throw refused('Invalid JSON document');
  return mergeMap(document, patch, type) ?? {};
}

/** @returns undefined when a directive deletes the whole map. */
function mergeMap(original: Fields, patch: Fields, type: Struct | undefined): Fields | undefined {
  const directive = patch[PATCH];
  if (directive !== undefined) {
    if (directive === 'replace') return withoutDirectives(patch);
    if (directive === 'delete') return {};
    if (directive !== 'merge') throw refused(`unknown patch type: ${goText(directive)} in map: ${goText(patch)}`);
  }
  let result: Fields = { ...original };
  if (patch[RETAIN_KEYS] !== undefined) result = retainKeys(result, patch);
  for (const key of Object.keys(patch)) {
    if (key === PATCH || key === RETAIN_KEYS || key.startsWith(ELEMENT_ORDER) || key.startsWith(DELETE_FROM_LIST)) continue;
    const value = patch[key];
    if (value === null) {
      delete result[key];
      continue;
    }
    define(result, key, mergeValue(Object.hasOwn(result, key) ? result[key] : undefined, value, fieldOf(type, key), { key, patch }));
  }
  applyListDirectives(result, patch, type);
  return result;
}

function mergeValue(original: Json, value: Json, field: Field | undefined, { key, patch }: { key: string; patch: Fields }): Json {
  const strategy = field?.patchStrategy ?? '';
  if (isObject(value)) {
    if (strategy.includes('replace')) return withoutDirectives(value);
    const base = isObject(original) ? original : {};
    return mergeMap(base, value, structOf(field?.type));
  }
  if (!Array.isArray(value)) return value;
  if (!strategy.includes('merge')) return value.map(stripDirectives);
  const base = Array.isArray(original) ? original : [];
  const merged = field?.patchMergeKey ? mergeListOfMaps(base, value, field) : mergeListOfScalars(base, value);
  const order = patch[ELEMENT_ORDER + key];
  const plain = value.filter((element) => !(isObject(element) && element[PATCH] !== undefined));
  return sortByOrder(merged, Array.isArray(order) ? order : plain, base, field?.patchMergeKey);
}

/** Orders and deletions may stand in a patch that does not otherwise touch the list. */
function applyListDirectives(result: Fields, patch: Fields, type: Struct | undefined): void {
  for (const key of Object.keys(patch)) {
    if (key.startsWith(DELETE_FROM_LIST)) {
      const name = key.slice(DELETE_FROM_LIST.length);
      const doomed = patch[key];
      if (!Array.isArray(doomed)) throw refused(`${key} must be a list`);
      if (Array.isArray(result[name])) result[name] = (result[name] as Json[]).filter((item) => !doomed.some((d) => deepEqual(d, item)));
    } else if (key.startsWith(ELEMENT_ORDER)) {
      const name = key.slice(ELEMENT_ORDER.length);
      const order = patch[key];
      if (!Array.isArray(order)) throw refused(`${key} must be a list`);
      const mergeKey = fieldOf(type, name)?.patchMergeKey;
      checkOrder(patch[name], order, mergeKey);
      if (patch[name] === undefined && Array.isArray(result[name])) result[name] = sortByOrder(result[name] as Json[], order, result[name] as Json[], mergeKey);
    }
  }
}

function retainKeys(original: Fields, patch: Fields): Fields {
  const keys = patch[RETAIN_KEYS];
  if (!Array.isArray(keys)) throw refused('invalid patch format of $retainKeys');
  for (const key of Object.keys(patch)) {
    if (key.startsWith('$') || patch[key] === null || keys.includes(key)) continue;
    throw refused('patch contains fields that are not in the $retainKeys list');
  }
  return Object.fromEntries(Object.entries(original).filter(([key]) => keys.includes(key)));
}

function mergeListOfMaps(original: readonly Json[], patch: readonly Json[], field: Field): Json[] {
  const mergeKey = field.patchMergeKey!;
  let result = [...original];
  const additions: Fields[] = [];
  if (patch.some((element) => isObject(element) && element[PATCH] === 'replace' && Object.keys(element).length === 1)) {
    return patch.filter((element) => !(isObject(element) && element[PATCH] === 'replace' && Object.keys(element).length === 1)).map(stripDirectives);
  }
  for (const element of patch) {
    if (!isObject(element)) throw refused(`unexpected non-map element in a list that merges by ${mergeKey}`);
    const directive = element[PATCH];
    if (directive !== undefined && !(typeof directive === 'string' && ['delete', 'replace', 'merge'].includes(directive)))
      throw refused(`unknown patch type: ${goText(directive)} in map: ${goText(element)}`);
    if (!Object.hasOwn(element, mergeKey)) throw refused(`map: ${goText(element)} does not contain declared merge key: ${mergeKey}`);
    const same = (other: Json): boolean => isObject(other) && deepEqual(other[mergeKey], element[mergeKey]);
    if (directive === 'delete') {
      result = result.filter((other) => !same(other));
      continue;
    }
    const at = result.findIndex(same);
    const type = structOf(field.type.shape === 'list' ? field.type.element : undefined);
    if (at >= 0) result[at] = directive === 'replace' ? withoutDirectives(element) : mergeMap(result[at] as Fields, element, type);
    else {
      const pending = additions.findIndex(same);
      if (pending >= 0) additions[pending] = mergeMap(additions[pending]!, element, type) ?? {};
      else additions.push(mergeMap({}, directive === undefined ? element : withoutDirectives(element), type) ?? {});
    }
  }
  return [...additions, ...result];
}

function mergeListOfScalars(original: readonly Json[], patch: readonly Json[]): Json[] {
  return [...patch.filter((item) => !original.some((other) => deepEqual(other, item))), ...original];
}

/**
 * Elements named in the order take that order among themselves, the others keep the live one; the two sequences are merged
 * by their places in the live list, and an element that is new there goes first (strategicpatch: normalizeElementOrder).
 */
function sortByOrder(list: readonly Json[], order: readonly Json[], live: readonly Json[], mergeKey: string | undefined): Json[] {
  const idOf = (item: Json): Json => (mergeKey !== undefined && isObject(item) ? item[mergeKey] : item);
  const place = (items: readonly Json[], item: Json): number => items.findIndex((other) => deepEqual(idOf(other), idOf(item)));
  const ordered = list.filter((item) => place(order, item) >= 0).sort((a, b) => place(order, a) - place(order, b));
  const others = list.filter((item) => place(order, item) < 0).sort((a, b) => place(live, a) - place(live, b));
  const isBefore = (other: Json, item: Json): boolean => place(live, other) >= 0 && place(live, item) >= 0 && place(live, other) < place(live, item);
  const result: Json[] = [];
  let next = 0;
  for (const item of ordered) {
    while (next < others.length && isBefore(others[next]!, item)) result.push(others[next++]!);
    result.push(item);
  }
  return [...result, ...others.slice(next)];
}

function checkOrder(patchList: Json, order: readonly Json[], mergeKey: string | undefined): void {
  if (!Array.isArray(patchList)) return;
  const idOf = (item: Json): Json => (mergeKey !== undefined && isObject(item) ? item[mergeKey] : item);
  let at = 0;
  for (const element of patchList) {
    if (isObject(element) && element[PATCH] !== undefined && element[PATCH] !== 'merge') continue;
    while (at < order.length && !deepEqual(idOf(order[at]), idOf(element))) at++;
    if (at === order.length) throw refused(`The order in patch list:\n${goText(patchList)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`);
    at++;
  }
}

function fieldOf(type: Struct | undefined, key: string): Field | undefined {
  return type?.fields.get(key);
}

function structOf(type: Type | undefined): Struct | undefined {
  return type?.shape === 'struct' ? type : undefined;
}

function withoutDirectives(value: Fields): Fields {
  return stripDirectives(Object.fromEntries(Object.entries(value).filter(([key]) => key !== PATCH))) as Fields;
}

function stripDirectives(value: Json): Json {
  return deepCopy(value);
}

function isObject(value: Json): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
